"""Questions put plainly: what only leads up to a question left out, the word it asks with first, set phrases as one
word, so that the rules compare what is asked and not how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache

from answerable.pairs.asking.asked import WH
from answerable.pairs.asking.forms import Word, base, read
from answerable.pairs.asking.lexicon import AUXILIARIES, PREPOSITIONS

_LEADS = frozenset(
    "can could would will do does did you we i me please tell know remind say wonder want to like explain us just let "
    "anyone anybody somebody who idea have any so and is it known".split()
)
"""Words of "can you tell me", before the word that a question asks with."""
_SAYING = frozenset("tell know remind wonder idea known explain say".split())
_TASKS = frozenset("name list state identify give mention specify".split())
_PHRASES = (
    "bad guy=villain; have the role of=play; in the role of=play; do the voice of=voice; provide the voice of=voice; "
    "voice actor=voice; most populated=largest; most populous=largest; with the largest population=largest; "
    "have the largest population=be the largest; have the most inhabitants=be the largest; "
    "have the most people=be the largest; have the biggest population=be the largest; how many times=how often; "
    "on how many occasions=how often; apart from=except; other than=except; besides=except; except for=except; "
    "aside from=except; with the exception of=except; not counting=except; not including=except; in total=; in all=; "
    "mt=mount; chief executive officer=ceo; chief executive=ceo; head office=headquarters; "
    "get the right to=be allowed to; have the right to=be allowed to; gain the right to=be allowed to; "
    "win the right to=be allowed to; how frequently=how often; how regularly=how often; "
    "how long did it take to=how long did; how come=why; what for=why; come up with=devise; think up=devise; to set foot on=on; set foot on=walk on; emerge victorious=win; be victorious=win; come out on top=win; can be found=is; can you find=is; can one find=is; how far away=how far; boiling point of=boil temperature; "
    "melting point of=melt temperature; freezing point of=freeze temperature; hold the record for most=won most; "
    "hold the record for the most=won the most; take-over from=succeed; serve as=be;  go on for=endure; "
    "go extinct=die-out; become extinct=die-out; come to an end=end; come to power=rise; take over from=succeed; "
    "take over as=become; come after=succeed; at the head of=head of; full form of=abbreviate; "
    "stand for=abbreviate; short for=abbreviate; stands for=abbreviate; "
    "full name of the abbreviation=abbreviate; meaning of the abbreviation=abbreviate; "
    "meaning of the acronym=abbreviate; acronym=abbreviate; life expectancy=lifespan; life span=lifespan; "
    "made up of=consist of; composed of=consist of; comprised of=consist of; made of=consist of; made out of=made from; "
    "make up=constitute; capital city=capital; capital town=capital; river nile=nile; "
    "give birth to=mother of; gave birth to=mother of; is credited with=did; are credited with=did; "
    "was credited with=did; credited with=did; the record for=; hold the record for the=have the; "
    "what does the term=what does; by the name of=called; on the throne of=monarch of; "
    "over the course of=during; in the course of=during; at the time of=during; due to=because; "
    "as a result of=because; in order to=to; make sense of=understand; "
    "play the part of=play; play the role of=play; play the character of=play; voice of=voice; "
    "most recent=last; most recently=last; most lately=last; for the last time=last; the last time=last; "
    "for the first time=first; the first time=first; on earth=worldwide; in the world=worldwide; on the planet=worldwide; "
    "of the world=worldwide; around the world=worldwide; all over the world=worldwide; across the world=worldwide; "
    "of all time=worldwide; in history=worldwide; world's=worldwide; "
    "second world war=wwii; first world war=wwi; world war one=wwi; world war two=wwii; world war i=wwi; "
    "world war ii=wwii; world war 1=wwi; world war 2=wwii; ww1=wwi; ww2=wwii; ww 1=wwi; ww 2=wwii; ww i=wwi; ww ii=wwii; the great war=wwi; "
    "united states of america=usa; united states=usa; the us=the usa; america=usa; "
    "united kingdom=uk; great britain=britain; united nations=un; european union=eu; new york city=nyc; "
    "soviet union=ussr; jfk=john f kennedy; "
    "how do you say=what is the word for; human body=body; death toll=number of deaths; "
    "laid to rest=buried; out of what=from what; whose works=whose work; what kind of=what; what sort of=what; what type of=what; "
    "square miles=square mile; a lot of=many; lots of=many; "
)
"""Each with what stands for it."""
_NAMES = frozenset("wwi wwii usa uk un eu nyc ussr britain nile".split())


@lru_cache(maxsize=1 << 10)  # the question asked is compared with one pair after the other
def plainly(question: str) -> tuple[Word, ...]:
    """The words of a question, put plainly."""
    words = _without_lead(read(question))
    words = _phrased(words)
    return tuple(_received(_fronted(words)))


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
    for line in _PHRASES.split(";"):
        if line.strip():
            phrase, plain = line.strip().split("=")
            parts = tuple(word if "'" in word else base(word) for word in phrase.split())
            stands = tuple(replace(word, name=word.low in _NAMES) for word in read(plain))
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
        if told[verb].low.endswith("s") and not told[verb].name:
            told[verb] = replace(told[verb], low=told[verb].low.removesuffix("s"))
        return [*moved, Word("did", "do"), *told, *words[end:]]
    return [*moved, words[helping], *words[:helping], *words[helping + 1 : start], *words[end:]]


def _verb_follows(words: Sequence[Word], at: int) -> bool:
    """Whether an auxiliary follows, or another word in the past: then it is no question put last."""
    after = words[at + 1 :]
    return any(word.low in AUXILIARIES for word in after) or any(word.low.endswith("ed") for word in after[:3])


_GIVEN = frozenset("given awarded granted handed".split())


def _received(words: list[Word]) -> list[Word]:
    """ "was given it" as "did received it": to whom a thing is given receives it."""
    for place, word in enumerate(words):
        if word.low in _GIVEN and place and not any(other.low in ("to", "by") for other in words):
            helping = next((n for n in range(place - 1, -1, -1) if words[n].base == "be"), -1)
            after = words[place + 1 : place + 2]
            if helping >= 0 and after and after[0].low in ("a", "an", "the", "his", "her"):
                words = list(words)
                words[place] = Word("received", base("received"))
                words[helping] = Word("did", "do")
    return words


