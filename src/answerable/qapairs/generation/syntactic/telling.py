"""Where an answer stands in a clause, and the rest of what the clause tells, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from answerable.qapairs.generation.parsing import Sentence
from answerable.qapairs.generation.syntactic.clauses import CORE, Clause, Part
from answerable.qapairs.generation.syntactic.saying import kept, say
from answerable.qapairs.generation.syntactic.subjects import Topic

_CROSSED = frozenset(
    "pobj prep conj dobj attr xcomp pcomp agent oprd dative nummod amod compound poss nmod acomp npadvmod".split()
)
"""Roles that may stand between an answer and the part of the clause it stands in."""
_DOUBLED = frozenset("according due along because instead prior owing thanks together ahead regardless such".split())
"""Words that make one preposition with the next, which cannot stand without them."""
_DENYING = frozenset("longer hardly rarely seldom barely scarcely nearly almost neither nor".split())
"""Adverbs that a clause says something else without."""
_EMPTY = frozenset("also then however therefore thus often usually later subsequently originally initially".split())


class Place(NamedTuple):
    """Where an answer stands in a clause: the phrase to take out, the word that governs it, and the part it is in.

    `part` None: in the subject. `above`: words from the phrase up to the part's head.
    """

    phrase: int
    part: Part | None
    above: tuple[int, ...]


def placed(clause: Clause, head: int) -> Place | None:
    """Where the phrase at `head` stands in a clause, and None where it does not or cannot be asked for."""
    words = clause.sentence.words
    phrase = head
    if (
        words[head].role == "conj"
        and words[words[head].head].tag[:2] in ("NN", "CD")
        and words[head].tag[:2] in ("NN", "CD")
    ):
        while words[phrase].role == "conj":
            phrase = words[phrase].head
    above: list[int] = []
    at = phrase
    governor = words[words[phrase].head]
    if governor.lower == "including" or (governor.lower == "as" and words[governor.place - 1].lower == "such"):
        return None
    if words[phrase].role == "pobj" and words[governor.head].lower in _DOUBLED and governor.head < governor.place:
        return None
    heads = {part.head: part for part in clause.parts}
    while True:
        if at == clause.subject:
            return Place(phrase, None, tuple(above))
        if (at in heads and words[at].head == clause.verb) or at == clause.antecedent:
            return Place(phrase, heads.get(at, Part(at, "dobj")), tuple(above))
        if clause.said == "apposition" and at == clause.verb:
            return Place(phrase, Part(at, "attr"), tuple(above))
        if words[at].head == at or not (words[at].role in _CROSSED or _infinitive(clause.sentence, at)):
            return None
        at = words[at].head
        above.append(at)


def _infinitive(sentence: Sentence, verb: int) -> bool:
    """Whether a verb is the head of "to ..." after a noun or a verb."""
    word = sentence.words[verb]
    return (
        word.role in ("acl", "advcl")
        and word.tag == "VB"
        and any(sentence.words[one].tag == "TO" for one in sentence.children[verb])
    )


def told(clause: Clause, about: Topic, short: int, asked: tuple[Place, bool] | None, owner: bool) -> str | None:
    """All that is said after the verb, in order, without what is asked for; None where a pronoun is not resolved."""
    sentence = clause.sentence
    said: list[str] = []
    adjuncts = 0
    held = asked[0].part.head if asked and asked[0].part is not None else None
    parts: Sequence[Part] = sorted(clause.parts, key=lambda part: (part.before, part.head == held and part.before))
    if clause.antecedent is not None and held != clause.antecedent:
        parts = [Part(clause.antecedent, "dobj"), *parts]
    if clause.said == "apposition" and held is not None:
        parts = [Part(held, "attr")]
    for part in parts:
        if part.role == "advmod" and sentence.words[part.head].lower in _DENYING:
            return None
        if part.head == held and asked is not None:
            places = _without(sentence, part, asked, short > 0)
        else:
            first = sentence.left[part.head]
            core = (part.role in CORE and part.role != "ccomp") or (part.role == "prep" and first == clause.verb + 1)
            if not core:
                adjuncts += part.role != "ccomp"
                if _left_out(sentence, part, short, adjuncts):
                    continue
            places = kept(sentence, part.head, short > 0)
        text = say(sentence, places, about, owner)
        if text is None:
            if part.head != held and part.role not in CORE:
                continue
            return None
        said.append(text)
    return " ".join(one for one in said if one)


def _left_out(sentence: Sentence, part: Part, short: int, adjuncts: int) -> bool:
    word = sentence.words[part.head]
    if part.role in ("advcl", "dep", "pcomp", "acl", "relcl") or word.lower in _EMPTY:
        return True
    if part.role == "ccomp" and (part.before or sentence.child(part.head, "mark") is None):
        return True
    if part.role == "advmod":
        return short > 0 or part.before or sentence.left[part.head] == part.head == sentence.last[part.head] - 1
    if part.before and (
        part.role not in ("prep", "npadvmod") or sentence.last[part.head] - sentence.left[part.head] > 8
    ):
        return True
    return part.role != "ccomp" and (short == 2 or (short == 1 and adjuncts > 1))


def _without(sentence: Sentence, part: Part, asked: tuple[Place, bool], short: bool) -> list[int]:
    """The words of the part that holds the answer, without the answer's phrase, or its preposition unless it stays."""
    place, stranded = asked
    gone = set(range(sentence.left[place.phrase], sentence.last[place.phrase]))
    if not stranded:
        gone.add(sentence.words[place.phrase].head)
    keep = [one for one in kept(sentence, part.head, False) if one not in gone]
    return keep
