"""What the members of a set have in common, to narrow it by: their enclaves, kinds, folders, years and senders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from answerable.corpora.fields import UNFILTERED, Filter, day_known
from answerable.sets.members import Member
from answerable.web.table import Record

SHOWN = 8
"""Values of one facet that are offered: those that most members have."""
_SAID = {"enclave": "Enclave", "kind": "Kind", "folder": "Folder", "year": "Year", "sender": "From"}
Facet = Literal["enclave", "kind", "folder", "year", "sender"]
Year = Annotated[int, Field(ge=1, le=9998)]


def of(members: Sequence[Member]) -> list[Record]:
    """Each facet in which members differ, with its values and how many members have each."""
    values: dict[str, Iterable[str]] = {
        "enclave": (one.enclave for one in members),
        "kind": (one.kind for one in members),
        "year": (day_known(one.fields)[:4] for one in members),
        "sender": (one.fields.sender for one in members if one.fields),
    }
    counted = {name: Counter(value for value in found if value) for name, found in values.items()}
    return [
        {
            "name": name,
            "said": _SAID[name],
            "values": sorted(counts.most_common(SHOWN), key=lambda one: (-one[1], one[0])),
        }
        for name, counts in counted.items()
        if len(counts) > 1
    ]


def narrowed(wanted: Filter | None, kinds: Sequence[str], folders: Sequence[str], year: int | None) -> Filter | None:
    """A filter under facets besides; None: everything."""
    made = replace(wanted or UNFILTERED, kinds=tuple(kinds), folders=tuple(folders))
    if year is not None:
        first, last = f"{year:04}-01-01", f"{year + 1:04}-01-01"
        made = replace(made, after=max(made.after, first), before=min(made.before or last, last))
    return made or None


def chosen(
    enclaves: Sequence[str], kinds: Sequence[str], folders: Sequence[str], year: int | None, sender: str
) -> list[Record]:
    """The facets that a set is narrowed by, to be taken back one by one."""
    years, senders = [str(year)] if year else [], [sender] if sender else []
    given = {"enclave": enclaves, "kind": kinds, "folder": folders, "year": years, "sender": senders}
    return [{"name": name, "said": _SAID[name], "text": ", ".join(ones)} for name, ones in given.items() if ones]
