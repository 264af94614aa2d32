"""Whether two things both are something: asked as one question, and of each by itself.

    python benchmarks/halves.py --data DATA [--json FILE]

HotpotQA's development questions for yes or no that ask "both", with their gold passages in the pool and six others
beside them, are read by the reader that ships. Told are how many best answers are right, how many of those that would
be given, and how many given ones are wrong; and the questions on which the two ways differ, with the exact test of
McNemar.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import common
from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.readers.halves import halves, of_both
from answerable.selective.calibrate import Calibration
from answerable.selective.decide import decide
from answerable.types import PUBLIC, Candidate, Chain, Hit, Passage, Skill
from answerable.workspace.models import open_reader

OTHERS = 6


def main(words: list[str] | None = None) -> int:
    """Read both ways, and tell."""
    parser = common.parser(__doc__, "data")
    given = parser.parse_args(words)
    asked = [one for one in load(given.data / "hotpotqa/dev.jsonl", "hotpotqa") if halves(one.question)]
    context = {row["_id"]: row["context"] for row in common.rows(given.data / "hotpotqa/dev.jsonl")}
    wanted = {id for one in asked for id in (*one.supporting, *context[one.id])}
    pool = {
        row["_id"]: Passage(row["_id"], row["_id"], "pool", row["title"], row["text"], 0, len(row["text"]))
        for row in common.rows(given.data / "multihop/passages.jsonl.gz")
        if row["_id"] in wanted
    }
    asked = [one for one in asked if len(one.supporting) == 2 and all(id in pool for id in one.supporting)]
    reader, calibration = open_reader("span")
    told: dict[str, list[tuple[bool, bool, bool]]] = {"as one": [], "of each": []}
    for one in asked:
        others = [id for id in context[one.id] if id in pool and id not in one.supporting][:OTHERS]
        hits = [Hit(pool[id], 1.0, PUBLIC, Skill.SINGLE) for id in (*one.supporting, *others)]
        chains = [
            Chain((*hits[:2],), 1.0, PUBLIC),
            *(Chain((hit,), 1.0 - at / 10, PUBLIC) for at, hit in enumerate(hits)),
        ]
        whole = reader.read(one.question, chains)
        for name, found in (("as one", whole), ("of each", of_both(reader, one.question, chains) or whole)):
            told[name].append(_judged(one, found, chains, calibration))
    figures: dict[str, dict[str, float]] = {
        name: dict(
            zip(
                ("right", "given", "wrong"),
                (common.mean(column, 100.0) for column in zip(*rows, strict=True)),
                strict=True,
            )
        )
        for name, rows in told.items()
    }
    pairs = [(a[0], b[0]) for a, b in zip(*told.values(), strict=True)]
    better, worse = (sum(1 for pair in pairs if pair == way) for way in ((False, True), (True, False)))
    figures["paired"] = {"better": better, "worse": worse, "p": common.sign_test(better, worse)}
    common.tell(given.json, figures, len(asked))
    return 0


def _judged(
    asked: Example, found: Sequence[Candidate], chains: Sequence[Chain], calibration: Calibration
) -> tuple[bool, bool, bool]:
    """Whether the best answer is right, given, and given though it is wrong."""
    made, answers = decide(asked.question, found, chains, (), calibration), asked.answers
    best = made.text or next((text for text, _ in made.others), None)
    return best in answers, made.text is not None, made.text is not None and made.text not in answers


if __name__ == "__main__":
    sys.exit(main())
