"""The benchmark as files: QUEST's own JSONL, which `answerable evaluate` reads (`datasets.retrieval.quest`), of the
queries as people left them.

train.jsonl, val.jsonl, test.jsonl   `query`, `original_query`, `docs` and `metadata` as QUEST; `_id`, `expression`
atomic.jsonl                         further examples of one category for training (section 3.5), of the same form
statistics.json, statistics.md       the paper's tables 1 (queries by template) and 2 (sizes); what was left out
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from answerable.evaluation.sets.meaning import TEMPLATES
from answerable.sets.expression import Atom, atoms, printed
from answerable_bench.sets.atoms import Category, of_split, read_atoms
from answerable_bench.sets.categories import CORPUS, document_ids, read_categories
from answerable_bench.sets.errors import errors
from answerable_bench.sets.label import COMPLETE, NONE, PARTIAL, RATINGS, Labels, labels, relevant
from answerable_bench.sets.paraphrase import paraphrased
from answerable_bench.sets.pooled import pooled
from answerable_bench.sets.queries import (
    COMPOSED,
    COMPOSER,
    TOGETHER,
    SetQuery,
    marked,
    query_id,
    read_queries,
    worded,
)
from answerable_bench.sets.rounds import fleiss_kappa, unanimous
from answerable_bench.sets.settings import SPLITS, TRAIN, SetPlan
from answerable_bench.sets.validate import ANNOTATORS, FLUENCY, MEANING, NATURALNESS, QUESTIONS, Verdicts, verdicts
from answerable_bench.stages import Counts, markdown_table, read_jsonl, write_json, write_jsonl, write_text


@dataclass(frozen=True, slots=True)
class Judgements:
    """`asked`: the queries in their words; `valid`: those that stand; `kept`: with the answers that stay."""

    asked: Sequence[SetQuery]
    valid: Sequence[SetQuery]
    kept: Sequence[SetQuery]
    verdicts: Mapping[str, Verdicts]
    labels: Mapping[tuple[str, str], Labels]

    def metadata(self, query: SetQuery) -> dict[str, Any]:
        """What was said of a query and its documents, in QUEST's fields; only those that have something."""
        found: dict[str, Any] = {}
        if verdict := self.verdicts.get(query.id):
            found |= {name: verdict.good(name) for name in (FLUENCY, MEANING, NATURALNESS)}
        said = {id: self.labels[query.id, id] for id in query.docs if (query.id, id) in self.labels}
        if said:
            found["relevance_ratings"] = {id: [RATINGS[str(one)] for one in of.ratings] for id, of in said.items()}
            found["evidence_ratings"] = {id: list(of.evidence) for id, of in said.items()}
            found["attributions"] = {
                id: [{one["phrase"]: one["text"]} for one in of.attributions] for id, of in said.items()
            }
            found["attribution_places"] = {
                id: [{name: value for name, value in one.items() if name != "text"} for one in of.attributions]
                for id, of in said.items()
            }
        return found


def judgements(folder: Path) -> Judgements:
    """Everything people said of a build, applied in the order of the rounds."""
    asked = paraphrased(folder)
    said = verdicts(folder, asked)
    valid = [one for one in asked if one.id not in said or said[one.id].stands]
    labelled = labels(folder, valid)
    return Judgements(asked, valid, relevant(valid, labelled, pooled(folder)), said, labelled)


_COMMONEST = 5
_KNOWN = 0.95  # of a set that is taken away, as in the paper's example


def statistics(folder: Path, plan: SetPlan, said: Judgements, extra: int) -> dict[str, Any]:
    """The tables as one object, with the plan, what people said, and how many queries are short of those asked for."""
    queries, composed = said.kept, list(read_jsonl(folder / COMPOSED))
    corpus = json.loads((folder / CORPUS).read_text("utf-8"))
    together = json.loads((folder / TOGETHER).read_text("utf-8"))
    met = Counter((one.template, one.split) for one in queries)
    used = Counter(name for one in queries for name in atoms(one.expression))
    return {
        "domain": plan.domain,
        "queries": len(queries),
        "documents": corpus["documents"],
        "words a query": _mean([len(one.text.split()) for one in queries]),
        "words a document": round(corpus["words"] / corpus["documents"], 1),
        "answers a query": _mean([len(one.docs) for one in queries]),
        "templates": {
            name: {split: met[name, split] for split in SPLITS}
            | {"asked": plan.queries, "with shared categories": together[name]}
            for name in TEMPLATES
        },
        "short": _short(plan, composed),
        "differences": _differences(composed),
        "categories used": len(used),
        "used most": dict(used.most_common(_COMMONEST)),
        "atomic": extra,
        "validated": _validated(said),
        "labelled": _labelled(said),
        "errors": errors(folder, said.kept),
        "plan": asdict(plan),
    }


