"""One door to all data sets as long documents: the data set is named, and the part of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from answerable.datasets.parts import PARTS
from answerable.errors import UsageError
from answerable.evaluation.long import articles, multihop, rules, tables
from answerable.evaluation.long.asked import LongDocument

Loader = Callable[[Path, str], Iterator[LongDocument]]
LOADERS: dict[str, Loader] = {
    "2wikimultihopqa": multihop.twowiki,
    "conditionalqa": rules.conditionalqa,
    "covidqa": articles.covidqa,
    "doc2dial": rules.doc2dial,
    "hotpotqa": multihop.hotpotqa,
    "hybridqa": tables.hybridqa,
    "musique": multihop.musique,
    "nq": articles.nq,
    "ottqa": tables.ottqa,
    "policyqa": articles.policyqa,
    "qasper": articles.qasper,
    "sharc": rules.sharc,
    "squad": articles.squad,
}
"""What reads a data set in a folder of data, by name; it is given the folder and the part."""


def load(data: Path, name: str, part: str) -> Iterator[LongDocument]:
    """The long documents of a data set's part, one at a time. Parts share no document.

    Raises UsageError at once for a name or a part that is not known or not there; FormatError while reading where a
    record is not as its form wants it.
    """
    if name not in LOADERS:
        raise UsageError(f"there are no long documents of `{name}`", hint=f"one of {', '.join(LOADERS)}")
    if part not in PARTS:
        raise UsageError(f"there is no part `{part}` of a data set", hint=f"one of {', '.join(PARTS)}")
    return LOADERS[name](data, part)
