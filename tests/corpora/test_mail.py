"""Mail: mailboxes, maildirs and single messages, broken ones among them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from answerable.corpora.formats import Limits
from answerable.errors import FormatError
from tests.corpora.reading import read, write

HEAD = (
    "Message-ID: <{id}@x.org>\nDate: Fri, 04 Jan 2019 08:52:10 +0000\nFrom: Ada Sele <ada@x.org>\n"
    "To: Ben Orr <ben@x.org>, cy@x.org\nSubject: {subject}\n"
)


def mail(id_: object, body: str, subject: str = "A question", more: str = "") -> str:
    return HEAD.format(id=id_, subject=subject) + more + "\n" + body


def mbox(*mails: str) -> str:
    return "".join(f"From ada@x.org Fri Jan  4 08:52:10 2019\n{one}\n\n" for one in mails)


def test_a_mail_opens_with_its_header_lines(tmp_path: Path) -> None:
    more = "Cc: dee@x.org\nIn-Reply-To: <0@x.org>\nX-Folder: \\Ada\\Notes\\Sent\n"
    (document,), reports = read(write(tmp_path / "box.mbox", mbox(mail(1, "Hello.\n\nAda", more=more))))
    assert not reports
    assert document.text == (
        "From: Ada Sele <ada@x.org>\nTo: Ben Orr <ben@x.org>, cy@x.org\n"
        "Date: Friday, 4 January 2019, 08:52\nSubject: A question\n\nHello.\n\nAda"
    )
    assert (document.id, document.title, document.kind) == ("box.mbox#1@x.org", "A question", "mail")
    assert document.meta == {
        "record": 0,
        "message_id": "1@x.org",
        "from": "Ada Sele <ada@x.org>",
        "to": ["Ben Orr <ben@x.org>", "cy@x.org"],
        "cc": ["dee@x.org"],
        "date": "2019-01-04T08:52:10+00:00",
        "subject": "A question",
        "in_reply_to": "0@x.org",
        "folder": "Sent",
        "attachments": [],
    }


def test_a_mailbox_is_cut_at_its_separators_alone(tmp_path: Path) -> None:
    body = ">From here on it is quoted.\n>>From deeper.\n\nFrom Rome we drove to Pisa in 2001.\n"
    documents, _ = read(write(tmp_path / "b.mbox.gz", gzip.compress(mbox(mail(1, body), mail(2, "Two.")).encode())))
    assert [d.id for d in documents] == ["b.mbox.gz#1@x.org", "b.mbox.gz#2@x.org"]
    assert documents[0].text.endswith(
        "\n\nFrom here on it is quoted.\n>From deeper.\n\nFrom Rome we drove to Pisa in 2001."
    )


def test_line_ends_of_windows_make_no_difference(tmp_path: Path) -> None:
    data = mbox(mail(1, "One.\n\nTwo."), mail(2, "Three."))
    plain, _ = read(write(tmp_path / "b.mbox", data))
    windows, _ = read(write(tmp_path / "w/b.mbox", data.replace("\n", "\r\n")))
    assert plain == windows and len(plain) == 2


def test_ids_are_unique_and_reading_goes_on_where_it_stopped(tmp_path: Path) -> None:
    mails = [mail(n % 2, f"Mail {n}.") for n in range(5)] + ["Subject: no id\n\nSomething."]
    path = write(tmp_path / "b.mbox", mbox(*mails))
    whole, reports = read(path)
    assert not reports and len({d.id for d in whole}) == 6
    for position, document in enumerate(whole):
        assert read(path, start=document.meta["record"] + 1)[0] == whole[position + 1 :]


def test_many_recipients_are_counted_in_the_text_and_kept_in_meta(tmp_path: Path) -> None:
    people = [f"p{n}@x.org" for n in range(30)]
    data = f"From: a@x.org\nTo: {', '.join(people)}\nSubject: s\n\nHello."
    (document,), _ = read(write(tmp_path / "n.eml", data))
    assert document.text.split("\n")[1] == f"To: {', '.join(people[:10])} and 20 more"
    assert document.meta["to"] == people and document.id == "n.eml"


def test_names_that_an_export_keeps_apart_come_back(tmp_path: Path) -> None:
    more = "X-From: Orr, Ben/HOU/ECT@ECT\nX-To: Cy Moe, Dee\n"
    data = f"From: ben.orr@x.org\nTo: cy@x.org, dee@x.org\nSubject: s\n{more}\nHello."
    (document,), _ = read(write(tmp_path / "n.eml", data))
    assert document.text.startswith("From: Ben Orr <ben.orr@x.org>\nTo: Cy Moe <cy@x.org>, dee@x.org\n")


@pytest.mark.parametrize(
    ("kept", "name"),
    [
        ("Orr, Ben (Oil & Gas) </O=X/CN=BORR>", "Ben Orr (Oil & Gas)"),
        ("Orr, Ben W.- HR Exec </O=X/CN=BORR>", "Ben W. Orr - HR Exec"),
        ("Orr-Moe, Jo-Ann - COO </O=X/CN=BORR>", "Jo-Ann Orr-Moe - COO"),
        ("Ben Orr (Oil, Gas)", "Ben Orr (Oil, Gas)"),
    ],
)
def test_a_remark_on_a_person_stays_behind_the_name(tmp_path: Path, kept: str, name: str) -> None:
    data = f"From: b@x.org\nTo: c@x.org\nSubject: s\nX-From: {kept}\n\nHello."
    (document,), _ = read(write(tmp_path / "n.eml", data))
    assert document.text.startswith(f"From: {name} <b@x.org>\n")


def test_a_name_with_a_comma_and_no_quotation_marks_is_no_reason_to_know_nobody(tmp_path: Path) -> None:
    (document,), _ = read(write(tmp_path / "n.eml", "From: Moe, Kari <kari@x.org>\nSubject: s\n\nHello."))
    assert "kari@x.org" in document.text.split("\n")[0]


@pytest.mark.parametrize(
    ("header", "body", "text"),
    [
        ('text/plain; charset="utf-8"\nContent-Transfer-Encoding: base64', b"R3LDvMOfZQ==", "Grüße"),
        ("text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable", b"Gr=FC=DFe", "Grüße"),
        ("text/plain; charset=no-such-thing", "Grüße".encode("cp1252"), "Grüße"),
        ("text/plain; charset=us-ascii", "Grüße".encode(), "Grüße"),
        ("text/plain; charset=us-ascii", b"a long line that go=\nes on and=20\non", "a long line that goes on and\non"),
        ("text/html", b"<p>One <b>two</b></p><p>three", "One two\n\nthree"),
    ],
)
def test_bodies_are_decoded(tmp_path: Path, header: str, body: bytes, text: str) -> None:
    data = f"From: a@x.org\nSubject: s\nContent-Type: {header}\n\n".encode() + body
    (document,), _ = read(write(tmp_path / "n.eml", data))
    assert document.text.split("\n\n", 1)[1] == text


def test_plain_parts_win_over_html_and_attachments_are_named(tmp_path: Path) -> None:
    data = (
        'From: a@x.org\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= =?bad\nContent-Type: multipart/mixed; boundary="b"\n\n'
        "--b\nContent-Type: text/plain\n\nPlain.\n--b\nContent-Type: text/html\n\n<p>HTML.\n"
        '--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename="n.pdf"\n\nx\n--b--\n'
    )
    (document,), _ = read(write(tmp_path / "n.eml", data))
    assert document.text.endswith("\n\nPlain.") and document.meta["attachments"] == ["n.pdf"]
    assert document.title.startswith("Grüße")


def test_broken_mails_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    wrong_base64 = "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n"
    deep = "".join(f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(3000))
    data = mbox(
        mail(1, "QQQQQ", more=wrong_base64),
        "no header at all",
        mail(2, "x" * 6000),
        mail(3, "", more=deep[:5000]),
        mail(4, "Good.").replace("Fri, 04", "Someday, 99"),
    )
    documents, reports = read(write(tmp_path / "b.mbox", data), Limits(max_record=5900))
    assert [d.id for d in documents][-1] == "b.mbox#4@x.org"
    assert documents[-1].meta["date"] == "" and "\nDate: \n" in documents[-1].text
    assert reports[:3] == [
        "skipped mail 1 of b.mbox: its header or its encoding is broken",
        "skipped mail 2 of b.mbox: its header or its encoding is broken",
        "skipped mail 3 of b.mbox: it is longer than the limit for a record",
    ]


def test_a_header_built_to_be_slow_is_left_as_it_stands(tmp_path: Path) -> None:
    (document,), _ = read(write(tmp_path / "n.eml", f"Subject: {'=?utf-8?q?a?= ' * 100_000}\n\nHello."))
    assert document.title.startswith("=?utf-8") and document.text.endswith("Hello.")


def test_what_is_no_mailbox_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not a mailbox"):
        read(write(tmp_path / "n.mbox", "Dear all,\nthis is a letter.\n"))
    with pytest.raises(FormatError, match="no mail"):
        read(write(tmp_path / "n.eml", "Dear all,\nthis is a letter.\n"))


def test_a_maildir_with_its_subfolders_is_one_source(tmp_path: Path) -> None:
    box = tmp_path / "home" / "Mail"
    for part in ("cur", "new", "tmp", ".Sent/cur", ".Sent/new"):
        (box / part).mkdir(parents=True)
    write(box / "cur/2:2,S", mail(2, "Two."))
    write(box / "new/1", mail(1, "One."))
    write(box / "tmp/9", mail(9, "Half written"))
    write(box / ".Sent/cur/3", mail(3, "Three."))
    write(box / "cur/4", b"")
    (box / "cur/5").symlink_to(box / "cur/2:2,S")
    documents, reports = read(tmp_path / "home")
    assert [(d.id, d.meta["folder"], d.meta["record"]) for d in documents] == [
        ("home/Mail#2@x.org", "Mail", 0),
        ("home/Mail#1@x.org", "Mail", 2),
        ("home/Mail#3@x.org", "Sent", 3),
    ]
    assert len(reports) == 1
    assert read(tmp_path / "home", start=1)[0] == documents[1:]


@pytest.mark.parametrize("date", ["1 Jan 2024 10:00:00 +99999999999999", "1 Jan 99999999999999999999 10:00:00"])
def test_a_date_beyond_all_calendars_is_none(tmp_path: Path, date: str) -> None:
    mails = (
        f"From a@b.example Mon Jan  1 10:00:00 2024\nFrom: a@b.example\nSubject: Lamp\nDate: {date}\n\nIt burns.\n\n"
    )
    documents, reports = read(write(tmp_path / "n.mbox", mails * 2))
    assert len(documents) == 2 and not reports
    assert documents[0].meta["date"] == ""
