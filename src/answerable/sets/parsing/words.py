"""The words of a query, each with its class, and what is said before and after what is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

GENERIC = frozenset(
    "packages package software programs program tools tool things items documents document entries pages articles ones "
    "those results films film movies books novels plants animals flora fauna species applications apps projects "
    "works titles systems anything everything something stuff files notes mails messages people records texts".split()
)
"""Nouns that say little: with a modifier after one, both are one atom ("packages written in Perl")."""
PREPOSITIONS = frozenset(
    "of in by from about on for at to as with during near into under over between against within around since before "
    "after through across among like via using starring featuring concerning regarding involving".split()
)
DETERMINERS = frozenset("the a an any some all every this that these those".split())
_PARTICIPLES = frozenset(
    "sold grown sung spoken given taken worn eaten caught bred kept sent paid bought hidden driven drawn thrown "
    "laid led set shot made built written found born held told sung drawn known won seen based published directed "
    "produced filmed described adapted released specific native endemic available related exclusive similar "
    "originating dealing living growing belonging coming appearing relating working running taking containing "
    "having playing speaking sunk lost fought read taught chosen broken stolen shown begun forgotten spent lent "
    "done".split()
)
_PLURALS = frozenset(
    "fauna flora software people children men women fish sheep media data series genera species mice larvae fungi "
    "documentation movies fiction music literature wildlife algae".split()
)
_SINGULAR = re.compile(r"(?:ss|us|is|ics|'s|as)$")
_TAXON = re.compile(r"(?:idae|inae|aceae|iformes|ptera|poda)$")
_ADJECTIVE = re.compile(r"(?:an|ish|ese|ic|al|ous|ive|ful|less|ian|ern|able|ary|ine|like|based|ed|y)$")
_NUMBER = re.compile(r"(?:(?:1[0-9]|20)\d\d(?:'?s)?|\d\d'?s|\d+(?:st|nd|rd|th)(?:-century)?|\d+(?:,\d{3})*)$")
_TOKEN = re.compile(r"[\"“]([^\"“”]+)[\"”]|([,;()])|((?:\d,(?=\d{3})|[^\s,;()\"“”])+)")
_OPENINGS = re.compile(
    r"^(?:(?:(?:hi|hello|hey|please|pls|so|ok|well)(?: there)? ,? ?)|"
    r"(?:(?:can|could|would|will) you (?:please )?(?:help me (?:to )?)?|i want to |i need to |i'd like to |let me |"
    r"help me |try to )?"
    r"(?:(?:please|pls) )?(?:list|show|find|give|get|name|tell|display|fetch|return|suggest|recommend|see|pull up|"
    r"(?:search|look|browse)(?= for))"
    r"(?: me| us)?(?: out| up)?(?: about| for)?(?: a list)?"
    r"(?: (?:every one|each one|all|every|each|any|some|a few|both))?(?: of)?(?: the)? |"
    r"(?:i'm|i am|we're|we are)?(?: currently| now)? ?(?:looking|searching) for"
    r"(?: (?:all|any|some|a list of))?(?: of)?(?: the)? |"
    r"(?:i'd|i would|we'd) like(?: (?:all|any|some|a list of))?(?: of)?(?: the)? |"
    r"(?:i|we) (?:want|need|am after)(?: (?:all|any|some|every|a list of))?(?: of)?(?: the)? |"
    r"(?:what|which|who|where)(?:'s| are| is| were| was)(?: (?:all|some|any|every))?(?: of)?(?: the)? |"
    r"(?:which|what)(?: of (?:the|my|our)| kinds? of| sorts? of| types? of)? |"
    r"how many(?: of)?(?: the| different)? |(?:are|is|were) there(?: (?:any|some))? |"
    r"(?:do|does|did) (?:you|we|anyone) (?:know|have|happen to know)(?: of| about)?(?: (?:any|some))? |"
    r"got (?:any|some) |"
    r"(?:a )?(?:full |complete )?list of(?: (?:all|any|some))?(?: of)?(?: the)? |"
    r"(?:all|every|any|some|each)(?: of)?(?: the)? )"
)
_CLOSINGS = re.compile(
    r"(?: (?:please|pls|thanks|thank you|are there|is there|do (?:you|we) (?:know|have)(?: of)?|"
    r"exist|for me|in total|if any|,))$"
)

CLAUSES = frozenset(("where", "whose"))
"""Words that open a clause with a subject and a verb of its own."""
_SUBJECTS = frozenset("i we you he she they".split())
"""Words that are the subject of such a clause, wherever they stand."""
_CLAUSE_ENDS = frozenset(", ; ( ) and or but that which who not never without except unless nor while".split())
_DENIED = re.compile(r"not|never|(?P<verb>is|are|was|were|do|does|did|has|have|can|could|must)(?:n'?t|not)")
_A_PLACE = re.compile(r"[A-Z]|the$")
_COMMON = re.compile(r" (?:(?:both |all )?(?:have|has) in common|(?:both |all )?share) ")


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a query. `mark`: the "both" or "either" that stood before it; `literal`: within quotation marks."""

    text: str
    low: str
    kind: str
    mark: str = ""
    literal: bool = False


