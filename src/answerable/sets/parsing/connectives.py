"""Connectives: words that join two parts of a query, leave one out, or say more of one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from answerable.sets.parsing.words import Word

_BE = r"(?:are|is|were|was|be|been|being|they're|it's|'re)"
_HELP = (
    r"(?:have|has|had|can|could|may|might|do|does|did|would|should|must|will|they|it|that|happen|happens|to|also|currently|"
    r"all)"
)
_ONLY = r"nothing (?:but|other than|more than|less than|if not)"
_ADVERB = (
    r"(?:also|both|either|at the same time|simultaneously|all|additionally|as well|themselves|actually|otherwise|"
    rf"{_ONLY})"
)
_DO_NOT = r"(?:don'?t|doesn'?t|didn'?t|can'?t|cannot|couldn'?t|won'?t|haven'?t|hasn'?t)"
_DENIED = rf"(?:aren'?t|isn'?t|weren'?t|wasn'?t|{_DO_NOT})"
_OUT = (
    r"not including|not counting|not|never|neither of|neither|except for|excepting|except|excluding|exclude|"
    rf"(?!{_ONLY}\b)nothing|other than|apart from|aside from|with the exception of|without any|without|w/o|with no|"
    r"minus|leaving out|leaving aside|leave out|omitting|ignoring|save for|barring|rather than|instead of|lacking|"
    r"discounting|skipping|sans|but for|besides"
)
_JOIN = (
    r"and/or|or else|or also|or alternatively|or instead|as well as|along with|together with|in addition to|and also|"
    r"and additionally|but also|but|while|whilst|plus|and|&|or|yet|though|although|nor|also"
)
_CONNECTIVE = re.compile(
    rf"(?P<comma>[,;] )?(?P<join>(?:{_JOIN}) )?(?:(?:then|even) )?"
    r"(?P<those>(?:(?:the ones|those|ones|any|anything|things|all) )?)(?P<rel>(?:that|which|who) )?"
    rf"(?:(?P<help>(?:{_HELP} |{_BE} ){{0,5}})(?P<out>(?:{_DENIED}|{_OUT}|no(?=\s(?!longer\s(?!than\b))\w+\s)) )|"
    rf"(?P<be>(?:{_HELP} |at the same time ){{0,5}}{_BE} ))?"
    rf"(?P<adverbs>(?:{_ADVERB} ){{0,4}})(?P<again>(?:be|been|being) )?"
    r"(?P<others>(?:(?:the ones|those|ones|any|anything) (?:(?:that|which|who) )?)?)"
    rf"(?P<linked>(?:that |which )?(?:{_BE} )?)(?P<more>(?:also |either |both ){{0,3}})"
)
"""What joins, who is spoken of, "are" or what leaves out, and the adverbs around them: all may be missing."""
_UNLESS = re.compile(
    rf"(?:, )?(?:but not if|unless|if not) (?P<they>(?:they|it|those|that|these) )?(?P<be>{_BE} )?(?:also )?"
)
_ARE, _HAVE = re.compile(rf"{_BE} $"), re.compile(r"\b(?:have|has|had) $")
_HELPED = re.compile(r"\b(?:do|does|did|can|could)\b")
_LACKING = frozenset(("without", "w/o", "without any", "with no", "lacking"))
_TOO = frozenset(("as well as", "along with", "together with", "in addition to", "plus", "and additionally"))


@dataclass(frozen=True, slots=True)
class Connective:
    """Words between two runs. `kind`: and, too ("as well as"), or, comma, nor, not, unless, that or none.

    none is a boundary without words. `name`: its main word; `join`: the "and" or "but" before a "not"; `comma`: whether
    one stands before it; `that`: whether a clause or "are" belongs to it; `words`: all of them, as they stand in a name
    that it may turn out to be part of.
    """

    kind: str
    name: str
    comma: bool = False
    that: bool = False
    join: str = ""
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """A connective that was found, over `length` characters. It may give the run after it a first word, or a mark.

    `name` is "both" or "either" where it is nothing but that.
    """

    joint: Connective
    length: int
    name: str
    mark: str = ""
    keeps: str = ""


def connective_at(line: str, start: int, first: bool) -> Match | None:
    """The connective that begins at a character of words each with a space after it, or None.

    `first`: nothing stands before it, so that it cannot leave anything out.
    """
    if found := _UNLESS.match(line, start):
        keeps = "that" if found["they"] and not found["be"] else ""
        return Match(Connective("unless", "unless", that=bool(keeps)), found.end() - start, "unless", "", keeps)
    found = _CONNECTIVE.match(line, start)
    if found is None or found.end() == start:
        return None
    adverbs = f"{found['adverbs']}{found['more']}"
    mark = "both" if "both" in adverbs else "either" if "either" in adverbs else ""
    if found["out"]:
        return _leaving_out(found, first, mark)
    again = _clause_again(found)
    said = bool(found["rel"] or found["be"])
    that = said or again
    keeps = "that" if (found["rel"] or again) and not (found["be"] or _be_again(found)) else ""
    length, comma = found.end() - start, bool(found["comma"])
    if found["join"] or (comma and not said):
        name = (found["join"] or ",").strip()
        joint = Connective(_kind(name), name, comma and name != ",", that)
        return Match(joint, length, name, mark, keeps)
    if said:
        also = "also" if "also" in found.group() else "that"
        return Match(Connective("that", also, comma, bool(found["be"])), length, "that", mark, keeps)
    alone = adverbs.strip()
    return Match(Connective("that", alone), length, alone, mark) if alone in ("both", "either") else None


def _leaving_out(found: re.Match[str], first: bool, mark: str) -> Match | None:
    """A connective with a "not" or the like in it; None where there is nothing that it could take away from."""
    out, join = found["out"].strip(), (found["join"] or "").strip()
    are, have = (found["rel"] and one.search(found["help"] or "") for one in (_ARE, _HAVE))
    if not join and (first or (out in ("no", "nothing") and not (are or have))):
        return None
    helped = bool(found["help"])
    denied = re.fullmatch(_DO_NOT, out) is not None
    clause = denied or (out == "not" and bool(_HELPED.search(found["help"] or "")))
    be = _be_again(found)
    keeps = "that" if (clause and not (found["again"] or be)) or (_clause_again(found) and not be) else ""
    if (out in _LACKING or (out == "no" and have)) and not found["others"]:
        keeps = "with"
    joint = Connective("not", "don't" if denied else out, bool(found["comma"]), bool(found["rel"]) or helped, join)
    mark = "either" if out.startswith("neither") else mark
    return Match(joint, found.end() - found.start(), out, mark, keeps)


def _clause_again(found: re.Match[str]) -> bool:
    """Whether "that" or the like stands at the end, as in "except those that"."""
    words = f"{found['others']}{found['linked']}".split()
    return any(word in ("that", "which", "who") for word in words)


def _be_again(found: re.Match[str]) -> bool:
    """Whether "are" or the like stands at the end."""
    return any(word not in ("that", "which") for word in found["linked"].split())


def _kind(name: str) -> str:
    if name in ("or", "and/or") or name.startswith("or "):
        return "or"
    if name in _TOO:
        return "too"
    return {"nor": "nor", ",": "comma", ";": "comma"}.get(name, "and")
