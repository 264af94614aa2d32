"""Each skill alone, by exact search over a few thousand passages: words, MiniLM, and encoders of skills, in one run.

    python benchmarks/each_skill.py --data DATA --encoders minilm FOLDER [--passages 10000] [--limit 300]
        [--swaps FOLDER] [--json FILE]

Held-out questions only (`report` of `answerable.training.skills`). A task is queries, each with one passage to find:

NQ                 the question to its paragraph, among Natural Questions' passages
HotpotQA, hop 1    the question to a gold passage it names, among passages of the merged pool
HotpotQA, hop 2    the question and the first gold passage to the second: the first hop is given
OTT-QA, rows       the question to a row that leads to the answer, among rows of held-out tables
OTT-QA, passages   the question and that row to a linked passage with the answer, among Wikipedia's first paragraphs
links              a cell of a held-out table, in its row, to the page it links to, among the same

top-20 and top-100: the passage, or another that is as right, is among so many. `reranked`: the first 50 are read with
the question and ordered by that alone. `--swaps` also encodes queries and passages with other skills' experts (Ma et
al. 2023, table 7).
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import common
from answerable.corpora.store import Row
from answerable.encoders.choose import open_encoder
from answerable.encoders.encoder import Encoder, Vectors
from answerable.encoders.expansion import expanded_text
from answerable.encoders.skills import ModularEncoder
from answerable.indexes.lexical import Bm25Index, build_bm25
from answerable.training.corpora import Corpora
from answerable.training.skills import supervised, unsupervised
from answerable.training.skills.example import SkillExample, Text
from answerable.types import Skill
from skills import named

DEPTHS = (1, 20, 100)
RERANKED = 50
RERANKED_QUERIES = 60
"""Of each task: fifty readings take a third of a second."""


@dataclass(frozen=True)
class Task:
    """Queries of one skill and the passages that are searched."""

    name: str
    queries: list[SkillExample]
    passages: list[Text]


def tasks(data: Path, size: int, count: int) -> list[Task]:
    """The held-out tasks, drawn with a fixed seed."""
    corpora = Corpora(data)
    rng = random.Random(6)

    def task(name: str, found: list[SkillExample], corpus: Sequence[Text]) -> Task:
        queries = rng.sample(found, min(count, len(found)))
        wanted = dict.fromkeys(text for one in queries for text in (*one.positives, *one.evidence, *one.negatives))
        others = rng.sample(corpus, min(size, len(corpus)))
        return Task(name, queries, list(dict.fromkeys([*wanted, *others]))[: max(size, len(wanted))])

    nq, pool = list(corpora.corpus("nq").values()), list(corpora.corpus("pool").values())
    wiki = list(corpora.corpus("wiki").values())
    held = [table for table in corpora.tables.values() if table.part == "report"]
    rows = [table.row(number)[0] for table in held for number in range(len(table.rows))]
    links = list(unsupervised.drawn("tables", Skill.MENTION, corpora, "report", rng, 0.2))
    return [
        task("NQ", supervised.questions("nq", Skill.SINGLE, corpora, "report"), nq),
        task("HotpotQA, hop 1", supervised.questions("hotpotqa", Skill.SINGLE, corpora, "report"), pool),
        task("HotpotQA, hop 2", supervised.questions("hotpotqa", Skill.EXPANDED, corpora, "report"), pool),
        task("OTT-QA, rows", supervised.over_tables("ottqa", Skill.SINGLE, corpora, "report"), rows),
        task("OTT-QA, passages", supervised.over_tables("ottqa", Skill.EXPANDED, corpora, "report"), wiki),
        task("links", links, wiki),
    ]


def words(one: SkillExample) -> str:
    """A query for BM25: an expanded one with the names in its passages, a mention by its words."""
    return one.query[slice(*one.span)] if one.span else expanded_text(one.query, one.evidence)


def by_words(task: Task) -> list[list[int]]:
    """Numbers of the 100 best passages for each query, by BM25."""
    with tempfile.TemporaryDirectory() as folder:
        rows = (Row(n, str(n), title, "", text) for n, (title, text) in enumerate(task.passages))
        build_bm25(rows, Path(folder), lambda *_: None, len(task.passages))
        index = Bm25Index(Path(folder), lambda keys: {key: str(key) for key in keys})
        return [[int(id_) for id_, _ in index.search(words(one), DEPTHS[-1])] for one in task.queries]


def vectors(encoder: Encoder, task: Task) -> tuple[Vectors, Vectors]:
    """Queries and passages, each by its own skill's expert. A plain encoder reads a mention's words alone."""
    if task.queries[0].skill is Skill.MENTION and isinstance(encoder, ModularEncoder):
        passages = encoder.encode_entities(task.passages)
    else:
        passages = encoder.encode_passages(task.passages)
    return np.stack([_query(encoder, one) for one in task.queries]), passages


def _query(encoder: Encoder, one: SkillExample) -> Vectors:
    if one.span and isinstance(encoder, ModularEncoder):
        vector: Vectors = encoder.encode_mentions(one.query, [one.span])[0]
        return vector
    if one.span:
        return encoder.encode_query(one.query[slice(*one.span)], Skill.SINGLE)
    return encoder.encode_query(one.query, one.skill, one.evidence)


def nearest(queries: Vectors, passages: Vectors) -> list[list[int]]:
    """Numbers of the 100 best passages for each query, best first."""
    ranked: list[list[int]] = np.argsort(-(queries @ passages.T), axis=1, kind="stable")[:, : DEPTHS[-1]].tolist()
    return ranked


def fused(one: Sequence[Sequence[int]], other: Sequence[Sequence[int]]) -> list[list[int]]:
    """Both rankings by reciprocal rank."""
    out = []
    for left, right in zip(one, other, strict=True):
        scores: dict[int, float] = {}
        for ranking in (left, right):
            for rank, number in enumerate(ranking, start=1):
                scores[number] = scores.get(number, 0.0) + 1 / (60 + rank)
        out.append(sorted(scores, key=lambda number: (-scores[number], number))[: DEPTHS[-1]])
    return out


def shares(task: Task, found: Sequence[Sequence[int]]) -> dict[str, float]:
    """In per cent, how many queries found a right passage, by depth. What a query carries itself does not count."""
    hits = dict.fromkeys(DEPTHS, 0)
    for one, ranking in zip(task.queries, found, strict=False):
        own = [number for number in ranking if task.passages[number] not in one.evidence]
        place = next((at for at, number in enumerate(own) if task.passages[number] in one.positives), None)
        for depth in DEPTHS:
            hits[depth] += place is not None and place < depth
    return {f"top-{depth}": 100 * hits[depth] / len(found) for depth in DEPTHS}


def reordered(encoder: ModularEncoder, task: Task, found: Sequence[Sequence[int]]) -> list[list[int]]:
    """The first fifty of some queries' passages by reranking alone, the rest behind them."""
    out = []
    for one, ranking in zip(task.queries[:RERANKED_QUERIES], found, strict=False):
        scores = encoder.rerank(one.query, [task.passages[number] for number in ranking[:RERANKED]])
        order = sorted(range(len(scores)), key=lambda at: -scores[at])
        out.append([ranking[at] for at in order] + list(ranking[RERANKED:]))
    return out