def word(text: str, mark: str = "", literal: bool = False) -> Word:
    """A token with its class: number, preposition, participle, noun in the plural, capital and so on."""
    low = text.lower().replace("’", "'")
    return Word(text, low, "cap" if literal else _kind(text, low), mark, literal)


def _kind(text: str, low: str) -> str:
    if low in (",", ";", "(", ")", "/"):
        return "mark"
    if _NUMBER.match(low):
        return "number"
    if low in PREPOSITIONS:
        return "prep"
    if low in DETERMINERS:
        return "det"
    if low in GENERIC:
        return "generic"
    if low in _PARTICIPLES:
        return "part"
    if _TAXON.search(low):
        return "plural"
    if text[0].isupper():
        return "adjective" if _ADJECTIVE.search(low) and len(low) > 4 else "cap"
    if low in _PLURALS or (low.endswith("s") and len(low) > 3 and not _SINGULAR.search(low)):
        return "plural"
    if low.endswith("ed") and len(low) > 4:
        return "part"
    return "adjective" if _ADJECTIVE.search(low) and len(low) > 4 else "low"


def tokens(query: str) -> list[Word]:
    """The tokens of a query, without marks at its end; what stands in quotation marks is literal."""
    found: list[Word] = []
    for match in _TOKEN.finditer(query.replace("’", "'")):
        quoted, mark, plain = match.groups()
        if quoted:
            inside = quoted.split()
            if inside:
                inside = [f'"{inside[0]}', *inside[1:]] if len(inside) > 1 else [f'"{inside[0]}"']
                inside[-1] += '"' if len(inside) > 1 else ""
                found += [word(one, literal=True) for one in inside]
        elif mark or (plain.strip(".?!:") or plain in ("/", "&")):
            found.append(word(mark or plain.rstrip("?!:") or plain))
    while found and found[-1].low in (",", ";"):
        found.pop()
    if found and found[-1].text.endswith(".") and found[-1].text.count(".") == 1 and len(found[-1].text) > 2:
        found[-1] = word(found[-1].text[:-1], literal=found[-1].literal)
    return _denied_first(_joined(found))


def _denied_first(found: Sequence[Word]) -> list[Word]:
    """ "walks where dogs are not allowed" as "walks not where dogs are allowed": what is denied is left out whole, as
    in "books (that) I have not read"."""
    kept: list[Word] = []
    opened: int | None = None
    for one in found:
        denied = _DENIED.fullmatch(one.low)
        if one.low in CLAUSES or (one.low in _SUBJECTS and kept and opened is None):
            opened = len(kept)
        elif opened is not None and denied and not one.literal:
            kept.insert(opened, word("not"))
            kept += [word(denied["verb"])] if denied["verb"] else []
            opened = None
            continue
        elif one.low in _CLAUSE_ENDS:
            opened = None
        kept.append(one)
    return kept


