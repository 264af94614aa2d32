"""What a rule asks of a person: its conditions, how they combine, and what it decides.

A rule is read from how it is written, without a model: a lead-in and its items ("You can apply if you:"), a clause
after "if", "when", "unless", "provided", "as long as" or "except", a duty ("you must be 18 or over"), or a class of
persons ("people who live abroad can apply"). Text in which none of these stands has no rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from answerable.documents.blocks import Heading, List, Span, blocks, trimmed
from answerable.documents.clauses import Clause, conditional_clauses, obligation, parts, persons, quantified, subject
from answerable.documents.english import expand, is_negative
from answerable.documents.grammar import analysed, joined
from answerable.text import sentences

Logic = Literal["all", "any", "unknown"]
_OF_WHOM = re.compile(
    r"(?:if|when) (?=you\b(?! (?:can|will|need|must|may|should)\b)(?![’']ll)|your \w)"
    r"|(?=you(?:[’'](?:re|ve)| are| have) )",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Condition:
    """Characters [start, end) of a text that ask one thing of a person, and their words.

    `stem` is what the words go on from, empty where they are a clause of their own: "you are" for "under 19".
    `negated`: the rule asks that it be not so ("you don't live abroad", "unless you live abroad"), so that whoever
    answers no to the question "Do you live abroad?" meets the condition. `other`: it speaks of others as "they" or
    "the person", since the rule calls whoever asks "you".
    """

    start: int
    end: int
    text: str
    stem: str
    negated: bool
    other: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Conditions, or groups of them, and how they combine: `unknown` where the text does not say."""

    logic: Logic
    members: tuple[Condition | Group, ...]

    def conditions(self) -> Iterator[Condition]:
        """All conditions of the group and of the groups in it, in the order of the text."""
        for one in self.members:
            if isinstance(one, Group):
                yield from one.conditions()
            else:
                yield one


