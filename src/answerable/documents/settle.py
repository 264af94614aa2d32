"""What the turns of a conversation settle of a rule, which condition is still open, and what the rule then decides.

All of it is by the words that questions and conditions share, and by logic: a baseline, and a check on a model. A rule
is taken to be the whole of the matter, so that whoever does not meet it gets the contrary of its consequence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from answerable.documents.followup import question
from answerable.documents.rules import Condition, Group, Logic, Rule
from answerable.text import words

Turn = tuple[str, str]
"""A question that was asked, and its answer, which settles something when it begins with yes or no."""
THRESHOLD = 0.45
"""Overlap from which a question asks for a condition; chosen on ShARC's training rules."""
_EMPTY = frozenset(
    "a an and any are as at be been but by can could did do does for from get got had has have he her his how i if in "
    "is it its may me might must my need of on or our she should so some than that the their them then there they "
    "this those to up was we were what when where which who will with would you your re ve ll s t d also been being "
    "following these not no yes either both".split()
)


def content(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, without their endings; all its words where none of them does."""
    said = words(text)
    return frozenset(map(_stem, [w for w in said if w not in _EMPTY] or said))


def overlap(first: str, second: str) -> float:
    """Dice coefficient of the content words of two texts, 0 to 1; 0 where one has none."""
    a, b = content(first), content(second)
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


def settled(rule: Rule, history: Sequence[Turn]) -> dict[Condition, bool]:
    """Whether each condition that a turn asked for is met; of two turns that ask for one condition the later counts.

    A turn asks for the one condition whose question its words overlap most, from `THRESHOLD` on; the first of equals.
    """
    found: dict[Condition, bool] = {}
    asked = {condition: question(condition) for condition in rule.conditions}
    for said, answer in history:
        reply = next(iter(words(answer)), "")
        best = max(asked, key=lambda c: overlap(asked[c], said))
        if reply in ("yes", "no") and overlap(asked[best], said) >= THRESHOLD:
            found[best] = (reply == "yes") != best.negated
    return found


def open_conditions(rule: Rule, history: Sequence[Turn]) -> tuple[Condition, ...]:
    """The conditions that no turn has settled, in the order of the text."""
    known = settled(rule, history)
    return tuple(condition for condition in rule.conditions if condition not in known)


def settle(rule: Rule, history: Sequence[Turn], assumed: Logic = "unknown") -> str | None:
    """What the rule decides by the answers so far: "yes" where its consequence is granted, "no", or None while open.

    `assumed` is how conditions combine where the text does not say; see `holds`.
    """
    met = holds(rule.needs, settled(rule, history), assumed)
    return None if met is None else "yes" if met == rule.grants else "no"


def holds(group: Group, known: Mapping[Condition, bool], assumed: Logic = "unknown") -> bool | None:
    """Whether a group of conditions is met, as far as is known (three-valued logic, Kleene 1952).

    Where the text does not say how they combine, it is as `assumed`; if that is unknown too, they must agree.
    """
    values = [holds(m, known, assumed) if isinstance(m, Group) else known.get(m) for m in group.members]
    logic = assumed if group.logic == "unknown" else group.logic
    if logic == "any":
        return True if True in values else None if None in values else False
    if logic == "all":
        return False if False in values else None if None in values else True
    return values[0] if len(set(values)) == 1 else None


def remaining(group: Group, known: Mapping[Condition, bool]) -> Group:
    """The group without the members that are known, or can no longer matter: those of a group that is decided."""
    if holds(group, known) is not None:
        return Group(group.logic, ())
    members: list[Condition | Group] = []
    for member in group.members:
        if isinstance(member, Group):
            members += [remaining(member, known)] if holds(member, known) is None else []
        elif member not in known:
            members.append(member)
    return Group(group.logic, tuple(members))


def next_condition(rule: Rule, history: Sequence[Turn]) -> Condition | None:
    """The condition to ask for next: the first that is open and still matters; None where none is."""
    conditions = sorted(remaining(rule.needs, settled(rule, history)).conditions(), key=lambda c: (c.start, c.end))
    return conditions[0] if conditions else None


def relevant(found: Sequence[Rule], asked: str) -> list[Rule]:
    """Rules by how much of a question's content words their consequence has, most first; equals stay in order."""
    wanted = content(asked)
    return sorted(found, key=lambda rule: -len(wanted & content(rule.consequence)))


def _stem(word: str) -> str:
    """A word without the ending of its number or tense, roughly: enough for "living", "lived" and "lives" to agree."""
    for ending in ("ing", "ied", "ies", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) > 2 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and (word[-1] in "ey" or word[-1] == word[-2]) else word
