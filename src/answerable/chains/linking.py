"""Entity linking on its own: what a text names, and the pages so named (Chain-of-Skills, sections 2 and 3.1)."""

from __future__ import annotations

import time
from dataclasses import dataclass

from answerable.chains.merging import best_hits
from answerable.retriever import Retriever
from answerable.types import Hop, Query, Skill


@dataclass(frozen=True, slots=True)
class Page:
    """A document that a name may mean. `score` is an inner product; those of one encoder compare."""

    title: str
    document: str
    enclave: str
    score: float


@dataclass(frozen=True, slots=True)
class Mention:
    """Characters [start, end) of a text that name something; `pages`: what it may be, best first.

    `score` is how far above the encoder's threshold the span is.
    """

    start: int
    end: int
    text: str
    score: float
    pages: tuple[Page, ...]


@dataclass(frozen=True, slots=True)
class Linked:
    """What a text names, in order, and every search made or refused on the way."""

    text: str
    mentions: tuple[Mention, ...]
    hops: tuple[Hop, ...]
    seconds: float


def link(query: Query, retriever: Retriever, k: int) -> Linked:
    """The names in a question, each with the k best pages of all enclaves it may be sent to, ties by passage id.

    What an enclave is sent depends on the question alone, never on what is found.
    """
    started = time.perf_counter()
    door = retriever.remembering()
    mentions: list[Mention] = []
    hops: list[Hop] = []
    for named, score in door.proposed(query):
        found = door.search(named, Skill.MENTION, k)
        hits = best_hits(hit for hop in found for hit in hop.hits)[:k]
        pages = tuple(Page(hit.passage.title, hit.passage.document_id, hit.passage.enclave, hit.score) for hit in hits)
        start, end = named.span or (0, len(named.text))
        mentions.append(Mention(start, end, named.text[start:end], score, pages))
        hops += found
    return Linked(query.text, tuple(mentions), tuple(hops), time.perf_counter() - started)
