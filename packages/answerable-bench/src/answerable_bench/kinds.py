"""What a page is about, from its first sentence: "X is a TYPE ..."; the place of Wikidata's types (appendix D.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from answerable_bench.names import ORGANISATION, OTHER, PERSON, PLACE, WORK

_COPULA = re.compile(
    r"\b(?P<verb>is|was|are|were) (?:(?P<one>(?:an?|the)|one of (?:the|[A-Z]\w+['’]s)) )?(?P<rest>[^.;]{3,300})"
)
_STOP = re.compile(
    r",| (?:that|who|which|whose|where|when|in|of|from|for|by|with|at|on|to|and|as|or|between|near|under|founded|based|"
    r"located|situated|born|known|written|directed|produced|released|published|created|developed|starring|owned|"
    r"operated|named|made|set|used|headquartered|serving|consisting|featuring|performed|recorded|held|designed) | \("
)
_OPENING = 200
_MORE = 4  # words beside the title before the verb: the other names of a person, "The"
_SORTS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (sort, frozenset(words.split()))
    for sort, words in (
        (
            PERSON,
            "actor actress politician player footballer singer writer author director producer "
            "businessman businesswoman "
            "lawyer journalist musician composer scientist economist professor officer executive coach novelist poet "
            "artist model engineer physicist mathematician historian philosopher general admiral judge attorney banker "
            "entrepreneur investor president king queen bishop priest wrestler boxer racer driver cricketer swimmer "
            "athlete rapper comedian screenwriter photographer architect painter activist diplomat soldier aviator "
            "songwriter guitarist drummer dancer philanthropist theologian designer cyclist golfer sprinter chemist "
            "physician psychologist academic anchor host person man woman statesman civil servant",
        ),
        (
            ORGANISATION,
            "company corporation bank firm utility university college school agency organization organisation "
            "association newspaper magazine party club team band group institute foundation museum "
            "commission department "
            "league conference network station channel airline brand manufacturer publisher label retailer chain "
            "subsidiary conglomerate supplier provider broadcaster society union army council ministry "
            "institution church "
            "hospital library orchestra business stadium arena airport exchange",
        ),
        (
            PLACE,
            "city town village county state country province region district municipality capital river lake mountain "
            "island community neighborhood suburb borough township area park census-designated unincorporated street "
            "highway valley bay peninsula building skyscraper hotel bridge dam castle commune place",
        ),
        (
            WORK,
            "film movie album song single novel book series show sitcom episode play musical opera game comic manga "
            "anime soundtrack ep documentary poem painting program television drama miniseries",
        ),
    )
)
_NOT_TYPES = frozenset("one name term word list part kind type form set member number series use end way".split())


@dataclass(frozen=True, slots=True)
class Kind:
    """What a page says its subject is: `noun` "company", `sort` as in `names`, and the description after "is a"."""

    noun: str
    sort: str
    description: str
    was: bool


def kind_of(title: str, text: str) -> Kind | None:
    """The kind of a page by its opening; None where the page does not say "X is a TYPE" of its own title."""
    match = _COPULA.search(text[: _OPENING + 300])
    if match is None or match.start() > _OPENING or not _names_subject(title, text[: match.start()]):
        return None
    rest = match["rest"].strip()
    stop = _STOP.search(rest + " (")
    phrase = rest[: stop.start()] if stop else rest
    words = re.findall(r"[A-Za-z][\w'’-]*", phrase)
    if not words or not match["one"] or len(words) > 8:
        return None
    noun = words[-1].lower()
    if match["one"].startswith("one of"):
        noun = noun[:-3] + "y" if noun.endswith("ies") else noun.removesuffix("s")
    odd = sort_of(noun) == OTHER and noun.endswith(("ed", "ing"))
    if not noun.isascii() or len(noun) < 3 or noun in _NOT_TYPES or odd:
        return None
    described = f"one of {match['one'][7:]} {rest}" if match["one"].startswith("one of") else rest
    return Kind(noun, sort_of(noun), described, match["verb"] in ("was", "were"))


def sort_of(noun: str) -> str:
    """The sort of thing a type noun stands for."""
    return next((sort for sort, nouns in _SORTS if noun in nouns), OTHER)


def _names_subject(title: str, before: str) -> bool:
    """Whether what stands before the verb is the title, with a few words more: the sentence is about the subject."""
    words = re.findall(r"\w+", re.sub(r"\s*\([^()]*\)$", "", title).lower())
    said = re.findall(r"\w+", re.sub(r"\([^()]*\)", " ", before).lower())
    return bool(words) and set(words) <= set(said) and len(said) <= len(words) + _MORE
