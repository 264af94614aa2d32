"""Questions that compare two things by a date, an age or a length, over their gold passages: with and without
`tables.comparing`.

    python benchmarks/comparing.py --data DATA [--limit N] [--json FILE]

Of the development parts of HotpotQA and 2WikiMultihopQA, which nothing was learned from. The passages are read together
and each alone. An answer is right where it has more words of the gold answer's name than of the other's: gold answers
of HotpotQA are often longer than the name in the question ("Edison Koon-hei Chen"). `before`: by the span reader alone;
`wrong`: of all questions, those that are given a wrong answer. `fire`: how many questions of SQuAD and NQ are taken for
such a comparison.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import common
from answerable.evaluation.metrics.significance import paired_bootstrap, paired_randomisation
from answerable.readers.resting import telling
from answerable.selective.beside import Decided, Read
from answerable.selective.decide import Decision, decide
from answerable.tables.comparing import Compared, ComparingReader
from answerable.text import words
from answerable.training.reading import PoolPassage, load_pool
from answerable.training.sources import load_source
from answerable.types import PUBLIC, Chain, Document, Hit, Passage, Skill
from answerable.workspace.models import open_reader

SETS = ("hotpotqa", "2wikimultihopqa")
OTHERS = ("squad1", "squad2", "nq")


def chains_of(gold: list[PoolPassage]) -> list[Chain]:
    """All passages together, and each alone."""
    hits = [
        Hit(Passage(f"p{at}", f"d{at}", "bench", one.title, one.text, 0, len(one.text)), 1.0, PUBLIC, Skill.SINGLE)
        for at, one in enumerate(gold)
    ]
    return [Chain(tuple(hits), 1.0, PUBLIC), *(Chain((hit,), 1.0, PUBLIC) for hit in hits)]


def named(text: str, names: tuple[str, str]) -> int | None:
    """Which of two names a text has more of: 0 or 1; None for neither."""
    said = {*words(text)}
    first, second = (len(said & own) / len(own | said) for own in ({*words(name)} for name in names))
    return None if first == second else int(second > first)


def questions(path: Path, limit: int) -> list[tuple[dict[str, Any], Compared]]:
    """Questions of a file that compare two things and whose passages are all there, each with what they compare."""
    rows = (row for row in common.rows(path) if row["covered"])
    found = [(row, compared) for row in rows if (compared := Compared.of(row["question"]))]
    return random.Random(1).sample(found, min(limit, len(found)))


def scored(decision: Decision, names: tuple[str, str], gold: int | None) -> tuple[bool, bool]:
    """Whether the best answer is the `gold` one of two names, and whether it is given."""
    said = decision.text or next((text for text, _ in decision.others), "")
    return gold is not None and named(said, names) == gold, decision.text is not None


def measured(found: list[tuple[bool, bool]]) -> dict[str, Any]:
    """Shares of answers that are right, given or not, and that are given; and given wrong."""
    right, given = [one for one, _ in found], [one for _, one in found]
    wrong = [one and not good for good, one in found]
    return {"right": common.mean(right, 100), "given": common.mean(given, 100), "wrong": common.mean(wrong, 100)}


def main(arguments: list[str] | None = None) -> None:
    """Print one JSON object."""
    given = common.parser(__doc__, "data", limit=1000).parse_args(arguments)
    pool = load_pool(given.data / "multihop/passages.jsonl.gz")
    reader, calibration = open_reader("span")
    comparing = ComparingReader(reader, lambda one: Document(one.document_id, "bench", one.title, one.text, ""))
    table: dict[str, Any] = {}
    for name in SETS:
        rows: list[tuple[tuple[bool, bool], tuple[bool, bool]]] = []
        told = 0
        for row, compared in questions(given.data / name / "dev.jsonl", given.limit):
            asked, names = row["question"], compared.names
            chains = chains_of([pool[one] for one in dict.fromkeys(row["gold"])])
            before = decide(asked, telling(reader, asked, chains), chains, [], calibration)
            after = comparing.weigh(Read(asked, chains, lambda _: calibration.threshold), Decided(before))
            told += bool(after.citations)
            gold = named(row["answer"], names)
            rows.append((scored(before, names, gold), scored(after.decision, names, gold)))
        pair = [float(one[0]) for one, _ in rows], [float(two[0]) for _, two in rows]
        apart = paired_bootstrap(*pair)
        gained = {"by": 100 * apart.mean, "from": 100 * apart.low, "to": 100 * apart.high}
        table[name] = {"questions": len(rows), "told by values": told, "p": paired_randomisation(*pair), **gained}
        table[name] |= {"before": measured([one for one, _ in rows]), "after": measured([two for _, two in rows])}
    others = [row.question for name in OTHERS for row in load_source(name, given.data, pool, "report")]
    table["fire"] = {"questions": len(others), "taken": sum(Compared.of(one) is not None for one in others)}
    common.tell(given.json, table, sum(table[name]["questions"] for name in SETS))


if __name__ == "__main__":
    main()
