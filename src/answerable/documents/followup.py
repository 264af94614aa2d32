"""Conditions as statements and as the yes/no questions that a person would be asked.

Whoever asks is "you": a rule's "applicants" and "the person" become "you". A condition that must not hold is asked
after all the same, without its "not", so that the answer no meets it.
"""

from __future__ import annotations

from answerable.documents.grammar import Said, analysed, joined
from answerable.documents.rules import Condition


def question(condition: Condition) -> str:
    """The question that asks a person whether a condition holds; it is never empty and ends in "?"."""
    return _asked(_said(condition))


def ask(clause: str) -> str:
    """A clause, or what is left of one, as a question without its "not": "you live here" is "Do you live here?"."""
    return _asked(analysed(joined("", clause)))


def statement(condition: Condition) -> str:
    """What a condition asks to be so, as a clause: "you are under 19", "you do not live abroad"."""
    found = _said(condition)
    if found.verb and not condition.negated:
        words = [found.subject, found.adverbs, found.stated, found.rest]
    else:
        denial = "not" if condition.negated else ""
        words = [found.subject, found.auxiliary, denial, found.adverbs, found.verb, found.rest]
    return " ".join(" ".join(words).split())


def _said(condition: Condition) -> Said:
    return analysed(joined(condition.stem, condition.text), condition.other)


def _asked(found: Said) -> str:
    words = (found.auxiliary, found.subject, found.adverbs, found.verb, found.rest)
    asked = " ".join(" ".join(words).split()).rstrip(" .,;:?!")
    return asked[0].upper() + asked[1:] + "?"
