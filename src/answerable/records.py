"""Answers as plain records: the one JSON shape that the command line and the server share."""

from __future__ import annotations

from typing import Any

from answerable.types import Answer, Chain, Citation, Hit, Hop


def answer_record(answer: Answer) -> dict[str, Any]:
    """`ask --json`: answer (null when abstained), reason, confidence, label, citations, chains, hops, seconds."""
    return {
        "answer": answer.text,
        "reason": answer.reason,
        "confidence": round(answer.confidence, 4),
        "label": sorted(answer.label),
        "citations": [citation_record(citation) for citation in answer.citations],
        "chains": [chain_record(chain) for chain in answer.evidence.chains],
        "hops": [hop_record(hop) for hop in answer.evidence.hops],
        "seconds": round(answer.seconds, 4),
    }


def citation_record(citation: Citation) -> dict[str, Any]:
    """`start` and `end` count characters of the stored document."""
    return {
        "text": citation.text,
        "document": citation.document,
        "enclave": citation.enclave,
        "start": citation.start,
        "end": citation.end,
        "title": citation.title,
        "source": citation.source,
    }


def chain_record(chain: Chain) -> dict[str, Any]:
    """A chain with its passages in the order they were found."""
    return {
        "score": round(chain.score, 6),
        "label": sorted(chain.label),
        "passages": [_passage_record(hit) for hit in chain.hits],
    }


def hop_record(hop: Hop) -> dict[str, Any]:
    """One search or its refusal. `because`: the passages whose text is in the query; `hits` hold passage ids."""
    return {
        "label": sorted(hop.query.label),
        "skill": hop.skill.value,
        "enclave": hop.enclave,
        "because": [passage.id for passage in hop.query.because],
        "refused": hop.refused,
        "hits": [{"passage": hit.passage.id, "score": round(hit.score, 6)} for hit in hop.hits],
        "seconds": round(hop.seconds, 4),
    }


def _passage_record(hit: Hit) -> dict[str, Any]:
    passage = hit.passage
    return {
        "id": passage.id,
        "document": passage.document_id,
        "enclave": passage.enclave,
        "title": passage.title,
        "section": passage.section,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
        "score": round(hit.score, 6),
        "skill": hit.skill.value,
    }
