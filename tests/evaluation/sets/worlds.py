"""Things with colours and shapes in a workspace without weights, queries for sets of them, and a judge that knows."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from answerable.sets.judge import Floats

STAND_INS = {"models.encoder": "hashed", "models.reader": "overlap", "models.judge": "overlap"}
COLOURS, SHAPES = ("red", "blue", "green"), ("ball", "cube", "ring", "cone")
THINGS = {f"{colour}-{shape}": f"A {colour} {shape} of wood." for colour in COLOURS for shape in SHAPES}
ATOMS = {
    **{colour: frozenset(name for name in THINGS if name.startswith(colour)) for colour in COLOURS},
    **{shape: frozenset(name for name in THINGS if name.endswith(shape)) for shape in SHAPES},
}
ASKED = [
    ("q1", "red things", '"red"', "_", [f"red-{shape}" for shape in SHAPES]),
    ("q2", "red balls", '"red" and "ball"', "_ that are also _", ["red-ball"]),
    ("q3", "blue things that are not cubes", '"blue" minus "cube"', "_ that are not _",
     ["blue-ball", "blue-ring", "blue-cone"]),
    ("q4", "green rings or cones", '("green" and "ring") or "cone"', "", ["green-ring", *ATOMS["cone"]]),
]  # fmt: skip


def write_lines(path: Path, rows: Sequence[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf8")
    return path


def documents(path: Path) -> Path:
    return write_lines(path, [{"_id": name, "title": name, "text": text} for name, text in THINGS.items()])


def queries(path: Path) -> Path:
    return write_lines(
        path,
        [
            {"_id": id, "query": query, "docs": sorted(docs), "expression": expression, "template": kind,
             "domain": "toys", "original_query": query, "covered": True}
            for id, query, expression, kind, docs in ASKED
        ],
    )  # fmt: skip


def atoms(path: Path) -> Path:
    return write_lines(path, [{"atom": name, "docs": sorted(docs)} for name, docs in ATOMS.items()])


class WordJudge:
    """Gives a text the share of a constraint's words that it has; `asked` counts texts."""

    name = "words"

    def __init__(self) -> None:
        self.asked = 0

    def judge(self, constraints: Sequence[str], texts: Sequence[tuple[str, str]]) -> Floats:
        self.asked += len(texts)
        found = [
            [sum(word.rstrip("s") in text for word in one.split()) / len(one.split()) for one in constraints]
            for _, text in texts
        ]
        return np.array(found, np.float32).reshape(len(texts), len(constraints))
