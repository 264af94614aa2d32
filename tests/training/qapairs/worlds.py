"""A small world of questions about lighthouses, and a BERT of a few numbers that reads them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

from tests.training.sets.worlds import write_bert as write_bert

BUILT = {
    "Alma": "1811",
    "Bard": "1823",
    "Cole": "1835",
    "Dorn": "1847",
    "Eril": "1859",
    "Fane": "1862",
    "Gorm": "1874",
    "Hope": "1886",
    "Iona": "1898",
    "Jura": "1901",
}
KEPT = dict(zip(BUILT, "Anna Bill Cara Dean Edna Finn Gwen Hugh Iris John".split(), strict=True))


def write_questions(data: Path) -> None:
    """Files that `known.asked` reads: questions people asked of each tower's paragraph."""
    for path, ask in (
        (data / "nq/nq-train.json.gz", (("when was {} built", 0), ("who kept {}", 1))),
        (data / "squad/squad-train-part.json.gz", (("In what year was the tower of {} built?", 0),)),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "wt", encoding="utf8") as file:
            json.dump({"data": [_article(name, ask) for name in BUILT]}, file)


def write_pairs(path: Path) -> None:
    """Pairs as a generator would have made them."""
    rows = [{"question": f"When was the tower of {name} put up?", "answer": [year]} for name, year in BUILT.items()]
    rows += [{"question": f"Who was the keeper of {name}?", "answer": [keeper]} for name, keeper in KEPT.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")


def _article(name: str, ask: Sequence[tuple[str, int]]) -> dict[str, object]:
    text = f"The tower of {name} was built in {BUILT[name]} and {KEPT[name]} kept it."
    told = (BUILT[name], KEPT[name])
    qas = [
        {
            "id": f"{name}-{number}-{len(ask)}",
            "question": question.format(name),
            "answers": [{"text": told[which], "answer_start": text.index(told[which])}],
        }
        for number, (question, which) in enumerate(ask)
    ]
    return {"title": name, "paragraphs": [{"context": text, "qas": qas}]}
