"""Quoted replies and forwards, in the ways mail programs write them."""

from __future__ import annotations

import pytest

from answerable.corpora.quotes import quote_sections

NOTES = """Fine with me.



Ada Sele
11/29/99 11:41 AM
To: Ben Orr/HOU/ECT@ECT, Cy
Moe/HOU/ECT@ECT
cc:
Subject: The lens

Ben, is it broken?
"""
NOTES_FIELDS = """Thanks.

\tFrom:  Ada Sele                           05/19/2000 10:01 AM


To: Ben Orr/HOU/ECT@ECT
cc:
Subject: The lens

Is it broken?
"""
NOTES_FORWARD = """Please see below.
---------------------- Forwarded by Ben Orr/HOU/ECT on 12/14/99 08:15
AM ---------------------------


"Ada Sele" <ada@x.org> on 12/04/99 11:17:01 AM
To: Ben Orr/HOU/ECT@ECT
cc:
Subject: The lens

Is it broken?
"""
NOTES_SPACED = """Thanks.

Ada Sele

\t05/19/2000 10:01 AM

\t\t To: Ben Orr/HOU/ECT@ECT
\t\t cc:
\t\t Subject: The lens

Is it broken?
"""
NAMELESS_FORWARD = """Please see below.
---------------------- Forwarded by Ben Orr/HOU/ECT on 12/14/99 08:15
AM ---------------------------
To: <ben@x.org>
cc:
Subject: The lens

Is it broken?
"""
OUTLOOK = """It is.

 -----Original Message-----
From: \tSele, Ada [mailto:ada@x.org]
Sent:\tWednesday, February 21, 2001 6:29 PM
To:\tOrr, Ben
Subject:\tThe lens

Is it broken?
"""
INTERNET = """It is.

On Fri, 4 Jan 2019 at 08:52, Ada Sele <ada@x.org> wrote:
> Is it broken?
>
> Ada
"""
WRAPPED = """It is.

On Fri, 4 Jan 2019 at 08:52, Ada Sele
<ada@x.org> wrote:

> Is it
broken?
> Ada
"""


@pytest.mark.parametrize(
    ("text", "begins", "title"),
    [
        (NOTES, "Ada Sele\n11/29/99", "Quoted message from Ada Sele"),
        (NOTES_FIELDS, "\tFrom:  Ada", "Quoted message from Ada Sele"),
        (NOTES_FORWARD, "-----", "Forwarded message from Ada Sele"),
        (NOTES_SPACED, "Ada Sele", "Quoted message from Ada Sele"),
        (NAMELESS_FORWARD, "-----", "Forwarded message"),
        (OUTLOOK, " -----Original", "Quoted message from Ada Sele"),
        (INTERNET, "On Fri", "Quoted message from Ada Sele"),
        (WRAPPED, "On Fri", "Quoted message from Ada Sele"),
    ],
)
def test_a_message_inside_is_a_section(text: str, begins: str, title: str) -> None:
    (section,) = quote_sections(text, 0)
    assert text[section.start :].startswith(begins)
    assert text[section.end :].strip() == ""
    assert section.title == title


def test_messages_in_messages_lie_side_by_side() -> None:
    text = "First.\n" + OUTLOOK + "\n" + NOTES
    sections = quote_sections(text, 0)
    assert [section.title for section in sections] == ["Quoted message from Ada Sele"] * 2
    assert sections[0].end <= sections[1].start


def test_a_reply_between_the_lines_stays_together() -> None:
    text = "> Is the lens broken?\nYes, it fell from the van on Tuesday, and nobody has told the client so far.\n"
    assert quote_sections(text * 3, 0) == ()


@pytest.mark.parametrize(
    "text",
    [
        "From: here we go on to the subject: lenses.",
        "The shop is open from 10:00.\nTo: be seen\n",
        "I wrote:\nnothing at all",
        "",
        "\n\n",
    ],
)
def test_ordinary_text_is_not_taken_for_a_quote(text: str) -> None:
    assert quote_sections(text, 0) == ()


def test_only_text_from_the_start_on_is_looked_at() -> None:
    head = "From: Ada\nTo: Ben\nDate: today\nSubject: The lens\n\n"
    assert quote_sections(head + "Is it broken?", len(head)) == ()
