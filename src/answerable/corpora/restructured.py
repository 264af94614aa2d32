"""reStructuredText as it is shown: its titles as sections, and no marks, targets, comments and directives.

What a directive describes, such as a setting or a function, is a section where much is said of it, as in lists of
definitions on pages (`corpora.furniture`). Names of directives are those of docutils and Sphinx.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from answerable.corpora.furniture import MUCH
from answerable.corpora.outline import Draft, Written
from answerable.text import margin

_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1+")
_EXPLICIT = re.compile(r"\.\.(?:[ \t]+|$)")
_DIRECTIVE = re.compile(r"\.\.[ \t]+(?:\|[^|]+\|[ \t]+)?([\w:+.-]+?)::(?:[ \t]+|$)")
_FOOTNOTE = re.compile(r"\.\.[ \t]+\[[^\]\n]+\][ \t]+")
_OPTION = re.compile(r":(\w[^:\n]*):(?:[ \t]+(.*)|$)")
_FLAG = re.compile(r":\w+:")
"""A field of no value, such as ":orphan:"."""
_SINCE = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
_ASIDE = frozenset("attention caution danger error hint important note seealso tip topic warning".split())
"""Directives whose argument is where their text begins."""
_CODE = frozenset("code code-block sourcecode parsed-literal literalinclude prompt doctest testcode testoutput".split())
_UNSHOWN = frozenset("toctree contents include index image highlight raw meta currentmodule module".split())
_INLINE = re.compile(
    r"``(?P<code>(?:[^`]|`(?!`))+)``"
    r"|(?::[\w:+.-]{1,60}:)?`(?P<said>[^`<]*[^`<\s])(?:\s*<[^`>]*>)?`_{0,2}"
    r"|\*\*(?P<strong>[^\s*](?:[^*]*[^\s*])?)\*\*"
    r"|(?<![\w*])\*(?P<weak>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])"
    r"|\\(?P<escaped>\S)|\\[ \n]"
)
_SHORTENED = re.compile(r"~[\w.]*\.(?=\w)|[~!](?=\w)|^\.(?=\w)")
_DEEPEST = 30
_LONGEST_TERM = 200


def read_restructured(text: str) -> Written:
    """A text in reStructuredText as it is shown, with its sections. What cannot be told stays as it is written."""
    reader = _Reader()
    reader.read([line.rstrip() for line in text.expandtabs(8).splitlines()], 0)
    return reader.draft.finish()


class _Reader:
    def __init__(self) -> None:
        self.draft = Draft()
        self._styles: list[str] = []

    def read(self, lines: Sequence[str], within: int) -> None:
        """Write what stands in lines, of a text or of a directive `within` so many others."""
        at = 0
        while at < len(lines):
            line = lines[at]
            if not line:
                at += 1
            elif not within and (title := _title(lines, at)):
                style, said, at = title
                self._styles += [style] * (style not in self._styles)
                self.draft.heading(_shown(said), self._styles.index(style) + 1)
            elif _EXPLICIT.match(line) and within <= _DEEPEST:
                end = _end_of_block(lines, at + 1)
                self._explicit(line, _dedented(lines[at + 1 : end]), within)
                at = end
            else:
                at = self._paragraph(lines, at, within)

    def _paragraph(self, lines: Sequence[str], at: int, within: int) -> int:
        """Write lines up to a blank one or a directive; and a block of code that they lead into."""
        if _EXPLICIT.match(lines[at].lstrip()) and within <= _DEEPEST:  # further in, as below an item of a list
            end = _end_of_block(lines, at)
            self.read(_dedented(lines[at:end]), within + 1)
            return end
        end = at + 1
        while end < len(lines) and lines[end] and not _EXPLICIT.match(lines[end].lstrip()):
            end += 1
        said = "\n".join(lines[at:end])
        literal = said.endswith("::")
        if literal:
            said = said[:-1] if len(said) > 2 and not said[-3].isspace() else said[:-2].rstrip()
        if not all(map(_FLAG.fullmatch, lines[at:end])):
            self.draft.block(_shown(said))
        if literal:
            begin, end = end, _end_of_block(lines, end, margin(lines[end - 1]))
            self.draft.code("\n".join(_dedented(lines[begin:end])))
        return end

    def _explicit(self, line: str, content: list[str], within: int) -> None:
        """Write what is shown of a directive or a footnote; nothing of a target or a comment."""
        if footnote := _FOOTNOTE.match(line):
            self.read([line[footnote.end() :], *content], within + 1)
            return
        directive = _DIRECTIVE.match(line)
        if not directive or directive[1] in _UNSHOWN:
            return
        name, said = directive[1], line[directive.end() :].strip()
        options, content = _options(content)
        if name in _CODE:
            self.draft.code("\n".join(content))
        elif name in _SINCE:
            self.read([f"{_SINCE[name]} {said}{':' if content else ''}", *content], within + 1)
        elif name in _ASIDE:
            self.read([*filter(None, [said]), *content], within + 1)
        elif content or options:
            self._described(said, options, content, within)

    def _described(self, said: str, options: Sequence[str], content: Sequence[str], within: int) -> None:
        """Write what a directive describes: the sections below end with it."""
        depth = self.draft.depth + 1
        if 0 < len(said) <= _LONGEST_TERM and sum(len(line.split()) for line in content) > MUCH:
            self.draft.heading(_shown(said), depth)
            said = ""
        self.draft.block("\n".join(map(_shown, filter(None, [said, *options]))))
        self.read(content, within + 1)
        self.draft.close(depth)


def _title(lines: Sequence[str], at: int) -> tuple[str, str, int] | None:
    """How the title that begins there is adorned, its words, and where its lines end; None where there is none."""
    over = _ADORNED.fullmatch(lines[at]) is not None
    place = at + over
    if place + 1 >= len(lines) or not lines[place].strip() or (not over and lines[place][0] == " "):
        return None
    title, under = lines[place].strip(), lines[place + 1]
    adorned = _ADORNED.fullmatch(under) is not None and len(under) >= min(len(title), 4)
    if not adorned or _ADORNED.fullmatch(title) or (over and under != lines[at]) or not any(map(str.isalnum, title)):
        return None
    return under[0] * (1 + over), title, place + 2


def _end_of_block(lines: Sequence[str], at: int, least: int = 0) -> int:
    """Where the lines end that stand further in than `least`, or are blank."""
    while at < len(lines) and (not lines[at] or margin(lines[at]) > least):
        at += 1
    return at


def _dedented(lines: Sequence[str]) -> list[str]:
    """Lines without the blanks before all of them, and without blank lines around them."""
    first = min((margin(line) for line in lines if line), default=0)
    return "\n".join(line[first:] for line in lines).strip("\n").split("\n") if any(lines) else []


def _options(content: list[str]) -> tuple[list[str], list[str]]:
    """The options of a directive that have a value, as they are said, and what stands below them."""
    found = 0
    while found < len(content) and (_OPTION.match(content[found]) or (found and content[found][:1] == " ")):
        found += 1
    if found < len(content) and content[found]:
        return [], content
    matched = (_OPTION.match(line) for line in content[:found])
    return [f"{one[1]}: {one[2]}" for one in matched if one and one[2]], content[found:]


def _shown(text: str) -> str:
    """A paragraph without the marks within it."""
    return _INLINE.sub(_without_marks, text)


def _without_marks(found: re.Match[str]) -> str:
    if (said := found["said"]) is not None:
        return _SHORTENED.sub("", said)
    return found["code"] or found["strong"] or found["weak"] or found["escaped"] or ""
