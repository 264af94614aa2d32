"""Hops written down for whoever looks: lines for a trace, records for JSON, and both redacted for the viewer.

A hop shows something of every enclave that shaped its query and of the one it searched. A viewer is shown it only if
they may read them all; what is left out leaves no count, no length and no gap in the numbering, only the names of the
enclaves that the viewer is not cleared for, which they could list anyway.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from answerable.privacy.enclaves import QUESTION, EnclaveTable
from answerable.privacy.flow import readable
from answerable.types import PUBLIC, Asker, Hop, Label, Passage, Skill


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
    """Hops of one kind together (hop number, linking or not, enclave, label, refusal), in the order of the first."""
    together: dict[tuple[int, bool, str, Label, str | None], list[Hop]] = {}
    for hop in hops:
        kind = (len(hop.query.because), hop.skill is Skill.MENTION, hop.enclave, hop.query.label, hop.refused)
        together.setdefault(kind, []).append(hop)
    return list(together.values())


def _may_see(hop: Hop, viewer: Asker, enclaves: EnclaveTable) -> bool:
    """Under its own label: the enclave searched, and every word of the query's label."""
    enclave = enclaves.find(hop.enclave)
    cleared = [other for other in enclaves.values() if readable(viewer, other).allowed]
    words = PUBLIC.union(*(other.label for other in cleared))
    if viewer.name == hop.query.asker.name:  # their own question, with the label they gave it
        words |= hop.query.asker.label | {QUESTION}
    return readable(viewer, enclave).allowed and hop.query.label | enclave.label <= words


def _named(passage: Passage) -> dict[str, Any]:
    return {"passage": passage.id, "document": passage.document_id, "enclave": passage.enclave, "title": passage.title}
