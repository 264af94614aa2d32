"""Where queries are taken apart."""

import pytest

from answerable.sets.parsing.lines import Line, taken_apart
from answerable.sets.parsing.words import asked, text, tokens


def apart(query: str, most: int = 0) -> Line:
    """A query in runs and connectives, without boundaries inside runs unless there may be `most`."""
    return taken_apart(asked(tokens(query)), most)


@pytest.mark.parametrize(
    ("query", "kinds", "runs"),
    [
        ("cats or dogs", ["or"], ["cats", "dogs"]),
        ("cats, dogs, and birds", ["comma", "and"], ["cats", "dogs", "birds"]),
        ("cats that are also pets but are not dogs", ["that", "not"], ["cats", "pets", "dogs"]),
        ("cats that don't bite", ["not"], ["cats", "that bite"]),
        ("trees that can't be found in Peru", ["not"], ["trees", "found in Peru"]),
        ("trees that have not been felled", ["not"], ["trees", "felled"]),
        ("films without speech", ["not"], ["films", "with speech"]),
        ("games which need a mouse", ["that"], ["games", "that need a mouse"]),
        ("neighbours neither near nor far", ["not", "nor"], ["neighbours", "near", "far"]),
        ("cats except those that are black", ["not"], ["cats", "black"]),
        ("cats, leaving out the ones with tails", ["not"], ["cats", "with tails"]),
        ("cats but not tabbies unless they are old", ["not", "unless"], ["cats", "tabbies", "old"]),
        ("cats as well as dogs", ["too"], ["cats", "dogs"]),
        ("fans of Doctor Who", [], ["fans of Doctor Who"]),
        ("no cats", [], ["no cats"]),
    ],
)
def test_connectives_are_found_with_what_they_say(query: str, kinds: list[str], runs: list[str]):
    line = apart(query)
    assert [joint.kind for joint in line.joints] == kinds
    assert [text(run) for run in line.runs] == runs


def test_parentheses_hold_runs_together_but_for_those_of_names():
    line = apart("tools that are not (games that are not for children)")
    assert line.groups == ((1, 2),) and [text(run) for run in line.runs] == ["tools", "games", "for children"]
    assert apart("birds of Victoria (Australia) or Peru").groups == ()


def test_boundaries_inside_runs_stand_before_modifiers_and_are_bounded():
    line = apart("cheap hotels in the Alps built before 1900 with a garden", 10)
    assert [text(run) for run in line.runs][1:] and {joint.kind for joint in line.joints} == {"none"}
    assert text(line.runs[-1]) == "with a garden"
    assert len(apart("hotels " + "for cats with fleas " * 30, 6).joints) <= 6


def test_both_marks_the_word_after_it():
    line = apart("fish from both Peru and Chile")
    assert [one.mark for one in line.runs[0]] == ["", "", "both"]
