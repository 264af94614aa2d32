"""What a benchmark of set queries is made of, and how large: Malaviya et al. 2023, sections 3.1, 3.2 and 3.5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answerable.errors import UsageError
from answerable_bench.plan import counts, shares

TRAIN, VALIDATION, TEST = "train", "val", "test"
"""The splits, as QUEST's files are called."""
SPLITS = (TRAIN, VALIDATION, TEST)


@dataclass(frozen=True, slots=True)
class SetPlan:
    """How queries are composed; the values of the paper where it gives them.

    `queries`: asked of each template. `test`: the share of them for testing; of the rest, `validation` goes to
    validation. `least`, `most`: answers of a query. `large`: what an intersection or a difference is made of has more
    members than this, and what a difference takes from has fewer than `first_most`, what is taken away fewer than
    `second_most`. `part_least`: members of each part of a union; `shared`: the parts of a union share less than this
    share of it. `overlap`: the share of a difference's first part that is taken away is less than this (appendix B).
    `change`: the share of the answers that each category changes at least (the paper's sizes see to that).
    `extra`: further examples of one category for training. `train_atoms`, `validation_atoms`: shares of the categories;
    the rest is for testing. `apart`: whether a category belongs to one split alone (the paper divides queries and lets
    splits share categories). `crowding`: the share of the queries asked of a template and a split that one category
    may stand in. `domain`: the name of what all this is about; `nouns`: what documents
    are called ("packages", "programs"). `plain`: queries as composed, without free phrasing.
    """

    seed: int = 1
    queries: int = 200
    test: float = 0.5
    validation: float = 0.2
    least: int = 2
    most: int = 20
    large: int = 50
    first_most: int = 200
    second_most: int = 10_000
    part_least: int = 3
    shared: float = 1 / 3
    overlap: float = 0.8
    change: float = 0.0
    extra: int = 5000
    train_atoms: float = 0.5
    validation_atoms: float = 0.15
    apart: bool = True
    crowding: float = 0.1
    domain: str = ""
    nouns: tuple[str, ...] = ("documents",)
    plain: bool = False

    def __post_init__(self) -> None:
        shares(self, "test validation shared overlap change train_atoms validation_atoms crowding")
        if self.train_atoms + self.validation_atoms > 1:
            raise UsageError("the shares of categories for training and validation are more than all of them")
        counts(self, "queries least part_least", 1)
        counts(self, "large extra", 0)
        if self.most < self.least:
            raise UsageError(f"a query has {self.least} to {self.most} answers", hint="let most be at least least")
        if not self.nouns or not all(noun.strip() for noun in self.nouns):
            raise UsageError("the noun for a document is empty", hint="like films, packages or documents")

    def asked(self, split: str) -> int:
        """How many queries of each template a split is to have."""
        tested = round(self.queries * self.test)
        validated = round((self.queries - tested) * self.validation)
        return {TEST: tested, VALIDATION: validated, TRAIN: self.queries - tested - validated}[split]


CONDITIONS = (
    "test validation least most large first_most second_most part_least shared overlap change extra train_atoms"
    " validation_atoms apart crowding"
).split()
"""What of a plan can be set by name."""


def with_conditions(plan: SetPlan, given: Sequence[str] | None) -> SetPlan:
    """The plan with each NAME=VALUE of `given` instead of its own. Raises `UsageError` where one cannot be so set."""
    changed: dict[str, int | float | bool] = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals or name not in CONDITIONS:
            raise UsageError(f"there is no condition {name!r}", hint=f"NAME=VALUE, of {', '.join(CONDITIONS)}")
        kind = type(getattr(plan, name))
        try:
            changed[name] = {"true": True, "false": False}[value] if kind is bool else kind(value)
        except (ValueError, KeyError):
            hint = "true or false" if kind is bool else "a whole number" if kind is int else "a number"
            raise UsageError(f"the condition {name} is {value!r}", hint=hint) from None
    return replace(plan, **changed)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class SetSources:
    """Documents with categories, and what is known of the categories.

    `documents`: JSONL with `_id`, `title`, `text` and `categories`. `names`: JSON, an English name and a kind (noun or
    modifier) of each category. `graph`: JSON, the parents of each category. `attributes`, `modifiers`: names of
    categories made of other fields (`categories.AttributeName`), which read as nouns or as modifiers.
    """

    documents: Path
    names: Path | None = None
    graph: Path | None = None
    attributes: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
