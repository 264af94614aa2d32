"""The experts that are trained beside an encoder, each over a world of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from answerable.encoders.asking import Asker
from answerable.encoders.constraints import ConstraintJudge
from answerable.encoders.deciding import Decider
from answerable.encoders.questions import QuestionMatcher
from answerable.encoders.reranking import TableReranker
from answerable.encoders.sameness import QuestionTest
from answerable.encoders.sentences import SentenceEncoder
from answerable.readers.paths import open_paths
from answerable.training.deciding import DECIDING, train_deciding
from answerable.training.documents.model import WALKING
from answerable.training.documents.train import train_navigation
from answerable.training.paths.model import PATHS
from answerable.training.paths.train import train_paths
from answerable.training.qapairs.model import MATCHING
from answerable.training.qapairs.questions import ASKER, train_questions
from answerable.training.qapairs.train import train_matcher
from answerable.training.same.train import SAMENESS, train_same
from answerable.training.sets.model import JUDGING
from answerable.training.sets.train import train_constraints
from answerable.training.table_reranking import RERANKING, train_reranking
from tests.evaluation.long import worlds as long_worlds
from tests.training.experts import Case
from tests.training.files import write_lines
from tests.training.paths import worlds as path_worlds
from tests.training.qapairs import worlds as pair_worlds
from tests.training.qapairs.worlds import write_articles, write_pairs, write_questions
from tests.training.same.worlds import write_data, write_groups
from tests.training.sets.worlds import write_benchmark, write_quest

PLAIN: dict[str, Any] = {"threads": 1, "dropout": 0.0}


def _quest(folder: Path) -> dict[str, Any]:
    write_quest(folder / "data")
    return {"benchmarks": {"towers": str(write_benchmark(folder / "towers"))}}


def _pairs(folder: Path) -> dict[str, Any]:
    write_questions(folder / "data")
    write_pairs(folder / "pairs.jsonl")
    return {"pairs": [str(folder / "pairs.jsonl")]}


def _articles(folder: Path) -> dict[str, Any]:
    write_articles(folder / "data")
    return {}


def _groups(folder: Path) -> dict[str, Any]:
    write_data(folder / "data")
    write_groups(folder / "groups.jsonl.gz")
    return {"groups": [str(folder / "groups.jsonl.gz")]}


def _tables(folder: Path) -> dict[str, Any]:
    for name in ("wikitablequestions/questions", "wikitablequestions/tables", "hitab/questions", "hitab/tables"):
        write_lines(folder / "data" / f"{name}.jsonl.gz", [])
    asked = [
        {"question": "how long is the pier of Alma", "answers": ["120"], "how": "lookup"},
        {"question": "which pier is the longest", "answers": ["Ost"], "how": "most"},
        {"question": "how many piers are there", "answers": ["3"], "how": "count"},
    ]
    table = {"title": "Piers", "header": ["Pier", "Length"], "questions": asked}
    rows = [[["Alma", "120"], ["Ost", str(200 + number)], ["Vik", "90"]] for number in range(12)]
    write_lines(folder / "tables.jsonl.gz", [{**table, "rows": one} for one in rows])
    return {"written": str(folder / "tables.jsonl.gz")}


def _long(folder: Path) -> dict[str, Any]:
    long_worlds.write(folder / "data")
    return {}


def _paths(folder: Path) -> dict[str, Any]:
    path_worlds.write_data(folder / "data")
    return {}


CONSTRAINTS = Case(
    "constraints",
    JUDGING,
    train_constraints,
    PLAIN
    | {
        "judged": 2,
        "loop": {"rate": 3e-3, "tokens": 400, "evaluate_steps": 10, "checkpoint_seconds": 0.0},
        "sources": {"quest": 1, "towers": 6},
    },
    _quest,
    lambda shipped: ConstraintJudge(shipped, threads=1),
    "judges no constraints",
    frozenset(("quest", "towers")),
)
PAIRS = Case(
    "pairs",
    MATCHING,
    train_matcher,
    PLAIN
    | {"batch": 4, "retrieved": 4, "reranking": 1.0, "reach": 8, "choices": 3, "refresh": 4, "judged": 4, "read": 2}
    | {"depth": 3, "loop": {"rate": 3e-3, "evaluate_steps": 4, "checkpoint_seconds": 0.0}},
    _pairs,
    lambda shipped: QuestionMatcher(shipped, threads=1),
    "matches no questions",
    frozenset(("retrieved", "reranked")),
)
ASKS = Case(
    "pair-questions",
    ASKER,
    train_questions,
    PLAIN
    | {
        "judged": 4,
        "tokens": 40,
        "sources": {"squad1": 2.5},
        "loop": {"rate": 3e-3, "tokens": 400, "evaluate_steps": 4, "checkpoint_seconds": 0.0},
    },
    _articles,
    lambda shipped: Asker(shipped, 1),
    "asks no questions",
    frozenset(("probability",)),
    pair_worlds.write_bert,
)
SAME = Case(
    "same-question",
    SAMENESS,
    train_same,
    PLAIN
    | {
        "most": 8,
        "sources": {"groups": 1.0, "passages": 1.0, "unlike": 0.5},
        "loop": {"rate": 3e-3, "tokens": 512, "checkpoint_seconds": 0.0},
    },
    _groups,
    lambda shipped: QuestionTest(shipped, 1),
    "tests no questions",
)
TABLES = Case(
    "table-reranking",
    RERANKING,
    train_reranking,
    PLAIN | {"loop": {"rate": 3e-3, "tokens": 512, "checkpoint_seconds": 0.0}},
    _tables,
    lambda shipped: TableReranker(shipped, 1),
    "reranks nothing",
)
DECISIONS = Case(
    "deciding",
    DECIDING,
    train_deciding,
    PLAIN
    | {
        "sources": {"sharc": 6.0, "conditionalqa": 2.0},
        "loop": {"rate": 3e-3, "tokens": 512, "checkpoint_seconds": 0.0},
    },
    _long,
    lambda shipped: Decider(shipped, 1),
    "decides no questions",
)
WALK = Case(
    "navigation",
    WALKING,
    train_navigation,
    PLAIN
    | {
        "draw": {"tokens": 150, "questions": 2, "least": 2},
        "loop": {"rate": 1e-3, "checkpoint_seconds": 0.0, "most": 6},
        "sources": {"squad": 1, "hotpotqa": 1, "sharc": 1},
    },
    _long,
    lambda shipped: SentenceEncoder(shipped, threads=1),
    "does not walk",
)
READING = Case(
    "paths",
    PATHS,
    train_paths,
    {
        "threads": 1,
        "tokens": 128,
        "judged": 6,
        "candidates": 4,
        "loop": {"rate": 1e-3, "tokens": 1024, "evaluate_steps": 3, "checkpoint_seconds": 0.0, "most": 6},
        "sources": {"hotpotqa": 1.5, "nq": 1, "squad2": 0.5},
    },
    _paths,
    lambda shipped: open_paths(shipped, 1),
    "does not read paths",
    frozenset(
        [f"hotpotqa {what}" for what in ("answer", "passages", "sentences")]
        + [f"{name} {what}" for name, what in (("nq", "answer"), ("nq", "sentences"), ("squad2", "answer"))]
    ),
    path_worlds.write_bert,
)
CASES = (CONSTRAINTS, PAIRS, ASKS, SAME, TABLES, DECISIONS, WALK, READING)
