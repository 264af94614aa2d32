"""Questions about two things: asked as one question, and of each by itself (`readers.two`).

    python benchmarks/two_things.py --data DATA [--limit N] [--json FILE]

Of the development parts of HotpotQA and 2WikiMultihopQA, which nothing was learned from. `both`: HotpotQA's questions
for yes or no that ask whether both are something, with their two gold passages and six others beside them. `hotpotqa`,
`2wikimultihopqa`: those that compare two things by a date, an age or an amount, over their gold passages; `number`:
those of HotpotQA that ask which has more of something. These are read together and each alone. An answer to them is
right where it has more words of the gold answer's name than of the other's: gold answers of HotpotQA are often longer
than the name in the question ("Edison Koon-hei Chen"). `weighed`: those of HotpotQA that compare two by something else;
`than`: those of HotpotQA and BoolQ that ask whether one is more than another. `before`: by the reader alone; `wrong`:
of all questions, those that are given a wrong answer. `fire`: how many questions of SQuAD and NQ are taken for a
comparison by a value, or for another.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import eq
from pathlib import Path
from typing import Any

import common
from answerable.evaluation.metrics.significance import paired_bootstrap, paired_randomisation
from answerable.readers.compared import Compared, than, weighs
from answerable.readers.comparing import ComparingReader
from answerable.readers.resting import telling
from answerable.readers.two import halves, of_both
from answerable.selective.beside import Case, Decided
from answerable.selective.decide import VERDICTS, Decision, decide
from answerable.text import choice, words
from answerable.training.reading import PoolPassage, load_pool
from answerable.training.sources import load_source
from answerable.types import PUBLIC, Chain, Document, Hit, Passage, Skill
from answerable.workspace.models import open_reader

SETS = ("hotpotqa", "2wikimultihopqa")
OTHERS = ("squad1", "squad2", "nq")
BESIDE = 6
"""Passages beside the gold ones of a question of both."""
Pool = dict[str, PoolPassage]


def chains_of(pool: Pool, gold: Sequence[str], others: Sequence[str] = (), less: float = 0.0) -> list[Chain]:
    """All gold passages together, and each passage alone, each by so much `less` than the one before."""
    told = [(one, pool[one].title, pool[one].text) for one in (*gold, *others)]
    passages = [Passage(id, id, "bench", title, text, 0, len(text)) for id, title, text in told]
    hits = [Hit(one, 1.0, PUBLIC, Skill.SINGLE) for one in passages]
    alone = (Chain((hit,), 1.0 - at * less, PUBLIC) for at, hit in enumerate(hits))
    return [Chain((*hits[: len(gold)],), 1.0, PUBLIC), *alone]


def document(passage: Passage) -> Document:
    """A passage as the document it is of."""
    return Document(passage.document_id, "bench", passage.title, passage.text, "")


def named(text: str, names: tuple[str, str]) -> int | None:
    """Which of two names a text has more of: 0 or 1; None for neither."""
    said = {*words(text)}
    first, second = (len(said & own) / len(own | said) for own in ({*words(name)} for name in names))
    return None if first == second else int(second > first)


def is_one(names: tuple[str, str], which: int | None, said: str) -> bool:
    """Whether a text has more of this one of two names."""
    return which is not None and named(said, names) == which


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its passages, and whether a text is right."""

    question: str
    chains: list[Chain]
    right: Callable[[str], bool]


def of_names(path: Path, pool: Pool, limit: int, wanted: Callable[[str, Compared | None], bool]) -> list[Asked]:
    """The `wanted` questions of a file that offer two names and whose passages are all there."""
    found = list[Asked]()
    for row in common.rows(path):
        compared = Compared.of(asked := row["question"])
        names = compared.names if compared else choice(asked)
        if names and row["covered"] and wanted(asked, compared):
            right = partial(is_one, names, named(row["answer"], names))
            found.append(Asked(asked, chains_of(pool, [*dict.fromkeys(row["gold"])]), right))
    return random.Random(1).sample(found, min(limit, len(found)))


