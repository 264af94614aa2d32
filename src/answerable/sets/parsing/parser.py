"""Set queries read as trees: a grammar that makes all readings, and a log-linear model that ranks them.

    >>> Parser.open().parse("Dutch or Swiss war films")[0].expression
    Or(parts=(Atom(text='Dutch war films'), Atom(text='Swiss war films')))

An atom keeps the words of the query. A noun that says little stays with the modifier after it ("packages written in
Perl"); a modifier after any other noun is an atom for itself. What parts share is said in each. "without X", "lacking
X" and "X-free" take away "with X", "non-X" takes away "X".
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from answerable.errors import ModelError
from answerable.sets.expression import And, Atom, Expression, Minus, Or, canonical, every, some
from answerable.sets.parsing.chart import Chart, Item, Node
from answerable.sets.parsing.features import is_modifier
from answerable.sets.parsing.lines import Line, taken_apart
from answerable.sets.parsing.words import Word, asked, text, tokens

WEIGHTS = Path(__file__).with_name("weights.json")
LEAST, MOST = 0.05, 5
"""Readings that are less likely are not given, nor are more."""
_JOINTS, _WORDS = 12, 120
"""Beyond so many connectives or words a query is taken apart from left to right."""
_WIDTHS = ((5, 8), (8, 5), (_JOINTS, 3))
"""How many readings of a part are kept, by the number of connectives."""
_WARMTH = 1.5
"""What scores are divided by: queries that were drawn make the model too sure of those that people write."""
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
        line = taken_apart(words)
        if not line.runs[0]:
            return (Reading(Atom(" ".join(query.split()) or "everything"), 1.0),)
        if len(line.joints) > _JOINTS or len(words) > _WORDS:
            return (Reading(flat(line), 1.0),)
        width = next(width for most, width in _WIDTHS if len(line.joints) <= most)
        items = Chart(line, self.weights, width).readings()
        return ranked(items) if items else (Reading(flat(line), 1.0),)


def takes_away_alone(query: str) -> bool:
    """Whether a query says only what is left out, as "not about gas" does: it takes nothing from anything, and all of
    it from what stands before it. One that begins with a capital may be a name: "Never Let Me Go"."""
    own, after = (flat(taken_apart(asked(tokens(f"{before}{query}")))) for before in ("", "documents "))
    taken = isinstance(after, Minus) and after.left == Atom("documents") and not isinstance(own, Minus)
    return taken and query[:1].islower()


def ranked(items: Sequence[Item]) -> tuple[Reading, ...]:
    """The likely ones among the readings of a query; those that mean the same count together."""
    top = items[0].score
    shares: dict[Expression, tuple[Expression, float]] = {}
    for item in items:
        found = expression(item.node)
        key = canonical(_spread(found))
        first, share = shares.get(key, (found, 0.0))
        shares[key] = (first, share + math.exp((item.score - top) / _WARMTH))
    whole = sum(share for _, share in shares.values())
    best = sorted(shares.values(), key=lambda one: -one[1])
    likely = [Reading(found, share / whole) for found, share in best if share / whole >= LEAST]
    return tuple(likely[:MOST]) or (Reading(best[0][0], best[0][1] / whole),)


def _spread(one: Expression) -> Expression:
    """A tree with what limits all of some alternatives said in each: ("a" or "b") and "c" as "a c" or "b c"."""
    match one:
        case Minus(left, right):
            return Minus(_spread(left), right)
        case And((Or(parts), Atom(limit))) if all(isinstance(part, Atom) for part in parts):
            return Or(tuple(Atom(f"{part.text} {limit}") for part in parts if isinstance(part, Atom)))
    return one


def expression(node: Node) -> Expression:
    """The tree of a reading: what is taken away from a part of an intersection is taken away from the whole."""
    if node.op == "atom":
        return _atom(node.words)
    if node.op == "or" and (wide := _wide(node)):
        return wide
    parts = [expression(part) for part in (_joined(node.parts) if node.op == "and" else node.parts)]
    if node.op == "minus":
        return _taken(parts[0], [parts[1]])
    kept = [part.left if isinstance(part, Minus) else part for part in parts]
    out = [part.right for part in parts if isinstance(part, Minus)]
    if node.op == "and":
        return _taken(every(*_once(kept)), out) if out else every(*_once(kept))
    if len(out) == len(parts) and len({canonical(one) for one in out}) == 1:
        return Minus(some(*_once(kept)), out[0])
    return some(*_once(parts))


def _joined(parts: Sequence[Node]) -> Sequence[Node]:
    """What must all hold, with a noun that says little put to the modifiers after it: "programs that handle SVG"."""
    first, rest = parts[0], parts[1:]
    if first.op != "atom" or [one.kind for one in first.words] != ["generic"]:
        return parts
    if not all(is_modifier(words) for words in rest[0].every()):
        return parts
    return (rest[0].under(first.words), *rest[1:])


def _wide(node: Node) -> Expression | None:
    """What "non-" or "-free" before alternatives takes away from all of them; None where there is none."""
    words = node.first()
    if len(words) < 2 or not isinstance(out := _atom(words[:2]), Minus):
        return None
    return _taken(expression(_without(node, words[0])), [out.right])


def _without(node: Node, word: Word) -> Node:
    """A part of a reading without a word that its atoms begin with."""
    if node.op == "atom":
        return Node("atom", node.words[1:]) if len(node.words) > 1 and node.words[0] == word else node
    return Node(node.op, (), tuple(_without(part, word) for part in node.parts), node.joint)


def _once(parts: Sequence[Expression]) -> list[Expression]:
    """Parts without those that are the same as an earlier one."""
    found: dict[Expression, Expression] = {}
    for part in parts:
        found.setdefault(canonical(part), part)
    return list(found.values())


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
    kept: list[tuple[Word, ...]] = [line.runs[0]]
    out: list[tuple[Word, ...]] = []
    taking = False
    for joint, run in zip(line.joints, line.runs[1:], strict=True):
        taking = joint.kind in ("not", "unless") or (taking and joint.kind in ("or", "nor", "comma"))
        (out if taking else kept).append(run)
    unions = sum(joint.kind in ("or", "comma") for joint in line.joints)
    parts = _once([Atom(text(run)) for run in kept])
    whole = some(*parts) if 2 * unions >= len(line.joints) else every(*parts)
    return Minus(whole, some(*_once([Atom(text(run)) for run in out]))) if out else whole
