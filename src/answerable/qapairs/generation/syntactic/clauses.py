"""What a sentence says, clause by clause: its main clause, and what conjuncts, relative clauses and participles say.

And the verbs of a clause as a question has them: after its subject, around it, or in the active voice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from answerable.qapairs.generation.parsing import Sentence
from answerable.qapairs.generation.syntactic.words import past, third

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

    @property
    def active(self) -> bool:
        """Whether the verb is a present participle without its auxiliary: "starring"."""
        return self.bare and self.sentence.words[self.verb].tag == "VBG"

    @property
    def past(self) -> bool:
        """Whether what lacks an auxiliary is said of the past, as its sentence's main verb is."""
        root = self.sentence.words[self.sentence.root]
        return root.tag not in ("VBZ", "VBP", "MD")


def clauses(sentence: Sentence) -> Iterator[Clause]:
    """Every clause of a sentence that has a subject or can be given one."""
    words = sentence.words
    for word in words:
        if word.tag[:2] == "VB" or word.tag == "MD":
            yield from _verbal(sentence, word.place)
        if word.role == "appos" and words[word.head].tag[:2] == "NN":
            if word.tag in ("NN", "NNS") and _described(sentence, word.place):
                yield _apposed(sentence, bearer(sentence, word.head), word.place)
            elif word.tag[:3] == "NNP" and words[word.head].tag in ("NN", "NNS") and _described(sentence, word.head):
                yield _apposed(sentence, word.place, word.head)


def _apposed(sentence: Sentence, named: int, description: int) -> Clause:
    return Clause(sentence, named, description, (), False, (), "apposition", False, bare=True)


def bearer(sentence: Sentence, noun: int) -> int:
    """What a noun describes: of "X is a bridge" and of "X, a bridge", X; the noun itself where it stands alone."""
    words = sentence.words
    if words[noun].role == "appos" and words[words[noun].head].tag[:2] == "NN":
        return words[noun].head
    if words[noun].role == "attr" and words[words[noun].head].base == "be":
        subject = sentence.child(words[noun].head, "nsubj")
        if subject is not None and words[subject].tag not in ("WDT", "WP", "EX"):
            return subject
        if subject is not None and words[words[noun].head].role == "relcl":
            return words[words[noun].head].head
    return noun


def _described(sentence: Sentence, noun: int) -> bool:
    """Whether an apposition tells something: it has an article, or "of ..." or the like after it."""
    return any(sentence.words[one].role in ("det", "prep", "poss") for one in sentence.children[noun])


def _verbal(sentence: Sentence, verb: int) -> Iterator[Clause]:
    words = sentence.words
    word = words[verb]
    if word.role in _AUXILIARIES:
        return
    subject = sentence.child(verb, *_SUBJECTS)
    auxiliaries = _auxiliaries_of(sentence, verb)
    said = "main" if word.role == "ROOT" else "inner"
    if word.role == "conj":
        yield from _conjunct(sentence, verb, subject, auxiliaries)
    elif word.role == "relcl":
        yield from _relative(sentence, verb, subject, auxiliaries)
    elif word.role == "acl" and word.tag in ("VBN", "VBG") and subject is None and word.head < verb:
        yield _clause(sentence, verb, _described_by(sentence, verb), (), "participle", bare=True)
    elif word.role in ("advcl", "prep") and word.tag == "VBN" and subject is None and not auxiliaries:
        main = sentence.child(word.head, "nsubj", "nsubjpass")
        if main is not None and sentence.left[verb] == verb:
            yield _clause(sentence, verb, main, (), "participle", bare=True)
    elif subject is not None and word.role in ("ROOT", "ccomp", "parataxis", "advcl"):
        if word.role == "ccomp" and not _outright(sentence, verb):
            said = "inner"
        elif word.role in ("ccomp", "parataxis"):
            said = "main"
        finite = word.tag in ("VBD", "VBZ", "VBP", "MD") or (word.role == "ROOT" and word.tag == "VBN")
        if (finite or auxiliaries) and subject < verb:
            yield _clause(sentence, verb, subject, auxiliaries, said)


