"""The benchmark as files that `answerable evaluate` reads as they are.

private.jsonl, public.jsonl   the passages, to be indexed as two enclaves
train.jsonl, dev.jsonl, test.jsonl, questions.jsonl   questions as those of a split (`evaluation.enclave_splits`)
split.json                    makes the folder a split: `--slices DIR`, `evaluate slices --split DIR`
near.json                     passages easily taken for gold ones: pages of their types, mails on their entities
queries.jsonl, qrels/*.tsv    the same as a judged search, in BEIR's form
statistics.json               the paper's tables of its benchmark, of this one: 3 (sizes), 12 (lengths), 13 (domains)

Splits are by mailbox and by entity: dev and test have mailboxes of their own, and no passage and no entity is in two of
them. Questions over pages alone are divided by their entities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from statistics import fmean
from typing import Any

from answerable.evaluation.enclave_splits import MANIFEST, QUESTIONS
from answerable.types import Passage
from answerable_bench.entities import page_kinds, read_entities
from answerable_bench.gather import FILES, read_passages
from answerable_bench.pairs import BRIDGE, COMPARISON, Proposal
from answerable_bench.plan import PRIVATE, PUBLIC, SLICES, Plan
from answerable_bench.review import judged
from answerable_bench.stages import Counts, markdown_table, read_jsonl, write_json, write_jsonl, write_text

TRAIN, DEV, TEST = "train", "dev", "test"
SPLITS = (TRAIN, DEV, TEST)


def split(questions: Sequence[Proposal], homes: Mapping[str, str], plan: Plan) -> dict[str, list[Proposal]]:
    """The questions of each split, in the order given. `homes`: the mailbox of each private passage.

    Those that share a passage or an entity with one of test, or of dev, are in no other split: they are left out.
    """
    held = _held({homes[id] for one in questions for id in one.passages if id in homes}, questions, homes, plan)
    found: dict[str, list[Proposal]] = {name: [] for name in SPLITS}
    claimed: dict[str, str] = {}
    for name in (TEST, DEV, TRAIN):
        for one in questions:
            things = [*one.passages, *(f"name {entity.lower()}" for entity in one.names)]
            if _place(one, homes, held, plan) == name and all(claimed.get(thing, name) == name for thing in things):
                claimed.update(dict.fromkeys(things, name))
                found[name].append(one)
    return found


def _held(mailboxes: set[str], ones: Sequence[Proposal], homes: Mapping[str, str], plan: Plan) -> dict[str, str]:
    """The mailboxes of test and of dev: the smallest ones that have their share of the questions between them."""
    counts = Counter(home for one in ones for home in {homes[id] for id in one.passages if id in homes})
    found: dict[str, str] = {}
    wanted = {name: plan.held * counts.total() for name in (TEST, DEV)}
    for home in sorted(mailboxes, key=lambda home: (counts[home], home))[:-1]:
        if name := next((name for name, left in wanted.items() if left > 0), None):
            found[home] = name
            wanted[name] -= counts[home]
    return found


def _place(one: Proposal, homes: Mapping[str, str], held: Mapping[str, str], plan: Plan) -> str:
    """The split of a question's mailboxes; for one over pages alone, by chance and its entities."""
    places = {held.get(homes[id], TRAIN) for id in one.passages if id in homes}
    if places:
        return min(places, key=(TEST, DEV, TRAIN).index)
    drawn = blake2b(f"{plan.seed}\0{one.names[0].lower()}".encode(), digest_size=8).digest()
    part = int.from_bytes(drawn, "big") / 2**64 / plan.held if plan.held else 2.0
    return TEST if part < 1 else DEV if part < 2 else TRAIN


_LENGTHS = ("words a question", "words a private passage", "words a public passage", "words an answer")


def statistics(
    splits: Mapping[str, list[Proposal]], passages: Mapping[str, Mapping[str, Passage]], reviewed: int
) -> dict[str, Any]:
    """The tables as one object: `sizes` and `domains` by split, `lengths`, and who questions are by."""
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
        "by": dict(Counter(one.by for one in every).most_common()),
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


QUERIES, QRELS, STATISTICS, NEAR = "queries.jsonl", "qrels", "statistics.json", "near.json"
WRITTEN = (QUESTIONS, QUERIES, STATISTICS, NEAR, MANIFEST, *(f"{name}.jsonl" for name in SPLITS))


def write_benchmark(folder: Path, plan: Plan, reviewed_only: bool = False) -> Counts:
    """Divide the questions and write the benchmark; how many questions each split has.

    `reviewed_only` leaves out what nobody has looked at.
    """
    questions = [(proposal, done) for proposal, done in judged(folder) if done or not reviewed_only]
    done = {proposal.id for proposal, was in questions if was}
    homes = {row["_id"]: row["mailbox"] for row in read_jsonl(folder / FILES[PRIVATE])}
    splits = split([one for one, _ in questions], homes, plan)
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
    write_json(folder / NEAR, _near(folder, plan, [one for _, one in each], passages[PUBLIC]))
    write_json(folder / MANIFEST, _manifest(plan, passages, [one for _, one in each]))
    kept = {name: len(ones) for name, ones in splits.items()}
    return kept | {"left out": len(questions) - sum(kept.values()), "reviewed": len(done)}


def _near(folder: Path, plan: Plan, ones: Sequence[Proposal], pages: Mapping[str, Passage]) -> dict[str, list[str]]:
    """The passages of each domain that are most like gold ones."""
    gold = {id for one in ones for id in one.passages}
    names = {name.lower() for one in ones for name in one.names}
    kinds = page_kinds(pages, plan, {})
    nouns = {kinds[id].noun for id in gold if id in kinds}
    mails = {id for entity in read_entities(folder) if entity.name.lower() in names for id in entity.at}
    return {PRIVATE: sorted(mails - gold), PUBLIC: [id for id, kind in kinds.items() if kind.noun in nouns - {""}]}


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
