"""A clause and an answer in it to questions: what asks goes first, the auxiliary before the subject."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from answerable.qapairs.generation.parsing import Sentence
from answerable.qapairs.generation.syntactic.answers import (
    DROP,
    FRONT,
    STRAND,
    TALL,
    Answer,
    Wh,
    asking,
    asking_modifier,
    date_form,
)
from answerable.qapairs.generation.syntactic.clauses import CORE, Clause, Part, activated, around, be, following
from answerable.qapairs.generation.syntactic.subjects import Topic, kept, meant, say
from answerable.qapairs.generation.syntactic.words import RELEASED

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
    if words[head].role == "conj" and {words[head].tag[:2], words[words[head].head].tag[:2]} <= {"NN", "CD"}:
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
    to = any(sentence.words[one].tag == "TO" for one in sentence.children[verb])
    return to and word.role in ("acl", "advcl") and word.tag == "VB"


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
            places = _without(sentence, part, asked)
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
    long = sentence.last[part.head] - sentence.left[part.head] > 8
    if part.before and (long or part.role not in ("prep", "npadvmod")):
        return True
    return part.role != "ccomp" and (short == 2 or (short == 1 and adjuncts > 1))


def _without(sentence: Sentence, part: Part, asked: tuple[Place, bool]) -> list[int]:
    """The words of the part that holds the answer, without the answer's phrase, or its preposition unless it stays."""
    place, stranded = asked
    gone = set(range(sentence.left[place.phrase], sentence.last[place.phrase]))
    if not stranded:
        gone.add(sentence.words[place.phrase].head)
    return [one for one in kept(sentence, part.head, False) if one not in gone]


_INDEFINITE = re.compile(r"^an? ")


class Asked(NamedTuple):
    """A question, how it asks, how it was made, what was left out (0 nothing, 2 all that may go), whose subject."""

    question: str
    sort: str
    made: str
    short: int
    subject: str


def questions(clause: Clause, answer: Answer, text: str, about: Topic) -> Iterator[Asked]:
    """Questions that an answer in a clause answers, by every way to ask for it and from whole to short."""
    head, modifier = answer.head, None
    words = clause.sentence.words
    if answer.kind in ("manner", "reason"):
        place = placed(clause, head)
        if place is not None and place.part is not None and not place.above:
            word = "how" if answer.kind == "manner" else "why"
            yield from _asked(clause, place, Wh(word, word, DROP), about, word)
        return
    measured = words[head].head
    if words[head].role == "npadvmod" and words[measured].lower in TALL and words[measured].role == "acomp":
        place = placed(clause, measured)
        if place is not None:
            how = f"how {words[measured].lower}"
            yield from _asked(clause, place, Wh(how, "how tall", STRAND), about, "measured")
        return
    if words[head].role in ("nummod", "amod", "compound", "poss", "nmod") and words[words[head].head].tag[:2] == "NN":
        modifier, head = head, words[head].head
    place = placed(clause, head)
    if place is None:
        return
    if modifier is not None:
        if answer.kind == "DATE" and place.part is not None and date_form(text) == "year":
            if place.part.role == "attr" and clause.verb == words[place.part.head].head:
                yield from _year_of(clause, head, about)
                return
            year = place._replace(phrase=modifier)
            for words_of, sort in (("what year", "what year bare"), ("in what year", "what year"), ("when", "when")):
                yield from _asked(clause, year, Wh(words_of, sort, STRAND), about, "year of")
            return
        for wh in asking_modifier(clause.sentence, answer, modifier, head, about):
            yield from _asked(clause, place, wh, about, "modifier")
        return
    governor = words[place.phrase].head
    preposition = words[governor].lower if words[place.phrase].role == "pobj" else ""
    for wh in asking(clause.sentence, answer, preposition, text, words[place.phrase].role):
        if answer.preposition is not None and wh.preposition == STRAND:
            continue
        yield from _asked(clause, place, wh, about, "")


def _year_of(clause: Clause, head: int, about: Topic) -> Iterator[Asked]:
    """ "It is a 1988 film" asks when it came out."""
    subject, sort = subject_of(clause, about)
    if subject is None or clause.sentence.words[head].lower not in RELEASED:
        return
    for wh in ("when", "what year"):
        yield Asked(f"{wh} was {subject} released", f"{wh} bare", "year of", 0, sort)
        yield Asked(f"{wh} did {subject} come out", f"{wh} bare", "year of", 0, sort)


