"""The clauses of a sentence about rules that say under which conditions, of whom, or what must be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from answerable.documents.blocks import Span
from answerable.documents.english import FINITE, expand, is_person, plain

_INTRODUCED = re.compile(
    r"\b(?:(?<!\beven )(?<!\bwhether )(?<!\bsee )(?<!\bcheck )(?<!\bout )(?<!\bask )(?<!\bknow )(?<!\bdecide )"
    r"(?<!\bas )(?:only )?if"
    r"|(?P<denied>unless(?! as\b)|except (?:if|when|where)\b|except(?= you\b)|until(?= (?:you|your|they)\b))"
    r"|(?:provided|providing)(?= (?:that|you|your|they|the|it|all|both)\b)(?: that)?"
    r"|(?:as|so) long as|on condition that"
    r"|(?<!\bof )(?<!\bis )(?<!\bwhat happens )"
    r"when(?= (?:you|your|they|their|the|an?|both|all|either|one|any)\b))(?!\w)",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\([^()]*\)")
_FIRST = re.compile(r"\W*(?:(?:however|but|and|also|so|only|for example),? )?\W*$", re.IGNORECASE)
_SUBJECT = r"(?:you|your|we|the|this|these|it|they|their|there|he|she|a|an|any|no|some|tax|payments?)"
_DOES = r"(?:can|cannot|may|must|will|should|need|could|might|do|does|are|is|have|has|get|pay|qualify|ll)"
_MAIN = re.compile(
    rf",\s+(?:then\s+)?(?={_SUBJECT}\b)"
    rf"|(?<!\bor)(?<!\band)(?<!\bthat)(?<!\bthan)(?<!\bthink)\s(?={_SUBJECT}[ ’'](?:\w+ )?{_DOES}\b)",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"\s[-–—]\s|;|, (?:but|otherwise|even if|for example|so)\b"
    r"|,? (?:or|and|as) (?:you|it|this|they|we)(?:[’']ll| can| could| may| might| will| must| should)\b",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"(?:,|,? (?P<word>and|or))(?: (?:either|both|also))? "
    r"(?=(?:you|your|they|their|he|she|it|the|i|we|are|were|have|do|don[’']t|aren[’']t)\b)",
    re.IGNORECASE,
)
_PURPOSE = re.compile(
    r"\s(?=(?:(?:in order )?to (?:get|qualify|apply|claim|be eligible|be entitled|receive|register|use|be able|keep)"
    r"|before (?:you|we|they))\b)",
    re.IGNORECASE,
)
_DUTY = re.compile(
    r"^(?:\w+, )?(?:(?:for|in|at|on|after|before|during|from) [^;:]+? (?=you\b|your\b))?"
    r"(?P<aim>(?:in order )?to [^,;:]+?(?:, | (?=(?:you|your|applicants)\b)))?"
    r"(?P<subject>(?!to )[^,;:]{1,90}?)\s+"
    r"(?:(?:will |[’']ll )?(?:also |usually |normally |generally )*"
    r"(?P<verb>must(?: also| usually| normally| generally| first)*|(?:needs?|ha(?:ve|s)) to(?: also)?"
    r"|(?:is|are) required to|needs?(?= (?:an?|at least|\d+|one)\b)))(?:\s+(?P<rest>.+))?$",
    re.IGNORECASE | re.DOTALL,
)
_MUST_APPLY = re.compile(
    r"(?:\b(?:all|both|(?P<any>any|one|either))(?: of)? )?\bthe following(?: \w+)? must(?: all)? "
    r"(?:apply|be met|be true)$",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"(?P<class>[\w’'-]+) (?:who|that) (?P<what>\S+ .+?)(?P<main>"
    r" (?:can|cannot|may|might|must|should|will|are|is|aren[’']t|isn[’']t|do not|don[’']t|qualify|get|receive)\b.*"
    r"|[,;.].*)?$",
    re.IGNORECASE | re.DOTALL,
)
_DECIDES = re.compile(
    r"\b(?:can|cannot|may|eligible|entitled|qualif(?:y|ies)|exempt|banned|prohibited|allowed|the right|covered|charged"
    r"|used (?:for|to)|appl(?:y|ies) to|includes?|available|open to|limited to|(?:is|are) for|must)\b",
    re.IGNORECASE,
)
_OPEN_TO = re.compile(
    r"\b(?:(?:available|open|limited|eligible|provided|apply|applies) (?:only )?"
    r"|(?:provid|offer|grant|giv|award|approv)(?:e|es|ing|s|ed)?\b [^;:]{0,90}?)(?:to|for) "
    r"(?P<class>(?:(?! to | and (?:\w+s \w+s|may|can|is|are|will|has|have) )[^,;:.])+)",
    re.IGNORECASE,
)
_CLASS = re.compile(
    r"(?:only |all |any |most |some )?(?P<class>[\w’' -]{3,60}?) "
    r"(?P<main>(?:can|cannot|can[’']t|may|must|are|aren[’']t|have|qualify|will)\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_EVERYBODY = frozenset("anyone everyone someone people persons individuals those applicants families".split())
_QUANTIFIED = re.compile(
    r"(?:^|,? and |,? or |\s)"
    r"(?:(?P<word>both|either|all|any|one or more|at least (?:one|1)|one|1|each)\b(?: of)?(?: the| these| this)?"
    r"|the(?= following))(?: following| below)?(?: (?!apply|applies|are|is)[\w’'-]+){0,3}?"
    r"(?P<clauses> (?:appl(?:y|ies)|(?:is|are) (?:true|met)))?"
    r"(?: (?:for|in|during|over|on|to|from|including) .*| including)?\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """Characters [start, end) of a sentence that say a condition; `stem` is what they go on from.

    `negative`: it is a condition that it be not so.
    """

    start: int
    end: int
    stem: str = ""
    negative: bool = False
    logic: Literal["all", "any"] | None = None


@dataclass(frozen=True, slots=True)
class Quantified:
    """The end of a lead-in: a clause `before` the quantifier of its items, or their stem, and how they combine."""

    before: Span | None
    stem: str
    logic: Literal["all", "any"] | None


def conditional_clauses(said: str, open_end: bool = False) -> tuple[Span, list[Clause]]:
    """What a sentence says, and the clauses that say when: after "if", "unless" and their like.

    With `open_end` the sentence is a lead-in, and its last clause may be empty: its items are the rest.
    """
    said = _BRACKETS.sub(lambda match: "(" + "·" * (len(match[0]) - 2) + ")", said)
    found = list(_INTRODUCED.finditer(said))
    if not found:
        return (0, len(said)), []
    clauses: list[Clause] = []
    main = (0, found[0].start())
    for match, after in zip(found, [*(m.start() for m in found[1:]), len(said)], strict=True):
        start, end = match.end(), after
        if _FIRST.match(said[: match.start()]):
            end, rest = _until_main(said, start, after)
            main = (rest, after)
        elif cut := _CUT.search(said, start, after):
            end = cut.start()
        if not (open_end and end == len(said)):
            end = start + len(said[start:end].rstrip(" \n.,;:!"))
        if end - start > 2 or (open_end and end == len(said)):
            start += len(said[start:end]) - len(said[start:end].lstrip())
            clauses.append(Clause(start, end, negative=bool(match["denied"])))
    return main, clauses


def _until_main(said: str, start: int, end: int) -> Span:
    """Where a clause that opens a sentence ends, and where what follows from it begins."""
    for cut in _MAIN.finditer(said, start, end):
        if len(said[start : cut.start()].split()) >= 2:
            return cut.start(), cut.end()
    comma = said.find(", ", start, end)
    return (comma, comma + 2) if comma > 0 else (end, end)


def obligation(said: str, open_end: bool = False) -> tuple[Span, Clause] | None:
    """The aim of a duty, if it is said, and what must be: "To qualify, you must live here"."""
    if open_end and (whole := _MUST_APPLY.search(said)):
        return (0, whole.start()), Clause(len(said), len(said), logic="any" if whole["any"] else "all")
    match = _DUTY.match(said)
    if match is None or (match["rest"] is None and not open_end):
        return None
    subject = expand(match["subject"])
    if re.search(r"\b(?:not|may|might|can)$|\b(?:we|who|which|that|what)\b", subject, re.IGNORECASE):
        return None
    if FINITE & set(subject.lower().split()[:-1]):
        return None
    start = match.start("rest") if match["rest"] is not None else len(said)
    end = start + len(said[start:].rstrip(" .;:"))
    main = match.span("aim") if match["aim"] else (0, 0)
    if not match["aim"] and (cut := _PURPOSE.search(said, start, end)) and not open_end and cut.start() > start:
        main, end = (cut.end(), end), cut.start()
    verb = "have" if re.fullmatch("needs?", match["verb"], re.IGNORECASE) else "must"
    if verb == "have" and main == (0, 0) and (aim := re.search(r" to \w+", said[start:end])):
        main, end = (start + aim.start(), end), start + aim.start()
    return main, Clause(start, end, f"{subject} {verb}", logic="all" if open_end else None)


def persons(said: str, open_end: bool = False) -> tuple[Span, Clause] | None:
    """What is said of a class of persons, or of things in a list, and who or what is in it."""
    if open_end:
        if re.search(r"\b(?:who|that)$", said) and is_person(said.split()[-2] if " " in said else ""):
            return (0, len(said)), Clause(len(said), len(said), "you")
        return _things(said) if _DECIDES.search(expand(said)) and not re.search(r"\bcan(?: also)?$", said) else None
    who = _WHO.search(said)
    if who and is_person(who["class"]) and _DECIDES.search(said):
        end = who.start("what") + len(who["what"].rstrip(" .,;:"))
        main = who.span("main") if who["main"] and len(who["main"]) > 2 else (0, who.start())
        return main, Clause(who.start("what"), end, "you")
    for to in _OPEN_TO.finditer(said):
        if _is_class(to["class"]):
            return (0, to.start("class")), Clause(*to.span("class"), "you are")
    match = _CLASS.match(said)
    if match and _is_class(match["class"]) and _DECIDES.search(expand(match["main"])):
        return match.span("main"), Clause(*match.span("class"), "you are")
    return None


def _things(said: str) -> tuple[Span, Clause]:
    """A lead-in to things: they are its condition, of the person who asks or of what the question is of."""
    nouns = re.split(r"\b(?:can|cannot|may|must|are|is|aren[’']t|qualify)\b", said)[0]
    if any(is_person(word) for word in re.findall(r"[\w’'-]+", nouns) if word.lower() not in ("you", "your")):
        stem = "you are"
    else:
        what = re.search(r"\b(?:for|about|because of)$", said)
        stem = f"it is {what[0]}" if what else "it is"
    return (0, len(said)), Clause(len(said), len(said), stem, logic="any")


def _is_class(phrase: str) -> bool:
    """Whether a phrase is a class of persons: many, named by a noun before anything that tells which."""
    head = re.split(r" (?:in|under|over|with|of|from|on|aged|ages?|at|who|that|for|\w+ing|\w+ed)\b", phrase)[0].split()
    if len(head) == 1 == len(phrase.split()) and head[0].lower() in _EVERYBODY:
        return False
    return bool(head) and is_person(head[-1]) and head[0].lower() not in ("you", "your", "the", "a", "an", "we", "this")


def parts(said: str) -> tuple[Literal["all", "any", "unknown"], list[Span]]:
    """The clauses that a clause is made of, each with a subject of its own, and how they combine."""
    spans: list[Span] = []
    words: set[str] = set()
    start = 0
    for match in _JOINT.finditer(said):
        if _is_clause(said[start : match.start()], 3) and _is_clause(said[match.end() :], 2):
            spans.append((start, match.start()))
            words |= {match["word"].lower()} if match["word"] else set()
            start = match.end()
    spans.append((start, len(said)))
    return ("unknown" if len(words) > 1 else "any" if words == {"or"} else "all"), spans


def subject(part: str, whole: str) -> str:
    """The pronoun that a part of a clause leaves out, because the whole begins with it: "you work and are paid"."""
    first = expand(part).split()[:1]
    pronoun = re.match(r"(?:you or your (?:partner|spouse)|you|they|he or she|it)\b", whole, re.IGNORECASE)
    return pronoun[0] if pronoun and first and first[0].lower() in FINITE else ""


def _is_clause(said: str, least: int) -> bool:
    """Whether words are a clause: a pronoun and what it does, or at least so many with a verb among the first."""
    words = expand(said).lower().split()
    if len(words) > 1 and words[0] in ("you", "they", "he", "she", "it") and words[1] not in ("or", "and"):
        return True
    return len(words) >= least and any(word in FINITE or plain(word) for word in words[words[0] not in FINITE : 6])


def quantified(said: str) -> Quantified:
    """The end of a lead-in without the words that say how many of its items are wanted."""
    match = _QUANTIFIED.search(said)
    if match is None:
        return Quantified(None, said.strip(), None)
    word = (match["word"] or "").lower()
    logic: Literal["all", "any"] | None = "all" if word in ("both", "all", "each") else "any" if word else None
    before = said[: match.start()].rstrip(" ,")
    if match["clauses"] and len(before.split()) > 1:
        start = len(before) - len(before.lstrip())
        return Quantified((start, len(before)), "", logic)
    return Quantified(None, "" if match["clauses"] else before.strip(), logic)
