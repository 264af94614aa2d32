"""The trace of an ask: its hops for whoever looks, as lines or as records for JSON, both redacted for the viewer.

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
    return tuple(hop for hop in hops if may_see(hop.enclave, hop.query.label, hop.query.asker, viewer, enclaves))


def withheld(viewer: Asker, enclaves: EnclaveTable) -> tuple[str, ...]:
    """The enclaves whose hops a viewer is not shown, whether there were any or not."""
    return tuple(name for name, enclave in enclaves.items() if not readable(viewer, enclave).allowed)


def records(hops: Iterable[Hop], viewer: Asker, enclaves: EnclaveTable) -> list[dict[str, Any]]:
    """The hops as JSON objects: `label`, `skill`, `enclave`, `because`, `refused`, `reason`, `held`, `ahead`,
    `shards`, `missing`, `hits` and `seconds`.

    `reason`: why the flow rule allowed the search, or refused it. `held`, `ahead` and `missing` are those of a `Hop`;
    where an enclave lies (`shards`) is told its owner alone. Passages appear by id, document and title, hits with their
    score: no text. Redacted for the viewer.
    """
    return [
        {
            "label": sorted(hop.query.label),
            "skill": hop.skill.value,
            "enclave": hop.enclave,
            "because": [_named(passage) for passage in hop.query.because],
            "refused": hop.refused,
            "reason": hop.reason,
            "held": hop.held,
            "ahead": hop.ahead,
            "shards": list(hop.shards) if viewer.clearance is None else [],
            "missing": list(hop.missing),
            "hits": [{**_named(hit.passage), "score": hit.score} for hit in hop.hits],
            "seconds": hop.seconds,
        }
        for hop in redacted(hops, viewer, enclaves)
    ]


def grouped(hops: Iterable[Hop]) -> list[list[Hop]]:
    """Hops of one kind together, as the first came: by what is asked, hop number, enclave, label, why or why not, and
    whether among pairs.

    Those searched among what is held are of another kind than those that were refused and no more.
    """
    together: dict[tuple[object, ...], list[Hop]] = {}
    for hop in hops:
        asked = "" if hop.skill is Skill.MENTION else hop.query.text  # the question, or a part of it
        why = (hop.refused, hop.reason, hop.held is None, hop.skill is Skill.MATCH, hop.shards)
        together.setdefault((asked, len(hop.query.because), hop.enclave, hop.query.label, why), []).append(hop)
    return list(together.values())


def may_see(enclave: str, label: Label, asker: Asker, viewer: Asker, enclaves: EnclaveTable) -> bool:
    """Whether a viewer may know that an enclave was searched, or refused, with an asker's query of that label.

    They must be cleared for the enclave and for every word of the label. An enclave that is not declared is nobody's.
    """
    searched = enclaves.get(enclave)
    if searched is None or not readable(viewer, searched).allowed:
        return False
    words = PUBLIC.union(*(other.label for other in enclaves.values() if readable(viewer, other).allowed))
    if viewer.name == asker.name:  # their own question, with the label they gave it
        words |= asker.label | {QUESTION}
    return label | searched.label <= words


def _named(passage: Passage) -> dict[str, Any]:
    return {"passage": passage.id, "document": passage.document_id, "enclave": passage.enclave, "title": passage.title}
