"""What is attached to mails: read as files are, between the people of the mail, each content once."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from answerable.corpora.fields import Filter, fields_of, row_of
from answerable.corpora.formats import Limits
from answerable.corpora.ingest import ingest
from answerable.corpora.store import Store
from tests.corpora.attaching import mbox, with_files
from tests.corpora.reading import read, write
from tests.corpora.test_workbook import CREW, workbook

NOTE = ("note.txt", b"The diver is called Odd Berg.\n\nHe comes on Tuesdays.")
PLAN = ("crew-plan.xlsx", workbook({"Trips": CREW, "Costs": [("What", "Cost"), ("Rope", 12)]}))


def test_a_file_is_a_document_with_the_fields_of_its_mail(tmp_path: Path) -> None:
    path = write(tmp_path / "box.mbox", mbox(with_files(0, NOTE, ("logo.png", b"\x89PNG"), PLAN)))
    documents, reports = read(path)
    assert not reports
    assert [(one.id, one.title, one.kind) for one in documents] == [
        ("box.mbox#m0@x.org", "Plans", "mail"),
        ("box.mbox#m0@x.org/note.txt", "note, attached to Plans", "text"),
        ("box.mbox#m0@x.org/crew-plan.xlsx#Trips", "crew plan, Trips, attached to Plans", "table"),
        ("box.mbox#m0@x.org/crew-plan.xlsx#Costs", "crew plan, Costs, attached to Plans", "table"),
    ]
    mail, note, trips, _ = documents
    assert {(one.source, one.meta["record"]) for one in documents} == {("box.mbox", 0)}
    assert (note.meta["attached_to"], trips.meta["header"]) == (mail.id, ["Who", "Nights", "From"])
    assert fields_of(note) == fields_of(mail)
    rows = [(one.id, *row_of(one.kind, one.meta)) for one in documents]
    assert Filter(sender="Ada").fitting(rows) == [one.id for one in documents]
    assert Filter(sender="Ada", kinds="table").fitting(rows) == [one.id for one in documents[2:]]
    assert Filter(sender="Ben").fitting(rows) == []


def test_what_several_mails_bring_is_read_once_wherever_reading_begins(tmp_path: Path) -> None:
    path = write(tmp_path / "box.mbox", mbox(with_files(0, NOTE), with_files(1, NOTE, ("new.md", b"# New\n\nText."))))
    documents, _ = read(path)
    assert [one.id.partition("#")[2] for one in documents] == [
        "m0@x.org",
        "m0@x.org/note.txt",
        "m1@x.org",
        "m1@x.org/new.md",
    ]
    assert read(path, start=1)[0] == documents[2:]


def test_files_of_one_name_and_of_none_have_names_of_their_own(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "ada@x.org", "Two"
    mail.set_content("Here.")
    for said in (b"One is blue.", b"Two is red."):
        mail.add_attachment(said, maintype="text", subtype="plain", filename="a.txt")
    mail.add_attachment(b"<p>Three is green.</p>", maintype="text", subtype="html", disposition="attachment")
    documents, _ = read(write(tmp_path / "a.eml", mail.as_bytes()))
    assert [one.id for one in documents] == ["a.eml", "a.eml/a.txt", "a.eml/a.txt~2", "a.eml/html.html"]
    assert documents[3].text == "Three is green."


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("plan.pdf", b"%PDF-1.4 and then nothing", "it is damaged or no PDF"),
        ("plan.xlsx", b"PK\x03\x04 and then nothing", "it is damaged, encrypted or no workbook"),
        ("secret-name.txt", b"\0\0\0", "it holds NUL bytes: it is binary, or UTF-16 without a byte-order mark"),
    ],
)
def test_what_is_broken_is_told_without_its_name_and_costs_no_mail(
    tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    path = write(tmp_path / "box.mbox", mbox(with_files(0, (name, data)), with_files(1, NOTE)))
    documents, reports = read(path)
    assert [one.kind for one in documents] == ["mail", "mail", "text"]
    assert reports == [f"skipped what is attached to mail 1 of box.mbox: {reason}"]


def test_what_is_too_large_is_told_and_with_a_limit_of_none_nothing_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "box.mbox", mbox(with_files(0, NOTE, ("large.txt", b"x" * 3 * 2**20))))
    documents, reports = read(path, Limits(max_attached=2**21))
    assert [one.kind for one in documents] == ["mail", "text"]
    told = "skipped what is attached to mail 1 of box.mbox: it is larger than limits.max_attached, 2 MiB"
    assert reports[0].startswith(told)
    assert [one.kind for one in read(path, Limits(max_attached=0))[0]] == ["mail"]


def test_a_parser_that_fails_costs_what_it_reads_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RecursionError("secret")

    monkeypatch.setitem(__import__("answerable.corpora.formats", fromlist=["_OF_FILES"])._OF_FILES, "text", fail)
    documents, reports = read(write(tmp_path / "a.eml", with_files(0, NOTE)))
    assert [one.kind for one in documents] == ["mail"]
    assert reports == ["skipped what is attached to mail 1 of a.eml: it cannot be read (RecursionError)"]


def test_a_mail_and_its_files_are_stored_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few documents a transaction takes: a run that is killed goes on behind a whole record."""
    monkeypatch.setattr("answerable.corpora.ingest.BATCH_DOCUMENTS", 1)
    write(tmp_path / "in" / "box.mbox", mbox(with_files(0, NOTE, PLAN), with_files(1)))
    stored: list[tuple[int, int]] = []
    with Store(tmp_path / "store.sqlite") as store:
        put = store.write

        def watched(enclave: str):
            known = store.file(enclave, "in/box.mbox")
            stored.append((known.records if known else 0, len([*store.documents(enclave)])))
            return put(enclave)

        monkeypatch.setattr(store, "write", watched)
        ingest(store, [tmp_path / "in"], "mail", Limits(), print, lambda _: None)
        assert {(0, 0), (1, 4)} == {one for one in stored if one[0] < 2}
        assert len([*store.documents("mail")]) == 5
