"""The words that what is taken away is judged by."""

from __future__ import annotations

import pytest

from answerable.sets.evidence import judged_as
from answerable.sets.expression import atoms, read_expression


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ('"films" minus "in Hindi"', "films in Hindi"),
        ('"albums" minus "by American artists"', "albums by American artists"),
        ('"albums" minus "American"', "American albums"),
        ('"documents" minus "with nuts"', "with nuts"),
        ('"birds of South America" minus "songbirds"', "songbirds"),
        ('"lighthouses built before 1850" minus "in Scotland"', "lighthouses in Scotland"),
        ('("Hindi films" or "Tamil films") minus "in black and white"', "films in black and white"),
        ('("command line tools" and "for audio") minus "in Java"', "command line tools in Java"),
        ('"web browser" minus "reads mail"', "reads mail"),
        ('"for audio" minus "in Java"', "in Java"),  # nobody said what it is that is for audio
        ('("a" minus "b films") minus "b films"', "b films"),
    ],
)
def test_what_is_taken_away_is_said_with_its_noun(printed: str, said: str) -> None:
    expression = read_expression(printed)
    assert judged_as(expression)[atoms(expression)[-1]] == said


def test_what_is_asked_for_is_judged_as_it_stands() -> None:
    found = judged_as(read_expression('("films" and "in Hindi") minus ("in colour" or "in Hindi")'))
    assert found == {"films": "films", "in Hindi": "in Hindi", "in colour": "films in colour"}
