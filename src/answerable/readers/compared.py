"""What a question compares of two things by a date, an age, a count or an amount, and what to ask of each.

"Who is older, A or B?", "Is A taller than B?", "Which genus has more species, A or B?", "Which film has the director
who died first, A or B?". All else that weighs one thing against another ("Is A busier than B?") a reader of this size
tells no better than a coin (`benchmarks/two_things.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from answerable.corpora.citations import COMMON
from answerable.text import choice, is_polar, words

_ORDER = re.compile(
    r"\b(?:(?:the )?(?:(?P<old>older|oldest)|(?P<young>(?:young|new)(?:er|est))"
    r"|(?P<size>tall|high|long|deep|wid|heavi|bigg|larg|dear|short|narrow|light|small|cheap)er)"
    r"|(?P<price>(?:more|less) expensive)|(?P<lived>lived? longer)|(?P<early>(?:the )?earliest|earlier|(?<!the )first)"
    r"|(?P<late>(?:the )?latest|later|(?<!the )last(?! year)|(?:more|most) recently)"
    r"|(?P<count>more|fewer)(?= [a-z]))\b",
    re.I,
)
_NAMES_FIRST = re.compile(r"(.+? or [^:,]+)[:,] *((?:which|who|what)\b.+)", re.I)
_OPENS = re.compile(r"(?:which|who|what|whose)\b(?! (?:is|was|are|were) the )", re.I)
_AUX = r"\b(?:was|were|is|are|has|had|have|did|do|does)\b"
_OPENED = re.compile(rf"({_AUX}) (.+)", re.I)
_VERB = re.compile(r"\b\w+(?: (?:out|place|away|up))?$")
_ROLE = re.compile(r"\b(?:ha(?:s|ve|d) (?:the|a)|whose) (\w+)(?: (?:who|that))?(?= \w)", re.I)
_SIZES = {"height": "tall high", "length": "long short", "width": "wid narrow", "depth": "deep"}
_SIZES |= {"weight": "heavi light", "area": "bigg larg small"}
"""What to ask for, by how what compares it begins."""
_LEAST = re.compile(r"old|first|earli|short|narrow|light|small|cheap|few|less", re.I)
"""What looks for the less of two: the earlier day, the shorter road."""
_THAN = re.compile(
    r"(\w+ .+)(?<! a)(?<! an)(?<! the)(?<! live)(?<! lived) ((?:an? |the |lived? )?"
    r"(?:(?!other|rather)\w+er|more|less|fewer|worse)\b.*?) than "
    r"(?!\W*\d|(?:one|two|three|four|five|once|twice|half)\b)(.+)",
    re.IGNORECASE,
)
_AGE = (("When was {} born?",), ("When was {} made?",), ("When did {} begin?",))


def than(question: str) -> tuple[str, str, str] | None:
    """What a question for yes or no compares with something that is no number, by what and with what: "Is Oslo a bigger
    city than Rome?" is "Is Oslo", "a bigger city" and "Rome". None for any other."""
    found = _THAN.fullmatch(question.strip().rstrip("? .")) if is_polar(question) else None
    return (found[1], found[2], found[3]) if found else None


def weighs(question: str) -> bool:
    """Whether a question asks which of two things is more of something, or whether one is."""
    return than(question) is not None or (choice(question) is not None and _OPENS.match(question.strip()) is not None)


@dataclass(frozen=True, slots=True)
class Compared:
    """The `names` of two things; what is asked of each, with {} for it: the first of `asks` that is answered for both,
    by one question or by how much its second says more than its first. `least`: the less of the two is looked for.
    `role`: what of them is asked for instead of themselves, as "director". `polar`: whether the first comes first."""

    names: tuple[str, str]
    asks: tuple[tuple[str, ...], ...]
    least: bool
    role: str = ""
    polar: bool = False

    @staticmethod
    def of(question: str) -> Compared | None:
        """What a question compares; None for one that does not compare two things, or by something else."""
        said = question.strip().rstrip("? .")
        if of_them := than(question):
            first, more, second = of_them
            order = _ORDER.match(re.sub("^(?:an?|the) ", "", more))
            found = Compared.of(f"{first} or {second} {order[0]}") if order else None
            return replace(found, polar=True) if found else None
        if (turned := _NAMES_FIRST.fullmatch(said)) and not _OPENS.match(said):
            said = f"{turned[2]}, {turned[1]}"
        order, halves = _ORDER.search(said), re.split(r",? or ", said)
        if not order or len(halves) != 2:
            return None
        (first, second), frame, more = halves, said[: order.start()].strip(), ""
        if order.end() < len(first) and _OPENS.match(frame):
            *before, first = re.split(r"[,:]", first[order.end() :], maxsplit=1)
            more = "".join(before).strip()
        elif (opened := _OPENED.match(first)) and len(first) < order.start() <= order.end() == len(said):
            second = said[len(first) : order.start()].strip(" ,")[3:]
            verb = None if not (order["early"] or order["late"]) else _VERB.search(second)
            second = second[: verb.start()] if verb else second
            first, frame = opened[2], f"{opened[1]} {verb[0] if verb else ''}".strip()
        else:
            return None
        one, other = (re.sub(r"\s*\([^)]*\)$", "", name.strip(' ,:-"“”')).strip('"“” ') for name in (first, second))
        role = _ROLE.search(frame)
        asks = _asks(frame[role.end() :].strip() if role else frame, more, order, bool(role))
        told = all({*words(name)} - COMMON for name in (one, other))
        least = _LEAST.search(order[0]) is not None
        return Compared((one, other), asks, least, role[1] if role else "") if asks and told else None


def _asks(frame: str, more: str, order: re.Match[str], within: bool) -> tuple[tuple[str, ...], ...]:
    """What to ask of each, by what is said before the comparison and `more` after it; `within`: of their role."""
    ends = re.search(rf"(?:{_AUX}|\bc[oa]mes?)$", frame, re.I)
    if order["lived"]:
        return (("When was {} born?", "When did {} die?"),)
    if order["size"] or order["price"]:
        size = next((noun for noun, said in _SIZES.items() if (order["size"] or "").lower() in said.split()), "")
        asks = [f"What is the {size} of {{}}?" if size else f"How much does {{}} cost {more}".strip() + "?"]
        asks += [f"How much is {{}} {more}".strip() + "?"] if size in ("", "area") else []
        return tuple((ask,) for ask in asks) if ends else ()
    if order["old"] or order["young"] or (ends and not more):
        return _AGE if ends else ()
    if order["count"]:
        aux = re.search(rf"({_AUX})(.*)$", frame, re.I)
        does = f"{aux[1]} {{}} {aux[2].strip()}" if aux and aux[2] else "does {} have" if aux else ""
        does = does or f"did {{}} {frame.rpartition(' ')[2]}"
        return ((f"How many {more} {does}?",),) if more else ()
    frame = f"{frame} {more}".strip()
    if aux := re.search(rf"({_AUX})(.+)$", frame, re.I):
        return ((f"When {aux[1].lower()} {{}} {aux[2].strip()}?",),)
    verb = re.match(r"who (.+)", frame, re.I) or (_VERB.search(frame) if within or " " in frame else None)
    return ((f"When {'was' if verb[0] == 'born' else 'did'} {{}} {verb[verb.lastindex or 0]}?",),) if verb else ()
