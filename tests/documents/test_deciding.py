"""Questions for yes or no: which of reader, rule and model speaks."""

from __future__ import annotations

import numpy as np
import pytest

from answerable.documents.deciding import about, around, nearest, polar, ruling, spoken, unruled
from answerable.documents.settle import settle_by_rule
from answerable.encoders.encoder import Passages, Vectors
from answerable.types import Candidate, Chain
from tests.documents.grant import Deciding, shelf


def candidate(text: str, score: float) -> Candidate:
    return Candidate(text, score, Chain((), 0.0, frozenset()), 0, 0, 1)


def test_the_likelier_of_yes_and_no_is_as_sure_as_it_is_likelier() -> None:
    close, far = (polar([candidate("yes", 1.0), candidate("no", other)]) for other in (0.9, -2.0))
    assert close and far and (close.text, far.text) == ("yes", "yes") and 0.5 < close.sure < far.sure < 1.0
    assert polar([candidate("yes", 1.0)]) is None and polar([]) is None


def test_where_a_situation_is_told_a_no_is_believed_where_the_sentence_denies() -> None:
    nearly = [candidate("yes", 0.0), candidate("no", 0.1)]
    undenied, denied = polar(nearly, False), polar(nearly, True)
    assert undenied and denied and (undenied.text, denied.text) == ("yes", "no")
    sure = polar([candidate("yes", 0.0), candidate("no", 1.0)], False)
    assert sure and sure.text == "no" and 0.5 < undenied.sure < sure.sure < 1.0 and sure.candidate.text == "no"
    assert polar([candidate("yes", 1.0)], True) is None


def test_the_place_that_is_surest_counts_and_its_nearest_sentence() -> None:
    held = shelf("# Fares\n\nThe fare is low.\n\n# Bikes\n\nA bike is free. The tandem of the keeper travels free.\n")
    rows = range(len(held.book.sentences))
    ruled = ruling(Deciding("No"), held, "Is the tandem free?", "", rows)
    assert ruled.decision == "No" and sum(ruled.likely.values()) == pytest.approx(1.0)
    assert held.book.document.text[slice(*held.book.span(ruled.row))] == "The tandem of the keeper travels free."


class Two:
    """Says nothing about most of it, and yes of what has a bike."""

    def decide(self, question: str, told: str, passages: Passages) -> Vectors:
        rows = [[0.4, 0.2, 0.3, 0.1] if "bike" in text else [0.02, 0.03, 0.5, 0.45] for _, text in passages]
        return np.array(rows, np.float32)


def test_a_place_that_says_nothing_about_it_hides_none_that_does() -> None:
    held = shelf("# Fares\n\nThe fare is low.\n\n# Bikes\n\nA bike is free.\n")
    rows = range(len(held.book.sentences))
    assert ruling(Two(), held, "Is it free?", "", rows).decision == "Yes"
    assert ruling(Two(), held, "Is it free?", "", rows[:1]).decision == "Irrelevant"


def test_what_is_read_together_stands_under_the_same_headings_and_is_not_long() -> None:
    held = shelf("# A\n\nOne.\n\n- two\n\n- three\n\n# B\n\nFour.\n\n" + "Long words of it. " * 80 + "\n")
    book = held.book
    for row in range(len(book.sentences)):
        there = around(book, row)
        assert row in there
        assert {book.paragraphs[book.paragraph(one)].path for one in there} == {
            book.paragraphs[book.paragraph(row)].path
        }
        assert book.span(there[-1])[1] - book.span(there[0])[0] <= 900
    assert around(book, 0) == range(0, 3)


def test_without_a_model_a_rule_decides_or_nothing_does() -> None:
    held = shelf("# Rules\n\nYou can sell copies if you keep the notice.\n")
    for history, decision in (((), "More"), ((("Do you keep the notice?", "no"),), "No")):
        settled = settle_by_rule(held.book, (0, 0), "Can I sell copies?", "", history)
        assert unruled(settled, 0).decision == decision
    assert unruled(None, 0).decision == "Irrelevant"


def test_a_question_is_spoken_of_as_far_as_its_rare_words_are_there() -> None:
    held = shelf("# Fares\n\nThe fare is paid on board. The fare is low.\n\n# Bikes\n\nThe tandem travels free.\n")
    assert spoken(held, "Is the tandem free?", "a free tandem") == 1.0
    assert spoken(held, "Is the tandem free?", "the fare") == 0.0
    assert spoken(held, "Is the fare for a passport?", "the fare") < 0.5
    assert spoken(held, "Is it?", "it is") == 0.0
    row, share = nearest(held, "Is the tandem free?", range(len(held.book.sentences)))
    assert held.book.document.text[slice(*held.book.span(row))] == "The tandem travels free." and share == 1.0


@pytest.mark.parametrize(
    ("text", "question", "speaks"),
    [
        ("You can sell copies if you keep the notice.", "Can I sell copies?", True),
        ("You can sell copies if any.", "Can I sell copies?", False),
        ("You can sell copies (and charge if you wish), and that you receive the source.", "Can I sell copies?", False),
        ("You can sell copies if you conspicuously.", "Can I sell copies?", False),
        ("You can sell copies if it rains in the hills.", "Can I sell copies?", False),
        ("You can keep the notice if you live near the sea.", "Can I sell copies?", False),
        ("A dryer of the same make may be stacked on it.", "Can a dryer be stacked on it?", False),
    ],
)
def test_a_rule_speaks_where_it_is_about_what_is_asked_in_whole_clauses(text: str, question: str, speaks: bool) -> None:
    held = shelf(f"# Rules\n\n{text}\n")
    settled = settle_by_rule(held.book, (0, 0), question, "", ())
    assert (about(held, question, settled) is not None) is speaks
