"""Set queries said in words: many ways to ask for the same tree (Malaviya et al. 2023, section 3.3.1 and table 1).

A phrasing is drawn from named patterns: how a query opens, how alternatives are joined, how constraints follow one
another, how something is left out, and whether what atoms have in common is said once ("novels set in Nanjing or
Hebei"). Those of `HELD_OUT` are kept apart: no parser is trained on them.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from answerable.sets.expression import And, Atom, Expression, Minus, Or

_SAID = tomllib.loads(Path(__file__).with_name("set_patterns.toml").read_text("utf-8"))
_Named = Mapping[str, str]
OPENINGS: _Named = _SAID["open"]
BOTH: _Named = _SAID["both"]
LEFT_OUT: _Named = _SAID["out"]
NESTED: _Named = _SAID["nested"]
MANY_OUT: _Named = _SAID["many"]
JOINS: Mapping[str, Sequence[str]] = _SAID["join"]
"""How alternatives are joined: the last to the rest, and the rest to one another."""
NOUNS_ONLY: Sequence[str] = _SAID["lists"]["nouns_only"]
THOSE: Sequence[str] = _SAID["lists"]["those"]
_NAMED = {kind: _SAID[kind] for kind in _SAID["held_out"]} | {"shape": _SAID["lists"]["shape"]}
PATTERNS = frozenset(f"{kind}:{name}" for kind, names in _NAMED.items() for name in names)
"""All patterns, by the kind of what they say and their name."""
HELD_OUT = frozenset(f"{kind}:{name}" for kind, names in _SAID["held_out"].items() for name in names)
"""Patterns that nothing is trained on."""
NOUN, MODIFIER = "noun", "modifier"
HEADS = ("packages", "software", "programs", "tools", "applications", "things")
"""What stands before a modifier that has no noun of its own."""


@dataclass(frozen=True, slots=True)
class Phrasing:
    """A tree in words, and the patterns that made them."""

    text: str
    used: frozenset[str]


def phrased(
    expression: Expression,
    rng: random.Random,
    kinds: Mapping[str, str],
    patterns: Collection[str] = PATTERNS,
    heads: Sequence[str] = HEADS,
) -> Phrasing:
    """One way to ask for a tree, with patterns among `patterns`; where none of a kind fits, its plainest is used."""
    drawing = _Drawing(rng, kinds, patterns, rng.choice(list(heads)))
    text = drawing.opened(drawing.noun(expression))
    return Phrasing(drawing.cased(text), frozenset(drawing.used))


@dataclass(slots=True)
class _Drawing:
    """One phrasing in the making: every noun it must supply is the same `head`."""

    rng: random.Random
    kinds: Mapping[str, str]
    patterns: Collection[str]
    head: str
    used: set[str] = field(default_factory=set)

    def opened(self, text: str) -> str:
        name = self.rng.choices(("plain", ""), (1, 2))[0] or self._one("open", list(OPENINGS))
        if name == "which" and " that are " in text and not text.startswith(("either ", "both ")):
            return f"which {text.replace(' that are ', ' are ', 1)}?"
        self.used.add(f"open:{name}")
        return OPENINGS["what are" if name == "which" else name].format(text)

    def cased(self, text: str) -> str:
        chance = self.rng.random()
        return text.lower() if chance < 0.12 else text[:1].upper() + text[1:] if chance < 0.5 else text

    def noun(self, one: Expression) -> str:
        """A tree as a noun phrase that can stand alone."""
        match one:
            case Atom(text):
                if not self._is_noun(one) and " " not in text and self._chance():
                    return f"{text} {self.head}"
                return text if self._is_noun(one) else f"{self.head} {self._said(text)}"
            case Or(parts):
                return self._union(parts)
            case And(parts):
                return self._intersection(parts)
            case Minus(left, right):
                return self._difference(left, right)

    def _union(self, parts: Sequence[Expression]) -> str:
        if (ends := self._common(parts)) and self._may("shape:once"):
            start, middles, end = ends
            names = [name for name in JOINS if name != "and" or not start]
            head = "" if self._is_noun(parts[0]) else self.head
            return _words(head, start, self._joined(middles, names), end)
        if all(isinstance(part, Atom) and not self._is_noun(part) for part in parts):
            return f"{self.head} {self._modifiers(parts)}"
        texts = [self._inner(part) for part in self._shuffled(parts)]
        if any(" " not in text for text in texts):  # or else what follows would be said of it too
            texts.sort(key=lambda text: " " not in text)
        short = all(len(text.split()) < 3 and text.endswith("s") for text in texts)
        return self._joined(texts, [name for name in JOINS if name != "and" or short])

    def _modifiers(self, parts: Sequence[Expression]) -> str:
        """Modifiers of which one must fit, after a noun: "that are built with Qt or that use OpenGL"."""
        texts = [part.text for part in parts if isinstance(part, Atom)]
        if (ends := self._common(parts)) and self._may("shape:once"):
            start, middles, end = ends
            joined = self._joined(middles, ["or", "oxford", "or each", "either", "and/or"])
            return self._said(_words(start, joined, end))
        names = [name for name in JOINS if name not in ("plus", "and", "along with", "together with")]
        if all(not _is_clause(text) for text in texts) and self.rng.random() < 0.5:
            return f"that are {self._joined(texts, names)}"
        return self._joined([self._said(text) for text in texts], [name for name in names if "either" not in name])

    def _joined(self, texts: Sequence[str], names: Sequence[str] = tuple(JOINS)) -> str:
        last, rest = JOINS[self._one("join", list(names))]
        return last.format(rest.join(texts[:-1]), texts[-1])

    def _intersection(self, parts: Sequence[Expression]) -> str:
        ends = self._common(parts)
        if ends and ends[0] and self._may("shape:once both"):
            start, middles, end = ends
            both = "both " if self.rng.random() < 0.4 else ""
            return _words(start, both + _list(middles, "and", self.rng.random() < 0.5), end)
        ordered = sorted(self._shuffled(parts), key=self._place)
        first, *others = ordered
        text = self._inner(first)
        if not self._is_noun(first) and isinstance(first, Atom):
            text = f"{self.head} {self._said(first.text)}"
        plain = [part.text for part in others if isinstance(part, Atom)]
        if len(plain) == len(others) == 2 and all(not _is_clause(one) for one in plain) and self.rng.random() < 0.5:
            both = self.rng.choice(("both ", "also both ", ""))
            self.used.add("both:that are")
            word = self.rng.choice(("and", "and", "as well as"))
            return f"{text} that are {both}{plain[0]} {word} {plain[1]}"
        if len(others) == 2 and (ends := self._common(others)) and self._may("shape:once both"):
            start, middles, end = ends
            both = "both " if self._chance() else ""
            return _words(text, self._said(_words(start, both + _list(middles, "and", False), end)))
        for number, other in enumerate(others):
            text = self._also(text, other, number)
        return text

    def _also(self, text: str, other: Expression, number: int) -> str:
        """A noun phrase with one more constraint after it."""
        if isinstance(other, Atom) and _is_clause(other.text):
            return f"{text} {'and ' if number else ''}{other.text}"
        bare = isinstance(other, Atom) and not self._is_noun(other) and " " in other.text
        if isinstance(other, Atom) and bare and not number and self._may("shape:bare modifier"):
            return f"{text} {other.text}"
        if number:
            said = other.text if isinstance(other, Atom) else self._inner(other)
            return f"{text} {self.rng.choice(('and', 'and that are', 'and are also'))} {said}"
        name = self._one("both", [one for one in BOTH if one != "and also" or self._is_noun(other)])
        if isinstance(other, Or) and all(isinstance(part, Atom) for part in other.parts):
            texts = [part.text for part in other.parts if isinstance(part, Atom)]
            if not any(map(_is_clause, texts)):
                names = ("or", "oxford", "either", "or each", "either each")
                return BOTH["that are" if name == "and also" else name].format(text, self._joined(texts, names))
            return f"{text} {self._modifiers(other.parts)}"
        return BOTH[name].format(text, other.text if isinstance(other, Atom) else self._inner(other))

    def _difference(self, left: Expression, right: Expression) -> str:
        text = self.noun(left)
        match right:
            case Atom(out):
                return self._without(text, left, out)
            case Minus(Atom(out), Atom(kept)):
                return self._nested(text, out, kept)
            case Or(parts) if all(isinstance(part, Atom) and not _is_clause(part.text) for part in parts):
                texts = [part.text for part in parts if isinstance(part, Atom)]
                nouns = all(map(self._is_noun, parts))
                name = self._one("many", [name for name in MANY_OUT if nouns or "and" not in name])
                return MANY_OUT[name].format(text, ", ".join(texts[:-1]), texts[-1])
            case _:
                return LEFT_OUT[self._one("out", list(NOUNS_ONLY))].format(text, self._inner(right))

    def _without(self, text: str, left: Expression, out: str) -> str:
        last = left.parts[-1] if isinstance(left, And) else left
        if isinstance(last, Atom) and (ends := self._common((last, Atom(out)))) and self._may("shape:once"):
            start, middles, end = ends
            if start and not end and text.endswith(last.text):
                name = self._one("out", ["but not", ", but not", "except", "excluding", "not", "and not", "though not"])
                return LEFT_OUT[name].format(text, middles[1])
        found = re.fullmatch(r"([A-Z][a-z]+(?:an|ish|ese|ic)) (\w+)", out)
        if found and text.endswith(found[2]) and isinstance(left, Atom) and self._may("shape:non-"):
            return f"non-{found[1]} {text}"
        if out.startswith("with ") and self._may("shape:without"):
            return f"{text} without {out[5:]}"
        if _is_clause(out):
            verb = out.removeprefix("that ")
            return f"{text} {self.rng.choice(('that', 'but that', 'which'))} {self._do()} {verb}"
        if not self._is_noun(Atom(out)):
            name = self._one("out", [name for name in LEFT_OUT if name != "but no"])
            return LEFT_OUT[name].format(text, f"{self.rng.choice(('those', 'ones'))} {out}" if name in THOSE else out)
        wide = isinstance(left, Or)
        names = [name for name in LEFT_OUT if not wide or LEFT_OUT[name].startswith("{},")]
        return LEFT_OUT[self._one("out", names)].format(text, out)

    def _nested(self, text: str, out: str, kept: str) -> str:
        plain = not (_is_clause(out) or _is_clause(kept))
        pattern = NESTED[self._one("nested", list(NESTED) if plain else ["unless"])]
        if not self._is_noun(Atom(out)) and "that are not {}" not in pattern.partition("{}")[2][:17]:
            out = f"those {out}"
        they = "they are " if pattern.endswith("unless {}") and plain and self._chance() else ""
        return pattern.format(text, out, they + kept.removeprefix("that "))

    def _inner(self, part: Expression) -> str:
        """A part within a larger phrase: in parentheses where it would not hold together."""
        text = self.noun(part)
        return f"({text})" if not isinstance(part, Atom) and self.rng.random() < 0.3 else text

    def _said(self, modifier: str) -> str:
        if _is_clause(modifier) or (" " in modifier and not self._may("shape:that are modifier")):
            return modifier
        return f"that are {modifier}"

    def _common(self, parts: Sequence[Expression]) -> tuple[str, list[str], str] | None:
        """What atoms begin and end with in common, and what differs; None where nothing can be said once."""
        if not all(isinstance(part, Atom) for part in parts):
            return None
        split = [part.text.split() for part in parts if isinstance(part, Atom)]
        start = _alike(split)
        while start and split[0][start - 1].lower() in ("the", "a", "and"):
            start -= 1
        end = _alike([words[start:][::-1] for words in split])
        clause = split[0][0] == "that" and start > 1
        if start and split[0][start - 1].lower() not in _PREPOSITIONS and not end and not clause:
            return None
        if start > 1 and split[0][start - 1].lower() in _PREPOSITIONS and self._may("shape:once again"):
            start -= 1
        middles = [" ".join(words[start : len(words) - end]) for words in split]
        if any(middle.split()[-1:] and middle.split()[-1].lower() in _PREPOSITIONS for middle in middles):
            return None
        if not (start or end) or not all(middles) or (start == 1 and split[0][0] == "that"):
            return None
        return " ".join(split[0][:start]), middles, " ".join(split[0][len(split[0]) - end :])

    def _is_noun(self, part: Expression) -> bool:
        return not isinstance(part, Atom) or self.kinds.get(part.text, NOUN) == NOUN

    def _place(self, part: Expression) -> int:
        """Nouns stand first, then what is put together, then modifiers."""
        return 1 if not isinstance(part, Atom) else 0 if self._is_noun(part) else 2

    def _shuffled(self, parts: Sequence[Expression]) -> list[Expression]:
        return self.rng.sample(list(parts), len(parts))

    def _do(self) -> str:
        return self.rng.choice(("don't", "do not", "cannot", "can't"))

    def _chance(self) -> bool:
        return self.rng.random() < 0.5

    def _may(self, pattern: str) -> bool:
        if pattern not in self.patterns or not self._chance():
            return False
        self.used.add(pattern)
        return True

    def _one(self, kind: str, names: Sequence[str]) -> str:
        """A pattern of a kind among those that may be used."""
        allowed = [name for name in names if f"{kind}:{name}" in self.patterns] or names[:1]
        name = self.rng.choice(list(allowed))
        self.used.add(f"{kind}:{name}")
        return name


_PREPOSITIONS = frozenset("of in by from about on with for at to as starring featuring during that".split())


def _is_clause(text: str) -> bool:
    return text.startswith("that ")


def _alike(rows: Sequence[Sequence[str]]) -> int:
    """How many words all rows begin with, leaving one of each at least."""
    most = min(len(row) for row in rows) - 1
    return next((at for at in range(most) if len({row[at] for row in rows}) > 1), most)


def _words(*texts: str) -> str:
    return " ".join(text for text in texts if text)


def _list(texts: Sequence[str], word: str, oxford: bool) -> str:
    comma = "," if oxford and len(texts) > 2 else ""
    return f"{', '.join(texts[:-1])}{comma} {word} {texts[-1]}"
