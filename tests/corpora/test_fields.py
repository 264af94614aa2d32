"""Filters by what is known of documents: which fit, dates and names as people write them, stores from before."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.corpora.fields import UNFILTERED, Filter, day_of, fields_of, row_of, said_by, span_of
from answerable.corpora.store import Store
from answerable.errors import UsageError
from answerable.types import Document, Fields
from tests.indexes.samples import passage

KIM, ANN = "Kim Wátson <kim.w@enron.example>", "Joanne Smith <js@other.example>"


def mail(id: str, sender: str, to: list[str], date: str, enclave: str = "mail") -> Document:
    meta = {"from": sender, "to": to, "cc": [], "date": date, "record": 0}
    return Document(id, enclave, f"About {id}", f"Text of {id}.", "m.mbox", "mail", (), meta)


def note(id: str, enclave: str) -> Document:
    return Document(id, enclave, id, f"Text of {id}.", f"{id}.txt")


MAILS = [
    mail("first", KIM, [ANN, "lee@other.example"], "2001-05-04T10:00:00-07:00"),
    mail("second", ANN, [KIM], "2001-06-01T10:00:00"),
    mail("undated", KIM, [ANN], ""),
]


def stored(path: Path, *documents: Document) -> Store:
    store = Store(path / "store.sqlite")
    with store.write() as transaction:
        for one in documents:
            transaction.put(one, [passage(one)])
    return store


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(sender=("kim",)), ["first", "undated"]),
        (Filter(sender=("WATSON kim",)), ["first", "undated"]),
        (Filter(sender=("enron.ex",)), ["first", "undated"]),
        (Filter(sender=('"watson kim"',)), ["first", "undated"]),
        (Filter(sender=('"kim wat"',)), []),  # whole words
        (Filter(sender=('"enron"',)), []),  # and none of where an address is
        (Filter(to=('"js"',)), ["first", "undated"]),
        (Filter(sender=("ann",)), []),  # the middle of a word is no part of a name
        (Filter(sender=("kim smith",)), []),
        (Filter(to=("lee smith",)), []),  # no one person
        (Filter(to=("lee", "watson")), ["first", "second"]),
        (Filter(sender=("kim",), to=("lee",)), ["first"]),
        (Filter(after="4 May 2001"), ["first", "second"]),
        (Filter(after="2001-05-05"), ["second"]),
        (Filter(before="June 2001"), ["first"]),
        (Filter(after="2001", before="2002"), ["first", "second"]),
        (Filter(before="2001"), []),
        (Filter(kinds=("mail", "pdf")), ["first", "second", "undated"]),
        (Filter(kinds=("pdf",)), []),
        (Filter(enclaves=("mail",)), None),
        (UNFILTERED, None),
    ],
)
def test_what_fits(tmp_path: Path, wanted: Filter, expected: list[str] | None) -> None:
    with stored(tmp_path, *MAILS) as store:
        assert wanted.fitting(store.fields("mail")) == expected


def test_a_folder_fits_at_any_depth_and_in_any_case(tmp_path: Path) -> None:
    notes = [note(id, "mail") for id in ("home/Papers/2020/a.md", "papers.md", "box.mbox#papers/b")]
    with stored(tmp_path, *notes) as store:
        assert Filter(folders=("PAPERS",)).fitting(store.fields("mail")) == ["home/Papers/2020/a.md"]
    assert str(Filter(folders=("papers", "b"))) == "in the folder papers or b" and Filter(folders="x").of_documents


def test_a_field_restricts_the_enclaves_that_have_it_and_there_what_lacks_it(tmp_path: Path) -> None:
    with stored(tmp_path, *MAILS, note("plain", "mail"), note("lamp", "wiki")) as store:
        assert Filter(sender="kim", after="2001").fitting(store.fields("wiki")) is None
        assert Filter(sender="kim", kinds=("mail",)).fitting(store.fields("wiki")) == []
        assert len(Filter(sender="kim").fitting(store.fields("mail")) or ()) == 2
        assert Filter(sender="kim").fitting(store.fields("empty")) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2001", "2001-01-01"),
        ("March 2001", "2001-03-01"),
        ("mar 2001", "2001-03-01"),
        ("2001-03", "2001-03-01"),
        ("2001-03-09", "2001-03-09"),
        ("9 March 2001", "2001-03-09"),
        (" March 9,  2001 ", "2001-03-09"),
    ],
)
def test_dates_as_people_write_them(text: str, day: str) -> None:
    assert day_of(text) == Filter(after=text).after == day


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("2000", "2001-01-01"),
        ("February 2000", "2000-03-01"),
        ("2001-12", "2002-01-01"),
        ("31 December 2001", "2002-01-01"),
        ("9999", "9999-12-01"),
    ],
)
def test_a_date_ends_before_the_next_day_month_or_year(text: str, after: str) -> None:
    assert span_of(text) == (day_of(text), after)


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("the end of March 2025", "2025-03-22", "2025-04-01"),
        ("the last week of October 2001", "2001-10-25", "2001-11-01"),
        ("first half of 2001", "2001-01-01", "2001-07-02"),
        ("the middle of June 2001", "2001-06-11", "2001-06-21"),
        ("early June 2001", "2001-06-01", "2001-06-11"),
        ("late 2001", "2001-09-02", "2002-01-01"),
    ],
)
def test_a_part_of_a_date_is_one(text: str, first: str, after: str) -> None:
    assert span_of(text) == (first, after)


def test_what_a_document_says_of_a_filter() -> None:
    people = [f"p{n}@x.example" for n in range(5)]
    one = mail("a", KIM, people, "2001-05-04T10:00:00")
    assert said_by(one, Filter(sender="lee")) == f"From: {KIM}"
    assert said_by(one, Filter(to="p4", before="2001")) == "To: p4@x.example; Date: 2001-05-04"
    assert said_by(one, Filter(to="nobody")) == "To: p0@x.example, p1@x.example, p2@x.example, 2 more"
    assert said_by(one, Filter(kinds="chat")) == "Kind: mail"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"after": "soon"}, "'soon' is no date"),
        ({"before": "2001-02-30"}, "'2001-02-30' is no date"),
        ({"sender": " - "}, "names nobody"),
        ({"kinds": "letter"}, "no document is of kind 'letter'"),
    ],
)
def test_what_cannot_be_asked_for_is_said(given: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Filter(**given)  # type: ignore[arg-type]


def test_a_filter_says_what_it_is() -> None:
    assert not UNFILTERED and str(UNFILTERED) == ""
    wanted = Filter("Kim", "Lee", "May 2001", "2002", ("mail", "notes"), "mail")  # type: ignore[arg-type]
    assert str(wanted) == "from Kim, to Lee, from 2001-05-01 on, before 2002-01-01, of kind mail, in mail or notes"
    assert wanted and wanted.of_documents and not Filter(enclaves=("mail",)).of_documents


def test_what_is_shown_of_a_document() -> None:
    to = [f"p{n}@x.example" for n in range(5)]
    assert fields_of(mail("a", KIM, to, "2001-05-04")) == Fields(KIM, tuple(to[:3]), 2, "2001-05-04")
    assert fields_of(note("a", "wiki")) is None
    assert row_of("text", {"from": "somebody", "to": "nobody"}) == ("text", "", "", "")


def test_what_is_deleted_fits_nothing(tmp_path: Path) -> None:
    with stored(tmp_path, *MAILS) as store:
        with store.write() as transaction:
            transaction.remove("mail", ["first"])
        assert len(Filter(sender="kim").fitting(store.fields("mail")) or ()) == 1
        assert store._all("SELECT count(*) FROM fields") == [(2,)]
