"""The benchmark as files that `answerable evaluate` reads as they are.

private.jsonl, public.jsonl   the passages, to be indexed as two enclaves
train.jsonl, dev.jsonl, test.jsonl, questions.jsonl   questions as those of a split (`evaluation.enclave_splits`)
split.json                    makes the folder a split: `--slices DIR`, `evaluate slices --split DIR`
queries.jsonl, qrels/*.tsv    the same as a judged search, in BEIR's form
statistics.json               the paper's tables of its benchmark, of this one: 3 (sizes), 12 (lengths), 13 (domains)

Splits are balanced over the slices where it is measured, with no passage and no entity in two of them: questions that
share one stay together. Dev and test take as many questions of each slice as the share `held` of the rarest slice
comes to, reviewed ones first (the paper puts verified questions there first); the rest is for training.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from statistics import fmean
from typing import Any

from answerable.evaluation.enclave_splits import MANIFEST, QUESTIONS
from answerable.types import Passage
from answerable_bench.gather import FILES, read_passages
from answerable_bench.pairs import BRIDGE, COMPARISON, Proposal
from answerable_bench.plan import PRIVATE, PUBLIC, SLICES, Plan
from answerable_bench.review import judged
from answerable_bench.stages import Counts, markdown_table, write_json, write_jsonl, write_text

TRAIN, DEV, TEST = "train", "dev", "test"
SPLITS = (TRAIN, DEV, TEST)


def split(questions: Sequence[tuple[Proposal, bool]], plan: Plan) -> dict[str, list[Proposal]]:
    """The questions of each split, in the order given; each comes with whether it was reviewed."""
    groups = _groups([proposal for proposal, _ in questions])
    reviewed = {proposal.id for proposal, done in questions if done}
    rarest = min(Counter(proposal.slice for proposal, _ in questions).get(slice, 0) for slice in SLICES)
    target = round(plan.held * rarest)
    order = sorted(groups, key=lambda group: (not _any(group, reviewed), len(group), _hashed(group, plan.seed)))
    room = {name: dict.fromkeys(SLICES, target) for name in (TEST, DEV)}
    place: dict[str, str] = {}
    for group in order:
        own = Counter(proposal.slice for proposal in group)
        name = next((name for name in (TEST, DEV) if _fits(own, room[name])), TRAIN)
        for proposal in group:
            place[proposal.id] = name
        if name != TRAIN:
            room[name] = {slice: left - own[slice] for slice, left in room[name].items()}
    found: dict[str, list[Proposal]] = {name: [] for name in SPLITS}
    for proposal, _ in questions:
        found[place[proposal.id]].append(proposal)
    return found


def _fits(own: Mapping[str, int], room: Mapping[str, int]) -> bool:
    return all(count <= room.get(slice, 0) for slice, count in own.items())


def _any(group: Sequence[Proposal], reviewed: set[str]) -> bool:
    return any(proposal.id in reviewed for proposal in group)


def _hashed(group: Sequence[Proposal], seed: int) -> bytes:
    return blake2b(f"{seed}\0{group[0].id}".encode(), digest_size=8).digest()


def _groups(proposals: Sequence[Proposal]) -> list[list[Proposal]]:
    """The questions by what they share, directly or through others: passages, and entities whatever their case."""
    parent: dict[str, str] = {}

    def root(thing: str) -> str:
        parent.setdefault(thing, thing)
        while parent[thing] != thing:
            parent[thing] = parent[parent[thing]]
            thing = parent[thing]
        return thing

    def things(proposal: Proposal) -> list[str]:
        return [f"passage {id}" for id in proposal.passages] + [f"name {name.lower()}" for name in proposal.names]

    for proposal in proposals:
        first, *others = things(proposal)
        for other in others:
            parent[root(other)] = root(first)
    groups: dict[str, list[Proposal]] = defaultdict(list)
    for proposal in proposals:
        groups[root(things(proposal)[0])].append(proposal)
    return list(groups.values())


_LENGTHS = ("words a question", "words a private passage", "words a public passage", "words an answer")


def statistics(
    splits: Mapping[str, list[Proposal]], passages: Mapping[str, Mapping[str, Passage]], reviewed: int
) -> dict[str, Any]:
    """The tables as one object: `sizes` and `domains` by split, `lengths`, and what questions are about."""
    every = [one for ones in splits.values() for one in ones]
    gold = {id for one in every for id in one.passages}
    shown = {
        domain: [found[id].text for id in found if id in gold] for domain, found in passages.items()
    }  # as in the paper, of the passages questions are on
    texts = ([one.question for one in every], shown[PRIVATE], shown[PUBLIC], [one.answer for one in every])
    return {
        "questions": len(every),
        "reviewed": reviewed,
        "corpus": {"private": len(passages[PRIVATE]), "public": len(passages[PUBLIC])},
        "sizes": {
            name: {"total": len(ones), **_counted((one.kind for one in ones), (COMPARISON, BRIDGE))}
            for name, ones in splits.items()
        },
        "lengths": {name: _words(found) for name, found in zip(_LENGTHS, texts, strict=True)},
        "domains": {
            name: {"total": len(ones), **_counted((one.slice for one in ones), SLICES)} for name, ones in splits.items()
        },
        "asked": dict(Counter(one.about.split(" ")[0] or one.by for one in every).most_common()),
    }


def markdown(told: Mapping[str, Any]) -> str:
    """The three tables in Markdown."""
    sizes = [[name, *row.values()] for name, row in told["sizes"].items()]
    domains = [[name, *row.values()] for name, row in told["domains"].items()]
    lengths = [[name, f"{value:.1f}"] for name, value in told["lengths"].items()]
    return "\n".join(
        (
            markdown_table(["split", "total", COMPARISON, BRIDGE], sizes),
            markdown_table(["on average", "words"], [[name.removeprefix("words "), value] for name, value in lengths]),
            markdown_table(["split", "total", *SLICES], domains),
        )
    )


def _counted(values: Iterable[str], names: Iterable[str]) -> dict[str, int]:
    found = Counter(values)
    return {name: found[name] for name in names}


def _words(texts: list[str]) -> float:
    return round(fmean(len(text.split()) for text in texts), 1) if texts else 0.0


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
    write_text(path, "".join(["query-id\tcorpus-id\tscore\n", *lines]))


def _manifest(plan: Plan, passages: Mapping[str, Mapping[str, Passage]], ones: list[Proposal]) -> dict[str, Any]:
    """What tells `evaluate slices` that the folder is a split."""
    return {
        "split": "by source",
        "built by": "benchmark build",
        "seed": plan.seed,
        "documents": {FILES[domain]: len(found) for domain, found in passages.items()},
        "questions": dict(sorted(Counter(one.slice for one in ones).items())),
    }
