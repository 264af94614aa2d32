"""Answers and links as plain records: the one JSON shape that the command line and the server share."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.grants import Grant, grant_record
from answerable.privacy.trace import records
from answerable.types import Answer, Asker, Barred, Chain, Citation, Hit, Linked, QAPair, Reading


def answer_record(answer: Answer, viewer: Asker, enclaves: EnclaveTable) -> dict[str, Any]:
    """`ask --json`: answer (or null), reason, unreachable, barred, confidence, label, pair, early, citations, chains,
    hops, seconds.

    Hops are redacted for the viewer (`privacy.trace`); the rest was read with the asker's own clearance.
    """
    return {
        "answer": answer.text,
        "reason": answer.reason,
        "unreachable": list(answer.unreachable),
        "barred": None if answer.barred is None else barred_record(answer.barred),
        "confidence": round(answer.confidence, 4),
        "label": sorted(answer.label),
        "pair": None if answer.pair is None else pair_record(answer.pair),
        "early": answer.early,
        "citations": [citation_record(citation) for citation in answer.citations],
        "chains": [chain_record(chain) for chain in answer.evidence.chains],
        "hops": records(answer.evidence.hops, viewer, enclaves),
        "seconds": round(answer.seconds, 4),
    }


def pair_record(pair: QAPair) -> dict[str, Any]:
    """A pair worked out before it was asked; its passage is empty where it was imported without one."""
    return {
        "id": pair.id,
        "question": pair.question,
        "answers": list(pair.answers),
        "passage": pair.passage_id or None,
        "enclave": pair.enclave,
        "score": round(pair.score, 6),
    }


def barred_record(barred: Barred) -> dict[str, Any]:
    """The steps that were refused, as pairs of names, and how likely it is that one of them is what was missing."""
    return {
        "steps": [{"from": told, "to": enclave} for told, enclave in barred.steps],
        "probability": round(barred.probability, 4),
        "likely": barred.likely,
    }


def rule_record(grant: Grant, at: datetime) -> dict[str, Any]:
    """`grants --json`: one standing grant, and whether it is in force at that moment."""
    told = grant_record(grant)
    return {key: told[key] for key in told if key != "before_reading"} | {"in_force": grant.in_force(at)}


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


def reading_record(reading: Reading) -> dict[str, Any]:
    """`read --json`: answer (or null), reason, confidence, label, citations, path, others, conditions, ask and seconds.

    Of the document its id, title and enclave (null: in none), and what is kept to walk it by: `bytes` for all its
    sentences and paragraphs. `start` and `end` count characters of the document.
    """
    return {
        "answer": reading.text,
        "reason": reading.reason,
        "confidence": round(reading.confidence, 4),
        "label": sorted(reading.label),
        "citations": [citation_record(citation) for citation in reading.citations],
        "path": [
            {
                "headings": list(stop.headings),
                "start": stop.start,
                "end": stop.end,
                "share": round(stop.share, 4),
                "what": "sentence" if stop.sentence else "paragraph",
            }
            for stop in reading.path
        ],
        "others": [{"answer": text, "confidence": round(confidence, 4)} for text, confidence in reading.others],
        "conditions": [citation_record(citation) for citation in reading.conditions],
        "ask": reading.ask,
        "document": reading.document,
        "title": reading.title,
        "enclave": reading.enclave or None,
        "sentences": reading.sentences,
        "paragraphs": reading.paragraphs,
        "bytes": reading.bytes,
        "seconds": round(reading.seconds, 4),
    }


def linked_record(linked: Linked) -> dict[str, Any]:
    """`link --json`: text, spans and seconds. `start` and `end` count characters of the text; pages are best first."""
    return {
        "text": linked.text,
        "spans": [
            {
                "start": mention.start,
                "end": mention.end,
                "text": mention.text,
                "score": round(mention.score, 6),
                "pages": [
                    {
                        "title": page.title,
                        "document": page.document,
                        "enclave": page.enclave,
                        "score": round(page.score, 6),
                    }
                    for page in mention.pages
                ],
            }
            for mention in linked.mentions
        ],
        "seconds": round(linked.seconds, 4),
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
