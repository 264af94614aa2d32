"""Atoms of everyday searches, put together from lists: for learning to parse, beside those of the data sets."""

from __future__ import annotations

import random
from collections.abc import Sequence

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
