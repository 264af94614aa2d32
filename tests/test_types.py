"""Values that keep themselves consistent."""

from __future__ import annotations

import pytest

from answerable.types import Asker, Hit, Passage, Query, Skill

READ = Passage("p", "d", "mail", "A note", "Ada met Dalén.", 0, 14)
MAIL = frozenset({"mail"})


def test_a_query_that_names_keeps_its_asker_its_label_and_why() -> None:
    query = Query("Who met Ada?", Asker("guest"), MAIL)
    assert query.naming(8, 11) == Query("Who met Ada?", Asker("guest"), MAIL, (), (8, 11))
    followed = Query("Who met Ada?").follow((Hit(READ, 1.0, MAIL, Skill.SINGLE),))
    assert followed.naming(8, 13, READ) == Query(READ.text, Asker(), MAIL, (READ,), (8, 13))
    assert followed.naming(8, 11).text == "Who met Ada?"


def test_a_passage_that_the_query_does_not_follow_from_names_nothing() -> None:
    """Its label would be missing."""
    with pytest.raises(ValueError, match="passage 'p' is not among those"):
        Query("Who met Ada?").naming(8, 11, READ)


@pytest.mark.parametrize("span", [(-1, 3), (3, 3), (5, 3), (8, 13)])
def test_what_is_named_must_stand_in_the_text(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="are not in a text of 12"):
        Query("Who met Ada?").naming(*span)
