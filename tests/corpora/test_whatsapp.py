"""Chats that WhatsApp exported."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.corpora.whatsapp import is_whatsapp, read_whatsapp
from tests.corpora.reading import read, write

CHAT = """\
[05/01/2026, 18:02:11] \u200eMessages are encrypted.
[05/01/2026, 18:04:50] Ann Lee: Who has the bibs?
They are blue.
[05/01/2026, 18:05:12] Bo: I do: all nine
[05/01/2026, 18:06:00] Bo: \u200eimage omitted
\u200e[13/01/2026, 08:00:00] Bo: Morning
"""


def test_what_is_said_in_a_day_is_a_document(tmp_path: Path) -> None:
    (first, second), reports = read(write(tmp_path / "WhatsApp Chat with Five.txt", CHAT.encode()))
    assert (first.title, second.title, reports) == ("Five, 5 January 2026", "Five, 13 January 2026", [])
    assert first.text == (
        "Ann Lee, 5 January 2026, 18:04: Who has the bibs?\nThey are blue.\n\nBo, 5 January 2026, 18:05: I do: all nine"
    )
    assert first.kind == "chat" and first.id.endswith("Five.txt#2026-01-05")
    assert (first.meta["from"], first.meta["to"], first.meta["date"][:10]) == ("Ann Lee", ["Bo"], "2026-01-05")


@pytest.mark.parametrize(
    ("begins", "day"),
    [
        (("05.01.26, 18:02 - ", "06.02.26, 9:02 - "), "2026-01-05T18:02:00"),
        (("1/5/26, 6:02\u202fPM - ", "1/13/26, 12:03 AM - "), "2026-01-05T18:02:00"),
        (
            ("5/2/26, 12:02 pm - ", "6/1/26, 12:03 am - "),
            "2026-05-02T12:02:00",
        ),
        (("2026-01-05, 18:02 - ", "2026-02-01, 18:02 - "), "2026-01-05T18:02:00"),
    ],
)
def test_days_are_read_in_the_order_that_time_has(begins: tuple[str, str], day: str) -> None:
    text = "".join(f"{one}Ann: hello\n" for one in begins)
    assert is_whatsapp(text)
    assert next(read_whatsapp(text, "_chat.txt", "home")).meta["date"] == day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Minutes\n\n" + CHAT,
        "2021-05-04 10:00:00,1 - INFO: up\n" * 3,
        "[1] a, b: c\n[2] d: e\n",
        CHAT.split("\n")[1],
    ],
)
def test_other_texts_are_none(text: str) -> None:
    assert not is_whatsapp(text)
