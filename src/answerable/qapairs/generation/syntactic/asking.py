"""A clause and an answer in it to questions: what asks goes first, the auxiliary before the subject."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from answerable.qapairs.generation.syntactic.answers import Answer, date_form
from answerable.qapairs.generation.syntactic.clauses import Clause
from answerable.qapairs.generation.syntactic.modifiers import asking_modifier
from answerable.qapairs.generation.syntactic.saying import kept, say
from answerable.qapairs.generation.syntactic.subjects import Topic, meant
from answerable.qapairs.generation.syntactic.telling import Place, placed, told
from answerable.qapairs.generation.syntactic.verbs import activated, around, be, following
from answerable.qapairs.generation.syntactic.wh import DROP, FRONT, STRAND, TALL, Wh, asking
from answerable.qapairs.generation.syntactic.words import RELEASED

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
        if (
            place.above
            or wh.sort in ("when", "where", "how long", "since when", "what time")
            or wh.sort.endswith("bare")
        ):
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
    group = around(clause, _several(clause, about, sort))
    if group is None:
        return
    front, after = group
    denied = "not" if clause.negated else ""
    text = " ".join(f"{opening} {front} {subject} {denied} {after} {rest}".split())
    yield Asked(text, wh.sort, f"{made or part.role} {clause.said}", short, sort)


def _several(clause: Clause, about: Topic, sort: str) -> bool:
    """Whether the subject, as it is named, is plural."""
    if sort in ("topic", "pronoun"):
        return about.plural
    return clause.sentence.words[clause.subject].tag in ("NNS", "NNPS")


def _active(clause: Clause, subject: str, wh: Wh, about: Topic, short: int) -> str | None:
    """ "Who designed the bridge?" of a bridge that was designed by somebody."""
    verb = activated(clause, wh.plural and wh.text not in ("who", "what"))
    if verb is None or wh.sort in ("when", "where"):
        return None
    without = clause._replace(parts=tuple(part for part in clause.parts if part.role != "agent"))
    rest = told(without, about, short, None, True)
    return None if rest is None else f"{wh.text} {verb} {subject} {rest}".strip()