@dataclass(frozen=True, slots=True)
class Rule:
    """Characters [start, end) of a text that say what holds under which conditions.

    `decides` are the characters of the consequence, or none where the rule only asks, and `consequence` their words.
    `grants` is False where the consequence denies something: "you aren't entitled if ...".
    """

    start: int
    end: int
    decides: Span
    consequence: str
    grants: bool
    needs: Group

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All its conditions in the order of the text; there is at least one."""
        return tuple(sorted(self.needs.conditions(), key=lambda c: (c.start, c.end)))


def rules(text: str, start: int = 0, end: int | None = None) -> tuple[Rule, ...]:
    """The rules among characters [start, end) of a text, in order, all offsets being those of the text.

    Give a lead-in together with its items: a paragraph, or the first to the last of several.
    """
    found: list[Rule] = []
    heading: Heading | None = None
    for block in blocks(text, start, len(text) if end is None else end):
        if isinstance(block, Heading):
            heading = block
            continue
        rest = block.items if isinstance(block, List) else ()
        a, b = block.lead if isinstance(block, List) else block
        spans = [(a + one, a + other) for one, other in sentences(text[a:b])]
        here = _each(text, spans[:-1] if rest else spans)
        if rest and spans:
            rule = _list(text, spans[-1], rest)
            here += [rule] if rule else _each(text, rest)
        if not here and heading and spans and (rule := _under(text, heading, spans[0])):
            here = [rule]
        found += here
        heading = None
    return tuple(found)


def _under(text: str, heading: Heading, said: Span) -> Rule | None:
    """The rule of a heading that says of whom it is ("If you're abroad") and the first sentence below it."""
    words = text[heading.start : heading.end]
    if opening := _OF_WHOM.match(words):
        end = heading.start + len(words.rstrip(" \t\r.:"))
        needs = _clause(text, 0, Clause(heading.start + opening.end(), end), other=True)
        return _rule(text, (heading.start, said[1]), said, needs) if needs.members else None
    return None


def _each(text: str, spans: Iterable[Span]) -> list[Rule]:
    return [rule for span in spans if (rule := _sentence(text, *span))]


def _sentence(text: str, start: int, end: int) -> Rule | None:
    """The rule of one sentence: of its conditional clauses, or else of a duty, or else of a class of persons."""
    said = text[start:end]
    main, clauses = conditional_clauses(said)
    if not clauses:
        found = obligation(said) or persons(said)
        if found is None:
            return None
        main, clauses = found[0], [found[1]]
    elif not said[slice(*main)].strip():
        return None  # a heading, or half a sentence
    groups = [_clause(text, start, clause, _addressed(said)) for clause in clauses]
    needs = _together(groups)
    return _rule(text, (start, end), _moved(main, start), needs) if needs.members else None


def _clause(text: str, offset: int, clause: Clause, other: bool) -> Group:
    logic, spans = parts(text[offset + clause.start : offset + clause.end])
    base = offset + clause.start
    found = []
    for a, b in spans:
        stem = clause.stem or subject(text[base + a : base + b], text[base:])
        if re.search(r"\w", text[base + a : base + b]):
            found.append(_condition(text, (base + a, base + b), stem, clause.negative, other))
    return Group(_denied(logic, clause.negative) if len(found) > 1 else "all", tuple(found))


def _list(text: str, lead: Span, items: tuple[Span, ...]) -> Rule | None:
    """The rule of a lead-in and its items."""
    said = text[slice(*lead)].rstrip(" :-–")
    main, clauses = conditional_clauses(said, open_end=True)
    last = clauses[-1] if clauses and clauses[-1].end == len(said) else None
    other = _addressed(said)
    groups = [_clause(text, lead[0], clause, other) for clause in clauses if clause is not last]
    if last is None:
        skipped = main[0] if groups else 0
        rest = said[skipped:]
        found = obligation(rest, open_end=True) or (None if groups else persons(rest, open_end=True))
        if found is None:  # the items are what follows from the clauses, or say nothing of a person
            needs = _together(groups)
            return _rule(text, (lead[0], items[-1][1]), _moved(main, lead[0]), needs) if needs.members else None
        last = replace(found[1], start=found[1].start + skipped, end=found[1].end + skipped)
        main = main if groups else found[0]
    whole = quantified(said[last.start : last.end])
    base = lead[0] + last.start
    if whole.before:
        a, b = whole.before
        groups.append(_clause(text, 0, Clause(base + a, base + b, last.stem, last.negative), other))
    stem = expand(f"{last.stem} {'' if whole.before else whole.stem}")
    spans = [span for item in items for span in [trimmed(text, *item)] if span[0] < span[1]]
    members = tuple(_condition(text, span, stem, last.negative, other) for span in spans)
    unsaid: Logic = "any" if _refuses(said[slice(*main)]) else "unknown"
    logic = whole.logic or last.logic or _ends(text, items) or unsaid
    groups.append(Group(_denied(logic, last.negative) if len(members) > 1 else "all", members))
    needs = _together(groups)
    return _rule(text, (lead[0], items[-1][1]), _moved(main, lead[0]), needs) if needs.members else None


def _together(groups: list[Group]) -> Group:
    """All of the groups that hold something, as one."""
    full = tuple(group for group in groups if group.members)
    return full[0] if len(full) == 1 else Group("all", full)


def _condition(text: str, span: Span, stem: str, negative: bool, other: bool) -> Condition:
    words = text[slice(*span)]
    denied = analysed(joined(stem, words), other).negative
    return Condition(*span, words, stem, negative != denied, other)


def _rule(text: str, span: Span, main: Span, needs: Group) -> Rule:
    start, end = trimmed(text, *main)
    words = text[start:end]
    return Rule(*span, (start, end), words, not _refuses(words), needs)


def _refuses(consequence: str) -> bool:
    said = expand(consequence)
    banned = re.search(r"\b(?:banned|barred|prohibited|disqualified|excluded|forbidden)\b", said, re.IGNORECASE)
    return is_negative(said) != bool(banned)


def _addressed(said: str) -> bool:
    """Whether a sentence calls whoever reads it "you", so that "they" are others."""
    return bool(re.search(r"\byou(?:r|rs)?\b", said, re.IGNORECASE))


def _denied(logic: Logic, negative: bool) -> Logic:
    """How conditions combine once each is denied: not (a or b) is (not a) and (not b), De Morgan."""
    if not negative or logic == "unknown":
        return logic
    return "all" if logic == "any" else "any"


def _ends(text: str, items: tuple[Span, ...]) -> Logic | None:
    """What the end of one of the items says: "; and" or ", or"."""
    for start, end in items[:-1]:
        if found := re.search(r"[,;. ]\s*(and|or)[,;.]?\s*$", text[start:end]):
            return "all" if found[1] == "and" else "any"
    return None


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by
