"""What a rule asks of a person: its conditions, word for word, how they combine, and what it decides.

Two things make a rule: a sentence with a clause after "if", "unless" and their like, or with a duty ("you must be 18"),
and a lead-in that ends so, with its items ("You can apply if you:"). Text in which neither stands has no rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal

from answerable.text import sentences

Span = tuple[int, int]
"""Characters [start, end) of a text."""
Logic = Literal["all", "any", "unknown"]
_NOT_IF = "even|whether|see|check|out|ask|know|decide|as"
_CONDITIONAL = re.compile(
    "".join(rf"(?<!\b{word} )" for word in _NOT_IF.split("|"))
    + r"\b(?:(?:only )?if|(?P<denied>unless|except(?: if| when| where|(?= you\b))|until(?= you| they))"
    r"|provid(?:ed|ing)(?: that)?(?= (?:you|they|the|it)\b)|(?:as|so) long as|on condition that"
    r"|(?<!\bof )when(?= (?:you|they|the|an?|both|all|either|one|any)\b))(?=\W|$)",
    re.IGNORECASE,
)
_DUTY = re.compile(
    r"(?:\b(?:you|they|it|this)\b[\w ]*? ?|\b(?:your|the|an?) \w+ |\bapplicants )\b"
    r"(?:must|needs? to|ha(?:ve|s) to)(?=\W|$)",
    re.IGNORECASE,
)
_MAIN = re.compile(
    r", |\s(?=(?:you|we|they|it|the \w+)(?:[’']ll| (?:can|may|must|will|should|might)\b))", re.IGNORECASE
)
_JOINT = re.compile(r",? (and|or) (?=(?:you|your|they|he|she|it|the|are|were|have|do)\b)|, (?=you|they)", re.IGNORECASE)
_ALL = re.compile(r"\b(?:both|all|each)\b(?: of\b)?[^,;]*$", re.IGNORECASE)
_ANY = re.compile(r"\b(?:either|any|one or more|at least (?:one|1)|one|1)\b(?: of\b)?[^,;]*$", re.IGNORECASE)
_WHO = re.compile(
    r"\bwho (?!can\b)(?:.+?(?= (?:can|may|might|must|should|will|qualify|aren[’']t)\b|[,;]|$)|$)"
    r"|^(?:(?!you|it|this|there|we\b)[\w’' -]){3,60}?(?= (?:can|can(?:not|[’']t)|may|must|aren?(?:[’']t)?|qualify)\b)",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"\b(?:can(?:not)?|may|eligible|entitled|qualif(?:y|ies)|exempt|banned|allowed|granted|available|used for|must)\b",
    re.IGNORECASE,
)
_PURPOSE = re.compile(r"\s(?=to (?:get|qualify|apply|claim|be eligible|be able|receive|use)\b)", re.IGNORECASE)
_FOLLOWING = re.compile(r"\b(?:the|these) (?:following|conditions)\b[^,;]*$", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:[*•·–-]|\(?(?:\d{1,2}|[a-z])[.)])[ \t]+")
_HEADING = re.compile(r"[ \t]*#+[ \t]+")
_WRAPPED = re.compile(rf"(?<=[^\n]{{50}}[^\n.:;!?])\n(?!\s*\n)(?!{_ITEM.pattern}|{_HEADING.pattern})")
"""A line's end at which its sentence goes on: the line is long, and ends with no mark."""
_OF_WHICH = re.compile(r"\b(?:following|these)\b|\b(?:for|to|about|are)$", re.IGNORECASE)
_ONE_OF = "you are one of those"
_APPLY = re.compile(r"\b(?:appl(?:y|ies)|true|met)\b")
_OWN = re.compile(r"(?:you|your|they|their|it|he|she|the|there|we)\b", re.IGNORECASE)
_JOINS = re.compile(r"[,;. ]\s*(and|or)[,;.]?\s*$")
_TAIL = re.compile(r"[\s,;:.]*(?:[,;.]\s*(?:and|or)|\s(?:and|or))?[\s,;:.]*$")
_ASIDE = re.compile(r"(?:;|\.\s).*$", re.DOTALL)
_NEGATIVE = re.compile(
    r"\b(?:not|never|neither|nor|cannot)\b(?! only| just)|n[’']t\b|\bno (?!later|more|less)", re.IGNORECASE
)
_VERB_NOT = re.compile(
    r"n[’']t\b"
    r"|(?:[’'](?:re|ve|s)|\b(?:are|is|do|does|did|have|has|had|was|were|can|will|must|would))(?: also)? (?:not|never)\b"
    r"|\bcannot\b|\b(?:get|have|has|receive) no\b|^(?:not|never|no|neither)\b",
    re.IGNORECASE,
)
_BANNED = re.compile(
    r"\b(?:banned|barred|prohibited|disqualified|excluded|forbidden|refused|denied|rejected|withheld)\b", re.IGNORECASE
)
_THEY = re.compile(r"you |they ", re.IGNORECASE)
_SPELT = (
    (r"\b(?:do|does|did)(?:n[’']t| not) ", ""),
    (r"\bcan(?:[’']t|not)", "can"),
    (r"n[’']t\b", ""),
    (r"[’']re\b", " are"),
    (r"[’']ve\b", " have"),
    (r"[’']ll\b", " will"),
    (r"\b(?:not|never) (?!only|just)", ""),
    (
        r"\b(?:must|needs? to|ha(?:ve|s) to)(?: also| usually)? (be\b)?",
        lambda found: ("are" if _THEY.match(found.string) else "is") if found[1] else "",
    ),
    (r"^you (?=\w+ed\b(?<!need))", "you have "),
)
_OPENS = re.compile(
    r"(you(?: or your \w+)?|they|it|he|she|(?:your|the)(?: [^\s,]+){1,5}?) "
    r"(are|is|was|were|can|will|has|have(?= (?:been|got|had|made|paid|taken|\w+ed)\b)) ?(.*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Condition:
    """Characters [start, end) of a text that ask one thing of a person, and their words.

    `stem` is what the words go on from, empty where they are a clause of their own: "you are" for "under 19".
    `denied`: it must not be so ("unless you live abroad").
    """

    start: int
    end: int
    text: str
    stem: str = ""
    denied: bool = False

    @property
    def said(self) -> str:
        """Its words with what they go on from, without asides after them: "you are under 19"."""
        return _ASIDE.sub("", f"{self.stem} {self.text}".strip())

    @property
    def negated(self) -> bool:
        """Whether who answers no to its question meets it: it is denied, or its words deny, and not both."""
        return self.denied != bool(_VERB_NOT.search(f"{self.stem} {self.text}") or _VERB_NOT.search(self.text))

    @property
    def question(self) -> str:
        """What asks a person whether it holds, without its "not"; it ends in "?"."""
        said = " ".join(self.said.split()).strip(" .,;:?!*")
        for pattern, plain in _SPELT:
            said = re.sub(pattern, plain, said, flags=re.IGNORECASE)
        if found := _OPENS.fullmatch(said):
            asked = f"{found[2]} {found[1].lower()} {found[3]}"
        elif said.lower().startswith(("you ", "they ")):
            asked = f"do {said[0].lower()}{said[1:]}"
        else:
            asked = f"does this apply to you: {said}"
        return asked[0].upper() + asked[1:].strip() + "?"


@dataclass(frozen=True, slots=True)
class _Clause:
    """Characters [start, end) that say when; conditions in them go on from `stem`. `splits`: at "and" and "or"."""

    start: int
    end: int
    stem: str = ""
    denied: bool = False
    splits: bool = True

    def moved(self, by: int) -> _Clause:
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True, slots=True)
class Group:
    """Conditions, and how they combine: `unknown` where the text does not say."""

    logic: Logic
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """Characters [start, end) of a text that say what holds under which conditions: all groups must be met.

    `consequence` are the words that say what holds, '' where the rule only asks; `grants` is False where they deny
    something: "you aren't entitled if ...".
    """

    start: int
    end: int
    consequence: str
    grants: bool
    needs: tuple[Group, ...]

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All its conditions in the order of the text; there is at least one."""
        return tuple(sorted((one for group in self.needs for one in group.conditions), key=lambda one: one.start))


def is_negative(text: str) -> bool:
    """Whether a sentence denies something: "not", "never", "no"; two denials are none."""
    return len(_NEGATIVE.findall(text)) % 2 == 1


def rules(text: str, start: int = 0, end: int | None = None) -> tuple[Rule, ...]:
    """The rules among characters [start, end) of a text, in order, all offsets being those of the text.

    Give a lead-in together with its items: a paragraph, or the first to the last of several.
    """
    end = len(text) if end is None else end
    text = text[:start] + _WRAPPED.sub(" ", text[start:end]) + text[end:]
    found: list[Rule | None] = []
    for lead, items in _blocks(text, start, end):
        spans = [(lead[0] + a, lead[0] + b) for a, b in sentences(text[slice(*lead)])]
        rule = _rule(text, spans[-1], items) if items and spans else None
        found += [_rule(text, one) for one in (spans[:-1] if rule else spans)]
        found += [rule] if rule else [_rule(text, one) for one in items]
    return tuple(rule for rule in found if rule)


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[Span, list[Span]]]:
    """Lines, each with the items below it: lines with a mark ("*", "1."), or right below one that ends in a colon.

    What is marked as a line itself is stands beside it, and not below; and where no colon says that a list begins, an
    item that leads into items of another mark stands by itself.
    """
    lead: Span | None = None
    items: list[Span] = []
    own = ""
    before = start
    lines = [(start + one.start(), start + one.end()) for one in re.finditer(r"[^\n]*\S[^\n]*", text[start:end])]
    for (a, b), following in zip_longest(lines, lines[1:]):
        heading, mark = _HEADING.match(text, a, b), _ITEM.match(text, a, b)
        kind, next_kind = _kind(text, (a, b)), _kind(text, following) if following else ""
        leads = lead is not None and text[slice(*lead)].rstrip().endswith(":")
        apart = kind and (kind == own or (not leads and text[b - 1] == ":" and next_kind not in ("", kind)))
        below = leads and text.count("\n", before, a) < 2
        before = b
        if lead and not heading and (mark or below) and not apart:
            items.append((mark.end() if mark else a, b))
            continue
        if lead:
            yield lead, items
        lead, items, own = None if heading else (mark.end() if mark else a, b), [], kind
    if lead:
        yield lead, items


def _kind(text: str, line: Span) -> str:
    """How a line is marked as an item: "1." and "2." alike, "a)" and "b)"; '' where it is not."""
    mark = _ITEM.match(text, *line)
    return re.sub(r"[a-z]", "a", re.sub(r"\d+", "1", mark[0].strip())) if mark else ""


def _rule(text: str, sentence: Span, items: Sequence[Span] = ()) -> Rule | None:
    """The rule of a sentence, or of a lead-in and its items; None where it has no condition."""
    start, end = sentence
    said = text[start:end].rstrip(" :-–\n")
    (first, last), clauses = _clauses(said)
    duty = None
    cut = (last, last)
    if items or not clauses:
        if duty := _DUTY.search(said, first, last):
            aim = None if items else _PURPOSE.search(said, duty.end(), last)
            cut = (duty.start(), aim.start() if aim else last)
        elif items and not clauses and _OF_WHICH.search(said):
            clauses.append(_Clause(last, last))
        elif _DECIDES.search(said) and (who := _WHO.search(said, first, last)):
            cut = who.span()
        if cut[0] < last:
            clauses.append(
                _Clause(*cut, "" if duty or not said[cut[0] :].lower().startswith("who ") else _ONE_OF, splits=False)
            )
    consequence = (said[first : cut[0]] + said[cut[1] : last]).strip(" ,;:.")
    if not clauses or not (consequence or duty) or (items and clauses[-1].end < len(said)):
        return None
    grants = is_negative(consequence) == bool(_BANNED.search(consequence))
    led = clauses.pop().moved(start) if items else None
    groups = [_group(text, clause.moved(start)) for clause in clauses]
    if led:
        groups += _items(text, led, items, "all" if duty else "unknown" if grants else "any")
    needs = tuple(group for group in groups if group.conditions)
    return Rule(start, items[-1][1] if items else end, consequence, grants, needs) if needs else None


def _clauses(said: str) -> tuple[Span, list[_Clause]]:
    """The characters of what a sentence says, and its clauses that say when."""
    found = list(_CONDITIONAL.finditer(said))
    main = (0, found[0].start() if found else len(said))
    clauses = []
    for match, following in zip_longest(found, found[1:]):
        end = after = following.start() if following else len(said)
        if len(said[: match.start()].split()) < 2 and (cut := _MAIN.search(said, match.end() + 4, after)):
            end, main = cut.start(), (cut.end(), after)
        clauses.append(_Clause(match.end(), end, denied=bool(match["denied"])))
    return main, clauses


def _group(text: str, clause: _Clause) -> Group:
    """The conditions of a clause: its parts before and after "and" or "or" that are clauses of their own."""
    cuts = list(_JOINT.finditer(text, clause.start, clause.end)) if clause.splits else []
    starts = [clause.start, *(cut.end() for cut in cuts)]
    spans = list(zip(starts, [*(cut.start() for cut in cuts), clause.end], strict=True))
    return _together(text, spans, clause, "any" if any(cut[1] == "or" for cut in cuts) else "all")


def _items(text: str, clause: _Clause, items: Sequence[Span], unsaid: Logic) -> list[Group]:
    """What the clause that a lead-in ends with says before "one of the following apply", and its items."""
    said = text[clause.start : clause.end]
    every, some = _ALL.search(said), _ANY.search(said)
    of_which = some or every or _FOLLOWING.search(said)
    stem = said[: of_which.start()] if of_which else said
    before = []
    if of_which and _APPLY.search(of_which[0]):
        before = [_group(text, replace(clause, end=clause.start + len(stem)))]
        stem = ""
    ends = {found[1] for a, b in items[:-1] if (found := _JOINS.search(text, a, b))}
    logic: Logic = "any" if some or "or" in ends else "all" if every or "and" in ends else unsaid
    return [*before, _together(text, items, replace(clause, stem=" ".join(f"{clause.stem} {stem}".split())), logic)]


def _together(text: str, spans: Iterable[Span], clause: _Clause, logic: Logic) -> Group:
    """A group of the conditions that stand there. Not (a or b) is (not a) and (not b), De Morgan."""
    found = []
    for a, b in (_trimmed(text, *span) for span in spans):
        if re.search(r"\w", text[a:b]):
            found.append(Condition(a, b, text[a:b], "" if _OWN.match(text, a, b) else clause.stem, clause.denied))
    if clause.denied and logic != "unknown":
        logic = "all" if logic == "any" else "any"
    return Group(logic if len(found) > 1 else "all", tuple(found))


def _trimmed(text: str, start: int, end: int) -> Span:
    """Characters [start, end) without the blanks and marks around them, nor the "and" or "or" that ends an item."""
    found = _TAIL.search(text, start, end)
    end = found.start() if found else end
    while start < end and not (text[start].isalnum() or text[start] in "£$€'‘“\"("):
        start += 1
    return start, end
