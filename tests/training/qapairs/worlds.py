"""A small world of questions about lighthouses."""

from __future__ import annotations

from pathlib import Path

from tests.training.files import article, write_lines, write_squad

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
        (data / "nq/nq-train.json.gz", (("when was {} built", BUILT), ("who kept {}", KEPT))),
        (data / "squad/squad-train-part.json.gz", (("In what year was the tower of {} built?", BUILT),)),
    ):
        told = ((name, [(question.format(name), answers[name]) for question, answers in ask]) for name in BUILT)
        write_squad(path, [article(name, (_text(name), asked)) for name, asked in told])


def write_pairs(path: Path) -> None:
    """Pairs as a generator would have made them."""
    rows = [{"question": f"When was the tower of {name} put up?", "answer": [year]} for name, year in BUILT.items()]
    rows += [{"question": f"Who was the keeper of {name}?", "answer": [keeper]} for name, keeper in KEPT.items()]
    write_lines(path, rows)


def _text(name: str) -> str:
    return f"The tower of {name} was built in {BUILT[name]} and {KEPT[name]} kept it."
