"""A small world of questions about lighthouses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.training.files import article, write_lines, write_squad
from tests.training.skills import worlds

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


WORDS = "in what year was built who kept the tower of and it".split()
"""The words of the questions that articles ask, and of their texts, but for names and years."""


def write_bert(folder: Path) -> Path:
    """A folder of Hugging Face's form with random weights, whose tokenizer knows all of these words."""
    names = [one.lower() for both in ((*BUILT, *KEPT.values()), BUILT.values()) for one in both]
    vocabulary = [*dict.fromkeys([*worlds.VOCABULARY, *WORDS, *names, "[MASK]"])]
    return worlds.write_bert(folder, 5, replace(worlds.SMALL, vocabulary=len(vocabulary)), vocabulary)


def write_questions(data: Path) -> None:
    """Files that `known.asked` reads: questions people asked of each tower's paragraph."""
    for path, ask in (
        (data / "nq/nq-train.json.gz", (("when was {} built", BUILT), ("who kept {}", KEPT))),
        (data / "squad/squad-train-part.json.gz", (("In what year was the tower of {} built?", BUILT),)),
    ):
        told = ((name, [(question.format(name), answers[name]) for question, answers in ask]) for name in BUILT)
        write_squad(path, [article(name, (tower(name), asked)) for name, asked in told])


def write_articles(data: Path) -> None:
    """Articles of SQuAD, some of which tell when to stop, with the questions of each tower."""
    asked = (("In what year was {} built?", BUILT), ("Who kept {}?", KEPT))
    for path, names in (("squad1.1", BUILT), ("squad-train-part", [*BUILT][:3])):
        told = ((name, [(question.format(name), answers[name]) for question, answers in asked]) for name in names)
        write_squad(data / f"squad/{path}.json.gz", [article(name, (tower(name), ones)) for name, ones in told])


def write_pairs(path: Path) -> None:
    """Pairs as a generator would have made them."""
    rows = [{"question": f"When was the tower of {name} put up?", "answer": [year]} for name, year in BUILT.items()]
    rows += [{"question": f"Who was the keeper of {name}?", "answer": [keeper]} for name, keeper in KEPT.items()]
    write_lines(path, rows)


def tower(name: str) -> str:
    """The text of a tower."""
    return f"The tower of {name} was built in {BUILT[name]} and {KEPT[name]} kept it."
