"""Trees to learn parsing from: drawn over atoms of three sources and said in words, and marked queries of QUEST.

Atoms are kept apart by a hash of their words: those of a share of `HELD` or more are only ever held out, and of QUEST
those that are marked in its validation part alone. Held out too are the patterns of phrasing that
`evaluation.set_phrasing.HELD_OUT` names.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from answerable.datasets.parts import share
from answerable.datasets.records import lines
from answerable.datasets.retrieval import quest
from answerable.evaluation.set_phrasing import HEADS, HELD_OUT, MODIFIER, NOUN, PATTERNS, phrased
from answerable.evaluation.sets.meaning import meant
from answerable.sets.expression import And, Atom, Expression, Minus, Or, read_expression
from answerable.training.reading import lines_of
from answerable.training.words import WORDS

QUERIES = Path(__file__).resolve().parents[3] / "recipes/lessons/queries.jsonl.gz"

_ATOMS = WORDS["atoms"]
_YEARS = tuple(map(str, range(1850, 2024, 7)))


def plain_atoms(count: int, seed: int = 5) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """About `count` nouns and as many modifiers, many of which begin or end alike."""
    rng = random.Random(seed)
    nouns: dict[str, None] = dict.fromkeys(_ATOMS["nouns"])
    modifiers: dict[str, None] = dict.fromkeys(_ATOMS["states"])
    for _ in range(2 * count):
        nouns[_noun(rng)] = None
    for _ in range(20 * count):
        modifiers[_modifier(rng)] = None
    return tuple(nouns), tuple(modifiers)


def _noun(rng: random.Random) -> str:
    noun = rng.choice(_ATOMS["nouns"][:24] if rng.random() < 0.5 else _ATOMS["nouns"])
    if rng.random() < 0.3:
        noun = f"{rng.choice(_ATOMS['adjectives'])} {noun}"
    if rng.random() < 0.25:
        return str(noun)
    opening, ones = rng.choice(
        (("of", "places"), ("in", "places"), ("from", "places"), ("by", "people"), ("about", "topics"))
    )
    return f"{noun} {opening} {rng.choice(_ATOMS[ones])}"


def _modifier(rng: random.Random) -> str:
    verb, made = rng.choice(_ATOMS["verbs"]), rng.choice(_ATOMS["made"])
    whom = "people" if made.endswith(("by", "after")) else "places"
    of_things = (("with", "things"), ("with", "things"), (verb, "things"), (verb, "things"), (verb, "kinds"))
    opening, ones = rng.choice(
        (("in", "places"), ("about", "topics"), *of_things, (made, whom), ("by", "people"), ("before", ""), ("of", ""))
    )
    if ones:
        return f"{opening} {rng.choice(_ATOMS[ones])}"
    year = rng.choice(_YEARS)
    return f"before {year}" if opening == "before" else f"of the {year[:3]}0s"


HELD = 0.75
_MARKED = re.compile(r"<mark>(.*?)</mark>")
_SHAPES: Mapping[str, tuple[float, Callable[[Atom, Atom, Atom], Expression]]] = {
    "A": (0.08, lambda a, b, c: a),
    "A or B": (0.15, lambda a, b, c: Or((a, b))),
    "A and B": (0.17, lambda a, b, c: And((a, b))),
    "A minus B": (0.13, lambda a, b, c: Minus(a, b)),
    "A or B or C": (0.10, lambda a, b, c: Or((a, b, c))),
    "A and B and C": (0.09, lambda a, b, c: And((a, b, c))),
    "A and B minus C": (0.10, lambda a, b, c: Minus(And((a, b)), c)),
    "(A or B) minus C": (0.05, lambda a, b, c: Minus(Or((a, b)), c)),
    "A and (B or C)": (0.04, lambda a, b, c: And((a, Or((b, c))))),
    "A minus (B or C)": (0.05, lambda a, b, c: Minus(a, Or((b, c)))),
    "A minus (B minus C)": (0.04, lambda a, b, c: Minus(a, Minus(b, c))),
}
"""How often a shape is drawn, and the tree that it is."""


@dataclass(frozen=True, slots=True)
class Said:
    """A query and its tree. `marked`: a tree of other words than the query's, which a person put into words."""

    query: str
    tree: Expression
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Pool:
    """Atoms of one source by kind, and the nouns that may stand before its modifiers."""

    nouns: tuple[str, ...]
    modifiers: tuple[str, ...]
    heads: tuple[str, ...] = HEADS

    def part(self, held: bool) -> Pool:
        """The atoms that are held out, or those that are not."""
        nouns, modifiers = (
            tuple(one for one in ones if (share(one.casefold()) >= HELD) == held)
            for ones in (self.nouns, self.modifiers)
        )
        return Pool(nouns, modifiers, self.heads)


def pools(data: Path, held: bool) -> list[Pool]:
    """The atoms to learn from, or those held out: of Debian's categories, everyday searches, QUEST's marks and films.

    Marked queries are learned from whole, so that what is held out of QUEST are marks of its validation part alone.
    """
    rows = json.loads((data / "debian/categories.json").read_text("utf8")).values()
    names = {kind: tuple(one["name"] for one in rows if one["kind"] == kind) for kind in (NOUN, MODIFIER)}
    plain = Pool(*plain_atoms(450), ("things", "ones", "documents", "items")).part(held)
    known = _domains(data / "quest/train.jsonl")
    if held:
        seen = {text for texts in known.values() for text in texts}
        new = _domains(data / "quest/val.jsonl")
        marked = [Pool(tuple(text for text in texts if text not in seen), ()) for texts in new.values()]
    else:
        marked = [Pool(tuple(texts), ()).part(held) for texts in known.values()]
    debian, movies = Pool(names[NOUN], names[MODIFIER]).part(held), films(data / "quest/films.jsonl.gz").part(held)
    return [debian, plain, plain, *marked, movies]