def _joined(found: Sequence[Word]) -> list[Word]:
    """ "non American" as "non-American", "outside Germany" as "not in Germany", "from 1990 to 1995" as one time."""
    kept: list[Word] = []
    for one in found:
        low = [two.low for two in kept[1:][-2:]]
        if kept and kept[-1].low == "non" and not one.literal and one.kind != "mark":
            kept[-1] = word(f"non-{one.text}")
        elif low[-1:] in (["outside"], ["of"]) and "outside" in low and not one.literal and _A_PLACE.match(one.text):
            kept[low.index("outside") - len(low) :] = [word("not"), word("in"), one]
        elif low[-1:] == ["prior"] and one.low == "to":
            kept[-1] = word("before")
        elif low[-2:-1] == ["from"] and kept[-1].kind == "number" and one.low == "to":
            kept.append(word(one.text, literal=True))
        elif kept and one.low.endswith("ing") and one.kind == "low" and kept[-1].kind in ("plural", "generic"):
            kept.append(Word(one.text, one.low, "part", one.mark))  # "mails asking for approval"
        else:
            kept.append(one)
    return kept


def asked(words: Sequence[Word]) -> list[Word]:
    """What is asked for: the words without "show me all", "what are the", "are there" and the like; perhaps none. "Who
    lives in Oslo" asks for people who do."""
    left = list(words)
    counted = False
    for _ in range(4):
        line = "".join(f"{one.low} " for one in left)
        match = _OPENINGS.match(line)
        if not match:
            break
        counted = counted or match.group().startswith("how many")
        left = left[line[: match.end()].count(" ") :]
    if counted:
        left = _without_there(left)
    for _ in range(4):
        line = "".join(f" {one.low}" for one in left)
        match = _CLOSINGS.search(line)
        if not match:
            break
        left = left[: line[: match.start()].count(" ")]
    if left[1:] and left[0].low == "who":
        left = [word("people"), word("who"), *left[1:]]
    return _in_common(_opened(left)) if left else []


def _without_there(words: list[Word]) -> list[Word]:
    """The words without the first "are there", which a question of how many has in its middle."""
    for at in range(1, len(words) - 1):
        if words[at].low in ("are", "is", "were") and words[at + 1].low == "there":
            return words[:at] + words[at + 2 :]
    return words


def _opened(words: list[Word]) -> list[Word]:
    """The first word by its small form where its capital may only be that of a sentence."""
    first = words[0]
    alone = first.kind == "cap" and not first.literal and first.text[1:].islower()
    if alone and _kind(first.low, first.low) == "plural":
        return [Word(first.text, first.low, "plural", first.mark), *words[1:]]
    return words


def _in_common(words: list[Word]) -> list[Word]:
    """ "birds (that) Cuba and Haiti have in common" as "birds of both Cuba and Haiti"."""
    line = "".join(f" {one.low}" for one in words)
    found = _COMMON.search(f"{line} ")
    if found is None:
        return words
    end = line[: found.start()].count(" ")
    after = words[end + found.group().strip().count(" ") + 1 :]
    for at in range(1, end):
        before, one = words[at - 1], words[at]
        noun = before.kind in ("plural", "generic") or before.low.endswith("s")
        if noun and (one.low in ("that", "which", "the") or one.text[:1].isupper() or one.low == "both"):
            rest = words[at + (one.low in ("that", "which")) : end]
            rest = rest[1:] if rest and rest[0].low == "both" else rest
            several = any(two.low == "and" for two in rest)  # "policies that do not share data" have nothing in common
            if several and not any(two.kind == "prep" for two in words[:at]):
                first = Word(rest[0].text, rest[0].low, rest[0].kind, "both")
                return [*words[:at], word("of"), first, *rest[1:], *after]
    return words


def text(words: Iterable[Word]) -> str:
    """Words as they are written, marks closed up."""
    line = " ".join(one.text for one in words)
    return re.sub(r"\( ", "(", re.sub(r" ([,;)])", r"\1", line))