def _asked(clause: Clause, place: Place, wh: Wh, about: Topic, made: str) -> Iterator[Asked]:
    if place.part is None:
        adverbial = wh.sort.endswith("bare") or wh.sort in ("when", "where", "how long", "since when", "what time")
        if adverbial or place.above:
            return
        yield from _of_subject(clause, wh, about, made or "subject")
        return
    subject, sort = subject_of(clause, about)
    if subject is None:
        return
    for short in (0, 1, 2):
        yield from _of_part(clause, place, wh, about, short, subject, sort, made)


def subject_of(clause: Clause, about: Topic) -> tuple[str | None, str]:
    """The subject in words, and what it is: "topic" where the title stands for it, "expletive", "own"."""
    sentence = clause.sentence
    word = sentence.words[clause.subject]
    if word.role == "expl":
        return word.lower, "expletive"
    named = meant(sentence, clause.subject, about)
    if named is not None:
        return named, "topic" if word.tag != "PRP" else "pronoun" if named == about.name else "previous"
    if word.tag in ("PRP", "WDT", "WP", "DT", "EX", "WRB", "JJ", "CD", "RB", "JJR", "JJS", "IN"):
        return None, ""
    places = kept(sentence, clause.subject, clause.said == "relative")
    gone = range(sentence.left[clause.verb], sentence.last[clause.verb])
    said = say(sentence, [one for one in places if one not in gone or clause.subject in gone], about, False)
    if said and clause.said in ("relative", "participle"):
        said = _INDEFINITE.sub("the ", said)
    return said, "own"


def _of_subject(clause: Clause, wh: Wh, about: Topic, made: str) -> Iterator[Asked]:
    """ "Who discovered radium?": what asks stands where the subject stood."""
    if clause.said == "apposition":
        gone = range(clause.sentence.left[clause.subject], clause.sentence.last[clause.subject])
        described = [one for one in kept(clause.sentence, clause.verb, False) if one not in gone]
        rest = say(clause.sentence, described, about, False)
        if rest and clause.verb in described:
            yield Asked(f"{wh.text} {be(clause, wh.plural)} {rest}", wh.sort, "apposition", 0, "asked")
        return
    copula = clause.sentence.words[clause.verb].base == "be"
    verb = following(clause, wh.plural and (copula or wh.sort.endswith((" noun", "many", "modified", "kind"))))
    if not verb or clause.antecedent is not None:
        return
    for short in (0, 1, 2):
        rest = told(clause, about, short, None, True)
        if rest is not None:
            yield Asked(f"{wh.text} {verb} {rest}".strip(), wh.sort, f"{made} {clause.said}", short, "asked")


def _of_part(
    clause: Clause, place: Place, wh: Wh, about: Topic, short: int, subject: str, sort: str, made: str
) -> Iterator[Asked]:
    """ "What did Curie discover?": what asks goes first, the auxiliary before the subject."""
    sentence, part = clause.sentence, place.part
    assert part is not None
    words = sentence.words
    opening, stranded = wh.text, True
    governor = words[place.phrase].head
    if words[place.phrase].role == "pobj":
        if wh.preposition == FRONT:
            opening, stranded = f"{words[governor].lower} {wh.text}", False
        elif wh.preposition == DROP:
            stranded = False
    if part.role == "agent" and wh.preposition != FRONT and governor == part.head:
        active = _active(clause, subject, wh, about, short)
        if active is not None:
            yield Asked(active, wh.sort, "active", short, sort)
    rest = told(clause, about, short, (place, stranded), sort in ("topic", "pronoun", "previous", "own"))
    if rest is None:
        return
    several = about.plural if sort in ("topic", "pronoun") else words[clause.subject].tag in ("NNS", "NNPS")
    group = around(clause, several)
    if group is None:
        return
    front, after = group
    denied = "not" if clause.negated else ""
    text = " ".join(f"{opening} {front} {subject} {denied} {after} {rest}".split())
    yield Asked(text, wh.sort, f"{made or part.role} {clause.said}", short, sort)


def _active(clause: Clause, subject: str, wh: Wh, about: Topic, short: int) -> str | None:
    """ "Who designed the bridge?" of a bridge that was designed by somebody."""
    verb = activated(clause, wh.plural and wh.text not in ("who", "what"))
    if verb is None or wh.sort in ("when", "where"):
        return None
    without = clause._replace(parts=tuple(part for part in clause.parts if part.role != "agent"))
    rest = told(without, about, short, None, True)
    return None if rest is None else f"{wh.text} {verb} {subject} {rest}".strip()
