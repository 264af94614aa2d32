"""The paper's tables of its benchmark, of this one: sizes (3), lengths (12), domains of the gold passages (13)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from answerable.types import Passage
from answerable_bench.pairs import BRIDGE, COMPARISON
from answerable_bench.plan import PRIVATE, PUBLIC, SLICES
from answerable_bench.proposal import Proposal

_LENGTHS = ("words a question", "words a private passage", "words a public passage", "words an answer")


def statistics(
    splits: Mapping[str, list[Proposal]], passages: Mapping[str, Mapping[str, Passage]], reviewed: int
) -> dict[str, Any]:
    """The tables as one object: `sizes` and `domains` by split, `lengths`, and what questions are about."""
    every = [one for ones in splits.values() for one in ones]
    gold = {id for one in every for id in one.passages}
    shown = {
        domain: [found[id].text for id in found if id in gold] for domain, found in passages.items()
    }  # as in the paper, of the passages questions are on
    texts = ([one.question for one in every], shown[PRIVATE], shown[PUBLIC], [one.answer for one in every])
    return {
        "questions": len(every),
        "reviewed": reviewed,
        "corpus": {"private": len(passages[PRIVATE]), "public": len(passages[PUBLIC])},
        "sizes": {
            name: {"total": len(ones), **_counted((one.kind for one in ones), (COMPARISON, BRIDGE))}
            for name, ones in splits.items()
        },
        "lengths": {name: _words(found) for name, found in zip(_LENGTHS, texts, strict=True)},
        "domains": {
            name: {"total": len(ones), **_counted((one.slice for one in ones), SLICES)} for name, ones in splits.items()
        },
        "asked": dict(Counter(one.about.split(" ")[0] or one.by for one in every).most_common()),
    }


def markdown(told: Mapping[str, Any]) -> str:
    """The three tables in Markdown."""
    sizes = [[name, *row.values()] for name, row in told["sizes"].items()]
    domains = [[name, *row.values()] for name, row in told["domains"].items()]
    lengths = [[name, f"{value:.1f}"] for name, value in told["lengths"].items()]
    return "\n".join(
        (
            _table(["split", "total", COMPARISON, BRIDGE], sizes),
            _table(["on average", "words"], [[name.removeprefix("words "), value] for name, value in lengths]),
            _table(["split", "total", *SLICES], domains),
        )
    )


def _counted(values: Iterable[str], names: Iterable[str]) -> dict[str, int]:
    found = Counter(values)
    return {name: found[name] for name in names}


def _words(texts: list[str]) -> float:
    return round(fmean(len(text.split()) for text in texts), 1) if texts else 0.0


def _table(header: list[str], rows: list[list[Any]]) -> str:
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)]) + "\n"
