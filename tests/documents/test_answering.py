"""What a document is read to say, with what it rests on and what it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.markdown import read_markdown
from answerable.documents.answering import SETTLED, Known, answer, confidence
from answerable.documents.extent import asks_for_several, wants_sentences
from answerable.text import normalise_question
from answerable.types import Candidate, Chain, Citation, Document, Reading
from tests.documents.grant import PLAIN, TEXT, guide, shelf

LABEL = frozenset({"office"})
SHELF = shelf()


def check(reading: Reading) -> None:
    """What holds for every reading."""
    assert (reading.text is None) == (reading.reason is not None)
    assert 0.0 <= reading.confidence <= 1.0 and reading.seconds > 0.0
    for citation in (*reading.citations, *reading.conditions):
        assert citation.text == TEXT[citation.start : citation.end] and citation.document == "grant"
    for stop in reading.path:
        assert 0.0 < stop.share <= 1.0 and TEXT[stop.start : stop.end].strip()
    assert reading.ask is None or reading.ask.endswith("?")


def texts(citations: tuple[Citation, ...]) -> list[str]:
    return [one.text for one in citations]


def test_words_of_the_document_answer_a_question_that_asks_for_them() -> None:
    reading = answer(guide(), SHELF, "How many pounds is the grant a year?", label=LABEL)
    check(reading)
    assert reading.text == "1,200" and reading.label == LABEL
    assert texts(reading.citations) == ["The grant is 1,200 pounds a year."]
    paragraph, sentence, *_ = reading.path
    assert not paragraph.sentence and sentence.sentence and sentence.headings == ("Apprentice grant", "How much")
    assert paragraph.start <= sentence.start < sentence.end <= paragraph.end
    assert (reading.document, reading.title, reading.enclave) == ("grant", "Apprentice grant", "office")
    book = SHELF.book
    assert (reading.sentences, reading.paragraphs) == (len(book.sentences), len(book.paragraphs))
    assert reading.bytes == 2 * 256 * (reading.sentences + reading.paragraphs)


def test_below_the_threshold_it_says_so_and_tells_its_guess() -> None:
    reading = answer(guide(threshold=1.0), SHELF, "How many pounds is the grant a year?")
    check(reading)
    assert reading.text is None and reading.citations == ()
    assert "below the threshold 1.00" in str(reading.reason) and reading.others[0][0] == "1,200"
    assert reading.confidence == reading.others[0][1] < 1.0


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Which offices are open on Sunday?", True),
        ("What are the conditions of the grant?", True),
        ("In which towns do they have offices?", True),
        ("Which old stone towers were sold?", True),
        ("Which office opens on Sunday?", False),
        ("What does the office do?", False),
        ("What is the grant?", False),
        ("Which class was sold?", False),
        ("Who pays?", False),
    ],
)
def test_questions_for_lists(question: str, several: bool) -> None:
    assert asks_for_several(question) is several


@given(st.floats(-20, 20), st.floats(-20, 20), st.floats(0, 5))
def test_confidence_grows_with_the_score_and_the_margin(score: float, margin: float, more: float) -> None:
    sure = confidence(PLAIN, score, margin)
    assert 0.0 < sure < 1.0
    assert confidence(PLAIN, score + more, margin) >= sure and confidence(PLAIN, score, margin + more) >= sure


TURN = Known(history=(("Do you own a car?", "Yes"),))


@pytest.mark.parametrize("decision", ["Yes", "No"])
def test_after_a_turn_yes_and_no_cite_the_sentence_that_speaks_of_it(decision: str) -> None:
    reading = answer(guide(decision), SHELF, "Can I apply if I live in Scotland?", TURN)
    check(reading)
    assert reading.text == decision.lower() and reading.confidence > 0.9 and reading.ask is None
    assert texts(reading.citations) == ["You can apply if you are under 25, and you live in Scotland."]


def test_after_a_turn_yes_and_no_are_a_guess_below_the_threshold() -> None:
    reading = answer(guide("No", threshold=0.99), SHELF, "Can I apply if I live in Scotland?", TURN)
    check(reading)
    assert reading.text is None and reading.others == (("no", reading.confidence),)
    assert "below the threshold" in str(reading.reason)


def test_what_decides_answers_where_reader_and_rules_do_not() -> None:
    text = "# Opening\n\nThe office opens on Monday. It closes at noon.\n"
    for decision, said in (
        ("Yes", "yes"),
        ("More", "The office opens on Monday."),
        (None, "The office opens on Monday."),
    ):
        reading = answer(guide(decision), shelf(text), "Does the office open on Monday?")
        assert (reading.text, [one.text for one in reading.citations]) == (said, ["The office opens on Monday."])


def test_without_what_decides_a_rule_decides_turns() -> None:
    reading = answer(guide(None), SHELF, "Can I apply if I live in Scotland?", TURN)
    check(reading)
    assert reading.text == "yes, if you are under 25"


@pytest.mark.parametrize("known", [Known(), TURN])
def test_what_the_document_does_not_speak_of(known: Known) -> None:
    reading = answer(guide("Irrelevant"), SHELF, "Do I need a passport?", known)
    check(reading)
    assert reading.reason == "the document says nothing about this"


def test_a_rule_goes_before_what_is_decided_of_a_first_question() -> None:
    for decision in ("No", "Irrelevant"):
        reading = answer(guide(decision), SHELF, "Can I apply if I live in Scotland?")
        check(reading)
        assert reading.text == "yes, if you are under 25"  # the rest is supposed


def test_a_sentence_that_speaks_of_a_question_and_does_not_decide_it_is_quoted() -> None:
    text = "# Opening\n\nThe office opens on Monday. It closes at noon.\n"
    reading = answer(guide("Irrelevant"), shelf(text), "Does the office open on Monday?")
    assert reading.text == "The office opens on Monday." and reading.citations[0].place == "§ Opening"


def test_definitions_and_letters_are_found_by_their_words() -> None:
    text = (
        "# Terms\n\nThe Keepers Relief Fund (KRF) pays. A keeper is paid.\n\nA keeper is a person who keeps a light.\n"
    )
    for question, said in (("What does KRF stand for?", "Keepers Relief Fund"),
                           ("What is a keeper?", "A keeper is a person who keeps a light.")):  # fmt: skip
        reading = answer(guide(), shelf(text), question)
        assert reading.text == said and said in reading.citations[0].text and reading.path[0].sentence


def test_where_a_few_words_are_too_short_an_answer_it_is_a_sentence_with_its_list() -> None:
    text = "To claim the refund of 40 pounds you send these papers:\n\n- the ticket of the journey\n- the bill of it\n"
    reading = answer(guide(), shelf(text), "How is the refund claimed?")
    assert reading.text is not None and reading.text.startswith("To claim the refund") and "the bill" in reading.text


@pytest.mark.parametrize(("question", "wanted"), [("How is it made?", True), ("Why did it close?", True),
    ("What happens to my claim?", True), ("What if I sue?", True),
    ("What is the shed for?", True), ("What does the clause say about dogs?", True),
    ("How many are there?", False), ("Who pays?", False)])  # fmt: skip
def test_questions_that_want_sentences(question: str, wanted: bool) -> None:
    assert wants_sentences(question) is wanted


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        ("You sell it if:\n\n(a) the hull is Red; and\n\n(b) the mast is tall.\n\nRain is wet.", "How is the hull?",
         "You sell it if: (a) the hull is Red; and (b) the mast is tall."),
        ("The following colours are those of Wick.\n\nred\n\nIt is of the queen.", "How are the following colours?",
         "The following colours are those of Wick. red It is of the queen."),
    ],
)  # fmt: skip
def test_a_list_is_told_with_what_leads_into_it(text: str, question: str, said: str) -> None:
    assert answer(guide(), shelf(f"# Boats\n\n{text}"), question).text == said


@pytest.mark.parametrize(
    ("lead", "said", "cited"),
    [
        ("for a silent lamp you run Ring", "Ring lampctl wake lampctl all", True),
        ("for a silent lamp you run Ring:", "Ring: lampctl wake lampctl all", True),
        ("for a silent lamp you run Ring often:", "Ring", False),
        ("for a silent lamp you run Ring.", "Ring.", False),
    ],
)
def test_an_answer_that_leads_into_code_ends_with_it(lead: str, said: str, cited: bool) -> None:
    text, sections, meta = read_markdown(
        f"# Lamps\n\nOil it. {lead}\n\n    lampctl wake\n    lampctl all\n\nThen wait."
    )
    document = Document("n", "e", "Lamps", text, "n.md", "markdown", sections, meta)
    reading = answer(guide(), guide().open(document), "Which command is for a silent lamp?")
    assert reading.text == said and reading.citations[0].text.endswith("lampctl all") is cited


def test_where_there_is_more_to_know_the_answer_has_conditions() -> None:
    reading = answer(guide("More"), SHELF, "Can I apply if I live in Scotland?")
    check(reading)
    assert reading.text == "yes, if you are under 25"  # the rest is supposed
    assert texts(reading.conditions) == ["you are under 25"]
    assert reading.ask == "Are you under 25?"
    assert texts(reading.citations) == ["You can apply if you are under 25, and you live in Scotland."]


@pytest.mark.parametrize(
    ("replies", "text", "ask"),
    [
        (["Yes"], "yes, if you live in Scotland", "Do you live in Scotland?"),
        (["Yes", "Yes"], "yes", None),
        (["No"], "no", None),
        (["Yes", "No"], "no", None),
    ],
)
def test_what_was_answered_settles_conditions(replies: list[str], text: str, ask: str | None) -> None:
    asked = ["Are you under 25?", "Do you live in Scotland?"]
    known = Known(history=tuple(zip(asked, replies, strict=False)))
    reading = answer(guide("More"), SHELF, "Can I apply for the grant?", known)
    check(reading)
    assert (reading.text, reading.ask) == (text, ask)


def test_what_a_rule_makes_of_the_replies_goes_before_what_is_decided() -> None:
    known = Known(history=(("Are you under 25?", "Yes"), ("Do you live in Scotland?", "Yes")))
    for decision in ("No", "Irrelevant"):
        reading = answer(guide(decision), SHELF, "Can I apply for the grant?", known)
        check(reading)
        assert (reading.text, reading.confidence) == ("yes", SETTLED)


def test_a_scenario_settles_what_it_says() -> None:
    reading = answer(guide("More"), SHELF, "Can I apply for the grant?", Known("I live in Scotland."))
    assert (reading.text, reading.ask) == ("yes, if you are under 25", "Are you under 25?")


def test_without_a_rule_more_to_know_is_no_answer() -> None:
    text = "# Opening\n\nThe office opens on Monday. It closes at noon.\n"
    reading = answer(guide("More"), shelf(text), "Can I come to the office on Monday?", TURN)
    assert reading.text is None and "no rule" in str(reading.reason) and reading.ask is None


def test_a_document_without_text_says_so() -> None:
    for question in ("Who pays?", "Can I apply?"):
        reading = answer(guide(), shelf("  \n\n \n"), question)
        assert reading.text is None and reading.reason == "the document holds no text"
        assert (reading.sentences, reading.bytes, reading.path) == (0, 0, ())


def test_a_rule_that_supposes_what_is_asked_does_not_answer_it() -> None:
    text = "# Grants\n\nYou could get a free bus pass if you get the island grant.\n"
    reading = answer(guide("More"), shelf(text), "Can I get the island grant?")
    assert reading.text == "You could get a free bus pass if you get the island grant." and reading.conditions == ()


@dataclass(frozen=True)
class Sure:
    """A reader that says the same, and is sure of it."""

    said: str
    name = "sure"

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        where = chains[0], 0, chains[0].hits[0].passage.start, chains[0].hits[0].passage.end
        other = "no" if self.said == "yes" else "yes"
        return [Candidate(self.said, 3.0, *where), Candidate(other, -3.0, *where)]


@pytest.mark.parametrize(
    ("replies", "text"),
    [(["No"], "no"), (["Yes", "No"], "no"), (["Yes", "Yes"], "yes"), ([], "yes, if you are under 25")],
)
def test_what_was_answered_goes_before_a_reader_that_is_sure(replies: list[str], text: str) -> None:
    asked = ["Are you under 25?", "Do you live in Scotland?"]
    known = Known(history=tuple(zip(asked, replies, strict=False)), anew=True)
    reading = answer(replace(guide(), reader=Sure("yes")), SHELF, "Can I apply for the grant?", known)
    check(reading)
    assert reading.text is not None and reading.text.startswith(text)


def test_a_yes_cites_a_sentence_that_says_so() -> None:
    text = "# Boats\n\nYou may not charge for the boat. You may charge for the boat. You may not charge for the boat.\n"
    reading = answer(replace(guide(), reader=Sure("yes")), shelf(text), "May I charge for the boat?")
    assert (reading.text, texts(reading.citations)) == ("yes", ["You may charge for the boat."])


def test_a_yes_cites_the_list_that_it_depends_on() -> None:
    text = "# Boats\n\nYou may charge for the boat to:\n\n- the keeper\n- the cook\n"
    reading = answer(replace(guide(), reader=Sure("yes")), shelf(text), "May I charge for the boat?")
    assert texts(reading.citations) == ["You may charge for the boat to:\n\n- the keeper\n- the cook"]


def test_a_section_that_is_too_long_to_be_told_says_that_it_goes_on() -> None:
    asked, long = "What does section 4.2 say?", "The boat is blue. " * 60
    said = answer(guide(), shelf(f"# Boats\n\n## 4.2 Paint\n\n{long}\n"), asked).text
    assert said is not None and said.endswith("blue. …") and len(said) < len(long)
    assert answer(guide(), shelf("# Boats\n\n## 4.2 Paint\n\nIt is blue.\n"), asked).text == "It is blue."


def test_a_yes_that_leads_into_no_list_cites_its_sentence_alone() -> None:
    text = "# Boats\n\nYou may charge for these boats.\n\nThe keeper is paid.\n"
    reading = answer(replace(guide(), reader=Sure("yes")), shelf(text), "May I charge for these boats?")
    assert texts(reading.citations) == ["You may charge for these boats."]


FAQ = """# Hall

