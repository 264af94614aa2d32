"""The benchmark as files that `answerable evaluate` reads as they are.

private.jsonl, public.jsonl   the passages, to be indexed as two enclaves
train.jsonl, dev.jsonl, test.jsonl, questions.jsonl   questions as those of a split (`evaluation.enclave_splits`)
split.json                    makes the folder a split: `--slices DIR`, `evaluate slices --split DIR`
queries.jsonl, qrels/*.tsv    the same as a judged search, in BEIR's form
statistics.json               the paper's tables 3, 12 and 13
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from answerable.evaluation.enclave_splits import MANIFEST, QUESTIONS
from answerable.types import Passage
from answerable_bench.gather import FILES, read_passages
from answerable_bench.plan import PRIVATE, PUBLIC, Plan
from answerable_bench.proposal import Proposal
from answerable_bench.review import judged
from answerable_bench.splits import SPLITS, split
from answerable_bench.stages import Counts, write_json, write_jsonl
from answerable_bench.statistics import statistics

QUERIES, QRELS, STATISTICS = "queries.jsonl", "qrels", "statistics.json"
WRITTEN = (QUESTIONS, QUERIES, STATISTICS, MANIFEST, *(f"{name}.jsonl" for name in SPLITS))


def write_benchmark(folder: Path, plan: Plan, reviewed_only: bool = False) -> Counts:
    """Divide the questions and write the benchmark; how many questions each split has.

    `reviewed_only` leaves out what nobody has looked at.
    """
    questions = [(proposal, done) for proposal, done in judged(folder) if done or not reviewed_only]
    done = {proposal.id for proposal, was in questions if was}
    splits = split(questions, plan)
    passages = {domain: read_passages(folder, domain) for domain in (PRIVATE, PUBLIC)}
    every = {**passages[PUBLIC], **passages[PRIVATE]}
    (folder / MANIFEST).unlink(missing_ok=True)
    (folder / QRELS).mkdir(mode=0o700, exist_ok=True)
    for name, ones in splits.items():
        write_jsonl(folder / f"{name}.jsonl", (_question(one, every, name, one.id in done) for one in ones))
        _write_qrels(folder / QRELS / f"{name}.tsv", ones)
    each = [(name, one) for name, ones in splits.items() for one in ones]
    write_jsonl(folder / QUESTIONS, (_question(one, every, name, one.id in done) for name, one in each))
    write_jsonl(folder / QUERIES, ({"_id": one.id, "text": one.question} for _, one in each))
    told = statistics(splits, passages, len(done))
    write_json(folder / STATISTICS, told)
    write_json(folder / MANIFEST, _manifest(plan, passages, [one for _, one in each]))
    return {name: len(ones) for name, ones in splits.items()} | {"reviewed": len(done)}


def _question(proposal: Proposal, passages: Mapping[str, Passage], split: str, reviewed: bool) -> dict[str, Any]:
    """A question over a pool of passages, as `datasets.multihop.pooled` reads it."""
    facts = zip(proposal.passages, proposal.sentences, strict=True)
    return {
        "_id": proposal.id,
        "question": proposal.question,
        "answer": proposal.answer,
        "type": proposal.kind,
        "supporting": [[passages[id].title, number] for id, numbers in facts for number in numbers],
        "gold": list(proposal.passages),
        "context": [],
        "covered": True,
        "slice": proposal.slice,
        "order": "given" if proposal.kind == "bridge" else "free",
        "bridge": list(dict.fromkeys(proposal.names)),
        "split": split,
        "reviewed": reviewed,
        "by": proposal.by,
    }


def _write_qrels(path: Path, proposals: Iterable[Proposal]) -> None:
    lines = [f"{one.id}\t{id}\t1\n" for one in proposals for id in one.passages]
    part = path.with_name(path.name + ".part")
    part.write_text("".join(["query-id\tcorpus-id\tscore\n", *lines]), "utf-8")
    part.chmod(0o600)
    part.replace(path)


def _manifest(plan: Plan, passages: Mapping[str, Mapping[str, Passage]], ones: list[Proposal]) -> dict[str, Any]:
    """What tells `evaluate slices` that the folder is a split."""
    return {
        "split": "by source",
        "built by": "benchmark build",
        "seed": plan.seed,
        "documents": {FILES[domain]: len(found) for domain, found in passages.items()},
        "questions": dict(sorted(Counter(one.slice for one in ones).items())),
    }