def swapped(encoder: ModularEncoder, task: Task) -> list[tuple[str, str, dict[str, float]]]:
    """The query's and the passages' experts exchanged for others, as in table 7."""
    own, made = task.queries[0].skill, []
    sides = {side: encoder.described(task.passages, side) for side in (Skill.PASSAGE, Skill.ENTITY)}
    for skill, side in (
        (Skill.SINGLE, Skill.PASSAGE),
        (Skill.EXPANDED, Skill.PASSAGE),
        (Skill.PROPOSE, Skill.PASSAGE),
        (Skill.MENTION, Skill.PASSAGE),
        (own, Skill.ENTITY),
        (Skill.MENTION, Skill.ENTITY),
    ):
        queries = np.stack([_by(encoder, skill, one) for one in task.queries])
        made.append((skill.value, side.value, shares(task, nearest(queries, sides[side]))))
    return made


def _by(encoder: ModularEncoder, skill: Skill, one: SkillExample) -> Vectors:
    """A query by the expert of a skill: that of mentions has all of it for the mention."""
    if skill is not Skill.MENTION:
        return encoder.encode_query(one.query, skill, one.evidence)
    whole = " ".join([one.query, *(" ".join(filter(None, passage)) for passage in one.evidence)])
    vector: Vectors = encoder.encode_mentions(whole, [(0, len(whole))])[0]
    return vector


def main(words: list[str] | None = None) -> None:
    """Print a table, and write it."""
    parser = common.parser(__doc__, "data", limit=300)
    parser.add_argument("--encoders", nargs="+", default=["minilm", "skills"])
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--swaps", metavar="ENCODER")
    given = parser.parse_args(words)
    table = common.Table()

    def tell(task: Task, encoder: str, system: str, found: dict[str, float], asked: int) -> None:
        about = {"task": task.name, "encoder": encoder, "system": system, "questions": asked}
        table.add({**about, "passages": len(task.passages), **found})

    opened: list[tuple[str, Encoder]] = [(named(name), open_encoder(name)) for name in given.encoders]
    for task in tasks(given.data, given.passages, given.limit):
        lexical = by_words(task)
        tell(task, "words", "BM25", shares(task, lexical), len(task.queries))
        for name, encoder in opened:
            found = nearest(*vectors(encoder, task))
            both = fused(lexical, found)
            tell(task, name, "vectors", shares(task, found), len(task.queries))
            tell(task, name, "BM25 and vectors", shares(task, both), len(task.queries))
            if isinstance(encoder, ModularEncoder) and task.name in ("NQ", "HotpotQA, hop 1", "OTT-QA, rows"):
                best = reordered(encoder, task, both)
                tell(task, name, "those, reranked", shares(task, best), len(best))
                tell(task, name, "those, of as many", shares(task, both[: len(best)]), len(best))
            if given.swaps and name == named(given.swaps) and task.name.startswith("HotpotQA"):
                assert isinstance(encoder, ModularEncoder)
                for query, side, got in swapped(encoder, task):
                    tell(task, name, f"{query} to {side}", got, len(task.queries))
    common.write(given.json, table)


if __name__ == "__main__":
    main()
