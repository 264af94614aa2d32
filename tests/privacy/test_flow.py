"""The decision, as a table of cases with the reasons a trace shows."""

from __future__ import annotations

import pytest

from answerable.errors import EnclaveError
from answerable.privacy.enclaves import QUESTION, EnclaveTable, ladder, mirror, private, public
from answerable.privacy.flow import Decision, decide, first_query, question_label, readable, sendable
from answerable.types import PUBLIC, Asker, Enclave, Label, Passage, Privacy, Query

WIKI, COPY, MAIL = public("wiki"), mirror("copy"), private("mail")
CRM = private("crm", admits=["mail"])
ASKED = private("crm", admits=[QUESTION])
NONE, DOCUMENT, QUERY = Privacy.NONE, Privacy.DOCUMENT, Privacy.QUERY


def label(*words: str) -> Label:
    return frozenset(words)


CASES = [
    (label(), WIKI, DOCUMENT, True, "carries only public text; wiki admits only public text"),
    (label("mail"), WIKI, DOCUMENT, False, "carries mail; wiki admits only public text"),
    (label("mail", "crm"), WIKI, DOCUMENT, False, "carries crm and mail; wiki admits only public text"),
    (label("mail", "crm", "a"), WIKI, DOCUMENT, False, "carries a, crm and mail; wiki admits only public text"),
    (label("mail"), WIKI, NONE, True, "privacy is off: nothing is withheld"),
    (label("mail"), COPY, DOCUMENT, True, "carries mail; copy admits everything"),
    (label("crm"), MAIL, DOCUMENT, True, "carries crm; mail admits everything"),
    (label("mail"), CRM, DOCUMENT, True, "carries mail; crm admits crm and mail"),
    (label("mail", "clinic"), CRM, DOCUMENT, False, "carries clinic and mail; crm admits crm and mail"),
    (label(), WIKI, QUERY, False, "carries a private question; wiki admits only public text"),
    (label(), COPY, QUERY, True, "carries a private question; copy admits everything"),
    (label("mail"), MAIL, QUERY, True, "carries mail and a private question; mail admits everything"),
    (label(), CRM, QUERY, False, "carries a private question; crm admits crm and mail"),
    (label(), ASKED, QUERY, True, "carries a private question; crm admits crm and a private question"),
    (label(), ladder("a", "b")[1], QUERY, True, "carries a private question; b admits b and a private question"),
]


@pytest.mark.parametrize(("carried", "enclave", "privacy", "allowed", "reason"), CASES)
def test_sending(carried: Label, enclave: Enclave, privacy: Privacy, allowed: bool, reason: str) -> None:
    assert sendable(Query("q", label=carried), enclave, privacy) == Decision(allowed, reason)


@pytest.mark.parametrize(
    ("clearance", "allowed", "reason"),
    [
        (None, True, "guest may read every enclave"),
        (frozenset({"mail"}), True, "guest is cleared for mail"),
        (frozenset({"wiki"}), False, "guest is not cleared for mail"),
        (frozenset(), False, "guest is not cleared for mail"),
    ],
)
def test_reading(clearance: frozenset[str] | None, allowed: bool, reason: str) -> None:
    assert readable(Asker("guest", clearance), MAIL) == Decision(allowed, reason)


@pytest.mark.parametrize("privacy", list(Privacy))
def test_clearance_holds_in_every_mode_and_comes_first(privacy: Privacy) -> None:
    query = Query("q", Asker("guest", frozenset()), label("mail"))
    assert decide(query, WIKI, privacy) == Decision(False, "guest is not cleared for wiki")


def test_a_query_that_forgot_its_label_is_not_sent_further() -> None:
    """Built by hand, without the label that its asker's questions carry."""
    careless = Query("q", Asker(label=label("mail")), PUBLIC)
    assert not decide(careless, WIKI, DOCUMENT).allowed
    assert decide(careless, WIKI, NONE).allowed


def test_reasons_quote_no_text() -> None:
    told = Passage("id-x", "doc-x", "mail", "title-x", "text-x", 0, 6)
    query = Query("question-x", label=label("mail"), because=(told,))
    reasons = [decide(query, enclave, privacy).reason for enclave in (WIKI, COPY, MAIL, CRM) for privacy in Privacy]
    assert not [reason for reason in reasons if "-x" in reason]


def test_the_label_of_a_question() -> None:
    table = EnclaveTable([WIKI, MAIL])
    mine = Asker(label=label("mail"))
    assert question_label(NONE, Asker(), table) == question_label(DOCUMENT, Asker(), table) == PUBLIC
    assert question_label(DOCUMENT, mine, table) == label("mail")
    assert question_label(QUERY, Asker(), table) == label(QUESTION)
    assert first_query("q", mine, QUERY, table) == Query("q", mine, label("mail", QUESTION))
    with pytest.raises(EnclaveError, match="cleared for 'clinic', which is no enclave"):
        first_query("q", Asker("guest", label("clinic")), DOCUMENT, table)
