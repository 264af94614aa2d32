"""All readings of a query within bounds: a chart over its runs, each cell with its best few, by a sum of weights.

A run, or several with the connectives between them as parts of a name, is an atom; two neighbouring cells are put
together by the connective between them, which may share what one begins or ends with ("novels set in" Nanjing or Hebei,
Dutch or Swiss "war films"). Source: Cocke, Kasami and Younger's algorithm, with a beam in each cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from answerable.sets.parsing import features as about
from answerable.sets.parsing.connectives import Connective
from answerable.sets.parsing.features import COMPOUNDS, Words, is_modifier, many
from answerable.sets.parsing.lines import KEPT, Line

_OPERATIONS: Mapping[str, tuple[str, ...]] = {
    "and": ("and", "or"),
    "too": ("or", "and"),
    "or": ("or",),
    "comma": ("or", "and"),
    "nor": ("or",),
    "not": ("minus",),
    "unless": ("minus",),
    "that": ("and",),
    "none": ("and",),
}
_IN_NAMES = frozenset(("and", "or", "comma", "none"))
_ALONE = frozenset(("without", "minus", "no", "besides", "sans", "plus"))
_SHARES = 5
"""Ways to share words that are followed up for two atoms."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a reading: an atom's words, or parts put together by the connective `joint`.

    `shared`: whether they share their "start", their "end", both or nothing.
    """

    op: str
    words: Words = ()
    parts: tuple[Node, ...] = ()
    joint: Connective | None = None
    shared: str = ""

    def first(self) -> Words:
        """The words of its first atom."""
        return self.words if self.op == "atom" else self.parts[0].first()

    def last(self) -> Words:
        """The words of its last atom."""
        return self.words if self.op == "atom" else self.parts[-1].last()

    def every(self) -> Iterator[Words]:
        """The words of each of its atoms."""
        if self.op == "atom":
            yield self.words
        for part in self.parts:
            yield from part.every()

    def extended(self, before: Words, after: Words) -> Node:
        """The same with words before and after each atom."""
        if not before and not after:
            return self
        if self.op == "atom":
            return Node("atom", before + self.words + after)
        return Node(self.op, (), tuple(part.extended(before, after) for part in self.parts), self.joint, self.shared)

    def under(self, noun: Words) -> Node:
        """The same with a noun that says little put to each atom: before a modifier, after what lacks a noun."""
        if self.op != "atom":
            return Node(self.op, (), tuple(part.under(noun) for part in self.parts), self.joint)
        if is_modifier(self.words):
            return Node("atom", noun + self.words)
        return self if many(about.head(self.words)) else Node("atom", self.words + noun)

    def signature(self) -> str:
        """The same for readings that differ in brackets alone."""
        if self.op == "atom":
            return " ".join(one.low for one in self.words)
        return f"({self.op} {'|'.join(self._flat(self.op))})"

    def _flat(self, op: str) -> Iterator[str]:
        for part in self.parts:
            if part.op == op and op != "minus":
                yield from part._flat(op)
            else:
                yield part.signature()


@dataclass(frozen=True, slots=True)
class Item:
    """A reading of some runs: its node, its score, and the features of its last step and of what it is made of."""

    node: Node
    score: float
    own: tuple[str, ...]
    made_of: tuple[Item, ...] = ()

    def features(self) -> Iterator[str]:
        """All features, each as often as it holds."""
        yield from self.own
        for item in self.made_of:
            yield from item.features()


@dataclass(frozen=True, slots=True)
class _Share:
    """A way to share words: the first `start` of `left` go to the right part too, `right` from `end` on to the left."""

    gain: float
    features: list[str]
    start: int
    end: int
    left: Words
    right: Words


@dataclass(slots=True)
class Chart:
    """Readings of a line by weights of features; `width` readings a cell are kept, and `wide` of the whole line."""

    line: Line
    weights: Mapping[str, float]
    width: int = 8
    wide: int = 40
    _shared: dict[tuple[int, int, int, str], list[_Share]] = field(default_factory=dict)

    def readings(self) -> list[Item]:
        """Readings of the whole line, best first; at least one."""
        count = len(self.line.runs)
        cells: dict[tuple[int, int], list[Item]] = {}
        for length in range(1, count + 1):
            for a in range(count - length + 1):
                b = a + length - 1
                broken = any(a < x <= b < y or x < a <= y < b for x, y in self.line.groups)
                if not broken:  # what stands in parentheses
                    cells[a, b] = self._cell(a, b, cells)
        return cells[0, count - 1]

    def _cell(self, a: int, b: int, cells: Mapping[tuple[int, int], list[Item]]) -> list[Item]:
        best: dict[str, Item] = {}
        found = list(self._atom(a, b))
        for middle in range(a, b):
            lefts, rights = cells.get((a, middle), []), cells.get((middle + 1, b), [])
            around = (self._around(a, b), b)
            for i, left in enumerate(lefts):
                for right in rights[: max(1, self.width // (i + 1))]:
                    found += self._put_together(left, middle, right, around)
        for item in found:
            key = item.node.signature()
            if key not in best or best[key].score < item.score:
                best[key] = item
        whole = a == 0 and b == len(self.line.runs) - 1
        return nlargest(self.wide if whole else self.width, best.values(), key=lambda item: item.score)

    def _around(self, a: int, b: int) -> str:
        joints = self.line.joints
        before = joints[a - 1].kind if a else "-"
        after = joints[b].kind if b < len(joints) else "-"
        return f"{before} {after}"

    def _atom(self, a: int, b: int) -> Iterator[Item]:
        """The runs as one atom, where all connectives between them can be part of a name, or of a clause that says more
        of other people than what is listed: "letters to parents who cannot come"."""
        words, own = self.line.runs[a], []
        for at in range(a, b):
            joint, after = self.line.joints[at], self.line.runs[at + 1]
            of_people = joint.words and joint.words[0].low == "who" and many(words[-1])
            clause = of_people and any(one.kind == "prep" for one in words)
            if not clause and (joint.that or (joint.kind not in _IN_NAMES and joint.name not in _ALONE)):
                return
            if any(at in (y, x - 1) for x, y in self.line.groups if (x, y) != (a, b)):
                return
            if joint.kind == "or" and many(words[-1]) and many(about.head(after)) and not about.known(words, after):
                return
            own += about.of_joined(joint, words, after)
            words = words + joint.words + (after[1:] if after[0].mark == KEPT else after)
        own += about.of_atom(words)
        yield Item(Node("atom", words), self._sum(own), tuple(own))

    def _sum(self, features: Sequence[str]) -> float:
        get = self.weights.get
        return sum(get(one, 0.0) for one in features)

    def _put_together(self, left: Item, at: int, right: Item, around: tuple[str, int]) -> Iterator[Item]:
        joint = self.line.joints[at]
        if self._misplaced(joint, left, right, (at + 1, around[1])):
            return
        for op in _OPERATIONS[joint.kind]:
            sides = ((left.node.op, left.node.joint), (right.node.op, right.node.joint))
            inner = ((left.node.op, left.node.shared), (right.node.op, right.node.shared))
            built = about.of_structure(op, joint, *sides, around[0])
            score = left.score + right.score + self._sum(built)
            for share in self._shares(left.node.last(), at, right.node.first(), op):
                first = left.node.extended((), share.right[share.end :] if share.end else ())
                parts = (first, right.node.extended(share.left[: share.start], ()))
                kind = f"{'start' if share.start else ''}{'end' if share.end else ''}"
                chain = about.of_chain(op, joint, kind, inner)
                gain = share.gain + self._sum(chain)
                node = Node(op, (), parts, joint, kind)
                yield Item(node, score + gain, (*built, *share.features, *chain), (left, right))
            noun = left.node.words
            if op == "and" and joint.kind == "that" and len(noun) == 1 and noun[0].kind == "generic":
                own = about.of_applied(joint, right.node.first())
                yield Item(right.node.under(noun), left.score + right.score + self._sum(own), tuple(own), (left, right))

    def _misplaced(self, joint: Connective, left: Item, right: Item, span: tuple[int, int]) -> bool:
        """Whether English would not read it so: "unless" limits what is left out; "and not" never does, nor "that are
        not" where what is left out has no noun of several: "not in French that are not comedies"."""
        if joint.kind == "unless" and left.node.op == "minus":
            return True
        inner, words = right.node.joint, right.node.first()
        if joint.kind != "not" or right.node.op != "minus" or inner is None or inner.kind != "not":
            return False
        adverbial = inner.that and is_modifier(words) and not any(map(many, words))
        return (adverbial or inner.join in ("and", "or", "nor")) and span not in self.line.groups

    def _shares(self, left: Words, at: int, right: Words, op: str) -> list[_Share]:
        """Ways to share words between two atoms, best first; sharing nothing may be one."""
        key = (id(left), at, id(right), op)
        if key in self._shared:
            return self._shared[key]
        joint = self.line.joints[at]
        made = [(0, 0, about.of_nothing_shared(op, joint, left, right))]
        if joint.kind not in ("that", "unless"):
            starts = [(cut, about.of_start(op, joint, left, cut, right)) for cut in _starts(left, right)]
            ends = [(cut, about.of_end(op, joint, left, right, cut)) for cut in _ends(left, right)]
            if joint.kind == "none":
                starts, ends = [], ends if joint.name == "number" else []
            made += [(cut, 0, own) for cut, own in starts] + [(0, cut, own) for cut, own in ends]
            top = nlargest(2, starts, key=lambda one: self._sum(one[1]))
            for start, own in top:
                for end, more in nlargest(2, ends, key=lambda one: self._sum(one[1])):
                    made.append((start, end, own + more + about.of_both_shared(op, joint)))
        shares = [_Share(self._sum(own), own, start, end, left, right) for start, end, own in made]
        found = self._shared[key] = nlargest(_SHARES, shares, key=lambda one: one.gain)
        return found


def _starts(left: Words, right: Words) -> list[int]:
    """How many words of the left atom may be said of the right one too."""
    marked = [at for at in range(1, len(left)) if left[at].mark in ("both", "either")]
    if marked:
        return marked
    modifier = is_modifier(right)
    cuts = []
    for at in range(1, len(left)):
        before = left[at - 1]
        after_preposition = before.kind == "prep" or (before.low == "the" and at > 1 and left[at - 2].kind == "prep")
        noun = at <= 2 and not modifier and not many(before)
        if after_preposition or noun or (modifier and is_modifier(left[at:])):
            cuts.append(at)
    return cuts[-6:]


def _ends(left: Words, right: Words) -> list[int]:
    """Where in the right atom words may begin that are said of the left one too."""
    if left[-1].low == right[-1].low:
        return []
    places = [at for at in range(1, len(right)) if right[at - 1].kind not in ("prep", "det")]
    return [at for at in places if f"{right[at - 1].low} {right[at].low}" not in COMPOUNDS][:6]
