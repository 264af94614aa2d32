"""Passages as people would read them, and as much English as templates need.

Mail without its wrapping and rules, tokenised text without its blanks; sentences and their clauses, verbs of the past
and their plain forms.
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


_IRREGULAR = frozenset(
    (
        "made bought sold won took gave held led told became began built came cut found got grew had knew left "
        "lost met paid put ran rose fell saw sent set spent spoke wrote went brought bid hit kept did chose drew "
        "drove fought sought taught thought broke struck withdrew"
    ).split()
)
"""Verbs of the past that do not end in -ed."""
BE = frozenset("is was are were".split())
MODAL = frozenset("will would can could should may might must has had".split())
_NOT_VERBS = frozenset(
    "need bed feed seed speed united limited based related attached detailed united-states red hundred wed proposed "
    "estimated expected associated interested mixed dated added-value increased reduced listed "
    "combined advanced".split()
)
PRONOUNS = frozenset("i me my mine we us our ours you your yours this these those it he she they them him her".split())
DEICTIC = frozenset(
    "today tomorrow yesterday tonight above below attached here there now currently recently ago next last below "
    "following former latter monday tuesday wednesday thursday friday saturday sunday".split()
)
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DATE = (
    rf"(?:(?:{MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}(?:st|nd|rd|th)? (?:{MONTHS}),? \d{{4}}"
    rf"|(?:{MONTHS})(?: of)?,? \d{{4}}|(?:1[5-9]|20)\d\d)"
)
"""A date with its year, or a year alone."""
CAPITAL = r"(?:(?:Inc|Corp|Co|Ltd|Jr|Sr|St|Dr|Mr|Mrs|Ms)\.|(?:[A-Z]\.)+|[A-Z][\w&'’-]*(?:\.\w+)*)"
NAME = rf"{CAPITAL}(?:(?: (?:of the|of|de|van|von|and the)|,)? {CAPITAL}){{0,5}}"
_DANGLING = re.compile(r"\b(?:[A-Z]|of|the|an?|and|or|in|on|at|by|for|to|with|from|is|was|as)$")
"""How a text ends that was cut off: no clause does."""
_CLAUSE = re.compile(r"(?:[,;:] |\b)(?:that|and|but|while|because|since|if|although|where|when) |[;:] | - | -- |, ")
_NEXT = re.compile(
    r",? (?:and|but|while|so) (?=(?:its|his|her|their|the|he|she|it|they|we|i|you|there|that)\b)", re.IGNORECASE
)
"""Where one main clause ends and another begins."""
_WORD = re.compile(r"[\w$&%'’.-]+")


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


def sentence_at(found: list[Sentence], place: int) -> Sentence | None:
    """The sentence that holds a character."""
    return next((one for one in found if one.start <= place < one.end), None)


def is_past(word: str) -> bool:
    """Whether a word looks like a verb of the past: one of the irregular ones, or in -ed."""
    return word in _IRREGULAR or (len(word) > 4 and word.endswith("ed") and word.islower() and word not in _NOT_VERBS)


def vague(text: str) -> bool:
    """Whether a text says who or when only to those who are there: I, this, today."""
    return any(word in PRONOUNS or word in DEICTIC for word in (w.lower().strip(".'’") for w in _WORD.findall(text)))


def clause(text: str, most: int) -> str:
    """The beginning of a text up to the end of its clause, at most `most` words; empty if no clause ends there."""
    text = _NEXT.split(text, maxsplit=1)[0]
    text = re.split(r";| -- | - |: | – | — |\.{2,}|[\"“”()]", text, maxsplit=1)[0].strip().rstrip(".!?,")
    if len(text.split()) <= most and balanced(text):
        return "" if _DANGLING.search(text) else text
    best = ""
    for match in re.finditer(r", | and (?=(?:a|is|was|has)\b)| which | who | while | but | after ", text):
        head = text[: match.start()]
        if len(head.split()) <= most:
            best = head
    return best.rstrip(",") if balanced(best) and not _DANGLING.search(best) else ""


def last_clause(before: str) -> str:
    """The part of a sentence that belongs to the clause its end is in: what follows the last mark or conjunction."""
    return _CLAUSE.split(before)[-1]


def balanced(text: str) -> bool:
    """Whether brackets and quotation marks come in pairs."""
    return text.count("(") == text.count(")") and text.count('"') % 2 == 0 and text.count("“") == text.count("”")
