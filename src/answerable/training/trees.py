"""Trees to learn parsing from: drawn over atoms of three sources and said in words, and marked queries of QUEST.

Atoms are kept apart by a hash of their words: those of a share of `HELD` or more are only ever held out, and of QUEST
those that are marked in its validation part alone. Held out too are the patterns of phrasing that
`evaluation.set_phrasing.HELD_OUT` names.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from answerable.datasets.parts import share
from answerable.evaluation.set_phrasing import HEADS, HELD_OUT, MODIFIER, NOUN, PATTERNS, phrased
from answerable.sets.expression import And, Atom, Expression, Minus, Or

_NOUNS = (
    "hotels restaurants schools bridges towers letters emails tickets orders recipes salads breads sauces "
    "desserts beers  songs albums concerts painters poets sculptors engineers lawyers trains ships cars bicycles "
    "phones laptops printers  papers theses lectures courses festivals markets parks mountains rivers villages "
    "harbours gardens spiders lizards  roses mushrooms grasses eagles ducks horses cats virtues diseases vaccines "
    "proteins stars comets mines factories  treaties statutes judgments patents licences policies budgets "
    "interviews essays sonnets fables comics puzzles toys"
).split()
_ADJECTIVES = (
    "old new cheap rare famous German Polish Chilean Kenyan wooden modern medieval electric public private local "
    "annual  seasonal tropical digital open portable early late edible"
).split()
_STATES = (
    "open closed cheap rare endangered edible anonymous published unfinished electric vegetarian signed approved "
    "rejected retired fictional famous Danish Turkish public blue round overdue poisonous"
).split()
_PLACES = (
    "Lyon|Turin|Kyoto|Peru|Ghana|Tunisia|New Zealand|the Alps|the Netherlands|South Carolina|northern Greece|"
    "Oslo|the Baltic Sea|Lake Geneva|Bavaria|Sri Lanka|the Faroe Islands|Quebec|Cornwall|Iran|the Black Sea|"
    "Lower Saxony"
).split("|")
_PEOPLE = (
    "Dora|Mr Keller|Edith Wharton|Goethe|Mary Shelley|T. S. Eliot|Bach|Leonora Carrington|the council|Nokia|"
    "Ada Lovelace|the finance team|Tolstoy|Frida Kahlo|J. M. Synge|Initech|Hardy|Woolf|Proust|Kafka|Borges|"
    "Liszt|Chopin|Klimt|Darwin|Curie|Newton|Brecht|Neruda"
).split("|")
_TOPICS = (
    "taxes|friendship|chess|slavery|solar energy|football|machine translation|the sea|grammar|migration|"
    "the plague|bees|artificial intelligence|water rights|jealousy|opera|trade unions|sleep"
).split("|")
_THINGS = (
    "balconies|footnotes|walnuts|gears|diagrams|a garden|an index|red leaves|short wings|a terrace|wheels|"
    "subtitles|thorns|sails|a warranty|milk|pepper|touch screens|photographs"
).split("|")
_VERBS = "that contain|that mention|that need|that support|that have|that eat|that cover|that produce|that cite".split(
    "|"
)
_MADE = ("built in|written in|signed by|painted by|published by|found in|grown in|held in|sold in|named after").split(
    "|"
)
_KINDS = (
    "cloud storage|tape storage|disk storage|white wine|red wine|night trains|sea fish|river fish|"
    "goat cheese|cow cheese"
)
_YEARS = tuple(map(str, range(1850, 2024, 7)))


def plain_atoms(count: int, seed: int = 5) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """About `count` nouns and as many modifiers, many of which begin or end alike."""
    rng = random.Random(seed)
    nouns: dict[str, None] = dict.fromkeys(_NOUNS)
    modifiers: dict[str, None] = dict.fromkeys(_STATES)
    for _ in range(2 * count):
        nouns[_noun(rng)] = None
    for _ in range(20 * count):
        modifiers[_modifier(rng)] = None
    return tuple(nouns), tuple(modifiers)


def _noun(rng: random.Random) -> str:
    noun = rng.choice(_NOUNS[:24] if rng.random() < 0.5 else _NOUNS)
    if rng.random() < 0.3:
        noun = f"{rng.choice(_ADJECTIVES)} {noun}"
    if rng.random() < 0.25:
        return noun
    places = (("of", _PLACES), ("in", _PLACES), ("from", _PLACES))
    opening, ones = _choice(rng, (*places, ("by", _PEOPLE), ("about", _TOPICS)))
    return f"{noun} {opening} {rng.choice(ones)}"


def _modifier(rng: random.Random) -> str:
    verb, made = rng.choice(_VERBS), rng.choice(_MADE)
    whom = _PEOPLE if made.endswith(("by", "after")) else _PLACES
    opening, ones = _choice(
        rng,
        (
            ("in", _PLACES),
            ("about", _TOPICS),
            ("with", _THINGS),
            ("with", _THINGS),
            (verb, _THINGS),
            (verb, _THINGS),
            (verb, _KINDS.split("|")),
            (made, whom),
            ("by", _PEOPLE),
            ("before", _YEARS),
            ("of", tuple(f"the {year[:3]}0s" for year in _YEARS)),
        ),
    )
    return f"{opening} {rng.choice(ones)}"


def _choice(rng: random.Random, ones: Sequence[tuple[str, Sequence[str]]]) -> tuple[str, Sequence[str]]:
    return rng.choice(list(ones))


HELD = 0.75
_MARKED = re.compile(r"<mark>(.*?)</mark>")
_SHAPES: Mapping[str, float] = {
    "A": 0.08,
    "A or B": 0.15,
    "A and B": 0.17,
    "A minus B": 0.13,
    "A or B or C": 0.10,
    "A and B and C": 0.09,
    "A and B minus C": 0.10,
    "(A or B) minus C": 0.05,
    "A and (B or C)": 0.04,
    "A minus (B or C)": 0.05,
    "A minus (B minus C)": 0.04,
}


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
    for row in map(json.loads, path.read_text("utf8").splitlines()):
        found[row["domain"]] |= dict.fromkeys(_MARKED.findall(row["original_query"]))
    return {domain: list(texts) for domain, texts in sorted(found.items())}


def marks(path: Path) -> Iterator[Said]:
    """QUEST's queries with the trees that people put into words (Malaviya et al. 2023, section 3.3.1)."""
    for row in map(json.loads, path.read_text("utf8").splitlines()):
        parts = [Atom(text) for text in _MARKED.findall(row["original_query"])]
        yield Said(row["query"], _templated(row["template"], parts), True)


