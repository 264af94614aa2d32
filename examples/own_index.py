"""An index of your own: here a few public texts in a dictionary; a private mail is searched beside it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import answerable
from answerable.protocols import Passage, SearchableEnclave
from answerable.text import words


class Shelf(SearchableEnclave):
    def __init__(self, enclave, texts):
        self.enclave, self.texts = enclave, texts

    def search(self, query_text, vector, mode, k):
        asked = set(words(query_text))
        shared = {id: len(asked & set(words(text))) for id, text in self.texts.items()}
        return sorted(((id, n) for id, n in shared.items() if n), key=lambda one: (-one[1], one[0]))[: max(k, 0)]

    def passages(self, ids):
        held = [(id, self.texts[id]) for id in ids if id in self.texts]
        return [Passage(id, id, self.enclave, id, text, 0, len(text)) for id, text in held]


TEXTS = {
    "Kopu": "The tower of Kopu Lighthouse was completed in 1531. It stands on Hiiumaa.",
    "Hook": "Hook Lighthouse stands in Ireland. William Marshal built it.",
}


def main() -> None:
    with TemporaryDirectory() as folder:
        mail = Path(folder, "mail.txt")
        mail.write_text("From today the job at Kopu Lighthouse is called KESTREL.")
        with answerable.open(f"{folder}/work", create=True) as workspace:
            workspace.attach("wiki", Shelf("wiki", TEXTS), kind="public")
            workspace.index([mail], enclave="mail")
            answer = workspace.ask("When was the tower of Kopu Lighthouse completed?")
            print(answer.text or answer.reason, answer.confidence, [one.text for one in answer.citations])
            for hop in answer.evidence.hops:
                print(hop.enclave, hop.refused or f"{len(hop.hits)} found")


if __name__ == "__main__":
    main()
