"""Names in mail by rule, and what sort of thing each names; what a page is about, from its first sentence.

Runs of words with a capital stand where the paper uses an entity tagger, and "X is a TYPE ..." in the place of
Wikidata's types (appendix D.2). It needs no model; what it takes for a name is cheap to doubt, since only names that
come often and mean one thing go on.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import getaddresses
from pathlib import Path
from typing import Any

from answerable_bench.grammar import HEADER

PERSON, ORGANISATION, PLACE, PROJECT, WORK, OTHER = "person", "organisation", "place", "project", "work", "other"
"""Sorts of things. `work` is a film, a book and the like, `project` what a firm gives a name to."""

_WORD = r"(?:(?:Mc|Mac|O['’]|De|La)?[A-Z][a-zà-ÿ]+(?:[-'’][A-Z][a-zà-ÿ]+)*|[A-Z]{2,}s?|[A-Z]\.|[A-Z][a-z]+[A-Z]\w+)"
_LINK = r"(?: (?:of the|of|for|de|la|von|van|der) | ?& ?| )"
_RUN = re.compile(
    rf"(?<![\w@.'’-]){_WORD}(?:{_LINK}{_WORD}(?![\w@]))*(?:,? (?:Inc|Corp|Co|Ltd|LLC|LP|L\.P|L\.L\.C)\b\.?)?"
)
_INITIAL = re.compile(r"(?<= )[A-Z]\.? (?=[A-Z])")

_WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("names.toml").read_text("utf-8"))


def _sets(table: Mapping[str, str]) -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in table.items()}


_EDGE, _WHOLE, _NEITHER, _NOT_TYPES = (
    frozenset(_WORDS[name].split()) for name in ("edge", "whole", "neither", "no_types")
)
_ENDINGS, _NEAR, _SORTS = (_sets(_WORDS[name]) for name in ("endings", "beside", "nouns"))


@dataclass(frozen=True, slots=True)
class Name:
    """Characters [start, end) of a text that look like a name."""

    start: int
    end: int
    text: str


def key(name: str) -> str:
    """What two ways of writing one name share: case, marks and single letters in the middle do not count."""
    words = re.findall(r"[\w&]+", _INITIAL.sub("", name).lower())
    return " ".join(word for i, word in enumerate(words) if len(word) > 1 or i in (0, len(words) - 1))


def find_names(text: str) -> list[Name]:
    """The names in a text, in order, none inside another.

    A single word that opens a sentence or a line is none, and words that only link sentences are cut off the ends.
    """
    found = []
    pieces = [piece for match in _RUN.finditer(text) for piece in _pieces(text, match.start(), match.end())]
    for begin, stop in pieces:
        start, end = _trimmed(text, begin, stop)
        name = text[start:end]
        if len(name) < 3 or (" " not in name and (name.lower() in _EDGE or _opens(text, start))):
            continue
        if name.isupper() and (" " in name or len(name) > 6):
            continue  # a heading, or shouting
        found.append(Name(start, end, name))
    return found


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A run cut where "of" and "for" part two names: "Jane Roe of Acme" is two, "Port of Bergen" one."""
    for link in re.finditer(r" (?:of the|of|for) ", text[start:end]):
        head = text[start : start + link.start()].rpartition(" ")[2].lower()
        if head not in _WHOLE:
            yield start, start + link.start()
            yield from _pieces(text, start + link.end(), end)
            return
    yield start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    words = [(m.start() + start, m.end() + start) for m in re.finditer(r"\S+", text[start:end])]
    plain = [text[a:b].strip(".,'’").lower() for a, b in words]
    first, last = 0, len(words)
    while first < last and plain[first] in _EDGE:
        first += 1
    while last > first and plain[last - 1] in _EDGE:
        last -= 1
    return (words[first][0], words[last - 1][1]) if first < last else (start, start)


def _opens(text: str, start: int) -> bool:
    before = text[max(0, start - 12) : start].rstrip(" \"“'(*")
    return not before or before[-1] in ".!?:;\n->•"


def people(text: str) -> list[str]:
    """The people in the header lines of a mail's first passage."""
    header = HEADER.match(text)
    if header is None:
        return []
    found = [pair for field in ("sender", "to") for pair in getaddresses([header[field]])]
    return [name for name, address in found if _is_person(name, address)]


def _is_person(name: str, address: str) -> bool:
    """Whether a name in a header is of two to four words, the last of which the address has too."""
    words = name.replace(".", "").split()
    alike = 2 <= len(words) <= 4 and all(word.isalpha() and word[0].isupper() for word in words)
    return alike and words[-1].lower() in address.lower().partition("@")[0]


def sort_by_form(name: str) -> str:
    """The sort that a name's own words tell; `other` where they do not."""
    words = key(name).split(" ")
    if words[0] == "project" and len(words) > 1:
        return PROJECT
    return next((sort for sort, endings in _ENDINGS.items() if words[-1] in endings), OTHER)


class Sorts:
    """What sort of thing a private name means: by the headers of the mails, its last word, and the words beside it."""

    def __init__(self, headers: Iterable[str]) -> None:
        """Know the people of these headers: the texts of all first passages."""
        self.people: set[str] = set()
        given: Counter[str] = Counter()
        for text in headers:
            for name in people(text):
                if (own := key(name)) not in self.people:
                    self.people.add(own)
                    given[own.split(" ")[0]] += 1
        self._given = {name for name, count in given.items() if count > 1}

    def of(self, name: str, beside: Counter[str]) -> str:
        """The sort of a name; `beside` counts the words next to where it stands."""
        words = key(name).split(" ")
        if " ".join(words) in self.people:
            return PERSON
        if (sort := sort_by_form(name)) != OTHER or words[-1] in _NEITHER:
            return sort
        if 2 <= len(words) <= 3 and words[0] in self._given:
            return PERSON
        scores = {sort: sum(beside[word] for word in near) for sort, near in _NEAR.items()}
        best = max(scores, key=lambda sort: scores[sort])
        return best if scores[best] >= 3 and scores[best] * 10 >= beside.total() / 4 else OTHER


_COPULA = re.compile(
    r"\b(?:is|was|are|were) (?:(?P<one>(?:an?|the)|one of (?:the|[A-Z]\w+['’]s)) )?(?P<rest>[^.;]{3,300})"
)
_STOP = re.compile(
    r",| (?:that|who|which|whose|where|when|in|of|from|for|by|with|at|on|to|and|as|or|between|near|under|founded|based|"
    r"located|situated|born|known|written|directed|produced|released|published|created|developed|starring|owned|"
    r"operated|named|made|set|used|headquartered|serving|consisting|featuring|performed|recorded|held|designed) | \("
)
_OPENING = 200
_MORE = 4  # words beside the title before the verb: the other names of a person, "The"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a page says its subject is: `noun` "company", `sort` as in `names`."""

    noun: str
    sort: str


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
    return Kind(noun, sort_of(noun))


def sort_of(noun: str) -> str:
    """The sort of thing a type noun stands for."""
    return next((sort for sort, nouns in _SORTS.items() if noun in nouns), OTHER)


def _names_subject(title: str, before: str) -> bool:
    """Whether what stands before the verb is the title, with a few words more: the sentence is about the subject."""
    words = re.findall(r"\w+", re.sub(r"\s*\([^()]*\)$", "", title).lower())
    said = re.findall(r"\w+", re.sub(r"\([^()]*\)", " ", before).lower())
    return bool(words) and set(words) <= set(said) and len(said) <= len(words) + _MORE
