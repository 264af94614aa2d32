"""Lighthouses with their years and countries: passages with questions in the form of SQuAD."""

from pathlib import Path
from typing import Any

from answerable.encoders.shipped import Shipped
from tests.encoders.tiny import write_tiny
from tests.training.files import article, write_squad

HOUSES = {
    "kopu": ("1531", "estonia"),
    "hook": ("1245", "ireland"),
    "eddy": ("1698", "england"),
    "ar": ("1881", "spain"),
}
WORDS = sorted(
    {*"which year was the finished in country of is stood ? . , : | answer title context".split(), *HOUSES}
    | {word for both in HOUSES.values() for word in both}
)


def passage(house: str) -> str:
    year, country = HOUSES[house]
    return f"the {house} of {country} was finished in {year}."


def asked(house: str) -> list[tuple[str, str]]:
    """Questions with their answers."""
    year, country = HOUSES[house]
    return [(f"in which year was {house} finished?", year), (f"in which country is {house}?", country)]


def write_world(folder: Path, family: str) -> Path:
    """A model to start from in `start`, and the data beside it."""
    write_tiny(folder / "start", family, WORDS)
    write_squad(folder / "squad.json", [article(house, (passage(house), asked(house))) for house in HOUSES])
    return folder


def recipe_of(folder: Path, **more: object) -> dict[str, object]:
    """A recipe for the world in a folder."""
    loop = {"rate": 1e-2, "tokens": 4000, "seed": 4}
    given = {
        "kind": "pair-questions",
        "start": str(folder / "start"),
        "threads": 1,
        "batch": 8,
        "tokens": 64,
        "said": 16,
    }
    return {**given, "training": ["squad.json"], "development": ["squad.json"], "epochs": 50, "loop": loop, **more}


def read(how: dict[str, object]) -> Any:
    """A recipe, checked."""
    from answerable.training.qapairs.questions import QuestionRecipe

    return QuestionRecipe.of(how)


def trained(how: dict[str, object], data: Path, folder: Path) -> Shipped:
    """What a recipe makes."""
    from answerable.training.qapairs.questions import train_questions

    return train_questions(read(how), data, folder)