def _domains(path: Path) -> dict[str, list[str]]:
    """The marked atoms of each domain, once."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for row in lines_of(path):
        found[row["domain"]] |= dict.fromkeys(_MARKED.findall(row["original_query"]))
    return {domain: list(texts) for domain, texts in sorted(found.items())}


def marks(path: Path) -> Iterator[Said]:
    """QUEST's queries with the trees that people put into words (Malaviya et al. 2023, section 3.3.1)."""
    for example in quest(path):
        if (tree := meant(example)) is not None:
            yield Said(example.question, tree, True)


def written(path: Path = QUERIES) -> Iterator[Said]:
    """Queries written as people type them, each with its tree in the query's own words."""
    for row in lines(path):
        yield Said(row.text("query"), read_expression(row.text("expression")), True)


def films(path: Path) -> Pool:
    """Genres as nouns; years, decades and casts as modifiers."""
    nouns: dict[str, None] = {}
    modifiers: dict[str, None] = {}
    for number, row in enumerate(lines_of(path)):
        for genre in row["genres"] if number % 5 == 0 else ():
            name = genre.lower()
            nouns.setdefault("comedies" if name == "comedy" else "dramas" if name == "drama" else f"{name} films")
            if number % 20 == 0:
                nouns.setdefault(f"{name} films {('of', 'from')[number % 40 // 20]} the {row['year'] // 10 * 10}s")
        if number % 10 == 0:
            modifiers.setdefault(f"from {row['year']}")
            modifiers.setdefault(f"of the {row['year'] // 10 * 10}s")
            modifiers.setdefault(f"from the {row['year'] // 10 * 10}s")
        if number % 20 == 0 and row["cast"] and len(row["cast"][0].split()) in (2, 3):
            opens = ("starring", "with", "featuring")[number // 20 % 3]
            modifiers.setdefault(f"{opens} {row['cast'][0]}")
        title = row["title"]
        if " and " in title and title.count(" ") < 4 and number % 2 == 0:
            nouns.setdefault(f"{('remakes of', 'films like', 'sequels to')[number // 2 % 3]} {title}")
    pairs = ("Laurel and Hardy", "Abbott and Costello", "Martin and Lewis", "Astaire and Rogers", "Key and Peele")
    for pair in pairs:
        modifiers |= dict.fromkeys(f"{opens} {pair}" for opens in ("with", "starring", "by"))
    return Pool(tuple(nouns), tuple(modifiers), ("films", "movies", "films"))


def drawn(pools: Sequence[Pool], count: int, seed: int, patterns: frozenset[str] = PATTERNS - HELD_OUT) -> list[Said]:
    """Trees over atoms of the pools, each in words."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        pool = rng.choice(pools)
        tree, kinds = tree_of(pool, rng)
        found.append(Said(phrased(tree, rng, kinds, patterns, pool.heads).text, tree))
    return found


def tree_of(pool: Pool, rng: random.Random) -> tuple[Expression, Mapping[str, str]]:
    """A tree of one of the shapes over atoms of a pool, and the kinds of its atoms."""
    shape = rng.choices(list(_SHAPES), [often for often, _ in _SHAPES.values()])[0]
    kinds = dict.fromkeys(pool.nouns, NOUN) | dict.fromkeys(pool.modifiers, MODIFIER)
    chosen: list[str] = []
    for letter in sorted(set(shape) & {*"ABC"}):
        noun = not pool.modifiers or _noun_wanted(shape, letter, chosen, kinds, rng)
        chosen.append(_next(pool.nouns if noun else pool.modifiers, chosen, rng))
    a, b, c = (Atom(text) for text in [*chosen, "", ""][:3])
    return _SHAPES[shape][1](a, b, c), kinds


def _noun_wanted(shape: str, letter: str, chosen: Sequence[str], kinds: Mapping[str, str], rng: random.Random) -> bool:
    """Whether an atom should be a noun: the first mostly; others of a union like it; what limits a noun, seldom."""
    if letter == "A":
        return rng.random() < 0.85
    if shape.startswith(("A or", "(A or")) and letter in ("B", "C") and not (shape.startswith("(") and letter == "C"):
        return rng.random() < 0.9 if kinds[chosen[0]] == NOUN else rng.random() < 0.05
    if "(B or C)" in shape and letter == "C":
        return kinds[chosen[1]] == NOUN
    return rng.random() < (0.5 if "minus" in shape and letter == max(set(shape) & {*"ABC"}) else 0.15)


def _next(names: tuple[str, ...], chosen: Sequence[str], rng: random.Random) -> str:
    """An atom not chosen yet, half the time one that begins or ends like the last."""
    near = _alike(names)
    for _ in range(20):
        like = near.get(rng.choice(_ends(chosen[-1])), ()) if chosen and rng.random() < 0.6 else ()
        one = rng.choice(like or names)
        if one not in chosen:
            return one
    return rng.choice(names)


@lru_cache(64)
def _alike(names: tuple[str, ...]) -> Mapping[str, Sequence[str]]:
    """Names by how they begin and end."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in names:
        for end in _ends(name):
            found[end].append(name)
    return found


def _ends(name: str) -> list[str]:
    words = name.split()
    return [" ".join(words[:2]), f"... {words[-1]}"] if len(words) > 1 else [name]
