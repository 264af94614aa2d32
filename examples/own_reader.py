"""A reader of your own: here one that answers with the year that stands among most of the question's words."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import answerable
from answerable.protocols import Candidate, Reader
from answerable.text import is_polar, words


class Years(Reader):
    name = "years"

    def read(self, question, chains):
        asked, found = set(words(question)), []
        for chain in chains if asked and not is_polar(question) else ():
            for number, passage in enumerate(hit.passage for hit in chain.hits):
                for year in re.finditer(r"\b[12][0-9]{3}\b", passage.text):
                    near = words(passage.text[max(0, year.start() - 80) : year.end() + 80])
                    score = 4 * len(asked & set(near)) / len(asked) - 2  # log-odds that it is right
                    start = passage.start + year.start()
                    found.append(Candidate(year[0], score, chain, number, start, start + 4))
        return sorted(found, key=lambda one: (-one.score, one.text))


def main() -> None:
    with TemporaryDirectory() as folder:
        notes = Path(folder, "lights.txt")
        notes.write_text("Skerryvore was first lit in 1844.\n\nThe works of Chance Brothers closed in 1981.\n")
        with answerable.open(f"{folder}/work", create=True, reader=Years()) as workspace:
            workspace.index([notes], enclave="notes")
            answer = workspace.ask("When was Skerryvore first lit?")
            print(answer.text or answer.reason, answer.confidence, [one.text for one in answer.citations])


if __name__ == "__main__":
    main()
