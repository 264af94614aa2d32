"""Captions of recordings, as who said what."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.errors import FormatError
from tests.corpora.reading import read, write

MEETING = """WEBVTT - Team

NOTE made by a recorder: 4 voices

b0a1
00:01.000 --> 00:04.000 align:start
<v Ana Silva>The budget is <i>4,000</i> euro.</v>

00:04.000 --> 00:06.000
<v Ana Silva>No more &amp; no less.</v>

00:06.000 --> 00:08.000
<v.loud Bo>Who signs it?</v>
"""
FILM = """1
00:00:01,000 --> 00:00:04,000
we have to move
the boats on Friday

2
00:00:04,000 --> 00:00:06,000
the boats on Friday
because the crane comes.

3
1:00:06,500 --> 1:00:08,000
Kim: I agree.
"""


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("team sync.vtt", MEETING, "Ana Silva: The budget is 4,000 euro. No more & no less.\n\nBo: Who signs it?"),
        ("boats.srt", FILM, "we have to move the boats on Friday because the crane comes.\n\nKim: I agree."),
    ],
)
def test_what_is_said_is_a_paragraph_a_turn(tmp_path: Path, name: str, data: str, text: str) -> None:
    (document,), reports = read(write(tmp_path / name, data))
    assert (document.text, document.kind, document.title) == (text, "text", name.partition(".")[0])
    assert reports == []


def test_captions_without_a_word_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"silent\.vtt holds no text"):
        read(write(tmp_path / "silent.vtt", "WEBVTT\n\n00:01.000 --> 00:04.000\n\n"))