def _templated(template: str, parts: Sequence[Atom]) -> Expression:
    if len(parts) == 1:
        return parts[0]
    if " or " in template:
        return Or(tuple(parts))
    if template == "_ that are not _":
        return Minus(*parts)
    if "but not" in template:
        return Minus(And(tuple(parts[:2])), parts[2])
    return And(tuple(parts))


def films(path: Path) -> Pool:
    """Genres as nouns; years, decades and casts as modifiers."""
    nouns: dict[str, None] = {}
    modifiers: dict[str, None] = {}
    with gzip.open(path, "rt", encoding="utf8") as file:
        for number, row in enumerate(map(json.loads, file)):
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
    return [_drawn(rng.choice(pools), rng, patterns) for _ in range(count)]


def unseen(pools: Sequence[Pool], count: int, seed: int) -> list[Said]:
    """The same with unseen patterns alone where a choice is between patterns, and each with one at least."""
    rng = random.Random(seed)
    found: list[Said] = []
    allowed = HELD_OUT | {one for one in PATTERNS if one.startswith(("shape:", "open:plain"))}
    while len(found) < count:
        pool = rng.choice(pools)
        tree, kinds = tree_of(pool, rng)
        said = phrased(tree, rng, kinds, allowed, pool.heads)
        if said.used & HELD_OUT:
            found.append(Said(said.text, tree))
    return found


def _drawn(pool: Pool, rng: random.Random, patterns: frozenset[str]) -> Said:
    tree, kinds = tree_of(pool, rng)
    return Said(phrased(tree, rng, kinds, patterns, pool.heads).text, tree)


def tree_of(pool: Pool, rng: random.Random) -> tuple[Expression, Mapping[str, str]]:
    """A tree of one of the shapes over atoms of a pool, and the kinds of its atoms."""
    shape = rng.choices(list(_SHAPES), list(_SHAPES.values()))[0]
    kinds = dict.fromkeys(pool.nouns, NOUN) | dict.fromkeys(pool.modifiers, MODIFIER)
    names = [letter for letter in "ABC" if letter in shape]
    chosen: list[str] = []
    by_start = _starts(pool.nouns)
    by_opening = _starts(pool.modifiers)
    for letter in names:
        noun = not pool.modifiers or _noun_wanted(shape, letter, chosen, kinds, rng)
        near = by_start if noun else by_opening
        one = _next(pool.nouns if noun else pool.modifiers, near, chosen, rng)
        chosen.append(one)
    a, b, c = (Atom(text) for text in [*chosen, "", ""][:3])
    made: Mapping[str, Expression] = {
        "A": a,
        "A or B": Or((a, b)),
        "A and B": And((a, b)),
        "A minus B": Minus(a, b),
        "A or B or C": Or((a, b, c)),
        "A and B and C": And((a, b, c)),
        "A and B minus C": Minus(And((a, b)), c),
        "(A or B) minus C": Minus(Or((a, b)), c),
        "A and (B or C)": And((a, Or((b, c)))),
        "A minus (B or C)": Minus(a, Or((b, c))),
        "A minus (B minus C)": Minus(a, Minus(b, c)),
    }
    return made[shape], kinds


def _noun_wanted(shape: str, letter: str, chosen: Sequence[str], kinds: Mapping[str, str], rng: random.Random) -> bool:
    """Whether an atom should be a noun: the first mostly; others of a union like it; what limits a noun, seldom."""
    if letter == "A":
        return rng.random() < 0.85
    if shape.startswith(("A or", "(A or")) and letter in ("B", "C") and not (shape.startswith("(") and letter == "C"):
        return rng.random() < 0.9 if kinds[chosen[0]] == NOUN else rng.random() < 0.05
    if "(B or C)" in shape and letter == "C":
        return kinds[chosen[1]] == NOUN
    return rng.random() < (0.5 if "minus" in shape and letter == names_last(shape) else 0.15)


def names_last(shape: str) -> str:
    """The last atom of a shape."""
    return max(letter for letter in "ABC" if letter in shape)


def _next(names: Sequence[str], near: Mapping[str, Sequence[str]], chosen: Sequence[str], rng: random.Random) -> str:
    """An atom not chosen yet, half the time one that begins or ends like the last."""
    for _ in range(20):
        like = near.get(rng.choice(_ends(chosen[-1])), ()) if chosen and rng.random() < 0.6 else ()
        one = rng.choice(list(like) or list(names))
        if one not in chosen:
            return one
    return rng.choice(list(names))


def _starts(names: Sequence[str]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for name in names:
        for end in _ends(name):
            found[end].append(name)
    return found


def _ends(name: str) -> list[str]:
    words = name.split()
    return [" ".join(words[:2]), f"... {words[-1]}"] if len(words) > 1 else [name]
