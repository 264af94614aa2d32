"""What a benchmark is built of, and how large: Arora et al. 2022 (PAIR), sections 4.2 to 4.5 and appendix D."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from answerable.errors import UsageError

PRIVATE, PUBLIC = "P", "G"
"""The paper's letters: P for private, G for global."""
SLICES = ("PP", "PG", "GP", "GG")
"""The domains of the two hops, first hop first (EE, EW, WE, WW in the paper's table 13)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a benchmark is built; the values of the paper where it gives them.

    `pairs`: passage pairs drawn for each of the four slices. `comparison`: the share of them that compare two entities
    (algorithm 1). `least`, `most`: an entity of the mails stands in at least so many passages, and in at most this
    share of them (5 in the paper; what stands everywhere links nothing). `crowd`: entities a mail passage must name
    (3). `common`: pages whose type a page must share to be permitted (the paper's 1,000 of 5.2 million, in
    proportion). `linked`: pages that may name a public entity. `per_entity`, `per_passage`: questions on one of them.
    `held`: share of the questions that goes to each of dev and test, as far as whole mailboxes come to it.
    """

    seed: int = 1
    pairs: int = 20_000
    comparison: float = 0.2
    least: int = 5
    most: float = 0.01
    crowd: int = 3
    common: float = 1000 / 5_200_000
    linked: int = 50
    per_entity: int = 8
    per_passage: int = 6
    held: float = 0.2

    def __post_init__(self) -> None:
        shares(self, "comparison most")
        shares(self, "held", 0.5)
        counts(self, "pairs least crowd per_entity per_passage", 1)


def shares(plan: object, names: str, high: float = 1) -> None:
    """Raise `UsageError` where one of these fields of a plan is no share of up to `high`."""
    for name in names.split():
        if not 0 <= (value := getattr(plan, name)) <= high:
            raise UsageError(f"the share {name} is {value}", hint=f"give one from 0 to {high}")


def counts(plan: object, names: str, low: int) -> None:
    """Raise `UsageError` where one of these fields of a plan is below `low`."""
    for name in names.split():
        if (value := getattr(plan, name)) < low:
            raise UsageError(f"{name} is {value}", hint=f"give at least {low}")


@dataclass(frozen=True, slots=True)
class Sources:
    """The files and folders of the two corpora, and files of questions that people wrote for their pairs."""

    public: tuple[Path, ...]
    private: tuple[Path, ...]
    written: tuple[Path, ...] = ()
