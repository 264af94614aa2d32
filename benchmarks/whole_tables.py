"""Questions over one table, given: answered by working them out over all rows, and by reading its passages.

    python benchmarks/whole_tables.py --data DATA [--read 400]

`wiki`: WikiTableQuestions' test split, of tables that nothing was learned from. `own`: tables as people keep them,
which were written for this and kept apart (`recipes/lessons/tables.jsonl.gz`, one of six). An answer is right where its
cells or its number are the gold ones. Of `--read` questions of each the table's passages are read as well, as an ask
reads what it found: the plain way; of these, how many each way answers that the other does not. `surest`: the share
right among the tenth, the quarter and the half of which the ranking is surest. Nothing is searched.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import common
from answerable.corpora.passages import split
from answerable.corpora.tables import table_document
from answerable.selective.features import choices
from answerable.tables.ranking import shipped
from answerable.training.tables import LESSONS, Lesson, own_lessons, right, wiki_lessons
from answerable.types import Chain, Hit, Skill
from answerable.workspace.models import open_reader

SEED = 3


def worked_out(lesson: Lesson) -> tuple[float, bool]:
    """How likely the ranking takes its answer for, and whether that is right."""
    said = shipped().say(lesson.question, lesson.table, 1)
    return (said[0].probability, right(said[0].program.values, lesson.answers)) if said else (0.0, False)


def shares(told: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """The share right, of all and of the surest."""
    ranked = sorted(told, key=lambda one: -one[0])
    surest = {
        f"surest {part}": ranked[: len(ranked) // of] for part, of in (("tenth", 10), ("quarter", 4), ("half", 2))
    }
    parts = {name: common.mean((fits for _, fits in some), 100) for name, some in surest.items()}
    return {"questions": len(told), "right": common.mean((fits for _, fits in told), 100), **parts}


def beside_reading(lessons: Sequence[Lesson]) -> dict[str, Any]:
    """What both ways answer rightly of the same questions."""
    reader, calibration = open_reader("span", 1)
    pairs = []
    for lesson in lessons:
        table = lesson.table
        record = {"title": table.title, "header": list(table.header), "rows": [list(row) for row in table.rows]}
        document = table_document(record, "table", "", "tables", 0)
        hits = [Hit(passage, 0.0, frozenset(), Skill.SINGLE) for passage in split(document)] if document else []
        chains = [Chain((hit,), 0.0, frozenset()) for hit in hits]
        found = choices(lesson.question, reader.read(lesson.question, chains), chains)
        best = max(found, key=calibration.sure, default=None)
        pairs.append((best is not None and right((best.text,), lesson.answers), worked_out(lesson)[1]))
    better, worse = sum(new > old for old, new in pairs), sum(new < old for old, new in pairs)
    return {
        "questions": len(pairs),
        "read": common.mean((old for old, _ in pairs), 100),
        "worked out": common.mean((new for _, new in pairs), 100),
        "better": better,
        "worse": worse,
        "p": common.sign_test(better, worse),
    }


def main(words: list[str] | None = None) -> None:
    """Print one JSON object."""
    parser = common.parser(__doc__, "data")
    parser.add_argument("--read", type=int, default=400, help="questions of each whose tables are read as well")
    given = parser.parse_args(words)
    sets = {"wiki": [*wiki_lessons(given.data, ("test",))], "own": [*own_lessons(LESSONS, "held")]}
    report = {}
    for name, lessons in sets.items():
        some = random.Random(SEED).sample(lessons, min(given.read, len(lessons)))
        report[name] = {**shares([worked_out(lesson) for lesson in lessons]), "beside reading": beside_reading(some)}
    common.tell(given.json, report, sum(map(len, sets.values())))


if __name__ == "__main__":
    main()
