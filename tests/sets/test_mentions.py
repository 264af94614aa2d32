"""Words that a constraint says a text has: found by the text itself."""

from __future__ import annotations

import pytest

from answerable.sets.bounds import apart
from answerable.sets.expression import read_expression
from answerable.sets.mentions import mention, mentioned, plain
from answerable.types import Document, Passage

TEXT = "The kettle is new. Ring the dentists on Monday.\nThen buy oats, and as we\nagreed no sugar."


@pytest.mark.parametrize(
    ("wanted", "bare", "searched"),
    [
        ("notes that mention a dentist", "notes", "notes a dentist"),
        ("notes mentioning the dentist", "notes", "notes the dentist"),
        ("that mention oats", "", "oats"),
        ("documents that mention oats", "", "documents oats"),
        ("mention oats", "", "oats"),
        ("old notes with the word sugar", "old notes", "old notes sugar"),
        ('notes that say "as we agreed"', "notes", 'notes "as we agreed"'),
        ("notes that contain the words kettle and Monday", "notes", "notes kettle and Monday"),
        ("notes with mentions of dentists", "notes", "notes with dentists"),
    ],
)
def test_what_a_text_must_have_is_read_and_not_judged(wanted: str, bare: str, searched: str) -> None:
    bound = mention(wanted)
    assert bound is not None and bound.fits("A note", TEXT) and bound.end == len(wanted)
    assert apart(wanted)[0] == bare and plain(wanted) == searched


@pytest.mark.parametrize(
    "wanted", ["notes that mention plumbers", "notes that mention dentists in May", 'notes with "no oats"']
)
def test_what_a_text_has_not_does_not_fit(wanted: str) -> None:
    bound = mention(wanted)
    assert bound is not None and not bound.fits("A note", TEXT)


@pytest.mark.parametrize(
    "wanted",
    [
        "notes about dentists",
        "films with a special mention at a festival",
        "bays mentioned by sailors",
        "hymns with words by her",
    ],
)
def test_what_is_said_otherwise_is_judged(wanted: str) -> None:
    assert mention(wanted) is None and plain(wanted) == wanted


def test_a_title_counts_as_what_stands_below_it() -> None:
    bound = mention("mails that mention oats and a kettle")
    assert (
        bound is not None and bound.fits("Re: oats", "The kettle is new.") and not bound.fits("Re: oats", "It is new.")
    )


def test_of_what_is_taken_away_the_whole_document_is_looked_at_and_the_sentence_found() -> None:
    document = Document("n1", "home", "A note", TEXT, "n1.txt")
    first = Passage("n1-0", "n1", "home", "A note", TEXT[:18], 0, 18)

    def looked_for(query: str) -> dict[str, Passage]:
        return mentioned(read_expression(query), first, lambda _: document)

    found = looked_for('"notes" minus "that mention dentists"')
    assert [*found] == ["that mention dentists"]
    (one,) = found.values()
    assert one.text == TEXT[one.start : one.end] == "Ring the dentists on Monday."
    assert looked_for('"notes" minus "that mention kettles and oats"') == {"that mention kettles and oats": first}
    assert not looked_for('"notes that mention dentists"')
    assert not looked_for('"notes" minus "that mention plumbers"')
    assert not looked_for('"notes" minus "about dentists"')
    assert not looked_for('"notes" minus "bills that mention dentists"')


def test_a_document_that_is_not_here_says_nothing() -> None:
    expression = read_expression('"notes" minus "that mention dentists"')
    first = Passage("n1-0", "n1", "home", "A note", TEXT, 0, len(TEXT))
    assert not mentioned(expression, first, lambda _: None)
