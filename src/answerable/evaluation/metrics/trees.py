"""Whether two trees ask for the same: part for part in any order, with atoms in nearly the same words.

Relatives: the exact match of answers (`answers.exact`), for trees instead of spans.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product

from answerable.sets.expression import And, Atom, Expression, Minus, Or, canonical, signed
from answerable.sets.parsing.words import GENERIC, word

_OPENS = re.compile(r"^that(?: (?:are|is|were|was))? ")
_RELATIVE = re.compile(r"\b(?:which|who)\b")
_LITTLE = frozenset(
    "of in by from about on for at to as with the a an that are is were was and or which who set shot found based also "
    "during place take taking whose their it its have has into be been can common published made".split()
)
_SAME = {
    "movie": "film",
    "plant": "flora",
    "animal": "fauna",
    "sci-fi": "science fiction",
    "us": "united states",
    "uk": "united kingdom",
    "kid": "children",
}


def agree(one: Expression, other: Expression) -> bool:
    """Whether trees are equal but for the order of parts and for nouns that say little.

    "built with Qt" is the same as "packages built with Qt" or "that are built with Qt", and "American" as "American
    films", where one of the two has no such noun; a part that is such a noun alone says nothing in an intersection.
    "Who" and "which" are as good as "that".
    """
    return matches(plain(canonical(one)), plain(canonical(other)), _alike)


def gist(text: str) -> frozenset[str]:
    """The words of an atom that say much, in the singular, with a few synonyms as one."""
    low = re.sub(r"(?<=\d)'(?=s)", "", text.casefold().replace("’", "'"))
    found = [re.sub(r"(?<=[a-z]{2}[^sui\W\d])s$|'s$|(?<=s)'$", "", one) for one in re.findall(r"[\w'-]+", low)]
    plain = {part for one in found if one not in _LITTLE for part in _SAME.get(one, one).split()}
    return frozenset(plain - {"film", "novel", "book", "flora", "fauna", "bird"} or plain)


def closeness(one: Expression, other: Expression) -> float:
    """How near trees of one shape are, 0 to 1: the mean overlap of the gists of their atoms; 0 for another shape."""
    first, second = plain(canonical(one)), plain(canonical(other))
    if not matches(first, second, lambda a, b: True):
        return 0.0
    return max((_overlap(first, turned) for turned in _turned(second)), default=0.0)


def _overlap(one: Expression, other: Expression) -> float:
    first, second = signed(one), signed(other)
    if len(first) != len(second):
        return 0.0
    pairs = [(gist(a), gist(b)) for (a, _), (b, _) in zip(first, second, strict=True)]
    shares = [len(a & b) / max(1, len(a | b)) for a, b in pairs]
    return sum(shares) / len(shares)


def _turned(expression: Expression) -> Iterator[Expression]:
    match expression:
        case And(parts) | Or(parts):
            for ordered in permutations(parts):
                for turned in product(*map(_turned, ordered)):
                    yield And(turned) if isinstance(expression, And) else Or(turned)
        case Minus(left, right):
            for first, second in product(_turned(left), _turned(right)):
                yield Minus(first, second)
        case _:
            yield expression


def plain(expression: Expression) -> Expression:
    """A tree without nouns that say little as parts of intersections."""
    match expression:
        case And(parts):
            kept = [plain(part) for part in parts if not (isinstance(part, Atom) and part.text in GENERIC)]
            return And(tuple(kept)) if len(kept) > 1 else kept[0] if kept else parts[0]
        case Or(parts):
            return Or(tuple(map(plain, parts)))
        case Minus(left, right):
            return Minus(plain(left), plain(right))
        case _:
            return expression


def matches(one: Expression, other: Expression, alike: Callable[[str, str], bool]) -> bool:
    """Whether trees are equal part for part, in any order, by what makes atoms alike."""
    match one, other:
        case Atom(a), Atom(b):
            return alike(a, b)
        case Minus(a, b), Minus(c, d):
            return matches(a, c, alike) and matches(b, d, alike)
        case (And(a), And(b)) | (Or(a), Or(b)):
            return len(a) == len(b) and _paired(a, b, alike)
    return False


def _paired(left: Sequence[Expression], right: Sequence[Expression], alike: Callable[[str, str], bool]) -> bool:
    if not left:
        return True
    return any(
        matches(left[0], other, alike) and _paired(left[1:], (*right[:at], *right[at + 1 :]), alike)
        for at, other in enumerate(right)
    )


def _alike(one: str, other: str) -> bool:
    first, second = (_RELATIVE.sub("that", text) for text in (one, other))
    return first in _forms(second) or second in _forms(first)


def _forms(text: str) -> set[str]:
    """An atom as it is, and without the noun that says little."""
    forms = {text, _OPENS.sub("", text)}
    words = text.split()
    if len(words) > 1:
        opens = word(words[1]).kind in ("prep", "part") or words[1] == "that"
        if words[0] in GENERIC and (opens or words[1] in ("specific", "native")):
            bare = " ".join(words[1:])
            forms |= {bare, _OPENS.sub("", bare)}
        if words[-1] in GENERIC:
            forms.add(" ".join(words[:-1]))
        if words[0] in ("the", "with"):
            forms.add(" ".join(words[1:]))
    return forms
