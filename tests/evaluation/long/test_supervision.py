"""Evidence found where none is marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.paragraphs import Paragraph
from answerable.evaluation.long.sheet import alike, edit_distance, holding, nearest, reached
from answerable.text import sentences
from answerable.types import Document, Section

TEXT = "The mill is old. It grinds rye and barley. An owl lives there. The miller sold it in 1903."
SPANS = sentences(TEXT)
WORDS = st.lists(st.sampled_from("a b c d".split()), max_size=7)


def said(spans: tuple[tuple[int, int], ...]) -> list[str]:
    return [TEXT[start:end] for start, end in spans]


def test_an_answer_stands_in_whole_words_whatever_its_case_and_marks() -> None:
    assert said(holding(TEXT, SPANS, ["the OWL"])) == ["An owl lives there."]
    assert holding(TEXT, SPANS, ["190", "ow"]) == ()
    assert said(holding(TEXT, SPANS, ["1903.", "owl"])) == ["An owl lives there.", "The miller sold it in 1903."]
    assert holding(TEXT, SPANS, ["the", "?"]) == ()


def test_the_sentence_that_agrees_best_is_alike_and_none_is_where_no_word_is_shared() -> None:
    assert said(alike(TEXT, SPANS, "barley, and rye")) == ["It grinds rye and barley."]
    assert alike(TEXT, SPANS, "quite different") == ()


def test_the_nearest_sentence_takes_the_fewest_changes_for_its_length() -> None:
    assert said(nearest(TEXT, SPANS, "Does an owl live there?")) == ["An owl lives there."]
    assert nearest(TEXT, (), "Anything?") == ()


@given(WORDS, WORDS, WORDS)
def test_edit_distance_is_a_share_symmetric_and_zero_for_the_same_alone(
    a: list[str], b: list[str], c: list[str]
) -> None:
    assert 0 <= edit_distance(a, b) == edit_distance(b, a) <= 1
    assert (edit_distance(a, b) == 0) == (a == b)

    def steps(one: list[str], other: list[str]) -> float:
        return edit_distance(one, other) * max(len(one), len(other), 1)

    assert steps(a, c) <= steps(a, b) + steps(b, c) + 1e-9
    assert steps(a + c, b + c) <= steps(a, b) + 1e-9


def test_edits_are_counted_as_levenshtein_does() -> None:
    assert edit_distance(list("kitten"), list("sitting")) == 3 / 7
    assert edit_distance([], list("abc")) == 1
    assert edit_distance([], []) == 0


def test_evidence_that_is_a_heading_reaches_to_the_sentences_below_it() -> None:
    text = "Fees\n\nTwo crowns. Or three.\n\nHours\n\nFrom nine."
    fees, hours = (Section("Fees", 1, 0, 29), Section("Hours", 1, 29, len(text)))
    document = Document("d", "public", "", text, "", sections=(fees, hours))
    first, second = Paragraph(6, 27, ("Fees",), ((6, 17), (18, 27))), Paragraph(36, 46, ("Hours",), ((36, 46),))
    assert reached([(0, 4)], document, (first, second)) == ((0, 4), (6, 17), (18, 27))
    assert reached([(8, 10), (29, 34)], document, (first, second)) == ((8, 10), (29, 34), (36, 46))
    assert reached([(0, 4)], document, (second,)) == ((0, 4),)
