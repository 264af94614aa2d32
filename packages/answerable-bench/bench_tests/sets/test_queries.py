from pathlib import Path

import pytest

from answerable.evaluation.set_patterns import HELD_OUT
from answerable.sets.expression import read_expression
from answerable_bench.sets import queries
from answerable_bench.sets.queries import marked, read_queries, unmarked, worded
from answerable_bench.sets.settings import SetPlan

KINDS = {"games": "noun", "in Qt": "modifier", "in C": "modifier", "that use X": "modifier"}


@pytest.mark.parametrize(
    ("expression", "original"),
    [
        ('"games" and "in Qt" minus "in C"', "_games_ that are also _in Qt_ but not _in C_"),
        ('"in Qt" or "in C" or "games"', "tools _in Qt_ or _in C_ or _games_"),
        ('"games" or "in C"', "_games_ or tools _in C_"),
        ('"in Qt" minus "that use X"', "tools _in Qt_ that are not tools _that use X_"),
        ('"in Qt"', "tools _in Qt_"),
    ],
)
def test_categories_are_marked_as_the_template_has_them(expression: str, original: str):
    tree = read_expression(expression)
    found = marked(tree, KINDS, "tools")
    assert found.replace("<mark>", "_").replace("</mark>", "_") == original
    assert unmarked(found) == original.replace("_", "")
    assert worded(tree, KINDS, "test", SetPlan(plain=True, nouns=("tools",))) == unmarked(found)


def test_nothing_is_trained_on_phrasings_for_testing(boats: Path, monkeypatch: pytest.MonkeyPatch):
    used = {}

    def phrased(expression, rng, kinds, patterns, heads):
        used[split] = patterns
        return type("Phrasing", (), {"text": "x"})

    monkeypatch.setattr(queries, "phrased", phrased)
    for split in ("train", "val", "test"):
        worded(read_expression('"games"'), KINDS, split, SetPlan())
    assert not used["train"] & HELD_OUT and not used["val"] & HELD_OUT and used["test"] >= HELD_OUT


def test_a_query_is_said_the_same_way_each_time(boats: Path):
    found = read_queries(boats)
    assert len({one.id for one in found}) == len(found)
    one = found[0]
    assert worded(one.expression, {}, one.split, SetPlan()) == worded(one.expression, {}, one.split, SetPlan())
    assert len({worded(one.expression, {}, one.split, SetPlan(seed=seed)) for seed in range(20)}) > 3
