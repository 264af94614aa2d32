"""What was found, in the words of the data: chains and rankings of document ids, and how they measure against gold.

A workspace calls a record of a file `passages.jsonl#Q42`, the data `Q42`. A document is called by whatever name of its
own the gold uses, else by what follows the first `#`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from answerable.datasets.examples import Example
from answerable.evaluation.metrics.found import answer_rank, average_passage_recall, passage_em, path_recall
from answerable.evaluation.runs import Record
from answerable.privacy.enclaves import EnclaveTable
from answerable.types import EVERYTHING, Chain, Hit, Hop

POLAR = frozenset({"yes", "no"})


def name_of(document: str, gold: Collection[str]) -> str:
    """The name that the data has for a document of a workspace."""
    if document in gold:
        return document
    inside = document
    while "#" in inside:
        inside = inside.partition("#")[2]
        if inside in gold:
            return inside
    return document.partition("#")[2] or document


def met(chains: Iterable[Chain]) -> Iterator[Hit]:
    """The passages in the order in which they are met when chains are read best first, each once."""
    seen = set()
    for chain in chains:
        for hit in chain.hits:
            key = (hit.passage.enclave, hit.passage.id)
            if key not in seen:
                seen.add(key)
                yield hit


def found(example: Example, chains: Sequence[Chain], most: int | None = None) -> Record:
    """For a record: `chains` and `ranking` by the data's ids, and `answer_rank`.

    `ranking` has each document once, at its first passage, with that passage's score, at most `most` of them. The
    rank is that of the first passage met in whose text an answer stands (DPR); None for none. It is left out where
    the data has no answer, or a yes or a no, which stands in any text.
    """
    gold = frozenset(example.supporting)
    ranking: dict[str, float] = {}
    for hit in met(chains):
        ranking.setdefault(name_of(hit.passage.document_id, gold), round(hit.score, 6))
    kept: Record = {
        "ranking": [[id, score] for id, score in ranking.items()][:most],
        "chains": [[name_of(hit.passage.document_id, gold) for hit in chain.hits] for chain in chains][:most],
    }
    if example.answers and not POLAR.issuperset(answer.lower() for answer in example.answers):
        kept["answer_rank"] = answer_rank((hit.passage.text for hit in met(chains)), example.answers)
    return kept


def answer_scores(record: Mapping[str, Any], at: Sequence[int]) -> dict[str, float]:
    """Answer recall at each k: whether an answer stands in one of the first k passages met."""
    if "answer_rank" not in record:
        return {}
    rank = record["answer_rank"]
    return {f"answer recall@{k}": float(rank is not None and rank <= k) for k in at}


def path_scores(example: Example, record: Mapping[str, Any], at: Sequence[int]) -> dict[str, float]:
    """Passage EM, path recall and average passage recall at each k, over the longest chains found.

    Where those are single passages, passage EM looks at as many of the best as there are gold ones, and there are no
    paths. Nothing for a question without gold passages.
    """
    gold = frozenset(example.supporting)
    if not gold:
        return {}
    chains = record["chains"]
    longest = max(map(len, chains), default=0)
    whole = [chain for chain in chains if len(chain) == longest]
    best = whole[0] if longest > 1 else [id for chain in whole for id in chain][: len(gold)]
    scores = {"passage EM": passage_em(best, gold)}
    if longest > 1 and len(gold) > 1:
        scores |= {f"path recall@{k}": path_recall(whole, gold, k) for k in at}
    return scores | {f"passage recall@{k}": average_passage_recall(whole, gold, k) for k in at}


def leaks(hops: Iterable[Hop], enclaves: EnclaveTable) -> int:
    """How many searches were sent to an enclave that does not admit their query's label.

    Counted from what was done, without asking the rule: 0 unless privacy is off, there are grants or a fault.
    """
    return sum(
        hop.refused is None
        and (admits := enclaves.find(hop.enclave).admits) != EVERYTHING
        and not hop.query.label <= admits
        for hop in hops
    )
