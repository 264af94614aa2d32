"""Calendars and contacts, as Google, Outlook, Thunderbird and telephones write them."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from answerable.errors import FormatError
from tests.corpora.reading import read, write


def calendar(*entries: str, head: str = "") -> str:
    return "\r\n".join(["BEGIN:VCALENDAR", *([head] if head else []), *entries, "END:VCALENDAR", ""])


def event(*lines: str, kind: str = "VEVENT") -> str:
    return "\r\n".join([f"BEGIN:{kind}", *lines, f"END:{kind}"])


def test_an_event_says_when_where_and_with_whom(tmp_path: Path) -> None:
    lines = (
        "UID:a1",
        "DTSTART;TZID=Europe/Oslo:20240506T090000",
        "DTEND;TZID=Europe/Oslo:20240506T103000",
        r"SUMMARY:Dentist\, Dr. Kruse",
        "LOCATION:Quay 7",
        r"DESCRIPTION:Bring the card.\nAsk about the c",
        " rown.",
        'ORGANIZER;CN="Sele: Ada":mailto:ada@x.org',
        "ATTENDEE;CN=Ben Orr;ROLE=REQ-PARTICIPANT:mailto:ben@x.org",
        "ATTENDEE:mailto:cy@x.org",
        "BEGIN:VALARM",
        "DESCRIPTION:Reminder",
        "END:VALARM",
    )
    (document,), reports = read(write(tmp_path / "mine.ics", calendar(event(*lines))))
    assert not reports
    assert (document.id, document.title, document.kind) == ("mine.ics#a1", "Dentist, Dr. Kruse", "event")
    assert document.meta == {"record": 0, "date": "2024-05-06"}
    assert document.text == (
        "Dentist, Dr. Kruse\n\nWhen: Monday, 6 May 2024, 09:00 to 10:30\n\nWhere: Quay 7\n\n"
        "By: Sele: Ada <ada@x.org>\n\nWith: Ben Orr <ben@x.org>, cy@x.org\n\nBring the card.\nAsk about the crown."
    )


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("DTSTART;VALUE=DATE:20240701", "DTEND;VALUE=DATE:20240716"), "Monday, 1 July 2024 to Monday, 15 July 2024"),
        (("DTSTART;VALUE=DATE:20240701", "DTEND;VALUE=DATE:20240702"), "Monday, 1 July 2024"),
        (
            ("DTSTART:20240506T230000", "DTEND:20240507T010000"),
            "Monday, 6 May 2024, 23:00 to Tuesday, 7 May 2024, 01:00",
        ),
        (("DTSTART:20240506T070000Z", "DURATION:PT1H30M"), "Monday, 6 May 2024, 07:00 UTC to 08:30"),
        (("DTSTART:20240506T070000",), "Monday, 6 May 2024, 07:00"),
    ],
)
def test_when_is_written_as_people_say_it(tmp_path: Path, lines: tuple[str, ...], said: str) -> None:
    (document,), _ = read(write(tmp_path / "a.ics", calendar(event("SUMMARY:Trip", *lines))))
    assert document.text == f"Trip\n\nWhen: {said}"


def test_times_in_utc_are_told_where_the_calendar_is_kept(tmp_path: Path) -> None:
    entry = event("SUMMARY:Trip", "DTSTART:20240506T070000Z")
    (document,), _ = read(write(tmp_path / "a.ics", calendar(entry, head="X-WR-TIMEZONE:Europe/Oslo")))
    assert document.text.endswith("When: Monday, 6 May 2024, 09:00")
    (document,), _ = read(write(tmp_path / "b.ics", calendar(entry, head="X-WR-TIMEZONE:../etc/passwd")))
    assert document.text.endswith("07:00 UTC")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=10", "every 2 weeks on Monday and Friday, 10 times"),
        ("FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20250101T000000Z", "every month on last Friday until 1 January 2025"),
        ("FREQ=YEARLY", "every year"),
    ],
)
def test_what_repeats_says_how(tmp_path: Path, rule: str, said: str) -> None:
    (document,), _ = read(write(tmp_path / "a.ics", calendar(event("SUMMARY:Trip", f"RRULE:{rule}"))))
    assert document.text == f"Trip\n\n{'When' if 'BYDAY' in rule else 'Repeats'}: {said}"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (
            "FREQ=WEEKLY;BYDAY=TU;UNTIL=20260630T000000",
            "When: every week on Tuesday, 19:30 to 21:30, until 30 June 2026\n\n"
            "First: Tuesday, 7 April 2026, 19:30 to 21:30",
        ),
        ("FREQ=YEARLY", "When: Tuesday, 7 April 2026, 19:30 to 21:30\n\nRepeats: every year"),
    ],
)
def test_what_comes_again_on_days_of_a_week_is_then(tmp_path: Path, rule: str, said: str) -> None:
    lines = ("SUMMARY:Choir", "DTSTART:20260407T193000", "DTEND:20260407T213000", f"RRULE:{rule}")
    (document,), _ = read(write(tmp_path / "a.ics", calendar(event(*lines))))
    assert document.text == f"Choir\n\n{said}" and document.meta["date"] == "2026-04-07"


def test_tasks_have_the_day_they_are_due_and_what_comes_again_a_number(tmp_path: Path) -> None:
    task = event("UID:t", "SUMMARY:Renew the passport", "DUE;VALUE=DATE:20240801", kind="VTODO")
    documents, _ = read(write(tmp_path / "a.ics", calendar(task, task)))
    assert [(one.id, one.meta["date"]) for one in documents] == [("a.ics#t", "2024-08-01"), ("a.ics#t~2", "2024-08-01")]
    assert read(tmp_path / "a.ics", start=1)[0] == documents[1:]


def test_a_contact_has_a_line_for_each_number_and_address(tmp_path: Path) -> None:
    new = (
        "BEGIN:VCARD\nFN:Ines Brandt\nN:Brandt;Ines;;;\nitem1.TEL;type=CELL;type=VOICE:+47 555 0143\n"
        'TEL;TYPE="work,voice":+47 555 0199\nEMAIL;TYPE=INTERNET:ines@x.org\nADR;TYPE=HOME:;;Quay 7;Bergen;;5003;\n'
        "BDAY:1984-03-09\nORG:Harbour Ltd;Divers\nNOTE:Allergic to nuts.\nEND:VCARD\n"
    )
    old = (
        "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:K=C3=B6hler;J=\n=C3=B6rg;;;\n"
        "TEL;HOME:030 123\nEND:VCARD\n"
    )
    documents, _ = read(write(tmp_path / "all.vcf", new + old))
    assert [(one.kind, one.title) for one in documents] == [("contact", "Ines Brandt"), ("contact", "Jörg Köhler")]
    assert documents[0].text == (
        "Ines Brandt\n\nOrganisation: Harbour Ltd, Divers\n\nTelephone (mobile): +47 555 0143\n\n"
        "Telephone (work): +47 555 0199\n\nE-mail: ines@x.org\n\nAddress (home): Quay 7, Bergen, 5003\n\n"
        "Born: 9 March 1984\n\nAllergic to nuts."
    )
    assert documents[1].text == "Jörg Köhler\n\nTelephone (home): 030 123"


def test_an_invitation_is_read_with_its_mail_and_is_no_text_of_it(tmp_path: Path) -> None:
    entry = calendar(event("UID:a", "SUMMARY:Kick-off", "DTSTART:20240506T090000"))
    sent = EmailMessage()
    sent["From"], sent["Subject"] = "ada@x.org", "Invitation"
    sent.set_content("Please come.")
    sent.add_alternative(entry, subtype="calendar")
    documents, _ = read(write(tmp_path / "a.eml", sent.as_bytes()))
    assert [(one.kind, one.title) for one in documents] == [
        ("mail", "Invitation"),
        ("event", "Kick-off, attached to Invitation"),
    ]
    assert "VCALENDAR" not in documents[0].text


@pytest.mark.parametrize("text", ["BEGIN:VCALENDAR\nEND:VCALENDAR\n", "nothing of it", "END:VEVENT\nBEGIN:VEVENT\n"])
def test_what_holds_no_entry_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError, match="holds no event and no contact"):
        read(write(tmp_path / "a.ics", text))


@pytest.mark.parametrize(
    "lines",
    [
        ("DTSTART:20240506T070000", "DURATION:P99999999999W"),
        ("DTSTART:20240506T070000", f"DURATION:P{'9' * 5000}W"),
        ("DTSTART;VALUE=DATE:00010101", "DTEND;VALUE=DATE:00010101"),
    ],
)
def test_an_entry_of_no_day_costs_itself_alone(tmp_path: Path, lines: tuple[str, ...]) -> None:
    entries = (event("SUMMARY:secret", *lines), event("SUMMARY:Good"))
    documents, reports = read(write(tmp_path / "a.ics", calendar(*entries)))
    assert [one.title for one in documents] == ["Good"]
    assert reports == ["skipped entry 1 of a.ics: it has a day or a time that there is not"]


@pytest.mark.parametrize("name", ["nope", "base64", "idna"])
def test_a_name_in_no_known_charset_stays_as_it_stands(tmp_path: Path, name: str) -> None:
    line = f"SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET={name}:a=20b"
    (document,), _ = read(write(tmp_path / "a.ics", calendar(event(line))))
    assert document.title == "a=20b"


def test_hostile_lines_take_no_time(tmp_path: Path) -> None:
    lines = ["SUMMARY:Trip", "X" + ";a=" * 200_000, 'Y;b="' + ";" * 200_000, "=\r\n" * 100_000, "Z" * 500_000]
    (document,), _ = read(write(tmp_path / "a.ics", calendar(event(*lines))))
    assert document.title == "Trip"