def of_yes(data: Path, pool: Pool) -> list[Asked]:
    """HotpotQA's and BoolQ's questions whether one thing is more than another."""
    found = list[Asked]()
    for row in common.rows(data / "hotpotqa/dev.jsonl"):
        if row["covered"] and row["answer"] in VERDICTS and than(row["question"]):
            chains = chains_of(pool, [*dict.fromkeys(row["gold"])])
            found.append(Asked(row["question"], chains, partial(eq, row["answer"])))
    for row in common.rows(data / "boolq/dev.jsonl"):
        if than(row["question"]):
            passage = Passage("b", "b", "bench", row["title"], row["passage"], 0, len(row["passage"]))
            chain = Chain((Hit(passage, 1.0, PUBLIC, Skill.SINGLE),), 1.0, PUBLIC)
            right = partial(eq, row["answer"] if isinstance(row["answer"], str) else ("no", "yes")[row["answer"]])
            found.append(Asked(row["question"], [chain], right))
    return found


def scored(decision: Decision, right: Callable[[str], bool]) -> tuple[bool, bool]:
    """Whether the best answer is `right`, and whether it is given."""
    said = decision.text or next((text for text, _ in decision.others), "")
    return right(said), decision.text is not None


def measured(rows: Sequence[tuple[tuple[bool, bool], tuple[bool, bool]]]) -> dict[str, Any]:
    """What was scored before and after, and by how much more is right: shares of answers that are right, given or not,
    and that are given; and given wrong."""

    def shares(found: Iterable[tuple[bool, bool]]) -> dict[str, Any]:
        every = [(good, one, one and not good) for good, one in found]
        columns = zip(*every, strict=True)
        return {name: common.mean(one, 100) for name, one in zip(("right", "given", "wrong"), columns, strict=True)}

    before, after = zip(*rows, strict=True)
    pair = [float(one) for one, _ in before], [float(one) for one, _ in after]
    apart = paired_bootstrap(*pair)
    gained = {"by": 100 * apart.mean, "from": 100 * apart.low, "to": 100 * apart.high}
    told = {"questions": len(rows), "p": paired_randomisation(*pair), **gained}
    return told | {"before": shares(before), "after": shares(after)}


def by(compared: Compared | None) -> str:
    """How what is asked of each of two begins: "When", "What" or "How"; empty for none."""
    return compared.asks[0][0].split()[0] if compared else ""


def main(arguments: list[str] | None = None) -> None:
    """Print one JSON object."""
    given = common.parser(__doc__, "data", limit=1000).parse_args(arguments)
    pool = load_pool(given.data / "multihop/passages.jsonl.gz")
    reader, calibration = open_reader("span")
    comparing = ComparingReader(reader)
    rows: list[tuple[tuple[bool, bool], tuple[bool, bool]]] = []
    for row in common.rows(given.data / "hotpotqa/dev.jsonl"):
        asked, gold = row["question"], [*dict.fromkeys(row["gold"])]
        if not halves(asked) or len(gold) != 2 or not all(one in pool for one in gold):
            continue
        others = [one for one in row["context"] if one in pool and one not in gold][:BESIDE]
        chains = chains_of(pool, gold, others, 0.1)
        whole = reader.read(asked, chains)
        made = (decide(asked, one, chains, (), calibration) for one in (whole, of_both(reader, asked, chains) or whole))
        before, after = (scored(one, partial(eq, row["answer"])) for one in made)
        rows.append((before, after))
    table: dict[str, Any] = {"both": measured(rows)}
    dev = given.data / "hotpotqa/dev.jsonl"
    sets = {
        name: of_names(
            given.data / name / "dev.jsonl", pool, given.limit, lambda _, compared: by(compared) not in ("How", "")
        )
        for name in SETS
    }
    sets["number"] = of_names(dev, pool, given.limit, lambda _, compared: by(compared) == "How")
    sets["weighed"] = of_names(dev, pool, given.limit, lambda asked, compared: not compared and weighs(asked))
    sets["than"] = of_yes(given.data, pool)
    for name, tasks in sets.items():
        rows, told = [], 0
        for one in tasks:
            case = Case(one.question, one.chains, document, lambda _: calibration.threshold)
            first = decide(one.question, telling(reader, one.question, one.chains), one.chains, (), calibration)
            then = comparing.weigh(case, Decided(first))
            told += bool(then.citations)
            rows.append((scored(first, one.right), scored(then.decision, one.right)))
        table[name] = measured(rows) | {"told by values": told}
    fire = [row.question for name in OTHERS for row in load_source(name, given.data, pool, "report")]
    table["fire"] = {
        "questions": len(fire),
        "taken": sum(Compared.of(one) is not None for one in fire),
        "weighed": sum(weighs(one) for one in fire),
    }
    common.tell(given.json, table, sum(table[name]["questions"] for name in ("both", *sets)))


if __name__ == "__main__":
    main()
