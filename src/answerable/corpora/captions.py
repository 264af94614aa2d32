"""Captions of recordings (WebVTT, SubRip), as meetings are written down: who said what, a paragraph a turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from answerable.corpora.sources import File, Limits, Report, decode, read_whole, title_from
from answerable.errors import FormatError
from answerable.types import Document

_TIMED = re.compile(r"\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}\s+-->\s")
"""The line of a cue that says when it is shown."""
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"</?[a-z0-9][^<>]*>", re.IGNORECASE)
_SPEAKER = re.compile(r"[^\W\d_][^:.!?]{0,60}:\s")


def read_captions(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """What is said in a file of captions, without its times. One cue goes on with the one before unless it names who
    speaks; a speaker's name stands before what he says, once a turn."""
    turns: list[str] = []
    speaker = last = ""
    for line in _lines(decode(read_whole(path, source, limits), source)):
        if line == last:  # a line that rolls up is shown in two cues
            continue
        last = line
        named = _SPEAKER.match(line)
        if named and named[0] != speaker:
            turns.append(line)
            speaker = named[0]
        else:
            said = line[named.end() :] if named else line
            turns[-1:] = [f"{turns[-1]} {said}" if turns else said]
    text = "\n\n".join(turns)
    if not text:
        raise FormatError(f"{source} holds no text")
    yield Document(source, enclave, title_from(source), text, source, "text", (), {"record": 0})


def _lines(text: str) -> Iterator[str]:
    """The lines of the cues: from the one after a cue's time to the next blank one."""
    shown = False
    for line in text.splitlines():
        if _TIMED.match(line):
            shown = True
        elif not line.strip():
            shown = False
        elif shown and (said := " ".join(unescape(_TAG.sub("", _VOICE.sub(r"\1: ", line))).split())):
            yield said
