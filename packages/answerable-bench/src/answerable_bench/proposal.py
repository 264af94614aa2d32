"""A question proposed for a pair of passages, with what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from answerable_bench.pairs import Pair


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question, its answer, and the numbers of the supporting sentences of each passage, from 0.

    `passages` and `names` as in its pair. `clue`: the phrase for the bridge, empty where a model wrote the question.
    `about`: what is asked. `by`: "template" or the name of a model.
    """

    id: str
    slice: str
    kind: str
    passages: tuple[str, str]
    names: tuple[str, str]
    question: str
    answer: str
    sentences: tuple[tuple[int, ...], tuple[int, ...]]
    clue: str = ""
    about: str = ""
    by: str = "template"


def of_pair(
    pair: Pair,
    question: str,
    answer: str,
    sentences: tuple[tuple[int, ...], tuple[int, ...]],
    clue: str = "",
    about: str = "",
    by: str = "template",
) -> Proposal:
    """A proposal that takes id, slice, kind, passages and names of its pair."""
    asked = " ".join(question.split())
    return Proposal(
        pair.id, pair.slice, pair.kind, pair.passages, pair.names, asked, answer, sentences, clue, about, by
    )


def as_record(proposal: Proposal) -> dict[str, Any]:
    """For a file."""
    return asdict(proposal)


def from_record(row: Mapping[str, Any]) -> Proposal:
    """What `as_record` gave, read back."""
    first, second = (tuple(int(number) for number in numbers) for numbers in row["sentences"])
    given = {name: tuple(row[name]) for name in ("passages", "names")}
    return Proposal(**{**row, **given, "sentences": (first, second)})
