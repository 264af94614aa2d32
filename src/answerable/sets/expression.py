"""What a query asks for as a small tree: atoms joined by "and", "or" and "minus".

Its printed form can be read, edited and given back:

    "web browsers" and "built with Qt"
    ("tools" or "libraries") minus "for children"

`and` binds before `minus`, and `minus` before `or`; the printed form has parentheses wherever two kinds meet. `and not`
may be written for `minus`. There is no complement of the whole world: something is always taken away from something.

Source: Malaviya et al. 2023, section 3.2 and table 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from answerable.errors import UsageError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Atom:
    """A constraint in words: "films set in England"."""

    text: str


@dataclass(frozen=True, slots=True)
class And:
    """What fits all of two or more parts."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """What fits at least one of two or more parts."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Minus:
    """What fits `left` and does not fit `right`."""

    left: Expression
    right: Expression


Expression = Atom | And | Or | Minus
_HINT = 'like ("tools" or "libraries") minus "for children"'


def every(*parts: Expression) -> Expression:
    """What fits all parts: one part as it is, and the parts of an `And` among them each for itself."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,))]
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def some(*parts: Expression) -> Expression:
    """What fits any part: one part as it is, and the parts of an `Or` among them each for itself."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,))]
    return flat[0] if len(flat) == 1 else Or(tuple(flat))


def atoms(expression: Expression) -> tuple[str, ...]:
    """The text of each atom once, in the order they are written."""
    return tuple(dict.fromkeys(text for text, _ in signed(expression)))


def signed(expression: Expression, negated: bool = False) -> tuple[tuple[str, bool], ...]:
    """Each atom as it is written, and whether it is taken away: whether fitting it speaks against a member."""
    match expression:
        case Atom(text):
            return ((text, negated),)
        case Minus(left, right):
            return signed(left, negated) + signed(right, not negated)
        case And(parts) | Or(parts):
            return tuple(found for part in parts for found in signed(part, negated))


def folded(
    expression: Expression,
    atom: Callable[[str], T],
    both: Callable[[Sequence[T]], T],
    either: Callable[[Sequence[T]], T],
    without: Callable[[T, T], T],
) -> T:
    """The value of a tree from the values of its atoms, bottom up: sets, probabilities, text."""

    def value(one: Expression) -> T:
        match one:
            case Atom(text):
                return atom(text)
            case And(parts):
                return both([value(part) for part in parts])
            case Or(parts):
                return either([value(part) for part in parts])
            case Minus(left, right):
                return without(value(left), value(right))

    return value(expression)


def asked_for(expression: Expression) -> Expression:
    """The same tree without what is taken away."""
    match expression:
        case Atom():
            return expression
        case And(parts):
            return And(tuple(map(asked_for, parts)))
        case Or(parts):
            return Or(tuple(map(asked_for, parts)))
        case Minus(left, _):
            return asked_for(left)


