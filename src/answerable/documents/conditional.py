"""Conditional answers: "yes, if you are over 18", with the characters of each condition that is still open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from answerable.documents.blocks import Span
from answerable.documents.english import is_negative
from answerable.documents.followup import question, statement
from answerable.documents.rules import Condition, Group, Rule
from answerable.documents.settle import Turn, content, remaining, settled
from answerable.text import sentences

COVERED = 0.8
"""Share of a condition's content words that a sentence of a scenario has when it settles it. High, since a condition
that is wrongly taken to be settled is missing from the answer."""


@dataclass(frozen=True, slots=True)
class ConditionalAnswer:
    """An answer and the conditions it depends on still, in the order of the text, each of which can be cited.

    `text` says both: "yes, if you are over 18, and you live here", or "no, unless ..." where the rule grants what the
    answer denies. Without conditions it is the answer alone.
    """

    answer: str
    conditions: tuple[Condition, ...]
    text: str

    @property
    def spans(self) -> tuple[Span, ...]:
        """The characters of each condition in the text of the rule."""
        return tuple((condition.start, condition.end) for condition in self.conditions)


def conditional(answer: str, rule: Rule, scenario: str = "", history: Sequence[Turn] = ()) -> ConditionalAnswer:
    """An answer under the conditions of a rule that neither the scenario nor a turn has settled.

    What a turn says counts before what the scenario says. An answer other than "no" is taken to affirm.
    """
    left = remaining(rule.needs, told(rule, scenario) | settled(rule, history))
    conditions = tuple(sorted(left.conditions(), key=lambda c: (c.start, c.end)))
    answer = answer.strip()
    if not conditions:
        return ConditionalAnswer(answer, (), answer)
    word = "if" if (answer.lower().rstrip(".") != "no") == rule.grants else "unless"
    return ConditionalAnswer(answer, conditions, f"{answer.rstrip('.')}, {word} {_said(left)}")


def told(rule: Rule, scenario: str) -> dict[Condition, bool]:
    """Whether each condition that a scenario settles is met, by the words they share.

    A sentence that has nearly all content words of a condition's question settles it: it is so, or is not so where the
    sentence denies. Nothing is understood beyond that: "aged 70" does not settle "over 65".
    """
    said = [scenario[a:b] for a, b in sentences(scenario)]
    known: dict[Condition, bool] = {}
    for condition in rule.conditions:
        wanted = content(question(condition))
        best = max(said, key=lambda one: len(wanted & content(one)), default="")
        if len(wanted & content(best)) >= COVERED * len(wanted):
            known[condition] = is_negative(best) == condition.negated
    return known


def _said(group: Group | Condition) -> str:
    if isinstance(group, Condition):
        return statement(group)
    word = "and" if group.logic == "all" else "or" if group.logic == "any" else "and perhaps"
    return f", {word} ".join(_said(member) for member in group.members)
