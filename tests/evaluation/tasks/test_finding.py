"""What a run of finding is measured by, whatever system made it."""

from typing import Any

import pytest

from answerable.datasets.examples import Example
from answerable.errors import UsageError
from answerable.evaluation.sets.systems import Proposed, SetSystem
from answerable.evaluation.sets.tables import markdown, tables
from answerable.evaluation.tasks.finding import Finding
from answerable.sets.expression import Expression, read_expression


class Fixed(SetSystem):
    """Gives one answer, or cannot be asked."""

    name, gives, settings, models = "fixed", True, {"size": 1}, {"judge": "none"}

    def __init__(self, found: Proposed | None) -> None:
        self._found = found
        self.told: list[Expression | None] = []

    def find(self, query: str, meant: Expression | None = None) -> Proposed:
        self.told.append(meant)
        if self._found is None:
            raise UsageError("the query is empty")
        return self._found


def example(*docs: str, covered: bool = True, **meta: Any) -> Example:
    return Example("q", "red things", docs, docs if covered else (), kind="_", meta={"domain": "toys", **meta})


def test_documents_are_called_as_the_data_calls_them():
    found = Proposed(("f.jsonl#C# (film)", "f.jsonl#b"), ("f.jsonl#C# (film)",), parts={"search": 0.5, "judge": 0.25})
    task = Finding(Fixed(found), {})
    record = task.record(example("C# (film)", "x"))
    assert record["ranking"] == ["C# (film)", "b"] and record["docs"] == ["C# (film)"] and record["seconds"] == 0.75
    means = task.scores(example("C# (film)", "x"), record, (1, 2))
    assert (means["precision"], means["recall"], means["count gap"]) == (1.0, 0.5, 0.5)
    assert (means["recall@1"], means["MRecall@2"]) == (0.5, 0.0)


def test_a_query_whose_documents_are_not_all_there_is_not_asked():
    system = Fixed(None)
    task = Finding(system, {})
    record = task.record(example("a", covered=False))
    assert task.scores(example("a", covered=False), record, (1,)) == {} and not system.told
    assert Finding.whole([(example("a", covered=False), record)]) == {}


def test_a_query_that_cannot_be_asked_has_found_nothing():
    record = Finding(Fixed(None), {}).record(example("a"))
    assert record["docs"] == [] and record["reason"] == "the query is empty"
    assert Finding.scores(example("a"), record, (1,))["F1"] == 0.0


def test_the_system_may_be_told_what_the_query_means_and_is_held_to_it():
    told = '"Red" and ("round" or "blue")'
    system = Fixed(Proposed((), (), expression=read_expression('("blue" or "ROUND") and "red"')))
    asked = example("a", expression=told)
    found = Finding.scores(asked, Finding(system, {}).record(asked), ())
    assert system.told == [read_expression(told)] and (found["expression"], found["constraints"]) == (1.0, 1.0)
    other = Fixed(Proposed((), (), expression=read_expression('"red" minus ("round" or "blue")')))
    found = Finding.scores(asked, Finding(other, {}).record(asked), ())
    assert (found["expression"], found["constraints"]) == (0.0, 1.0)


def test_how_far_sizes_are_off():
    pairs = [(example("a", "b"), {"docs": ["x"] * 5, "expected": 2.5}), (example("a"), {"docs": []})]
    assert Finding.whole(pairs) == {"count error": 2.0, "expected count error": 0.5}


def test_tables_go_by_template_and_domain_and_end_with_all():
    task = Finding(Fixed(None), {})
    asked = example("a", expression='"red"')
    record = {"id": "q", "ranking": ["x", "a"], "docs": ["x", "a"], "parts": {"search": 0.2}, "seconds": 0.2}
    told = tables(task, [(asked, record)], {"red": {"a", "y"}}, (1, 2))
    assert list(told["templates"]) == ["A", "all"] and list(told["domains"]) == ["toys", "all"]
    assert told["each"]["A"]["toys"] == told["each"]["all"]["all"] == pytest.approx(2 / 3)
    assert told["violations"]["ranking"]["A"] == told["violations"]["set"]["all"]
    assert told["violations"]["set"]["A"]["shares"] == {"1": 1.0, "negated": 0.0}
    assert told["parts"]["search"] == {"median": 0.2, "95 %": 0.2}


def test_each_template_tells_what_holds_its_f1_and_one_without_sets_does_not():
    task = Finding(Fixed(None), {})
    asked = example("a", expression='"red"')
    records = [{"id": "q", "docs": docs, "ranking": docs} for docs in (["a"], ["x"], ["a", "x"]) * 5]
    told = tables(task, [(asked, record) for record in records], {}, (1,))["templates"]
    low, high = told["A"]["intervals"]["F1"]
    assert 0 < low < told["A"]["measures"]["F1"] < high < 1 and told["all"]["intervals"]["F1"] == [low, high]
    ranked = tables(task, [(asked, {"id": "q", "ranking": ["a"]})], {}, (1,))
    assert "intervals" not in ranked["templates"]["A"]
    assert f"{100 * low:.1f} to {100 * high:.1f}" in markdown(tables(task, [(asked, r) for r in records], {}, (1,)))
