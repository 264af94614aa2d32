"""A clause and an answer in it to questions: what asks goes first, the auxiliary before the subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from answerable.pairs.generation.parsing import Sentence
from answerable.pairs.generation.syntactic.answers import Answer
from answerable.pairs.generation.syntactic.clauses import CORE, Clause, Part
from answerable.pairs.generation.syntactic.saying import kept, say
from answerable.pairs.generation.syntactic.subjects import Topic, meant
from answerable.pairs.generation.syntactic.wh import DROP, FRONT, STRAND, Wh, asking
from answerable.pairs.generation.syntactic.words import past, third

_CROSSED = frozenset(
    "pobj prep conj dobj attr xcomp pcomp agent oprd dative nummod amod compound poss nmod acomp npadvmod".split()
)
"""Roles that may stand between an answer and the part of the clause it stands in."""
_STATES = frozenset(
    "located situated based known used owned operated found spoken considered dedicated composed derived held made "
    "named called related bordered served classified".split()
)
_EMPTY = frozenset("also then however therefore thus often usually later subsequently originally initially".split())


class Asked(NamedTuple):
    """A question, how it asks, how it was made, what was left out (0 nothing, 2 all that may go), whose subject."""

    question: str
    sort: str
    made: str
    short: int
    subject: str


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
    heads = {part.head: part for part in clause.parts}
    while True:
        if at == clause.subject:
            return Place(phrase, None, tuple(above))
        if (at in heads and words[at].head == clause.verb) or at == clause.antecedent:
            return Place(phrase, heads.get(at, Part(at, "dobj")), tuple(above))
        if clause.said == "apposition" and at == clause.verb:
            return Place(phrase, Part(at, "attr"), tuple(above))
        if words[at].role not in _CROSSED or words[at].head == at:
            return None
        at = words[at].head
        above.append(at)


def questions(clause: Clause, answer: Answer, text: str, about: Topic) -> Iterator[Asked]:
    """Questions that an answer in a clause answers, by every way to ask for it and from whole to short."""
    head, modifier = answer.head, None
    words = clause.sentence.words
    if words[head].role in ("nummod", "amod", "compound", "poss", "nmod") and words[words[head].head].tag[:2] == "NN":
        modifier, head = head, words[head].head
    place = placed(clause, head)
    if place is None:
        return
    if modifier is not None:
        from answerable.pairs.generation.syntactic.modifiers import asking_modifier

        for wh in asking_modifier(clause.sentence, answer, modifier, head, about):
            yield from _asked(clause, place, wh, about, "modifier")
        return
    governor = words[place.phrase].head
    preposition = words[governor].lower if words[place.phrase].role == "pobj" else ""
    for wh in asking(clause.sentence, answer, preposition, text):
        if answer.preposition is not None and wh.preposition == STRAND:
            continue
        yield from _asked(clause, place, wh, about, "")


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
    subject, sort = _subject(clause, about)
    if subject is None:
        return
    for short in (0, 1, 2):
        yield from _of_part(clause, place, wh, about, short, subject, sort, made)


def _subject(clause: Clause, about: Topic) -> tuple[str | None, str]:
    """The subject in words, and what it is: "topic" where the title stands for it, "expletive", "own"."""
    sentence = clause.sentence
    word = sentence.words[clause.subject]
    if word.role == "expl":
        return word.lower, "expletive"
    named = meant(sentence, clause.subject, about)
    if named is not None:
        return named, "topic" if word.tag != "PRP" else "pronoun"
    if word.tag in ("PRP", "WDT", "WP", "DT", "EX", "WRB"):
        return None, ""
    return say(sentence, kept(sentence, clause.subject, clause.said == "relative"), about, False), "own"


def _of_subject(clause: Clause, wh: Wh, about: Topic, made: str) -> Iterator[Asked]:
    """ "Who discovered radium?": what asks stands where the subject stood."""
    if clause.said == "apposition":
        rest = say(clause.sentence, kept(clause.sentence, clause.verb, False), about, False)
        if rest:
            yield Asked(f"{wh.text} {_be(clause, wh.plural)} {rest}", wh.sort, "apposition", 0, "asked")
        return
    verb = _verb(clause, wh.plural)
    if not verb or clause.antecedent is not None:
        return
    for short in (0, 1, 2):
        rest = _parts(clause, about, short, None, True)
        if rest is not None:
            yield Asked(f"{wh.text} {verb} {rest}".strip(), wh.sort, f"{made} {clause.said}", short, "asked")


def _be(clause: Clause, plural: bool) -> str:
    root = clause.sentence.words[clause.sentence.root]
    present = root.tag in ("VBZ", "VBP")
    if clause.bare and clause.said == "participle":
        present = present and clause.sentence.words[clause.verb].lower in _STATES
    return ("are" if present else "were") if plural else ("is" if present else "was")


def _verb(clause: Clause, plural: bool) -> str:
    """The verb group after what asks for its subject, agreeing with it."""
    words = clause.sentence.words
    verb = words[clause.verb]
    group = [words[one].lower for one in clause.auxiliaries]
    if clause.bare:
        group = [_be(clause, plural)]
    full = {
        "'s": "is" if verb.tag in ("VBG", "VBN") else "has",
        "'re": "are",
        "'ve": "have",
        "'ll": "will",
        "'d": "would",
    }
    group = [full.get(one, one) for one in group]
    agree = {"are": "is", "were": "was", "have": "has", "do": "does"}
    if group:
        if not plural:
            group[0] = agree.get(group[0], group[0])
        if clause.negated:
            group.insert(1, "not")
        return " ".join([*group, verb.text])
    if clause.negated:
        return ""
    if verb.base == "be":
        form = {"'s": "is", "'re": "are"}.get(verb.lower, verb.lower)
        return form if plural else agree.get(form, form)
    if verb.tag == "VBP" and not plural:
        return third(verb.base)
    return verb.text


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
        if active:
            yield Asked(active, wh.sort, "active", short, sort)
    rest = _parts(clause, about, short, (place, stranded), sort in ("topic", "pronoun", "own"))
    if rest is None:
        return
    group = _inverted(clause)
    if group is None:
        return
    front, after = group
    denied = "not" if clause.negated else ""
    text = " ".join(f"{opening} {front} {subject} {denied} {after} {rest}".split())
    yield Asked(text, wh.sort, f"{made or part.role} {clause.said}", short, sort)


def _inverted(clause: Clause) -> tuple[str, str] | None:
    """What goes before the subject and what stays after it, with "did" or "does" where there is no auxiliary."""
    words = clause.sentence.words
    verb = words[clause.verb]
    if clause.said == "apposition":
        return _be(clause, words[clause.subject].tag in ("NNS", "NNPS")), ""
    if clause.bare:
        return _be(clause, words[clause.subject].tag in ("NNS", "NNPS")), verb.text
    if clause.auxiliaries:
        full = {
            "'s": "is" if verb.tag in ("VBG", "VBN") else "has",
            "'re": "are",
            "'ve": "have",
            "'ll": "will",
            "'d": "would",
        }
        group = [full.get(words[one].lower, words[one].lower) for one in clause.auxiliaries]
        return group[0], " ".join([*group[1:], verb.text])
    if verb.base == "be":
        return {"'s": "is", "'re": "are"}.get(verb.lower, verb.lower), ""
    if verb.tag in ("VBD", "VBN"):
        return "did", verb.base
    if verb.tag == "VBZ":
        return "does", verb.base
    if verb.tag == "VBP":
        return "do", verb.base
    return None


def _active(clause: Clause, subject: str, wh: Wh, about: Topic, short: int) -> str | None:
    """ "Who designed the bridge?" of a bridge that was designed by somebody."""
    words = clause.sentence.words
    verb = words[clause.verb]
    if not clause.passive or wh.sort in ("when", "where"):
        return None
    group = [words[one].lower for one in clause.auxiliaries]
    first = group[0] if group else _be(clause, False)
    if len(group) > 1 and group[0] in ("has", "have", "had"):
        said = f"{'had' if group[0] == 'had' else 'has'} {verb.text}"
    elif len(group) > 1 or clause.negated:
        return None
    elif first in ("was", "were"):
        said = past(verb.lower)
    elif first in ("is", "are"):
        said = verb.base if wh.plural and wh.text not in ("who", "what") else third(verb.base)
    else:
        return None
    without = clause._replace(parts=tuple(part for part in clause.parts if part.role != "agent"))
    rest = _parts(without, about, short, None, True)
    return None if rest is None else f"{wh.text} {said} {subject} {rest}".strip()


def _parts(clause: Clause, about: Topic, short: int, asked: tuple[Place, bool] | None, owner: bool) -> str | None:
    """All that is said after the verb, in order, without what is asked for; None where a pronoun is not resolved."""
    sentence = clause.sentence
    words = sentence.words
    said: list[str] = []
    adjuncts = 0
    held = asked[0].part.head if asked and asked[0].part is not None else None
    parts: Sequence[Part] = sorted(clause.parts, key=lambda part: (part.before, part.head == held and part.before))
    if clause.antecedent is not None and held != clause.antecedent:
        parts = [Part(clause.antecedent, "dobj"), *parts]
    if clause.said == "apposition" and held is not None:
        parts = [Part(held, "attr")]
    for part in parts:
        if part.head == held and asked is not None:
            places = _without(sentence, part, asked, short > 0)
        else:
            first = sentence.left[part.head]
            core = part.role in CORE or (part.role == "prep" and first == clause.verb + 1)
            if not core:
                adjuncts += 1
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
    if part.role == "advmod":
        return short > 0 or part.before or sentence.left[part.head] == part.head == sentence.last[part.head] - 1
    if part.before and (
        part.role not in ("prep", "npadvmod") or sentence.last[part.head] - sentence.left[part.head] > 8
    ):
        return True
    return short == 2 or (short == 1 and adjuncts > 1)


def _without(sentence: Sentence, part: Part, asked: tuple[Place, bool], short: bool) -> list[int]:
    """The words of the part that holds the answer, without the answer's phrase, or its preposition unless it stays."""
    place, stranded = asked
    gone = set(range(sentence.left[place.phrase], sentence.last[place.phrase]))
    if not stranded:
        gone.add(sentence.words[place.phrase].head)
    keep = [one for one in kept(sentence, part.head, False) if one not in gone]
    return keep
