"""Where a decision needs more: the rule that a walk came to, what it makes of what was said, and what to ask next."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from answerable.documents.conditional import conditional, told
from answerable.documents.encoded import Book
from answerable.documents.followup import question as asked_for
from answerable.documents.rules import Condition, Rule, rules
from answerable.documents.settle import Turn, content, holds, settled

_AROUND = 12
"""Paragraphs of the same section that are read on each side: a list may have each of its items in one of its own."""
_BELOW = 100
"""Paragraphs below a heading in which a rule is looked for."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What a rule makes of a question: `text` says it, with what it depends on still; `ask` is the next question."""

    rule: Rule
    text: str
    conditions: tuple[Condition, ...]
    ask: str | None


def settle_by_rule(
    book: Book, attended: tuple[int, int], question: str, scenario: str, history: Sequence[Turn]
) -> Settled | None:
    """What the rule where a question was led to says; None where there is no rule, or it does not say what is open.

    `attended`: the paragraph and the sentence, as `walk.Turned` has them. A rule whose conditions are all settled gives
    its answer; of what is open the first condition is asked for.
    """
    rule = _rule_at(book, attended, question)
    if rule is None:
        return None
    met = holds(rule.needs, told(rule, scenario) | settled(rule, history))
    if met is not None:
        return Settled(rule, "yes" if met == rule.grants else "no", (), None)
    found = conditional("yes" if rule.grants else "no", rule, scenario, history)
    if not found.conditions:
        return None
    return Settled(rule, found.text, found.conditions, asked_for(found.conditions[0]))


def _rule_at(book: Book, attended: tuple[int, int], question: str) -> Rule | None:
    """The rule of the sentence attended to, else of the paragraph, of its section, or of all under its heading.

    Of several, the first whose consequence has most of the question's words; one that has none only where none has.
    """
    whole, sentence = attended
    one = book.paragraphs[whole]
    wanted = content(question)
    around = _section(book, whole)
    places = [
        (book.span(sentence), _section(book, book.paragraph(sentence))),
        ((one.start, one.end), around),
        (around, around),
        (_below(book, whole),) * 2,
    ]
    best: list[Rule] = []
    for (start, end), section in places:
        found = rules(book.document.text, *section)
        here = [rule for rule in found if rule.start < end and rule.end > start and not _circular(rule, wanted)]
        if here:
            best.append(max(here, key=lambda rule: (len(wanted & content(rule.consequence)), -rule.start)))
    return next((rule for rule in best if wanted & content(rule.consequence)), best[0] if best else None)


def _circular(rule: Rule, wanted: Set[str]) -> bool:
    """Whether a rule supposes what is asked: "can I get the grant?" by what "you can also get if you get the grant"."""
    return bool(wanted) and any(wanted <= content(condition.text) for condition in rule.conditions)


def _section(book: Book, number: int) -> tuple[int, int]:
    """Characters of the paragraphs around one that stand under the same headings."""
    path = book.paragraphs[number].path
    first = last = number
    while first > max(0, number - _AROUND) and book.paragraphs[first - 1].path == path:
        first -= 1
    while last < min(len(book.paragraphs) - 1, number + _AROUND) and book.paragraphs[last + 1].path == path:
        last += 1
    return book.paragraphs[first].start, book.paragraphs[last].end


def _below(book: Book, number: int) -> tuple[int, int]:
    """Characters of the paragraphs from one on whose headings begin with its own, up to `_BELOW` of them."""
    path = book.paragraphs[number].path
    last = number
    while last < min(len(book.paragraphs) - 1, number + _BELOW) and book.paragraphs[last + 1].path[: len(path)] == path:
        last += 1
    return book.paragraphs[number].start, book.paragraphs[last].end
