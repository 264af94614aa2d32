"""What was said settles of a rule, which condition is still open, and what the rule then decides.

All of it is by the words that questions and conditions share, and by logic: a baseline, and a check on a model. A rule
is taken to be the whole of the matter, so that whoever does not meet it gets the contrary of its consequence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from answerable.documents.encoded import Book
from answerable.documents.rules import Condition, Group, Rule, is_negative, rules
from answerable.text import asks, content, overlap, sentences, words

Turn = tuple[str, str]
"""A question that was asked, and its answer, which settles something when it begins with yes or no."""
THRESHOLD = 0.45
"""Overlap from which a question asks for a condition; chosen on ShARC's training rules."""
COVERED = 0.8
"""Share of a condition's content words that a sentence of a scenario has when it settles it. High, since a condition
that is wrongly taken to be settled is missing from the answer."""
_AROUND = 12
"""Paragraphs of the same section that are read on each side: a list may have each of its items in one of its own."""
_BELOW = 100
"""Paragraphs below a heading in which a rule is looked for."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What a rule makes of a question: `text` says it, with the conditions it depends on still, in the order of the
    text; `ask` is the question for the first of them, or None."""

    rule: Rule
    text: str
    conditions: tuple[Condition, ...]
    ask: str | None


def settle_by_rule(
    book: Book, attended: tuple[int, int], question: str, scenario: str, history: Sequence[Turn]
) -> Settled | None:
    """What the rule where a question was led to says; None where there is no rule, or it does not say what is open.

    `attended`: the paragraph and the sentence, as `walk.Turned` has them. A rule whose conditions are all settled gives
    its answer; of what is open the first condition is asked for. What a turn says counts before the scenario, and that
    before what the question supposes: "Can I apply if I live abroad?".
    """
    rule = _rule_at(book, attended, question)
    return settle(rule, history, f"{scenario}\n\n{question}") if rule else None


def settle(rule: Rule, history: Sequence[Turn], scenario: str = "") -> Settled | None:
    """What a rule decides by what was said: yes, no, or "yes, if you are over 18, and you live here"."""
    known = told(rule, scenario) | settled(rule, history)
    met = all_of([holds(group, known) for group in rule.needs])
    if met is not None:
        return Settled(rule, "yes" if met == rule.grants else "no", (), None)
    left = remaining(rule, known)
    if not left:
        return None
    parts = []
    for group in rule.needs:
        denied = group.conditions[0].denied
        logic = {"all": "any", "any": "all"}.get(group.logic, group.logic) if denied else group.logic
        word = {"all": ", and ", "any": ", or "}.get(logic, ", and perhaps ")
        if still := [one.said for one in group.conditions if one in left]:
            parts.append(f"{'unless' if denied else 'if'} {word.join(still)}")
    text = f"{'yes' if rule.grants else 'no'}, {', and '.join(parts)}"
    return Settled(rule, " ".join(text.split()), left, left[0].question)


def told(rule: Rule, scenario: str) -> dict[Condition, bool]:
    """Whether each condition that a scenario settles is met, by the words they share.

    A sentence that has nearly all content words of a condition's question settles it: it is so, or is not so where the
    sentence denies. Nothing is understood beyond that: "aged 70" does not settle "over 65".
    """
    said = [scenario[a:b] for a, b in sentences(scenario)]
    known: dict[Condition, bool] = {}
    for condition in rule.conditions:
        wanted = content(condition.said)
        best = max(said, key=lambda one: len(wanted & content(one)), default="")
        if len(wanted & content(best)) >= COVERED * len(wanted):
            known[condition] = is_negative(best) == condition.negated
    return known


def settled(rule: Rule, history: Sequence[Turn]) -> dict[Condition, bool]:
    """Whether each condition that a turn asked for is met; of two turns that ask for one condition the later counts.

    A turn asks for the one condition that its words overlap most, from `THRESHOLD` on; the first of equals.
    """
    found: dict[Condition, bool] = {}
    for said, answer in history:
        reply = next(iter(words(answer)), "")
        best = max(rule.conditions, key=lambda one: overlap(one.said, said))
        if reply in ("yes", "no") and overlap(best.said, said) >= THRESHOLD:
            found[best] = (reply == "yes") != best.negated
    return found


def remaining(rule: Rule, known: Mapping[Condition, bool]) -> tuple[Condition, ...]:
    """The conditions that are open and still matter, in the order of the text: those of groups that are not decided."""
    still = {one for group in rule.needs if holds(group, known) is None for one in group.conditions if one not in known}
    return tuple(one for one in rule.conditions if one in still)


def holds(group: Group, known: Mapping[Condition, bool]) -> bool | None:
    """Whether a group of conditions is met, as far as is known (three-valued logic, Kleene 1952).

    Where the text does not say how they combine, they must agree.
    """
    values = [known.get(one) for one in group.conditions]
    if group.logic == "any":
        return True if True in values else None if None in values else False
    if group.logic == "all":
        return all_of(values)
    return values[0] if len(set(values)) == 1 else None


def all_of(values: Sequence[bool | None]) -> bool | None:
    """Whether all are so, as far as is known."""
    return False if False in values else None if None in values else True


def follow_up(text: str, span: tuple[int, int], asked: str, history: Sequence[Turn]) -> str | None:
    """What to ask next: the first open condition, among characters of a text, of the rule nearest to a question."""
    wanted = content(asked)
    for rule in sorted(rules(text, *span), key=lambda rule: -len(wanted & content(rule.consequence))):
        if left := remaining(rule, settled(rule, history)):
            return left[0].question
    return None


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
        text = book.document.text
        found = [rule for rule in rules(text, *section) if not asks(text[rule.start : rule.end])]
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
