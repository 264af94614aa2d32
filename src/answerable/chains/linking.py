"""Entity linking on its own: what a text names, and the pages so named (Chain-of-Skills, sections 2 and 3.1)."""

from __future__ import annotations

import time

from answerable.retriever import Retriever
from answerable.types import Hop, Linked, Mention, Page, Query, Skill


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
        hits = sorted(
            (hit for hop in found for hit in hop.hits),
            key=lambda hit: (-hit.score, hit.passage.id, hit.passage.enclave),
        )
        pages = tuple(
            Page(hit.passage.title, hit.passage.document_id, hit.passage.enclave, hit.score) for hit in hits[:k]
        )
        start, end = named.span or (0, len(named.text))
        mentions.append(Mention(start, end, named.text[start:end], score, pages))
        hops += found
    return Linked(query.text, tuple(mentions), tuple(hops), time.perf_counter() - started)