def members(expression: Expression, sets: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The set it means, given the set of each atom. Raises `KeyError` for an atom that has none."""
    return folded(
        expression,
        lambda text: sets[text],
        lambda parts: frozenset.intersection(*parts),
        lambda parts: frozenset.union(*parts),
        lambda left, right: left - right,
    )


def canonical(expression: Expression) -> Expression:
    """The same tree whatever the order of its parts, the case of its letters and its spaces: for comparing trees.

    `And` in `And` and `Or` in `Or` are one, a part said twice counts once, what is taken away twice is taken away
    together, and what is taken away from a part of an `And` is taken away from the whole.
    """
    match expression:
        case Atom(text):
            return Atom(" ".join(text.casefold().split()))
        case And(parts):
            made = [canonical(part) for part in parts]
            taken = [part.right for part in made if isinstance(part, Minus)]
            kept = every(*(part.left if isinstance(part, Minus) else part for part in made))
            both = every(*_sorted(kept, And))
            return canonical(Minus(both, some(*taken))) if taken else both
        case Or(parts):
            return some(*_sorted(some(*map(canonical, parts)), Or))
        case Minus(Minus(left, right), also):
            return canonical(Minus(left, some(right, also)))
        case Minus(left, right):
            kept = canonical(left)
            if isinstance(kept, Minus):  # a part said twice was all that stood between the two
                return canonical(Minus(kept.left, some(kept.right, right)))
            return Minus(kept, canonical(right))


def _sorted(joined: Expression, kind: type[And] | type[Or]) -> list[Expression]:
    parts = joined.parts if isinstance(joined, kind) else (joined,)
    return sorted(dict.fromkeys(parts), key=printed)


def printed(expression: Expression) -> str:
    """The form to show and to edit; `read_expression` reads it back as it was."""

    def inner(part: Expression) -> str:
        return printed(part) if isinstance(part, Atom) else f"({printed(part)})"

    match expression:
        case Atom(text):
            escaped = text.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        case And(parts):
            return " and ".join(map(inner, parts))
        case Or(parts):
            return " or ".join(map(inner, parts))
        case Minus(left, right):
            return f"{inner(left)} minus {inner(right)}"


_TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([()])|([^\s()"]+))', re.S)


def read_expression(text: str) -> Expression:
    """The tree of a printed form. Raises `UsageError` saying where it cannot be read."""
    reader = _Reader(text)
    if not reader.tokens:
        raise UsageError("the expression is empty", hint=_HINT)
    found = reader.union()
    if reader.at < len(reader.tokens):
        raise reader.wrong("and, or, minus or the end")
    return found


class _Reader:
    """Recursive descent: `or` over `minus` over `and` over atoms and parentheses."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str, int]] = []
        self.at, self.depth = 0, 0
        place = 0
        while rest := text[place:].strip():
            place = len(text) - len(text[place:].lstrip())
            match = _TOKEN.match(text, place)
            if match is None:
                raise UsageError(f"the expression has a quotation mark at {place + 1} that never ends", hint=_HINT)
            quoted, mark, word = match.groups()
            if quoted is not None:
                self.tokens.append(("atom", re.sub(r"\\(.)", r"\1", quoted, flags=re.S), place))
            else:
                self.tokens.append((mark or word.casefold(), rest[: match.end() - place], place))
            place = match.end()

    def next(self, *kinds: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at][0] in kinds:
            self.at += 1
            return True
        return False

    def wrong(self, wanted: str) -> UsageError:
        if self.at == len(self.tokens):
            return UsageError(f"the expression ends where {wanted} was expected", hint=_HINT)
        place = self.tokens[self.at][2]
        return UsageError(f"the expression cannot be read at character {place + 1}: expected {wanted}", hint=_HINT)

    def union(self) -> Expression:
        parts = [self.difference()]
        while self.next("or"):
            parts.append(self.difference())
        return Or(tuple(parts)) if len(parts) > 1 else parts[0]

    def difference(self) -> Expression:
        found = self.intersection()
        while True:
            if self.next("minus"):
                found = Minus(found, self.intersection())
            elif self.negation():
                self.at += 2
                found = Minus(found, self.one())
            else:
                return found

    def negation(self) -> bool:
        return [kind for kind, _, _ in self.tokens[self.at : self.at + 2]] == ["and", "not"]

    def intersection(self) -> Expression:
        parts = [self.one()]
        while not self.negation() and self.next("and"):
            parts.append(self.one())
        return And(tuple(parts)) if len(parts) > 1 else parts[0]

    def one(self) -> Expression:
        if self.next("("):
            self.depth += 1
            if self.depth > 50:
                raise UsageError("the expression has more than 50 parentheses in each other", hint=_HINT)
            found = self.union()
            if not self.next(")"):
                raise self.wrong("a closing parenthesis")
            self.depth -= 1
            return found
        if self.next("atom"):
            text = " ".join(self.tokens[self.at - 1][1].split())
            if not text:
                raise UsageError("the expression has an empty constraint", hint=_HINT)
            return Atom(text)
        raise self.wrong("a constraint in quotation marks or an opening parenthesis")
