"""What a text answers a question with that it asks itself."""

from __future__ import annotations

from collections.abc import Callable

from answerable.corpora.citations import FindDocument
from answerable.selective.beside import Case, Decided
from answerable.selective.decide import Decision
from answerable.selective.stated import STATED, StatedReader
from answerable.types import PUBLIC, Candidate, Chain, Document, Hit, Passage, Skill

FAQ = "Hall\n\nQ: Is it free?\nA: No, 3 euro.\n\nQ: Is it open?\nA: Yes.\n"
NONE = Decision(None, "nothing", 0.1, None, (("yes", 0.1),))


def _hit(id: str, text: str) -> Hit:
    return Hit(Passage(f"{id}@6-{len(text)}", id, "help", id, text[6:], 6, len(text)), 1.0, PUBLIC, Skill.SINGLE)


def _held(kind: str = "text", **texts: str) -> tuple[FindDocument, list[Chain]]:
    def find(passage: Passage) -> Document:
        text = texts[passage.document_id]
        return Document(passage.document_id, "help", passage.title, text, passage.document_id, kind)

    hits = [_hit(id, text) for id, text in texts.items()]
    return find, [Chain((hit,), 1.0, PUBLIC) for hit in hits]


def _all(answer: Candidate) -> bool:
    return True


def _told(
    find: FindDocument,
    question: str,
    chains: list[Chain],
    decision: Decision,
    least: float,
    allowed: Callable[[Candidate], bool] = _all,
) -> Decided | None:
    """What it settles; None where it leaves all as it is."""
    before = Decided(decision)
    reader = StatedReader(lambda one, other: one.lower() == other.lower())
    settled = reader.weigh(Case(question, chains, find, lambda _: least, allowed), before)
    return None if settled is before else settled


def test_what_stands_below_the_same_question_is_told() -> None:
    find, chains = _held(hall=FAQ)
    found = _told(find, "is it free?", chains, NONE, 0.5)
    assert found is not None
    decision, (cited,) = found.decision, found.citations
    assert (decision.text, decision.confidence, decision.others) == ("No, 3 euro.", STATED, (("yes", 0.1),))
    assert cited.text == "A: No, 3 euro." and FAQ[cited.start : cited.end] == cited.text
    assert _told(find, "Is it warm?", chains, NONE, 0.5) is _told(find, "Is it?", [], NONE, 0.0) is None


def test_a_decision_that_is_surer_stays() -> None:
    find, chains = _held(hall=FAQ)
    sure = Decision("free", None, 0.97, None, ())
    assert _told(find, "Is it free?", chains, sure, 0.5) is None
    assert _told(find, "Is it free?", chains, NONE, 0.99) is None
    less = _told(find, "Is it free?", chains, Decision("free", None, 0.7, None, ()), 0.5)
    assert less is not None and less.decision.others == (("free", 0.7),)


def test_texts_that_differ_are_each_less_sure() -> None:
    other = FAQ.replace("No, 3 euro", "Yes")
    find, chains = _held(hall=FAQ, pool=other)
    assert _told(find, "Is it free?", chains, NONE, 0.5) is None
    found = _told(find, "Is it free?", chains, NONE, 0.4)
    assert found is not None
    assert (found.decision.others[0], found.decision.confidence) == (("Yes.", STATED / 2), STATED / 2)
    agreed = _told(find, "Is it open?", chains, NONE, 0.5)
    assert agreed is not None and agreed.decision.confidence == STATED


def test_what_is_put_to_somebody_is_not_answered_by_what_stands_below() -> None:
    find, chains = _held("mail", hall=FAQ)
    assert _told(find, "Is it free?", chains, NONE, 0.5) is None


def test_what_is_called_bad_or_left_out_is_not_told() -> None:
    find, chains = _held(hall=FAQ)
    assert _told(find, "Is it free?", chains, NONE, 0.5, lambda answer: answer.text != "No, 3 euro.") is None
