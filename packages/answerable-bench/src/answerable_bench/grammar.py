"""Passages as people would read them, and their sentences: mail without its wrapping and rules, tokenised text without
its blanks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from answerable.text import sentences as split_sentences

HEADER = re.compile(r"From: (?P<sender>.*)\nTo: (?P<to>.*)\nDate: (?P<date>.*)\nSubject: (?P<subject>.*)(?:\n+|$)")
"""The lines that open a mail as a document, and so the first passage of it."""

_QUOTE = re.compile(r"^(?:[ \t]*>)+[ \t]?")
_RULE = re.compile(r"^[\W_]*$")
_IMAGE = re.compile(r"\[(?:IMAGE|cid:[^\]]*|image:[^\]]*)\]", re.IGNORECASE)
_ADDRESS = re.compile(r"<?\b(?:https?|ftp)://\S+")
_BLANKS = re.compile(r"[ \t\xa0]+")
_WRAPPED = 55
"""A line at least so long, in characters, goes on in the next: mail programs wrapped at 60 to 80."""
_ITEM = re.compile(r"^(?:[-*•?q·]\s|\(?\d{1,2}[.)]\s|[A-Z][A-Za-z]{1,12}:)")
_LETTERS = 0.55
"""Text has at least this share of letters among its characters that are no blanks; tables of figures have less."""

_TOKENISED = re.compile(r" [,.;:] | \.$")
_BEFORE = re.compile(r" +([,.;:?!%)\]}]|'s\b|n't\b|'(?:re|ve|ll|d|m)\b)")
_AFTER = re.compile(r"([(\[{$£]) +")
_HYPHEN = re.compile(r"(?<=\w) ([-–/]) (?=\w)")


def clean_mail(text: str) -> str:
    """A passage of mail: quotation marks, rules, images and web addresses gone, wrapped lines joined.

    The header lines stay as they are. Blank lines still part paragraphs, and short lines stay lines.
    """
    header = HEADER.match(text)
    head, body = (header.group().strip(), text[header.end() :]) if header else ("", text)
    lines: list[str] = []
    wrapped = False
    for raw in body.split("\n"):
        line = _ADDRESS.sub("", _IMAGE.sub("", _QUOTE.sub("", raw)))
        line = _BLANKS.sub(" ", line).strip()
        if _RULE.match(line):
            if lines and lines[-1]:
                lines.append("")
            wrapped = False
            continue
        if wrapped and lines and lines[-1] and not _ITEM.match(line):
            lines[-1] = f"{lines[-1]} {line}"
        else:
            lines.append(line)
        wrapped = len(raw.rstrip()) >= _WRAPPED
    body = "\n".join(lines).strip("\n")
    return f"{head}\n\n{body}".rstrip() if head else body


def clean_page(text: str) -> str:
    """A passage of the public corpus on one line, with the blanks closed that a tokeniser left around punctuation."""
    text = _BLANKS.sub(" ", text.replace("\n", " ")).strip()
    if not _TOKENISED.search(text):
        return text
    return _HYPHEN.sub(r"\1", _AFTER.sub(r"\1", _BEFORE.sub(r"\1", text)))


def is_prose(text: str) -> bool:
    """Whether a passage is mostly words, and no table of figures."""
    solid = [c for c in text if not c.isspace()]
    return bool(solid) and sum(c.isalpha() for c in solid) >= _LETTERS * len(solid)


@dataclass(frozen=True, slots=True)
class Sentence:
    """Characters [start, end) of a passage that are one sentence, and which it is, from 0."""

    number: int
    start: int
    end: int
    text: str


def sentences(text: str) -> list[Sentence]:
    """The sentences of a passage in order; a line break ends one too, since mail puts no full stop below a name."""
    found: list[Sentence] = []
    for line in re.finditer(r"[^\n]+", text):
        for start, end in split_sentences(line.group()):
            a, b = line.start() + start, line.start() + end
            found.append(Sentence(len(found), a, b, text[a:b]))
    return found


def numbered(text: str) -> str:
    """The sentences of a passage, a line each, with their numbers."""
    return "\n".join(f"[{one.number}] {one.text}" for one in sentences(text))


def balanced(text: str) -> bool:
    """Whether brackets and quotation marks come in pairs."""
    return text.count("(") == text.count(")") and text.count('"') % 2 == 0 and text.count("“") == text.count("”")
