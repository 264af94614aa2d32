"""What a sentence says, clause by clause: its main clause, and what conjuncts, relative clauses and participles say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from answerable.pairs.generation.parsing import Sentence

_AUXILIARIES = ("aux", "auxpass")
_SUBJECTS = ("nsubj", "nsubjpass", "expl", "csubj")
PARTS = frozenset(
    "dobj attr acomp prep agent xcomp ccomp oprd dative advmod npadvmod prt advcl pobj pcomp acl relcl dep".split()
)
"""Roles of what a clause says beside its subject and verb."""
CORE = frozenset("dobj attr acomp agent xcomp ccomp oprd dative prt neg".split())
"""Those that it is not whole without."""


class Part(NamedTuple):
    """What depends on a clause's verb: the word at its head, its role, and whether it stood before the subject."""

    head: int
    role: str
    before: bool = False


class Clause(NamedTuple):
    """A clause: who does what.

    `subject`: the word at its head. `verb`: the main verb, or "be". `auxiliaries`: its words, in order, "to" left out.
    `said`: whether the sentence says it outright ("main", "conjunct"), or of a noun ("relative", "participle",
    "apposition"), or says that somebody says so ("inner"). `antecedent`: of a relative clause whose object is what it
    is about, that noun. `passive`: whether the verb is a past participle that lacks its auxiliary or has "be".
    """

    sentence: Sentence
    subject: int
    verb: int
    auxiliaries: tuple[int, ...]
    negated: bool
    parts: tuple[Part, ...]
    said: str
    passive: bool
    antecedent: int | None = None
    bare: bool = False


def clauses(sentence: Sentence) -> list[Clause]:
    """Every clause of a sentence that has a subject or can be given one."""
    return list(_clauses(sentence))


def _clauses(sentence: Sentence) -> Iterator[Clause]:
    words = sentence.words
    for word in words:
        if word.tag[:2] == "VB" or word.tag == "MD":
            yield from _verbal(sentence, word.place)
        if (
            word.role == "appos"
            and word.tag in ("NN", "NNS")
            and words[word.head].tag[:2] == "NN"
            and _described(sentence, word.place)
        ):
            yield Clause(sentence, word.head, word.place, (), False, (), "apposition", False, bare=True)


def _described(sentence: Sentence, noun: int) -> bool:
    """Whether an apposition tells something: it has an article, or "of ..." or the like after it."""
    return any(sentence.words[one].role in ("det", "prep", "poss") for one in sentence.children[noun])


def _verbal(sentence: Sentence, verb: int) -> Iterator[Clause]:
    words = sentence.words
    word = words[verb]
    if word.role in _AUXILIARIES:
        return
    subject = sentence.child(verb, *_SUBJECTS)
    auxiliaries = _auxiliaries(sentence, verb)
    said = "main" if word.role == "ROOT" else "inner"
    if word.role == "conj":
        yield from _conjunct(sentence, verb, subject, auxiliaries)
    elif word.role == "relcl":
        yield from _relative(sentence, verb, subject, auxiliaries)
    elif word.role == "acl" and word.tag == "VBN" and subject is None and word.head < verb:
        yield _clause(sentence, verb, word.head, (), "participle", bare=True)
    elif subject is not None and word.role in ("ROOT", "ccomp", "parataxis", "advcl"):
        if word.role == "ccomp" and not _outright(sentence, verb):
            said = "inner"
        elif word.role in ("ccomp", "parataxis"):
            said = "main"
        if word.tag in ("VBD", "VBZ", "VBP", "MD") or auxiliaries:
            yield _clause(sentence, verb, subject, auxiliaries, said)


def _outright(sentence: Sentence, verb: int) -> bool:
    """Whether a clausal complement stands by itself, as where the parser takes "; this proved" for the main verb."""
    return sentence.child(verb, "mark") is None and any(
        sentence.words[one].text == ";" for one in sentence.children[sentence.words[verb].head]
    )


def _conjunct(sentence: Sentence, verb: int, subject: int | None, auxiliaries: tuple[int, ...]) -> Iterator[Clause]:
    words = sentence.words
    first = words[verb].head
    while words[first].role == "conj" and words[first].head != first:
        first = words[first].head
    role = words[first].role
    said = "conjunct"
    if subject is not None:
        if words[verb].tag in ("VBD", "VBZ", "VBP", "MD") or auxiliaries:
            yield _clause(sentence, verb, subject, auxiliaries, "main")
        return
    shared = sentence.child(first, *_SUBJECTS)
    if role == "acl" and words[first].tag == words[verb].tag == "VBN":
        yield _clause(sentence, verb, words[first].head, (), "participle", bare=True)
        return
    if role == "relcl":
        if shared is None or words[shared].tag not in ("WDT", "WP"):
            return
        shared, said = words[first].head, "relative"
    if shared is None or role not in ("ROOT", "ccomp", "relcl", "conj"):
        return
    if words[verb].tag in ("VBN", "VBG", "VB") and not auxiliaries:
        auxiliaries = _auxiliaries(sentence, first)
        if not auxiliaries:
            return
    yield _clause(sentence, verb, shared, auxiliaries, said)


def _relative(sentence: Sentence, verb: int, subject: int | None, auxiliaries: tuple[int, ...]) -> Iterator[Clause]:
    words = sentence.words
    noun = words[verb].head
    if (subject is not None and words[subject].tag in ("WDT", "WP")) or (
        subject is not None and words[subject].lower in ("that", "who", "which")
    ):
        yield _clause(sentence, verb, noun, auxiliaries, "relative")
        return
    if subject is None:
        return
    gap = next((one for one in sentence.children[verb] if words[one].tag in ("WDT", "WP")), None)
    made = _clause(sentence, verb, subject, auxiliaries, "relative")
    if gap is not None and words[gap].role == "dobj":
        parts = tuple(part for part in made.parts if part.head != gap)
        yield made._replace(parts=parts, antecedent=noun)


def _auxiliaries(sentence: Sentence, verb: int) -> tuple[int, ...]:
    words = sentence.words
    return tuple(one for one in sentence.children[verb] if words[one].role in _AUXILIARIES and words[one].tag != "TO")


def _clause(
    sentence: Sentence, verb: int, subject: int, auxiliaries: tuple[int, ...], said: str, bare: bool = False
) -> Clause:
    words = sentence.words
    parts = []
    for one in sentence.children[verb]:
        role = words[one].role
        if role in PARTS and words[one].tag not in ("WDT", "WP", "WRB"):
            parts.append(Part(one, role, one < verb))
    negated = sentence.child(verb, "neg") is not None
    passive = words[verb].tag == "VBN" and (bare or any(words[one].base == "be" for one in auxiliaries))
    return Clause(sentence, subject, verb, auxiliaries, negated, tuple(parts), said, passive, None, bare)