def _described_by(sentence: Sentence, verb: int) -> int:
    """What a participle after a noun describes: after a comma the subject of "X is a base of the army, located ..."."""
    words = sentence.words
    noun = words[verb].head
    if words[verb - 1].text == ",":
        above = noun
        while words[above].role in ("pobj", "prep", "conj"):
            above = words[above].head
        if words[above].role in ("attr", "appos"):
            noun = above
    return bearer(sentence, noun)


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
    if role == "acl" and words[first].tag == words[verb].tag and words[verb].tag in ("VBN", "VBG"):
        yield _clause(sentence, verb, bearer(sentence, words[first].head), (), "participle", bare=True)
        return
    if role == "relcl":
        if shared is None or words[shared].tag not in ("WDT", "WP"):
            return
        shared, said = bearer(sentence, words[first].head), "relative"
    if shared is None or role not in ("ROOT", "ccomp", "relcl", "conj"):
        return
    if words[verb].tag in ("VBN", "VBG", "VB") and not auxiliaries:
        auxiliaries = _auxiliaries_of(sentence, first)
        if not auxiliaries:
            return
    yield _clause(sentence, verb, shared, auxiliaries, said)


def _relative(sentence: Sentence, verb: int, subject: int | None, auxiliaries: tuple[int, ...]) -> Iterator[Clause]:
    words = sentence.words
    noun = words[verb].head
    if subject is None:
        return
    if words[subject].tag in ("WDT", "WP") or words[subject].lower in ("that", "who", "which"):
        yield _clause(sentence, verb, bearer(sentence, noun), auxiliaries, "relative")
        return
    gap = next((one for one in sentence.children[verb] if words[one].tag in ("WDT", "WP")), None)
    made = _clause(sentence, verb, subject, auxiliaries, "relative")
    if gap is not None and words[gap].role == "dobj":
        parts = tuple(part for part in made.parts if part.head != gap)
        yield made._replace(parts=parts, antecedent=bearer(sentence, noun))


def _auxiliaries_of(sentence: Sentence, verb: int) -> tuple[int, ...]:
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


_STATES = frozenset(
    "located situated based known used owned operated found spoken considered dedicated composed derived held made "
    "named called related bordered served classified".split()
)
"""Participles that say how something is; others say what was done to it."""
_BE = {"'s": "is", "'re": "are"}
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does"}


def be(clause: Clause, several: bool) -> str:
    """The form of "be" for what a sentence says without a verb, in the tense of its main verb."""
    present = not clause.past
    if clause.said == "participle":
        present = present and clause.sentence.words[clause.verb].lower in _STATES
    return ("are" if present else "were") if several else ("is" if present else "was")


def following(clause: Clause, several: bool) -> str:
    """The verbs after what asks for their subject, agreeing with it; "" where there is no saying them so."""
    verb = clause.sentence.words[clause.verb]
    if clause.active:
        return "" if clause.past or verb.base == "be" else verb.base if several else third(verb.base)
    group = [be(clause, several)] if clause.bare else _written_out(clause)
    if group:
        if not several:
            group[0] = _SINGULAR.get(group[0], group[0])
        if clause.negated:
            group.insert(1, "not")
        return " ".join([*group, verb.lower])
    if clause.negated:
        return ""
    if verb.base == "be":
        form = _BE.get(verb.lower, verb.lower)
        return form if several else _SINGULAR.get(form, form)
    return third(verb.base) if verb.tag == "VBP" and not several else verb.lower


def around(clause: Clause, several: bool) -> tuple[str, str] | None:
    """What goes before the subject and what stays after it, with "did" or "does" where there is no auxiliary."""
    verb = clause.sentence.words[clause.verb]
    if clause.said == "apposition":
        return be(clause, several), ""
    if clause.active:
        return None if verb.base == "be" else ("did" if clause.past else "do" if several else "does", verb.base)
    if clause.bare:
        return be(clause, several), verb.lower
    if group := _written_out(clause):
        return group[0], " ".join([*group[1:], verb.lower])
    if verb.base == "be":
        return _BE.get(verb.lower, verb.lower), ""
    front = {"VBD": "did", "VBN": "did", "VBZ": "does", "VBP": "do"}.get(verb.tag)
    return None if front is None else (front, verb.base)


def activated(clause: Clause, several: bool) -> str | None:
    """The active voice of a passive, for who did it: "designed" of "was designed", "owns" of "is owned"."""
    verb = clause.sentence.words[clause.verb]
    if not clause.passive or clause.negated:
        return None
    group = _written_out(clause) or [be(clause, False)]
    if len(group) > 1:
        return f"{'had' if group[0] == 'had' else 'has'} {verb.lower}" if group[0] in ("has", "have", "had") else None
    if group[0] in ("was", "were"):
        return past(verb.lower)
    if group[0] in ("is", "are"):
        return verb.base if several else third(verb.base)
    return None


def _written_out(clause: Clause) -> list[str]:
    words = clause.sentence.words
    perfect = words[clause.verb].tag not in ("VBG", "VBN")
    full = {"'s": "has" if perfect else "is", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
    return [full.get(words[one].lower, words[one].lower) for one in clause.auxiliaries]