Q: Is smoking allowed in the hall?
A: No.

Q: Who keeps the keys of the hall
   in winter?

A: Kim, at number 12.

May dogs come to the hall?

May boats land here if they are wet?

Boats lie at the pier.
"""


def test_a_question_of_the_document_is_answered_by_what_stands_below_it() -> None:
    own = replace(guide(), same=lambda one, other: normalise_question(one) == normalise_question(other))
    text, sections, _ = read_markdown(FAQ)
    faq = own.open(Document("hall", "", "Hall", text, "hall.md", "markdown", sections))
    for question, said, cited in (
        ("is smoking allowed in the hall", "No.", "A: No."),
        ("Who keeps the keys of the hall in winter?", "Kim, at number 12.", "A: Kim, at number 12."),
    ):
        reading = answer(own, faq, question)
        assert (reading.text, texts(reading.citations)) == (said, [cited])


def test_a_question_of_the_document_proves_nothing() -> None:
    own = guide(decision="Yes")
    text, sections, _ = read_markdown(FAQ)
    faq = own.open(Document("hall", "", "Hall", text, "hall.md", "markdown", sections))
    for question in ("May dogs come to the hall?", "Is smoking allowed in the hall?", "May a boat land if it is wet?"):
        reading = answer(own, faq, question)
        assert not any(one.text.endswith("?") for one in reading.citations)
        assert reading.text is None or not reading.text.endswith("?")


@dataclass(frozen=True, slots=True)
class Two:
    """Finds two answers, of which the first, that stands in a question, is as sure as it is told."""

    first: float
    name = "two"

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        found = []
        for words, score in (("keys of the hall", self.first), ("number 12", 3.0)):
            for chain in chains:
                passage = chain.hits[0].passage
                at = passage.start + passage.text.find(words)
                found += [Candidate(words, score, chain, 0, at, at + len(words))] * (at >= passage.start)
        return found


def test_what_stands_in_a_question_makes_an_answer_no_surer() -> None:
    text, sections, _ = read_markdown(FAQ)
    faq = guide().open(Document("hall", "", "Hall", text, "hall.md", "markdown", sections))
    asked = "Whom do I ask for the keys?"
    less, more = (answer(replace(guide(), reader=Two(score)), faq, asked) for score in (2.5, -5.0))
    assert less.text == more.text == "number 12"
    assert less.confidence < more.confidence
