"""Text as it is parsed: the spaces that tokenisers leave taken out, asides set apart, every character traced back."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 12_000
"""Characters of a passage that are parsed; what is beyond them is left alone."""
LONGEST_ASIDE = 600
"""Characters of the longest aside: a parenthesis that never closes is no aside."""

_BRACKET = re.compile(r"[()\[\]]")
_WORD = re.compile(r"\S+")
_CLOSING = frozenset(", . ; : ! ? % ) ] 's 're 've 'll 'd 'm n't '' ’s ” ,\" .\" '".split())
_OPENING = frozenset("( [ $ £ € `` “".split())
_DASHES = frozenset(("--", "---"))


@dataclass(frozen=True, slots=True)
class Aside:
    """Characters [start, end) of the passage between brackets; `at`: where it stood, in characters of the rest."""

    start: int
    end: int
    at: int


@dataclass(frozen=True, slots=True)
class Readable:
    """A text to parse; character `i` of it is character `origin[i]` of the passage."""

    text: str
    origin: tuple[int, ...]
    asides: tuple[Aside, ...]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Characters [start, end) of `text`, not empty, as characters of the passage."""
        return self.origin[start], self.origin[end - 1] + 1


def readable(text: str) -> Readable:
    """A passage's text made ready for parsing: without what stands between brackets, and single-spaced as printed."""
    text = _cut(text)
    brackets = _asides(text)
    made: list[str] = []
    origin: list[int] = []
    asides: list[Aside] = []
    state = _State()
    before = 0
    for start, end in [*brackets, (len(text), len(text))]:
        _add(text, before, start, made, origin, state)
        if start < end:
            asides.append(Aside(start + 1, end - 1, len(origin)))
            state.touching = False
        before = end
    return Readable("".join(made), tuple(origin), tuple(asides))


@dataclass(slots=True)
class _State:
    """What was added last: its word, and whether a quotation or a dash is open."""

    last: str = ""
    quoting: bool = False
    joining: bool = False
    touching: bool = False
    end: int = -1


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    cut = text.rfind(" ", 0, LONGEST)
    return text[: cut if cut > 0 else LONGEST]


def _asides(text: str) -> list[tuple[int, int]]:
    """Spans of outermost brackets that close, brackets included."""
    found: list[tuple[int, int]] = []
    opened: list[int] = []
    for bracket in _BRACKET.finditer(text):
        if bracket.group() in "([":
            opened.append(bracket.start())
        elif opened:
            start = opened.pop()
            if not opened and bracket.end() - start <= LONGEST_ASIDE:
                found.append((start, bracket.end()))
    return found


def _add(text: str, start: int, end: int, made: list[str], origin: list[int], state: _State) -> None:
    """Add the words of characters [start, end), each with the space before it that print would have."""
    words = list(_WORD.finditer(text, start, end))
    for number, match in enumerate(words):
        word, at = match.group(), match.start()
        following = words[number + 1].group() if number + 1 < len(words) else ""
        said = word
        glued = at == state.end or (word in _CLOSING and word != "''") or state.last in _OPENING or state.joining
        state.joining = False
        if word in ('"', "``", "''"):
            said = '"'
            glued = glued or state.quoting
            state.joining = not state.quoting
            state.quoting = not state.quoting
        elif (
            word == "-" and state.last.isalpha() and following.isalpha() and state.last.islower() == following.islower()
        ):
            if state.last.islower() or (len(words) > 3 and _style(text)):
                glued = state.joining = True
        elif word in _DASHES and state.last.isdigit() and following[:1].isdigit():
            said, glued, state.joining = "–", True, True
        elif word in _DASHES:
            said = "–"
        if not glued and origin:
            made.append(" ")
            origin.append(at - 1 if at else 0)
        made.append(said)
        places = range(at, match.end())
        origin.extend(places if len(said) == len(word) else [at] * (len(said) - 1) + [match.end() - 1])
        state.last = word
        state.end = match.end()


def _style(text: str) -> bool:
    """Whether dashes are written "--" here, so that a lone "-" between spaces is a hyphen."""
    return " -- " in text
