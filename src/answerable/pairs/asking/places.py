"""Where the same words stand in two questions: who is spoken of, and after which preposition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from answerable.pairs.asking.asked import WH, Sought
from answerable.pairs.asking.differing import Difference, same
from answerable.pairs.asking.forms import Word, base
from answerable.pairs.asking.frames import past
from answerable.pairs.asking.lexicon import AUXILIARIES, LIGHT, MEASURES, PREPOSITIONS
from answerable.pairs.asking.roles import MUTUAL

_FAR = frozenset("to from than".split())
"""What stands after one of these in a question is not spoken of in another that has the same preposition."""
_ANYWHERE = frozenset("by of in at during".split()) | {""}
_GOVERNING = frozenset("for to from with about into than against".split())
_SIDES = tuple(
    frozenset(pair.split()) for pair in ("to from", "to with", "from with", "against with", "for against", "into from")
)
_GIVING = frozenset(base(word) for word in "provide supply equip present serve".split())
"""Somebody with a thing, or a thing to somebody."""
_ASKED = frozenset("what who whom".split())


def displaced(one: Sequence[Word], other: Sequence[Word], asked: Sought, sought: Sought, between: Difference) -> bool:
    """Whether one question speaks of what the other has beside it: "who is Ann older than", "who is older than Ann"."""
    here, there = _subject(one, asked), _subject(other, sought)
    if _turned_prepositions(one, other, between) or _governs_another(one, asked, other, sought):
        return True
    before, after = _before(other, one, here), _before(one, other, there)
    if here >= 0 and there >= 0 and one[here].base == other[there].base:
        return _told_to(one, other, asked, sought, between)
    if before and after and not {before, after} & {"by", "of"}:
        return True
    return _apart(before, one, asked, other) or _apart(after, other, sought, one)


def governed_otherwise(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether a name or a noun stands after "by" in one and after "for" in the other, and the like."""
    here, there = _governed(one), _governed(other)
    if _with_or_without(one, other) or _with_or_without(other, one) or _ends_otherwise(one, other):
        return True
    if _crossed(here, there) or _reversed(one, other) or _resulting(one) | _resulting(other) == {"in", "from"}:
        return True
    names = {word.base for word in one if word.name}
    if any(here[name] | there.get(name, set()) == {"by", "with"} for name in here.keys() & names):
        return True
    return any(
        len(here[noun]) == len(there[noun]) == 1 and frozenset((*here[noun], *there[noun])) in _CONTRASTS
        for noun in here.keys() & there.keys()
    )


def _resulting(words: Sequence[Word]) -> set[str]:
    """Whether a thing is said to result "in" another or "from" it."""
    return {after.low for word, after in pairwise(words) if word.base == "result" and after.low in ("in", "from")}


def _crossed(here: dict[str, set[str]], there: dict[str, set[str]]) -> bool:
    """Whether two words stand after each other's preposition: "in May with June", "in June with May"."""
    moved = [noun for noun in here.keys() & there.keys() if here[noun] != there[noun]]
    return any(here[a] == there[b] and here[b] == there[a] for a in moved for b in moved if a < b)


