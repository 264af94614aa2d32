"""What speaks for and against a reading: features of its words' classes, of connectives and of what is shared.

No feature names a word that could be a topic: connectives and prepositions are named, all other words are classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from answerable.sets.parsing.connectives import Connective
from answerable.sets.parsing.words import Word

Words = tuple[Word, ...]
PAIRS, COMPOUNDS = (
    frozenset(Path(__file__).with_name(name).read_text("utf-8").splitlines()) for name in ("pairs.txt", "compounds.txt")
)
"""In small letters: the word before an "and" and the word after it (or after "the") that stay whole, as names and set
phrases do; and two words that are one, so that nothing is shared from between them."""


def size(count: int) -> str:
    """A length in few classes."""
    return str(count) if count < 4 else "4" if count < 6 else "6"


def head(words: Sequence[Word]) -> Word:
    """The noun a phrase is about, as far as classes tell: the last before a modifier."""
    for at in range(1, len(words)):
        if words[at].kind in ("prep", "part") or words[at].low == "that":
            return words[at - 1]
    return words[-1]


def named(one: Word) -> str:
    """A preposition by itself, any other word by its class."""
    return one.low if one.kind in ("prep", "det") else one.kind


def is_modifier(words: Sequence[Word]) -> bool:
    """Whether words begin as a modifier does: "built with", "for", "that use"."""
    return words[0].kind in ("prep", "part") or (words[0].low == "that" and len(words) > 1)


def many(one: Word) -> bool:
    """Whether a word is a noun in the plural, as far as its class tells."""
    return one.kind in ("plural", "generic") or (one.kind == "cap" and one.low.endswith("s") and len(one.low) > 4)


def known(before: Words, after: Words) -> bool:
    """Whether words on both sides of an "and" or "or" make a set phrase."""
    second = next((one.low for one in after if one.low != "the"), "")
    return f"{before[-1].low} {second}".replace('"', "") in PAIRS


def of_joined(joint: Connective, before: Words, after: Words) -> list[str]:
    """A connective that is taken to be part of a name."""
    left, right = before[-1], after[0]
    kind = f"joined {joint.kind}"
    if joint.kind == "none":
        lead = "generic" if head(before).kind == "generic" else "other"
        return [
            f"{kind} {joint.name}",
            f"{kind} {joint.name} {lead}",
            f"{kind} {left.kind} {size(len(before))}",
            f"{kind} {lead} {size(len(before))}",
        ]
    return [
        kind,
        f"{kind} known {known(before, after)}",
        f"{kind} {joint.name}",
        f"{kind} title {right.low == 'the'} {left.text[:1].isupper()} {after[-1].text[:1].isupper()}",
        f"{kind} {left.kind} {right.kind}",
        f"{kind} {size(len(before))} {size(len(after))}",
        f"{kind} last {after[-1].kind} {left.kind}",
        f"{kind} heads {many(head(before))} {many(head(after))}",
        f"{kind} prep {any(one.kind == 'prep' for one in before)} {right.kind}",
        f"{kind} comma {joint.comma}",
    ]


def of_atom(words: Words) -> list[str]:
    """An atom as a whole."""
    first, last = words[0], words[-1]
    return [
        f"atom {size(len(words))}",
        f"atom first {first.kind}",
        f"atom last {named(last)}",
        f"atom head {many(head(words))}",
    ]


def of_structure(
    op: str, joint: Connective, left: tuple[str, Connective | None], right: tuple[str, Connective | None], around: str
) -> list[str]:
    """Two parts put together; of each its operation and connective, and the kinds of those `around` both."""
    kinds = [one.kind if one else "-" for one in (left[1], right[1])]
    names = [one.name if one else "-" for one in (left[1], right[1])]
    base = f"{op} {joint.kind}"
    return [
        f"do {base}",
        f"do {op} {joint.name}",
        f"do {op} {joint.kind} {joint.join} {left[0]} {right[0]}",
        f"do {base} that {joint.that} {joint.comma}",
        f"over {base} {left[0]} {right[0]}",
        f"over {base} left {left[0]} {kinds[0]}",
        f"over {base} right {right[0]} {kinds[1]}",
        f"over {base} comma {joint.comma} {left[0]} {right[0]}",
        f"over {base} that {joint.that} {left[0]} {right[0]}",
        f"names {op} {joint.name} left {left[0]} {names[0]}",
        f"names {op} {joint.name} right {right[0]} {names[1]}",
        f"around {base} {around}",
        f"around {base} {around} {left[0]} {right[0]}",
        f"around {base} {around} comma {joint.comma} that {joint.that}",
    ]


def of_nothing_shared(op: str, joint: Connective, left: Words, right: Words) -> list[str]:
    """Parts that each stand for themselves."""
    kind = f"{op} {joint.kind}"
    a, b = head(left), head(right)
    modifier = is_modifier(right)
    return [
        f"apart {kind}",
        f"apart {kind} {many(a)} {many(b)} {modifier}",
        f"apart {kind} first {right[0].kind} {any(one.kind == 'prep' for one in left)}",
        f"apart {kind} last {left[-1].kind} {right[-1].kind}",
        f"apart {kind} first {left[0].kind} {right[0].kind}",
        f"apart {kind} same {a.low == b.low} {left[-1].low == right[-1].low}",
        f"apart {kind} {joint.name} {modifier} {a.kind == 'generic'}",
        f"apart {kind} left {is_modifier(left)} {modifier}",
        f"apart {kind} det {right[0].kind == 'det'} {many(b)}",
        f"apart {kind} sizes {size(len(left))} {size(len(right))}",
    ]


def of_start(op: str, joint: Connective, left: Words, at: int, right: Words) -> list[str]:
    """The first `at` words of the left part said of the right one too."""
    kind = f"start {op if op != 'or' else 'or'} {joint.kind}"
    before, rest = left[at - 1], left[at:]
    b = head(right)
    later = any(one.kind == "prep" for one in rest[:-1])
    return [
        kind,
        f"start {named(before)} {right[0].kind} {many(b)}",
        f"start {named(before)} {named(rest[0])} {named(right[0])}",
        f"{kind} {before.kind} {rest[0].kind} {right[0].kind}",
        f"start ends {rest[-1].kind} {right[-1].kind}",
        f"start sizes {size(len(rest))} {size(len(right))}",
        f"start size {size(at)} {before.kind}",
        f"start mark {rest[0].mark or '-'}",
        f"start later {later} {any(one.kind == 'prep' for one in right)}",
        f"start plural {many(rest[-1])} {many(b)} {before.kind}",
        f"start caps {rest[0].text[:1].isupper()} {right[0].text[:1].isupper()} {before.kind}",
        f"{kind} caps {rest[0].text[:1].isupper()} {right[0].text[:1].isupper()} {many(b)}",
        f"start that {joint.that} {is_modifier(right)} {op}",
        f"start same {rest[0].low == right[0].low} {right[0].kind in ('prep', 'part')}",
        f"start {before.kind} again {any(one.low == before.low for one in right)}",
    ]


def of_end(op: str, joint: Connective, left: Words, right: Words, at: int) -> list[str]:
    """The words of the right part from `at` on said of the left one too."""
    kind = f"end {op} {joint.kind}"
    rest, tail = right[:at], right[at:]
    opens = named(tail[0]) if is_modifier(tail) else tail[0].kind
    return [
        kind,
        f"{kind} {opens}",
        f"end {opens} {rest[-1].kind} {left[-1].kind}",
        f"end {opens} {many(head(left))} {many(rest[-1])}",
        f"end ends {left[-1].kind} {rest[-1].kind} {tail[-1].kind}",
        f"end firsts {left[0].kind} {right[0].kind} {size(at)}",
        f"end sizes {size(len(left))} {size(len(rest))}",
        f"end size {size(len(tail))} {opens}",
        f"end head {many(tail[-1])} {many(head(left))}",
        f"end head {many(head(tail))} {left[-1].kind} {rest[-1].kind}",
        f"end prep {any(one.kind == 'prep' for one in left)} {opens}",
        f"end mark {left[0].mark or '-'} {joint.name}",
        f"end caps {left[-1].text[:1].isupper()} {rest[-1].text[:1].isupper()} {opens}",
        f"end that {joint.that} {joint.comma}",
        f"end at head {tail[0] is head(right)} {is_modifier(tail)} {size(at)}",
        f"end at head {tail[0] is head(right)} {left[-1].kind} {rest[-1].kind}",
        f"end after {is_modifier(left)} {is_modifier(right)} {opens}",
        f"end after {is_modifier(left)} {many(left[-1])} {size(len(tail))}",
    ]


def of_chain(op: str, joint: Connective, share: str, sides: Sequence[tuple[str, str]]) -> list[str]:
    """What is shared here beside what the parts share within themselves; of each its operation and what it shares."""
    found = [
        f"chain {place} {op} {inner} {joint.kind} {was} {share}"
        for place, (inner, was) in zip("ab", sides, strict=True)
    ]
    same = [f"alike {place} {was} {share}" for place, (inner, was) in zip("ab", sides, strict=True) if inner == op]
    return found + same


def of_both_shared(op: str, joint: Connective) -> list[str]:
    """A start and an end that are both said of both."""
    return [f"both {op} {joint.kind}"]


def of_applied(joint: Connective, right: Words) -> list[str]:
    """A noun that says little, said of what follows "that are"."""
    return [f"applied {joint.kind}", f"applied {is_modifier(right)} {many(head(right))}"]