def _short(plan: SetPlan, composed: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """By template and split, how many queries fewer were composed than asked for, where there are fewer."""
    made = Counter((row["template"], row["split"]) for row in composed)
    found = {name: {split: plan.asked(split) - made[name, split] for split in SPLITS} for name in TEMPLATES}
    left = {name: {split: count for split, count in counts.items() if count > 0} for name, counts in found.items()}
    return {name: counts for name, counts in left.items() if counts}


def _differences(composed: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What differences take away, and how right the one that takes most is, were the second set known to 95 %."""
    taken = [row["taken"] for row in composed if row["taken"] is not None]
    if not taken:
        return {}
    return {
        "overlap": round(fmean(taken), 2),
        "overlap at most": max(taken),
        f"precision at {_KNOWN:g}": round(precision_seen(fmean(taken)), 2),
        f"precision at {_KNOWN:g} at least": round(precision_seen(max(taken)), 2),
    }


def precision_seen(overlap: float) -> float:
    """How right a difference is of which the sets, as found, share `overlap` (appendix B), were B known to 95 %.

    With the share r of B known, sets that share o show r · o, and p = (1 - o) / (1 - r · o).
    """
    return max(0.0, 1 - overlap / _KNOWN) / (1 - overlap) if overlap < 1 else 0.0


def _validated(said: Judgements) -> dict[str, Any]:
    """Of the queries that were judged: how many there are, how many left, and how far people agree on each question."""
    every = list(said.verdicts.values())
    if not every:
        return {}
    return {
        "queries": len(every),
        "by three or more": sum(len(one.by) >= ANNOTATORS for one in every),
        "left out": sum(not one.stands for one in every),
        "kappa": {name: _rounded(fleiss_kappa([one.said[name] for one in every])) for name in QUESTIONS},
    }


def _labelled(said: Judgements) -> dict[str, Any]:
    """Of the documents that were judged: how many left, the evidence they have, and how people agree (3.3.3, 3.4)."""
    every = list(said.labels.values())
    if not every:
        return {}
    stay = [one for one in every if one.relevant]
    evidence = Counter(found for one in stay for found in one.evidence)
    shown = [_words({(place["start"], place["text"]) for place in one.attributions}) for one in stay]
    sides = [[rating >= 2 for rating in one.ratings] for one in every]
    return {
        "documents": len(every),
        "left out": len(every) - len(stay),
        "evidence": {name: round(evidence[name] / max(1, evidence.total()), 3) for name in (COMPLETE, PARTIAL, NONE)},
        "words attributed": _mean(shown),
        "words attributed at most": max(shown, default=0),
        "all say the same side": _rounded(unanimous(sides)),
        "kappa": _rounded(fleiss_kappa([one.ratings for one in every])),
        "kappa of sides": _rounded(fleiss_kappa(sides)),
    }


def _words(shown: set[tuple[int, str]]) -> int:
    return sum(len(text.split()) for _, text in shown)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def markdown(told: Mapping[str, Any]) -> str:
    """The tables in Markdown, and a line for each template with fewer queries than were asked for."""
    rows = [
        [TEMPLATES[name], *(row[split] for split in SPLITS), sum(row[split] for split in SPLITS), row["asked"],
         row["with shared categories"]]
        for name, row in told["templates"].items()
    ]  # fmt: skip
    sizes = [[name, told[name]] for name in SIZES]
    header = ["template", *SPLITS, "in all", "asked", "with shared categories"]
    people = [
        [f"{name} {what}", json.dumps(value) if isinstance(value, dict) else value]
        for name in ("validated", "labelled")
        for what, value in told[name].items()
    ]
    broken = [[TEMPLATES[name], *row.values()] for name, row in told["errors"].items()]
    people = [[f"differences: {what}", value] for what, value in told["differences"].items()] + people
    tables = [markdown_table(header, rows), markdown_table(["", told["domain"] or "all"], sizes)]
    if people:
        tables.append(markdown_table(["", ""], people))
    if broken:
        tables.append(markdown_table(["errors", "judged", "fitting", "1 broken", "2", "3", "negated"], broken))
    return "\n".join((*tables, *shortfalls(told), ""))


SIZES = ("queries", "documents", "words a query", "words a document", "answers a query", "categories used", "atomic")


def shortfalls(told: Mapping[str, Any]) -> list[str]:
    """A sentence for each template with fewer queries than were asked for."""
    said = []
    for name, short in told["short"].items():
        counts = ", ".join(f"{count} too few for {split}" for split, count in short.items())
        said.append(f"{TEMPLATES[name]}: the conditions leave {counts}.")
    return said


def _mean(values: Sequence[int]) -> float:
    return round(fmean(values), 1) if values else 0.0


ATOMIC, STATISTICS, MARKDOWN = "atomic.jsonl", "statistics.json", "statistics.md"
WRITTEN = (*(f"{split}.jsonl" for split in SPLITS), ATOMIC, STATISTICS, MARKDOWN)


def write_benchmark(folder: Path, plan: SetPlan) -> Counts:
    """Write the splits, the further examples and the statistics; how many queries each has."""
    composed = read_queries(folder)
    said = judgements(folder)
    for split in SPLITS:
        rows = (quest_record(one, plan, said) for one in said.kept if one.split == split)
        write_jsonl(folder / f"{split}.jsonl", rows)
    further = extra(folder, plan, composed)
    write_jsonl(folder / ATOMIC, (quest_record(one, plan) for one in further))
    told = statistics(folder, plan, said, len(further))
    write_json(folder / STATISTICS, told)
    write_text(folder / MARKDOWN, markdown(told))
    found = Counter(one.split for one in said.kept)
    return {split: found[split] for split in SPLITS} | {
        "atomic": len(further),
        "left out": len(composed) - len(said.kept),
    }


def quest_record(query: SetQuery, plan: SetPlan, said: Judgements | None = None) -> dict[str, Any]:
    """A query as QUEST writes it, with its id and its tree, and what people said of it."""
    metadata: dict[str, Any] = {"template": query.template, "domain": plan.domain}
    if said is not None:
        metadata |= said.metadata(query)
    return {
        "_id": query.id,
        "query": query.text,
        "docs": list(query.docs),
        "original_query": query.original,
        "scores": None,
        "metadata": metadata,
        "expression": printed(query.expression),
    }


def extra(folder: Path, plan: SetPlan, queries: Sequence[SetQuery]) -> list[SetQuery]:
    """Up to `plan.extra` categories of the training split that stand in no query, each field in its turn (3.5)."""
    asked = {atom for query in queries for atom in atoms(query.expression)}
    categories, ids = read_atoms(folder, read_categories(folder)), document_ids(folder)
    free = [
        one
        for one in of_split(categories, TRAIN, plan)
        if one.name not in asked and plan.least <= one.members.size < plan.second_most
    ]
    fields: dict[str, list[Category]] = {}
    for at in np.random.default_rng([plan.seed, 4]).permutation(len(free)):
        fields.setdefault(free[at].field, []).append(free[at])
    turns = zip_longest(*(fields[name] for name in sorted(fields)))
    taken = [one for turn in turns for one in turn if one is not None][: plan.extra]
    return [_atomic(one, ids, plan) for one in taken]


def _atomic(category: Category, ids: Sequence[str], plan: SetPlan) -> SetQuery:
    expression, kinds = Atom(category.name), {category.name: category.kind}
    return SetQuery(
        query_id(plan.domain, printed(expression)),
        TRAIN,
        "_",
        expression,
        marked(expression, kinds, plan.nouns[0]),
        worded(expression, kinds, TRAIN, plan),
        COMPOSER,
        tuple(ids[number] for number in category.members),
    )