def _reversed(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether a verb stands between the same two words the other way round: "dogs chase cats", "cats chase dogs"."""
    here, there = _between(one), _between(other)
    return any((after, verb, before) in there for before, verb, after in here if before != after)


def _between(words: Sequence[Word]) -> set[tuple[str, str, str]]:
    bare = [word for word in words if word.low not in _DETERMINERS]
    return {
        (before.base, verb.base, after.base)
        for before, verb, after in zip(bare, bare[1:], bare[2:], strict=False)
        if not {before.low, verb.low, after.low} & (_FRAME | {"and", "or"}) and verb.base not in MUTUAL
    }


def _with_or_without(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether a preposition stands in one between two words that follow one another in the other: "plays with her"."""
    bare = [word for word in other if word.low not in _DETERMINERS]
    beside = {(a.base, b.base) for a, b in pairwise(bare)}
    told = [word for word in one if word.low not in _DETERMINERS]
    return any(
        between.low in _TURNING
        and (a.base, b.base) in beside
        and not {a.low, b.low} & _FRAME
        and a.base not in _JOINING
        for a, between, b in zip(told, told[1:], told[2:], strict=False)
    )


_JOINING = MUTUAL | _GIVING
_TURNING = frozenset("with about against without for from like near".split())


def _ends_otherwise(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether both end in a preposition, not the same: "die of", "die for"."""
    ends = {words[-1].low for words in (one, other) if words}
    return len(ends) == 2 and ends <= _LAST and not any(ends <= alike for alike in _LAST_ALIKE)


_LAST = frozenset("of for from by with to at against about into".split())
_LAST_ALIKE = (frozenset("of from".split()), frozenset("to into".split()), frozenset("of with".split()))


def _governed(words: Sequence[Word]) -> dict[str, set[str]]:
    """Each word with the prepositions right before it, articles aside."""
    found: dict[str, set[str]] = {}
    preposition = ""
    for word in words:
        if word.low in PREPOSITIONS or word.low == "between":
            preposition = word.low
        elif word.low not in _DETERMINERS:
            if preposition and word.low not in _FRAME:
                found.setdefault(word.base, set()).add(preposition)
            preposition = ""
    return found


_CONTRASTS = frozenset(
    frozenset((one, other))
    for row in (
        "by: for about to against near under without",
        "for: from about with against without",
        "about: to with from against",
        "to: from against",
        "with: against without",
        "between: during before after",
        "over: under below through",
        "near: in on",
        "of: without",
        "inside: outside",
    )
    for one, others in (row.split(": "),)
    for other in others.split()
)
"""Prepositions of which one does not stand for the other before the same word."""


def asks_of_it(one: Sequence[Word], asked: Sought, other: Sequence[Word], sought: Sought) -> bool:
    """Whether one asks for what the other speaks of: "which king built it", "who built it for the king"."""
    return _spoken_of(one, asked, other, sought) or _spoken_of(other, sought, one, asked)


def _spoken_of(one: Sequence[Word], asked: Sought, other: Sequence[Word], sought: Sought) -> bool:
    if asked.low not in ("which", "what") or sought.at < 0 or sought.kind in _NOT_THINGS:
        return False
    if _side_of(one, asked) and {_side_of(one, asked), _side_of(other, sought)} <= {w.base for w in one} & {
        w.base for w in other
    }:
        return _side_of(one, asked) != _side_of(other, sought)
    heads, others = _heads(one, asked), _heads(other, sought)
    if not heads or "of" in sought.heads or any(same(a, b) for a in heads for b in others):
        return False
    head, beside = heads[0], others[0] if others else ""
    if beside:  # "which writer directed it", "which director wrote it"
        crossing = any(same(word.base, head) for word in other[sought.at + 2 :])
        if crossing and any(same(word.base, beside) for word in one[asked.at + 2 :]):
            return True
    end = sought.at + 1
    if other[end : end + 1] and other[end].base == "be":
        end = next((n for n in range(end, len(other)) if other[n].low in PREPOSITIONS - {"of"}), len(other))
    return any(
        word.base == head and n > end and (other[n - 1].low in _DETERMINERS | {"most", "least"})
        for n, word in enumerate(other)
    )


def _side_of(words: Sequence[Word], asked: Sought) -> str:
    """The word after "of" in "which side of it"."""
    place = asked.at + 2
    return words[place + 1].base if place + 1 < len(words) and words[place].low == "of" else ""


def _heads(words: Sequence[Word], asked: Sought) -> list[str]:
    """The bases of what follows "which", up to a verb in the past, one that helps, an article or a preposition."""
    found: list[str] = []
    if asked.low not in ("which", "what"):
        return found
    for word in words[asked.at + 1 :]:
        if word.low in _FRAME or word.low in _DETERMINERS or word.number is not None or past(word):
            break
        found.append(word.base)
    return found


_NOT_THINGS = frozenset("time reason manner measure amount share count polar".split())


def exchanged(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether the two are word for word the same but for two parts that stand in each other's place.

    What "and" or "or" joins may change places, and what a verb like "marry" or "how far" has on both sides.
    """
    left, right = ([word.base for word in words if word.low not in _ARTICLES] for words in (one, other))
    if len(left) != len(right) or left == right or sorted(left) != sorted(right):
        return False
    first = next(n for n, (a, b) in enumerate(zip(left, right, strict=True)) if a != b)
    last = next(n for n, (a, b) in enumerate(zip(left[::-1], right[::-1], strict=True)) if a != b)
    here, there = left[first : len(left) - last], right[first : len(right) - last]
    if _BOTH_WAYS & {*left} or MUTUAL & {*here}:
        return False
    if first > 1 and left[first - 1] in _RELATIVE and set(here) == set(there):  # "that Ann beat", "that beat Ann"
        return True
    for size in range(1, len(here) - 1):
        head = there[-size:]
        if here[:size] != head:
            continue
        for tail in range(1, len(here) - size):
            between = here[size : len(here) - tail]
            if there[:tail] == here[len(here) - tail :] and there[tail : len(there) - size] == between:
                moved = {*here[:size], *here[len(here) - tail :]}
                return not {*between} <= {"and", "or", "both"} and not moved & _FRAME
    return False


_ARTICLES = frozenset("a an the".split())
_DETERMINERS = _ARTICLES | frozenset("his her its their this that these those".split())
_FRAME = AUXILIARIES | PREPOSITIONS | WH
"""Words that belong to what moves, never to what changes places."""
_RELATIVE = frozenset("that which who whom".split())
_HELPING = AUXILIARIES - {"be", "been"}
_BOTH_WAYS = frozenset(base(word) for word in "far distance between".split())


def _apart(preposition: str, one: Sequence[Word], asked: Sought, other: Sequence[Word]) -> bool:
    """Whether what the first speaks of cannot stand after this preposition in the other."""
    if preposition in _ANYWHERE:
        return False
    if preposition == "against" or one[-1].low == preposition or one[asked.at - 1].low == preposition:
        return True
    return preposition in _FAR and all(any(word.low == preposition for word in words) for words in (one, other))


def owns_another(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether what is owned in one owns it in the other: "the ship's captain", "the captain's ship"."""
    return any((b, a) in _owned(other) for a, b in _owned(one))


def _owned(words: Sequence[Word]) -> list[tuple[str, str]]:
    return [(word.base, after.base) for word, after in pairwise(words) if word.owner]


def done_by(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether something is done by somebody in one and to them in the other: "caused by rust", "caused rust"."""
    return any((verb, noun) in _done(b) for a, b in ((one, other), (other, one)) for verb, noun in _done(a, by=True))


def _done(words: Sequence[Word], by: bool = False) -> list[tuple[str, str]]:
    """Each word with the next but for an article, or with the one after "by"."""
    bare = [word for word in words if word.low not in _ARTICLES]
    if by:
        return [
            (verb.base, noun.base)
            for verb, between, noun in zip(bare, bare[1:], bare[2:], strict=False)
            if between.low == "by" and noun.number is None and noun.low not in _FRAME and noun.low[-2:] != "ly"
        ]
    return [(verb.base, noun.base) for verb, noun in pairwise(bare)]


def _governs_another(one: Sequence[Word], asked: Sought, other: Sequence[Word], sought: Sought) -> bool:
    """Whether a preposition stands with what is asked for in one alone: "what is it traded for", "traded for it"."""
    here, there = _asked_after(one, asked), _asked_after(other, sought)
    lows = [[word.low for word in words] for words in (one, other)]
    return any(lows[0].count(word) == lows[1].count(word) for word in here ^ there)


def _asked_after(words: Sequence[Word], asked: Sought) -> set[str]:
    """The prepositions that stand last, or before the word a question asks with, of those that govern."""
    last = len(words) - 1
    stranded = {
        words[n].low for n in range(1, last + 1) if n == last or words[n + 1].low in ("in", "on", "at", "during")
    }
    return (stranded | ({words[asked.at - 1].low} if asked.at > 0 else set())) & _GOVERNING


def _subject(words: Sequence[Word], asked: Sought) -> int:
    """The place of the first word that is spoken of: after the verb that helps. -1 where there is none."""
    helping = next((n for n in range(max(asked.at, 0), len(words)) if words[n].low in _HELPING), -1)
    if helping < 0:
        return -1
    for place in range(helping + 1, len(words)):
        word = words[place]
        if word.low in AUXILIARIES or word.low in PREPOSITIONS or word.base in MEASURES:
            return -1
        if word.low not in LIGHT:
            return place
    return -1


def _before(words: Sequence[Word], others: Sequence[Word], place: int) -> str:
    """The preposition in `words` before the word that stands at that place of the others, or nothing."""
    if place < 0:
        return ""
    for at, word in enumerate(words):
        if word.base == others[place].base:
            while at and words[at - 1].low in _DETERMINERS:
                at -= 1
            return words[at - 1].low if at and words[at - 1].low in PREPOSITIONS | {"than"} else ""
    return ""


def _told_to(one: Sequence[Word], other: Sequence[Word], asked: Sought, sought: Sought, between: Difference) -> bool:
    """Whether what somebody does in one is done to them in the other: "what was she told", "what did she tell"."""
    if between.opposites or {_helping(one, asked), _helping(other, sought)} != {"be", "do"}:
        return False
    if {word.low for word in one if past(word)} == {word.low for word in other if past(word)}:
        return False
    left = [*(one[n] for n in between.here), *(other[n] for n in between.there)]
    return all(word.low in LIGHT or word.low in AUXILIARIES for word in left)


def _helping(words: Sequence[Word], asked: Sought) -> str:
    """The base of the verb that helps right after "what" or "who"."""
    after = words[asked.at + 1 : asked.at + 2]
    return after[0].base if after and asked.low in _ASKED and after[0].low in AUXILIARIES else ""


def _turned_prepositions(one: Sequence[Word], other: Sequence[Word], between: Difference) -> bool:
    """Whether the one has "with" where the other has "to", and the like, after words that both have."""
    if _GIVING & {word.base for word in one}:
        return False
    here, there = _after_shared(one, between.here, other), _after_shared(other, between.there, one)
    return bool(here and there) and any(len({a, b} & side) == 2 for a in here for b in there for side in _SIDES)


def _after_shared(words: Sequence[Word], places: Sequence[int], others: Sequence[Word]) -> set[str]:
    """Prepositions at these places whose word before the other question has as well."""
    found = [n for n in places if n and words[n].low in PREPOSITIONS]
    lows = {word.low for word in others} if found else set()
    return {words[n].low for n in found if words[n - 1].low in lows}
