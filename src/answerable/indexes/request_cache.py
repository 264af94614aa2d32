"""What one ask remembers: what was encoded, found and reranked for it, as private as the texts it came from."""

from __future__ import annotations

from dataclasses import dataclass, field

from answerable.encoders.encoder import Span, Vectors
from answerable.indexes.prefetch import Prefetched
from answerable.privacy.audit_log import new_ask
from answerable.types import Hop, Label, Query, Skill

Texts = tuple[tuple[str, str], ...]
VectorKey = tuple[str, Skill, Texts, Span | None]


@dataclass(frozen=True, slots=True)
class RequestCache:
    """What was encoded, found and reranked during one ask: each depends on nothing else, so it is worked out once."""

    vectors: dict[VectorKey, Vectors] = field(default_factory=dict)
    unreachable: dict[tuple[str, Label], str] = field(default_factory=dict)
    """Enclaves on other machines that failed during this ask, at a query of which label, and why."""
    proposed: dict[str, list[tuple[Span, float]]] = field(default_factory=dict)
    reranked: dict[tuple[str, tuple[str, str]], float] = field(default_factory=dict)
    found: dict[tuple[Query, Skill, str, int], Hop] = field(default_factory=dict)
    """Searches that were made, by the query, the skill, the enclave and k: none is made twice."""
    ahead: Prefetched = field(default_factory=Prefetched)
    """What was fetched, to be searched among where a query is refused."""
    ask: str = field(default_factory=new_ask)
