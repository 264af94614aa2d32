"""Set queries read as trees: a grammar that makes all readings, and a log-linear model that ranks them.

    >>> Parser.open().parse("Dutch or Swiss war films")[0].expression
    Or(parts=(Atom(text='Dutch war films'), Atom(text='Swiss war films')))

An atom keeps the words of the query. A noun that says little stays with a modifier right after it ("packages written in
Perl"), also where "that are" stands between; a modifier after any other noun, or a second one, is an atom for itself
("web browsers" and "built with Qt"). "without X", "lacking X" and "X-free" take away "with X", "non-X" takes away "X".
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from answerable.errors import ModelError
from answerable.sets.expression import And, Atom, Expression, Minus, Or, canonical, every, some
from answerable.sets.parsing.chart import Chart, Item, Node
from answerable.sets.parsing.connectives import Line, taken_apart
from answerable.sets.parsing.words import Word, asked, text, tokens

WEIGHTS = Path(__file__).with_name("weights.json")
LEAST, MOST = 0.05, 5
"""Readings that are less likely are not given, nor are more."""
_JOINTS, _WORDS = 12, 120
"""Beyond so many connectives or words a query is taken apart from left to right."""
_TRAILING = frozenset("too either also well instead".split())
_LEADING = frozenset("the a an some any all those ones these".split())
_NON = re.compile(r"non-?(?!fiction|linear|profit|stop|sense|existent|descript|violent|metal|theless)(?=\w{3})", re.I)
_FREE = re.compile(r"(?<=\w)-(?:free|less)$", re.I)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a query may ask for, and how likely it does (0 to 1; those of a query sum to at most 1)."""

    expression: Expression
    probability: float


@dataclass(frozen=True, slots=True)
class Parser:
    """Reads queries by weights of features: see `features` for their names."""

    weights: Mapping[str, float]

    @classmethod
    def open(cls, path: Path = WEIGHTS) -> Parser:
        """The parser that ships, or one of a file that training wrote. Raises `ModelError` where it cannot be read."""
        try:
            held = json.loads(path.read_text(encoding="utf8"))["weights"]
            return cls({str(name): float(value) for name, value in held.items()})
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise ModelError(f"{path.name} does not hold a parser of queries", hint="reinstall answerable") from error

    def parse(self, query: str) -> tuple[Reading, ...]:
        """Readings of a query, best first: those of a probability of at least `LEAST`, at most `MOST`, at least one.

        A query that nothing in it takes apart is one atom. The time a query takes is bounded whatever it holds.
        """
        words = asked(tokens(query))
        if not words:
            return (Reading(Atom(" ".join(query.split()) or "everything"), 1.0),)
        line = taken_apart(words)
        if len(line.joints) > _JOINTS or len(words) > _WORDS:
            return (Reading(flat(line), 1.0),)
        items = Chart(line, self.weights).readings()
        return ranked(items) if items else (Reading(flat(line), 1.0),)


def ranked(items: Sequence[Item]) -> tuple[Reading, ...]:
    """The likely ones among the readings of a query; those that mean the same count together."""
    top = items[0].score
    shares: dict[Expression, tuple[Expression, float]] = {}
    for item in items:
        found = expression(item.node)
        key = canonical(found)
        first, share = shares.get(key, (found, 0.0))
        shares[key] = (first, share + math.exp(item.score - top))
    whole = sum(share for _, share in shares.values())
    best = sorted(shares.values(), key=lambda one: -one[1])
    likely = [Reading(found, share / whole) for found, share in best if share / whole >= LEAST]
    return tuple(likely[:MOST]) or (Reading(best[0][0], best[0][1] / whole),)


def expression(node: Node) -> Expression:
    """The tree of a reading: what is taken away from a part of an intersection is taken away from the whole."""
    if node.op == "atom":
        return _atom(node.words)
    parts = [expression(part) for part in node.parts]
    if node.op == "or":
        return _once(parts, some)
    if node.op == "minus":
        return _taken(parts[0], [parts[1]])
    out = [part.right for part in parts if isinstance(part, Minus)]
    kept = _once([part.left if isinstance(part, Minus) else part for part in parts], every)
    return _taken(kept, out) if out else kept


def _once(parts: Sequence[Expression], join: object) -> Expression:
    unique = list({canonical(part): part for part in parts}.values())
    return (every if join is every else some)(*unique)


def _taken(left: Expression, out: Sequence[Expression]) -> Expression:
    if isinstance(left, Minus):
        return Minus(left.left, some(left.right, *out))
    return Minus(left, some(*out))


def _atom(words: Sequence[Word]) -> Expression:
    """An atom of words, without what opens and ends it idly; "non-" and "-free" take something away."""
    left = list(words)
    while len(left) > 1 and left[0].text in _LEADING:
        left = left[1:]
    while len(left) > 1 and left[-1].low in _TRAILING:
        left = left[:-1]
    if len(left) > 1 and left[-1].low == "as" and len(left) < len(words):
        left = left[:-1]
    kept: list[Word] = []
    out: list[Expression] = []
    for one in left:
        if not one.literal and (match := _NON.match(one.text)) and len(left) > 1:
            out.append(Atom(one.text[match.end() :]))
        elif not one.literal and _FREE.search(one.text) and len(left) > 1 and one.low.endswith("-free"):
            out.append(Atom(f"with {_FREE.sub('', one.text)}"))
        else:
            kept.append(one)
    if not kept or not out:
        return Atom(text(left))
    return Minus(Atom(text(kept)), some(*out))


def flat(line: Line) -> Expression:
    """A line from left to right without any ambiguity: what is left out, and the rest joined by what joins most."""
    kept, out = [line.runs[0]], []
    taking = False
    for joint, run in zip(line.joints, line.runs[1:], strict=True):
        taking = joint.kind in ("not", "unless") or (taking and joint.kind in ("or", "nor", "comma"))
        (out if taking else kept).append(run)
    unions = sum(joint.kind in ("or", "comma") for joint in line.joints)
    join = some if 2 * unions >= len(line.joints) else every
    whole = _once([Atom(text(run)) for run in kept], join)
    return Minus(whole, _once([Atom(text(run)) for run in out], some)) if out else whole


@cache
def shipped() -> Parser:
    """The parser that ships, opened once."""
    return Parser.open()


__all__ = ["And", "Or", "Parser", "Reading", "expression", "flat", "ranked", "shipped"]
