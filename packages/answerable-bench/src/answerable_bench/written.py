"""Questions that people write for pairs, as they wrote those of the paper: pairs given out, and what came back.

Both ways a pair is a line of JSON: `pair`, `question`, `answer`, `sentences_1` and `sentences_2`. What is given out
shows both passages besides, their sentences numbered, and the hint; nothing of that is read back. A line with an empty
question, or with a `skip` that says why, is of a pair that has none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from answerable.corpora.formats import Report
from answerable.datasets.records import Record, lines
from answerable.errors import UsageError
from answerable_bench.gather import read_passages
from answerable_bench.grammar import numbered
from answerable_bench.pairs import FILE as PAIRS
from answerable_bench.pairs import Pair, Proposal, of_pair, read_pairs
from answerable_bench.plan import PRIVATE, PUBLIC
from answerable_bench.stages import write_jsonl


class Written:
    """What people wrote for a pair, in the order of the files."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Read the files. Raises `FormatError` with the record and the field that is not of the form."""
        self._rows: dict[str, list[Record]] = {}
        digest = hashlib.sha256()
        for row in (row for path in paths for row in lines(path)):
            if "skip" not in row and row.fields.get("question") != "":
                _form(row)
                self._rows.setdefault(row.text("pair"), []).append(row)
                digest.update(repr(sorted(row.fields.items())).encode())
        self.told = digest.hexdigest()
        """What a build depends on."""

    def __call__(self, pair: Pair) -> Iterator[Proposal]:
        """What was written for a pair."""
        for row in self._rows.get(pair.id, ()):
            yield of_pair(pair, *_form(row))

    def strangers(self, pairs: Sequence[Pair], report: Report) -> int:
        """Name each line of a pair that is none of these; how many there are."""
        own = {pair.id for pair in pairs}
        found = [row for id, rows in self._rows.items() if id not in own for row in rows]
        for row in found:
            report(f"{row.path}: record {row.number} names no pair of this build")
        return len(found)


def _form(row: Record) -> tuple[str, str, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Question, answer and sentence numbers of a line. Raises `FormatError` where it has no such."""
    question, answer = row.text("question"), row.text("answer").strip()
    first, second = (tuple(row.field(name, list)) for name in ("sentences_1", "sentences_2"))
    for name, numbers in (("sentences_1", first), ("sentences_2", second)):
        if not all(type(number) is int for number in numbers):
            raise row.broken(name, "is not a list of whole numbers")
    return question, answer, (first, second)


def export(folder: Path, path: Path) -> int:
    """Write all pairs of a build to write on, in the order they were drawn in; how many there are.

    The file holds private text and is for its owner alone. Raises `UsageError` where no pairs were drawn yet.
    """
    if not (folder / PAIRS).is_file():
        raise UsageError(f"{folder} holds no pairs", hint="answerable-bench build --out DIR first")
    passages = {**read_passages(folder, PUBLIC), **read_passages(folder, PRIVATE)}

    def row(pair: Pair) -> dict[str, object]:
        hint = " / ".join(dict.fromkeys(pair.names))
        shown: dict[str, object] = {"pair": pair.id, "slice": pair.slice, "kind": pair.kind, "hint": hint}
        for number, passage in enumerate((passages[id] for id in pair.passages), start=1):
            shown[f"passage_{number}"] = [passage.title, *numbered(passage.text).split("\n")]
        return shown | {"question": "", "answer": "", "sentences_1": [], "sentences_2": []}

    return write_jsonl(path, (row(pair) for pair in read_pairs(folder)))
