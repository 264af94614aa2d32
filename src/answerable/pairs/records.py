"""Answers of pairs as plain records, for the command line and the server."""

from __future__ import annotations

from typing import Any

from answerable.pairs.answering import PairAnswer
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.trace import records
from answerable.records import citation_record, pair_record
from answerable.types import Asker

MATCHED = 5
"""Pairs shown of those that were found."""


def paired_record(answer: PairAnswer, viewer: Asker, enclaves: EnclaveTable) -> dict[str, Any]:
    """`pairs ask --json`: what `batch_record` gives, and matched, hops, seconds.

    `matched`: the best pairs that were found, with their scores. Hops are redacted for the viewer.
    """
    return batch_record(answer) | {
        "matched": [{**pair_record(pair), "match": round(score, 6)} for pair, score in answer.matched[:MATCHED]],
        "hops": records(answer.hops, viewer, enclaves),
        "seconds": round(answer.seconds, 6),
    }


def batch_record(answer: PairAnswer) -> dict[str, Any]:
    """One line of `pairs ask --questions`: question, answer (or null), reason, confidence, label, pair, citations.

    `pair`: the one whose question asks the same, answered from or not.
    """
    return {
        "question": answer.question,
        "answer": answer.text,
        "reason": answer.reason,
        "confidence": round(answer.confidence, 4),
        "label": sorted(answer.label),
        "pair": None if answer.pair is None else pair_record(answer.pair),
        "citations": [citation_record(citation) for citation in answer.citations],
    }
