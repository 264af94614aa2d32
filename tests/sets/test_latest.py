"""Whose last or first mails a question asks for, and which they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from answerable.corpora.fields import Filter
from answerable.corpora.store import Store
from answerable.encoders.hashed import HashedEncoder
from answerable.privacy.enclaves import EnclaveTable, private
from answerable.retriever import Retriever
from answerable.sets.latest import asked_of, latest
from answerable.types import Document, Query
from tests.indexes.building import builder, opened
from tests.indexes.samples import passage

MAIL = ("mail", "chat")
RUTH, PRIYA, DAVE = "Ruth Hill <ruth@farm.example>", "Priya Raman <p.raman@pumps.example>", "Dave <dave@pumps.example>"


@pytest.mark.parametrize(
    ("question", "wanted", "newest"),
    [
        ("latest mail from ruth", Filter('"ruth"', kinds=MAIL), True),
        ("What did Ruth Hill write last?", Filter('"ruth hill"', kinds=MAIL), True),
        ("last thing dave hobbs told nadia", Filter('"dave hobbs"', '"nadia"', kinds=MAIL), True),
        ("What was the first thing that Priya said to Ruth?", Filter('"priya"', '"ruth"', kinds=MAIL), False),
        ("the most recent e-mail to Ruth", Filter(to='"ruth"', kinds=MAIL), True),
        ("Ruth's latest messages", Filter('"ruth"', kinds=MAIL), True),
        ("What is the latest mail?", Filter(kinds=MAIL), True),
    ],
)
def test_a_question_for_the_last_mails_of_somebody(question: str, wanted: Filter, newest: bool) -> None:
    assert asked_of(question) == (wanted, "", newest)


@pytest.mark.parametrize(
    ("question", "wanted", "about", "newest"),
    [
        ("what did Ruth Hill last say about the pump?", Filter('"ruth hill"', kinds=MAIL), "pump", True),
        ("first mail about the sale of the farm", Filter(kinds=MAIL), "sale farm", False),
        ("the last thing priya asked ruth about it on Monday", Filter('"priya"', '"ruth"', kinds=MAIL), "monday", True),
        ("What's the latest on the pump?", Filter(kinds=MAIL), "pump", True),
        ("latest news about the pump from Ruth", Filter('"ruth"', kinds=MAIL), "pump", True),
    ],
)
def test_what_stands_behind_about_is_what_they_are_about(
    question: str, wanted: Filter, about: str, newest: bool
) -> None:
    assert asked_of(question) == (wanted, about, newest)


@pytest.mark.parametrize(
    "question",
    [
        "What did Ruth write?",
        "Who met Ruth last?",
        "What should I do first?",
        "the last thing",
        "the first and last mail",
        "Who first wrote about the pump?",
    ],
)
def test_other_questions_are_none(question: str) -> None:
    assert asked_of(question) is None


def _mail(id: str, sender: str, to: str, date: str, text: str = "") -> Document:
    said = {"from": sender, "to": [to], "date": date}
    return Document(id, "public", "A mail", text or f"Text of {id}.", "m.mbox", "mail", (), said)


@contextmanager
def _finding(folder: Path, documents: Sequence[Document]) -> Iterator[Callable[..., list[str]]]:
    """What gives the documents that are found for a question."""
    with Store(folder / "store.sqlite") as store:
        with store.write() as transaction:
            for one in documents:
                transaction.put(one, [passage(one)])
        builder(store).refresh("public")
        door = Retriever(EnclaveTable([private("public")]), {"public": opened(store)}, HashedEncoder())

        def found(question: str, k: int = 5) -> list[str]:
            hops = latest(Query(question), door, k)
            return [hit.passage.document_id for hop in hops for hit in hop.hits]

        yield found


def test_they_come_by_their_day_where_somebody_is_called_so(tmp_path: Path) -> None:
    mails = [
        _mail("second", RUTH, PRIYA, "2024-05-02"),
        _mail("first", RUTH, PRIYA, "2024-05-01"),
        _mail("last", RUTH, DAVE, "2024-11-02"),
        _mail("other", PRIYA, RUTH, "2024-12-01"),
        _mail("long", "Kimberly Watson <kw@pumps.example>", RUTH, "2024-01-01"),
        Document("note", "public", "A note", "Ruth wrote last.", "note.txt", "text", (), {"date": "2025-01-01"}),
    ]
    with _finding(tmp_path, mails) as found:
        assert found("latest mail from ruth") == ["last", "second", "first"]
        assert found("what did ruth hill first tell priya", 1) == ["first"]
        assert found("the last mails", 2) == ["other", "last"]
        assert found("latest mail from kim watson") == ["long"], "a name may be the beginning of one"
        assert found("latest mail from henry") == [] == found("what did ruth say about the pump")


def test_they_are_about_what_all_of_it_is_said_of(tmp_path: Path) -> None:
    mails = [
        _mail("asked", RUTH, PRIYA, "2024-05-01", "Which pump is due?"),
        _mail("told", PRIYA, RUTH, "2024-05-02", "The pumps of the mill are due."),
        _mail("other", PRIYA, RUTH, "2024-05-03", "The mill is sold."),
        Document("note", "public", "A note", "The mill pump.", "note.txt", "text", (), {"date": "2025-01-01"}),
    ]
    with _finding(tmp_path, mails) as found:
        assert found("latest mail about the pump") == ["told", "asked"]
        assert found("what did ruth last say about the pump") == ["asked"]
        assert found("what's the latest on the mill pump?") == ["told"]
        assert found("what did ruth last say about the mill") == [] == found("latest mail about the sale")
