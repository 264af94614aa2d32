"""Questions put plainly: what only leads up to a question left out, the word it asks with first, set phrases as one
word, so that the rules compare what is asked and not how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache

from answerable.qapairs.equivalence.asked import WH
from answerable.qapairs.equivalence.forms import Word, base, read
from answerable.qapairs.equivalence.lexicon import AUXILIARIES, PREPOSITIONS

_LEADS = frozenset(
    "can could would will do does did you we i me please tell know remind say wonder want to like explain us just let "
    "anyone anybody somebody idea have any so and is it known".split()
)
"""Words of "can you tell me", before the word that a question asks with."""
_SAYING = frozenset("tell know remind wonder idea known explain say".split())
_TASKS = frozenset("name list state identify give mention specify".split())
_PHRASES = """
why: how come
how often: how many times, on how many occasions, how frequently, how regularly
how far: how far away
how long did: how long did it take to
what: what kind of, what sort of, what type of
what does: what does the term
what is the word for: how do you say
is: can be found, can you find, can one find
be: serve as
serve: be in office
did: is credited with, are credited with, was credited with, credited with
during: over the course of, in the course of, at the time of
because: due to, as a result of
except: apart from, other than, besides, except for, aside from, with the exception of, not counting, not including
to: in order to
last: most recent, most recently, for the last time, the last time
first: for the first time, the first time
worldwide: in the world, of the world, around the world, all over the world, across the world, world's
currently: at the moment, right now, these days, at this moment, at this time
burn: catch fire
aboard: on board
displayed: on display
how long: how much time
worldwide: on earth, on the planet, of all time, in history
largest: most populated, most populous, with the largest population
be the largest: have the largest population, have the biggest population
be the largest: have the most inhabitants, have the most people
best selling: top selling
won most: hold the record for most
won the most: hold the record for the most
have the: hold the record for the
win: emerge victorious, be victorious, come out on top
end: come to an end
endure: go on for
rise: come to power
succeed: take over from, take-over from, come after
become: take over as
monarch of: on the throne of
head of: at the head of
ceo: chief executive officer, chief executive
headquarters: head office
play: play the part of, play the role of, play the character of, have the role of, in the role of
voice: be the voice of, do the voice of, provide the voice of, voice actor
villain: bad guy
protagonist: main character
pseudonym: pen name
called: by the name of
devise: come up with, think up
understand: make sense of
on: to set foot on
walk on: set foot on
die-out: go extinct, become extinct
be killed: lose their lives
were killed: lost their lives
die: lose his life, lose her life
buried: laid to rest
mother of: give birth to, gave birth to
number of deaths: death toll
lifespan: life expectancy, life span
digest: break down
body: human body
boil temperature: boiling point of
melt temperature: melting point of
freeze temperature: freezing point of
formula: chemical formula
symbol: chemical symbol
element: chemical element
resistance: electrical resistance
abbreviate: stand for, short for, full form of, acronym
abbreviate: full name of the abbreviation, meaning of the abbreviation, meaning of the acronym
consist of: made up of, made of, composed of, comprised of
constitute: make up
made from: made out of
from what: out of what
be allowed to: get the right to, have the right to, gain the right to, win the right to
many: a lot of, lots of
square mile: square miles
mount: mt
capital: capital city, capital town
wwi: first world war, world war i, world war 1, world war one, ww1, ww 1, ww i, the great war
wwii: second world war, world war ii, world war 2, world war two, ww2, ww 2, ww ii
the usa: the us
usa: united states of america, united states, america
uk: united kingdom
britain: great britain
un: united nations
eu: european union
ussr: soviet union
-: in total
"""
"""What stands for each of the phrases of its line; nothing for those of the last. A word fits in all its forms."""
_NAMES = frozenset("wwi wwii usa uk un eu ussr britain".split())


@lru_cache(maxsize=1 << 10)  # the question asked is compared with one pair after the other
def plainly(question: str) -> tuple[Word, ...]:
    """The words of a question, put plainly."""
    words = _phrased(_without_lead(read(question)))
    return tuple(_doing(_received(_fronted(words))))


def _without_lead(words: list[Word]) -> list[Word]:
    """Without "can you tell me"; "name the" as "what is the"."""
    first = next((n for n, word in enumerate(words) if n and word.low in WH and word.low != "who"), 0)
    who = next((n for n, word in enumerate(words) if n and word.low == "who"), 0)
    first = min(n for n in (first or who, who or first))
    lead = words[:first]
    if first and all(word.low in _LEADS for word in lead) and _SAYING & {word.low for word in lead}:
        return words[first:]
    if len(words) > 2 and words[0].low in _TASKS and words[1].low in ("the", "a", "one"):
        return [Word("what", "what"), Word("is", "be"), *words[1:]]
    if len(words) == 2 and words[0].low in ("define", "explain"):
        return [Word("what", "what"), Word("is", "be"), words[1]]
    return words


@cache
def _table() -> dict[str, list[tuple[tuple[str, ...], tuple[Word, ...]]]]:
    """By their first word, phrases and what stands for them, the longest first."""
    found: dict[str, list[tuple[tuple[str, ...], tuple[Word, ...]]]] = {}
    for line in _PHRASES.strip().splitlines():
        plain, phrases = line.split(": ")
        stands = tuple(replace(word, name=word.low in _NAMES) for word in read(plain) if plain != "-")
        for phrase in phrases.split(", "):
            parts = tuple(word if "'" in word or word == "times" else base(word) for word in phrase.split())
            found.setdefault(parts[0], []).append((parts, stands))
    for rows in found.values():
        rows.sort(key=lambda row: -len(row[0]))
    return found


def _phrased(words: list[Word]) -> list[Word]:
    table = _table()
    if not any(_key(word) in table for word in words):
        return words
    kept: list[Word] = []
    place = 0
    while place < len(words):
        for parts, stands in table.get(_key(words[place]), ()):
            if tuple(_key(word) for word in words[place : place + len(parts)]) == parts and not (
                stands and stands[0].low == "worldwide" and not _ends(words, place + len(parts))
            ):
                kept += stands
                if stands and stands[0].base == words[place].base:  # "played the part of" as "played"
                    kept[-len(stands)] = words[place]
                place += len(parts)
                break
        else:
            kept.append(words[place])
            place += 1
    return kept


def _key(word: Word) -> str:
    if word.owner and word.low == "world":
        return "world's"
    if "-" in word.low:
        return word.base
    if word.low == "times":  # "how many times", not "how many time zones"
        return word.low
    return base(word.low) if word.number is None else word.low


def _ends(words: Sequence[Word], place: int) -> bool:
    """Whether the words before end what they say: "in the world", not "in the World Cup"."""
    if place >= len(words) or words[place - 1].owner:
        return True
    return words[place].low in PREPOSITIONS or words[place].low in AUXILIARIES or words[place].low in ("and", "or")


def _fronted(words: list[Word]) -> list[Word]:
    """ "Ann plays for which team" as "for which team did Ann plays"."""
    at = next((n for n, word in enumerate(words) if word.low in WH), 0)
    if at < 2 or words[at].low not in ("which", "what", "whom", "who") or words[0].low in AUXILIARIES | PREPOSITIONS:
        return words
    if words[at - 1].low in ("and", "or") or _verb_follows(words, at):
        return words
    start = at - 1 if words[at - 1].low in PREPOSITIONS else at
    if start < 2:
        return words
    end = next((n for n in range(at + 1, len(words)) if words[n].low in PREPOSITIONS - {"of"}), len(words))
    helping = next((n for n in range(1, start) if words[n].low in AUXILIARIES), -1)
    moved = words[start:end]
    if helping < 0:
        told = list(words[:start])
        verb = max((n for n in range(1, start) if told[n].low not in PREPOSITIONS), default=0)
        if told[verb].low.endswith("s") and len(told[verb].low) > 2 and not told[verb].name:
            told[verb] = replace(told[verb], low=told[verb].low.removesuffix("s"))
        return [*moved, Word("did", "do"), *told, *words[end:]]
    return [*moved, words[helping], *words[:helping], *words[helping + 1 : start], *words[end:]]


def _verb_follows(words: Sequence[Word], at: int) -> bool:
    """Whether an auxiliary follows, or another word in the past: then it is no question put last."""
    after = words[at + 1 :]
    return any(word.low in AUXILIARIES and not word.name for word in after) or any(
        word.low.endswith("ed") for word in after[:3]
    )


_GIVEN = frozenset("given awarded granted handed".split())


def _received(words: list[Word]) -> list[Word]:
    """ "was given it" as "did received it": to whom a thing is given receives it."""
    if len(words) > 4 and words[0].low == "to" and words[1].low == "whom" and words[2].base == "be":
        given = next((n for n in range(4, len(words)) if words[n].low in _GIVEN), -1)
        if given >= 0 and all(word.low != "by" for word in words):  # "to whom was it given" as "who received it"
            received = Word("received", base("received"))
            return [Word("who", "who"), received, *words[3:given], *words[given + 1 :]]
    for place, word in enumerate(words):
        if word.low in _GIVEN and place and not any(other.low in ("to", "by") for other in words):
            helping = next((n for n in range(place - 1, -1, -1) if words[n].base == "be"), -1)
            after = words[place + 1 : place + 2]
            if helping >= 0 and after and after[0].low in ("a", "an", "the", "his", "her"):
                words = list(words)
                words[place] = Word("received", base("received"))
                words[helping] = Word("did", "do")
    return words


def _doing(words: list[Word]) -> list[Word]:
    """ "what is the function of it" as "what does it do"."""
    asks = [word.low for word in words[:5]]
    if len(words) > 5 and asks[:3] == ["what", "is", "the"] and asks[3] in _FUNCTIONS and asks[4] == "of":
        return [words[0], Word("does", "do"), *words[5:], Word("do", "do")]
    return words


_FUNCTIONS = frozenset("function role job task".split())
