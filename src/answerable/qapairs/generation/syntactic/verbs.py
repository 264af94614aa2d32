"""The verbs of a clause as a question has them: after its subject, around it, or in the active voice."""

from __future__ import annotations

from answerable.qapairs.generation.syntactic.clauses import Clause
from answerable.qapairs.generation.syntactic.words import past, third

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
    group = [be(clause, several)] if clause.bare else _auxiliaries(clause)
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
    if group := _auxiliaries(clause):
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
    group = _auxiliaries(clause) or [be(clause, False)]
    if len(group) > 1:
        return f"{'had' if group[0] == 'had' else 'has'} {verb.lower}" if group[0] in ("has", "have", "had") else None
    if group[0] in ("was", "were"):
        return past(verb.lower)
    if group[0] in ("is", "are"):
        return verb.base if several else third(verb.base)
    return None


def _auxiliaries(clause: Clause) -> list[str]:
    """The auxiliaries of a clause, written out."""
    words = clause.sentence.words
    perfect = words[clause.verb].tag not in ("VBG", "VBN")
    full = {"'s": "has" if perfect else "is", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
    return [full.get(words[one].lower, words[one].lower) for one in clause.auxiliaries]
