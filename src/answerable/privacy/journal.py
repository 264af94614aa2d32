"""Hops written down for whoever looks: lines for a trace, records for JSON, and both redacted for the viewer.

A hop shows something of every enclave that shaped its query and of the one it searched. A viewer is shown it only if
they may read them all; what is left out leaves no count, no length and no gap in the numbering, only the names of the
enclaves that the viewer is not cleared for, which they could list anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from answerable.privacy.enclaves import QUESTION, EnclaveTable
from answerable.privacy.flow import readable
from answerable.types import PUBLIC, Asker, Hop, Label, Passage


def redacted(hops: Iterable[Hop], viewer: Asker, enclaves: EnclaveTable) -> tuple[Hop, ...]:
    """The hops that this viewer may see, in order: those of enclaves they may read, asked with what they may read."""
    return tuple(hop for hop in hops if _may_see(hop, viewer, enclaves))


def withheld(viewer: Asker, enclaves: EnclaveTable) -> tuple[str, ...]:
    """The enclaves whose hops a viewer is not shown, whether there were any or not."""
    return tuple(name for name, enclave in enclaves.items() if not readable(viewer, enclave).allowed)


def records(hops: Iterable[Hop], viewer: Asker, enclaves: EnclaveTable) -> list[dict[str, Any]]:
    """The hops as JSON objects with `label`, `skill`, `enclave`, `because`, `refused`, `hits` and `seconds`.

    Passages appear by id, document and title, hits with their score: no text. Redacted for the viewer.
    """
    return [
        {
            "label": sorted(hop.query.label),
            "skill": hop.skill.value,
            "enclave": hop.enclave,
            "because": [_named(passage) for passage in hop.query.because],
            "refused": hop.refused,
            "hits": [{**_named(hit.passage), "score": hit.score} for hit in hop.hits],
            "seconds": hop.seconds,
        }
        for hop in redacted(hops, viewer, enclaves)
    ]


def grouped(hops: Iterable[Hop]) -> list[list[Hop]]:
    """Hops of one kind together (hop number, enclave, label, refusal), in the order of their first search."""
    together: dict[tuple[int, str, Label, str | None], list[Hop]] = {}
    for hop in hops:
        together.setdefault((len(hop.query.because), hop.enclave, hop.query.label, hop.refused), []).append(hop)
    return list(together.values())


def lines(hops: Iterable[Hop], viewer: Asker, enclaves: EnclaveTable) -> list[str]:
    """The trace of an ask: a line for each enclave and kind of query, in the order of their first search.

    `hop 2  mail  asked 10 times with the question and 1 passage: 93 hits, 45 ms`, or why it was refused: names and
    numbers only.
    """
    rows = [_line(group) for group in grouped(redacted(hops, viewer, enclaves))]
    left_out = withheld(viewer, enclaves)
    if left_out:
        names = ", ".join(left_out)
        rows.append(f"{viewer.name} is not cleared for {names}: what was asked there, or through it, is not shown")
    return rows


def _may_see(hop: Hop, viewer: Asker, enclaves: EnclaveTable) -> bool:
    """Under its own label: the enclave searched, and every word of the query's label."""
    enclave = enclaves.find(hop.enclave)
    cleared = [other for other in enclaves.values() if readable(viewer, other).allowed]
    words = PUBLIC.union(*(other.label for other in cleared))
    if viewer.name == hop.query.asker.name:  # their own question, with the label they gave it
        words |= hop.query.asker.label | {QUESTION}
    return readable(viewer, enclave).allowed and hop.query.label | enclave.label <= words


def _line(group: Sequence[Hop]) -> str:
    first = group[0]
    read = len(first.query.because)
    quoted = "" if not read else " and 1 passage" if read == 1 else f" and {read} passages"
    start = f"hop {read + 1}  {first.enclave}  "
    times = "once" if len(group) == 1 else f"{len(group)} times"
    if first.refused:
        return f"{start}refused {times}: {first.refused}"
    hits = sum(len(hop.hits) for hop in group)
    found = f"{hits} hit{'s' * (hits != 1)}, {1000 * sum(hop.seconds for hop in group):.0f} ms"
    carried = f", carrying {', '.join(sorted(first.query.label))}" if first.query.label else ""
    return f"{start}asked {times} with the question{quoted}{carried}: {found}"


def _named(passage: Passage) -> dict[str, Any]:
    return {"passage": passage.id, "document": passage.document_id, "enclave": passage.enclave, "title": passage.title}
