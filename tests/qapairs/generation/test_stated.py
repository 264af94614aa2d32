"""Questions that a text states with their answers."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.faq import LONGEST
from answerable.qapairs.generation.stated import stated, stated_in
from answerable.types import Document, Passage, Section


def _document(text: str, *titles: str) -> Document:
    starts = [text.index(title) for title in titles]
    ends = [*starts, len(text)][1:]
    sections = tuple(Section(t, 2, s, e) for t, s, e in zip(titles, starts, ends, strict=True))
    return replace(Document("help", "help", "Help", text, "help.md"), sections=sections)


def _said(document: Document) -> list[tuple[str, str]]:
    return [(question, document.text[start:end]) for question, start, end in stated(document)]


def test_a_heading_that_asks_is_answered_by_what_stands_below_it() -> None:
    text = (
        "May I return it?\n\nYes, for 30 days. Keep the box.\n\nContact\nCall us.\n\nWho pays for the return?\nWe do.\n"
    )
    document = _document(text, "May I return it?", "Contact", "Who pays for the return?")
    told = [("May I return it?", "Yes, for 30 days. Keep the box."), ("Who pays for the return?", "We do.")]
    assert _said(document) == told


def test_of_a_long_answer_the_first_sentences_are_taken() -> None:
    long = " ".join(f"Sentence number {number} says what there is to say." for number in range(30))
    ((_, said),) = _said(_document(f"What is there to say?\n{long}", "What is there to say?"))
    assert said.startswith("Sentence number 0") and said.endswith("say.") and len(said) <= LONGEST
    ((_, one),) = _said(_document("What is there to say?\n" + "word " * 200 + "end.", "What is there to say?"))
    assert one.endswith("end.")


def test_lists_of_questions_and_answers_are_read_however_they_are_marked() -> None:
    text = (
        "Q: Who may fly?\nA: Directors may.\n\n"
        "**Q2.** How are taxis paid for?\n**A2.** By card.\nKeep the receipt.\n\n"
        "Question: May I go by train?\n\nAnswer: Yes, always.\n"
    )
    assert _said(_document(text)) == [
        ("Who may fly?", "Directors may."),
        ("How are taxis paid for?", "By card.\nKeep the receipt."),
        ("May I go by train?", "Yes, always."),
    ]


def test_a_question_may_go_on_over_several_lines() -> None:
    text = "Q:  Who may fly\n    to the island?\n\nA:  Directors may.\n\nQ: Who\n\nmay?\n\nA: No one.\n"
    assert _said(_document(text)) == [("Who may fly to the island?", "Directors may.")]


def test_what_only_looks_like_it_is_left() -> None:
    assert not _said(_document("Ann: are you coming today?\nBob: I am.\n"))
    assert not _said(_document("Why?\nBecause.\n", "Why?"))  # says not what it is about
    assert not _said(_document("Are we open today?\n\n", "Are we open today?"))
    text = "When are you open?\nFrom nine to five.\n\nIs there a bar?\n\nYes.\n"
    assert _said(_document(text, "When are you open?")) == [("When are you open?", "From nine to five.")]


def test_a_pair_ends_with_its_passage() -> None:
    document = _document("May I return it?\n\nYes, for 30 days. Keep the box.\n", "May I return it?")
    cut = document.text.index("Keep")
    passages = [Passage(f"p{a}", "help", "help", "Help", document.text[a:b], a, b) for a, b in ((0, cut), (cut, 48))]
    ((id, (pair,)),) = stated_in(document, passages).items()
    assert (id, pair.question, pair.answers, pair.score) == ("p0", "May I return it?", ("Yes, for 30 days.",), 1.0)
    assert passages[0].text[pair.start : pair.end] == "Yes, for 30 days."


LISTED = st.sampled_from(["Q: Who may fly?\nA: Directors may. ", "**Q2.** May I fly?\n**A2.** No.", "Who may fly?"])


@given(st.lists(LISTED | st.text("QA:?12 \nab.*", max_size=20), max_size=9).map("\n\n".join))
def test_answers_stand_where_they_say(text: str) -> None:
    for question, start, end in stated(_document(text)):
        assert question.endswith("?") and 0 <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
