"""An encoder of your own: here vectors of pieces of three letters, so that misspelt words are still found."""

import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import answerable
from answerable.protocols import Encoder, Skill


class Trigrams(Encoder):
    name, dimension = "trigrams-1024", 1024

    def encode_query(self, text, skill, passages=()):
        line, row = " ".join((text, *(title for title, _ in passages))).lower(), np.full(self.dimension, 1e-3)
        for i in range(len(line) - 2):
            row[zlib.crc32(line[i : i + 3].encode(errors="replace")) % self.dimension] += 1
        return (row / np.linalg.norm(row)).astype(np.float32)

    def encode_passages(self, texts):
        rows = [self.encode_query(f"{title} {text}", Skill.PASSAGE) for title, text in texts]
        return np.array(rows, np.float32).reshape(-1, self.dimension)


def main() -> None:
    with TemporaryDirectory() as folder:
        notes = Path(folder, "notes")
        notes.mkdir()
        (notes / "boiler.txt").write_text("The boiler is due for service on 3 March.")
        (notes / "roof.txt").write_text("The roof was mended by Ada Brown.")
        with answerable.open(f"{folder}/work", create=True, encoder=Trigrams()) as workspace:
            workspace.index([notes], enclave="notes")
            answer = workspace.ask("When is the boyler due for service?")
            print(answer.text or answer.reason, answer.confidence, [one.text for one in answer.citations])


if __name__ == "__main__":
    main()
