from __future__ import annotations

from answerable.tables.asked import Asked, conditions
from answerable.tables.features import Parts, grams
from answerable.tables.programs import programs
from tests.tables.made import table

QUESTION = "average salary of engineers who started after 2018"


def parts(vocabulary: frozenset[str]) -> Parts:
    asked = Asked.of(QUESTION)
    return Parts(asked, table(), conditions(asked, table()), vocabulary)


def test_every_part_of_every_program_has_features() -> None:
    asked = Asked.of(QUESTION)
    known = conditions(asked, table())
    made = parts(frozenset(grams(asked)))
    met = {part for one in programs(asked, table(), known) for part in made.of(one)}
    names = {part: [*made.features(part)] for part in met}
    assert {part[0] for part in met} == {
        "op",
        "rows",
        "condition",
        "same",
        "column",
        "left",
        "ignored",
        "shape",
        "answer",
    }
    assert all(names.values())
    assert len(met) < sum(1 for _ in programs(asked, table(), known)), "parts are shared"


def test_only_known_words_of_a_question_stand_in_features() -> None:
    asked = Asked.of(QUESTION)
    known = conditions(asked, table())
    made = parts(frozenset({"average"}))
    ops = {part for one in programs(asked, table(), known) for part in made.of(one) if part[0] == "op"}
    said = {name.partition("~")[2] for part in ops for name in made.features(part)}
    assert said == {"", "average"}


def test_what_a_program_leaves_out_of_the_question_is_told() -> None:
    asked = Asked.of(QUESTION)
    known = conditions(asked, table())
    made = parts(frozenset())
    left = {one.op: made.unexplained(one) for one in programs(asked, table(), known) if one.selector.kind == "all"}
    assert left["count"] == ("average", "engineers", "started", "after", "#")
