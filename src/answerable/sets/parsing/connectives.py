"""Where a query may be taken apart: connectives between runs of plain words, and boundaries within these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from answerable.sets.parsing.words import Word, word

_BE = r"(?:are|is|were|was|be|been|being|they're|it's|'re)"
_HELP = r"(?:have|has|had|can|could|may|might|do|does|did|would|should|will|they|it|that|happen|happens|to|also|currently|all)"
_ADVERB = r"(?:also|both|either|at the same time|simultaneously|all|additionally|as well|themselves|actually|otherwise)"
_DENIED = (
    r"aren't|isn't|weren't|wasn't|don't|doesn't|didn't|can't|cannot|couldn't|won't|haven't|hasn't|arent|isnt|dont|doesnt|cant"
)
_OUT = (
    r"not including|not counting|not|never|neither of|neither|except for|excepting|except|excluding|exclude|"
    r"other than|apart from|aside from|with the exception of|without any|without|with no|minus|leaving out|leaving aside|"
    r"leave out|omitting|ignoring|save for|barring|rather than|instead of|lacking|discounting|skipping|sans|but for|besides"
)
_JOIN = (
    r"and/or|or else|or also|or alternatively|or instead|as well as|along with|together with|in addition to|and also|"
    r"and additionally|but also|but|while|whilst|plus|and|&|or|yet|though|although|nor|also"
)
_THOSE = r"(?:(?:the ones|those|ones|any|anything|things|all) )?"
_CONNECTIVE = re.compile(
    rf"(?P<comma>[,;] )?(?P<join>(?:{_JOIN}) )?(?P<then>(?:then|even) )?(?P<those>{_THOSE})(?P<rel>(?:that|which|who) )?"
    rf"(?:(?P<help>(?:{_HELP} |{_BE} )*)(?P<out>(?:{_DENIED}|{_OUT}|no(?=\s\w+\s)) )|(?P<be>(?:{_HELP} |at the same time )*{_BE} ))?"
    rf"(?P<adverbs>(?:{_ADVERB} )*)(?P<again>(?:be|been|being) )?"
    rf"(?P<others>(?:(?:the ones|those|ones|any|anything) (?:(?:that|which|who) )?)?)(?P<linked>(?:that |which )?(?:{_BE} )?)"
    r"(?P<more>(?:also |either |both )*)"
)
_UNLESS = re.compile(rf"(?:, )?(?:but not if|unless|if not) (?P<they>(?:they|it|those|that|these) )?(?P<be>{_BE} )?(?:also )?")
_CLAUSE = re.compile(r"(?:don't|doesn't|didn't|can't|cannot|couldn't|won't|haven't|hasn't|dont|doesnt|cant) $")
KEPT = "kept"
"""The mark of a word that a connective gave its run: "with" of "without", "that" of "that don't"."""
_TOO = frozenset(("as well as", "along with", "together with", "in addition to", "plus", "and additionally"))
_OPENERS = frozenset("about starring featuring with for from by using".split())


@dataclass(frozen=True, slots=True)
class Connective:
    """Words between two runs. `kind`: and, too ("as well as"), or, comma, nor, not, unless, that or none (a boundary without words).

    `name`: its main word; `join`: the "and" or "but" before a "not"; `comma`: whether one stands before it; `that`: whether a clause or "are" follows;
    `words`: all of them, as they stand in a name that it may turn out to be part of.
    """

    kind: str
    name: str
    comma: bool = False
    that: bool = False
    join: str = ""
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """Runs of plain words, the connectives between them (one fewer), and runs in parentheses, as (first, last)."""

    runs: tuple[tuple[Word, ...], ...]
    joints: tuple[Connective, ...]
    groups: tuple[tuple[int, int], ...]


def taken_apart(words: Sequence[Word], most: int = 10) -> Line:
    """Words as runs and connectives, with boundaries inside runs while there are at most `most` in all."""
    words, groups = _grouped(words)
    line = "".join("\0 " if one.literal else f"{one.low} " for one in words)
    starts = [0]
    for piece in line.split(" ")[:-1]:
        starts.append(starts[-1] + len(piece) + 1)
    where = {start: at for at, start in enumerate(starts)}
    runs: list[list[Word]] = [[]]
    joints: list[Connective] = []
    run_of: dict[int, int] = {}
    at, mark = 0, ""
    depth = 0
    while at < len(words):
        run_of[at] = len(runs) - 1
        one = words[at]
        depth += (one.low == "(") - (one.low == ")")
        found = None if depth > 0 or one.literal else _matched(line, starts[at], not runs[-1])
        if found and one.low in ("both", "either") and found.name == one.low:
            mark, at = one.low, at + 1
            continue
        if found:
            end = where[starts[at] + found.length]
            if runs[-1] and end < len(words):
                joints.append(replace(found.joint, words=tuple(words[at:end])))
                runs.append([word(found.keeps, KEPT)] if found.keeps else [])
                mark = found.mark or mark
                for step in range(at, end):
                    run_of[step] = len(runs) - 1
                at = end
                continue
            if end == len(words) and runs[-1]:
                break
        runs[-1].append(replace(one, mark=mark) if mark else one)
        mark, at = "", at + 1
    if len(runs) > 1 and not runs[-1]:
        runs.pop()
        joints.pop()
    ranges = tuple((run_of[a], run_of[b]) for a, b in groups if a in run_of and b in run_of)
    whole = Line(tuple(map(tuple, runs)), tuple(joints), ranges)
    return _bounded(whole, most) if len(joints) < most else whole


@dataclass(frozen=True, slots=True)
class _Match:
    joint: Connective
    length: int
    name: str
    mark: str
    keeps: str


def _matched(line: str, start: int, first: bool) -> _Match | None:
    """The connective that begins at a character, or None."""
    if found := _UNLESS.match(line, start):
        keeps = "that" if found["they"] and not found["be"] else ""
        return _Match(Connective("unless", "unless", that=bool(keeps)), found.end() - start, "unless", "", keeps)
    found = _CONNECTIVE.match(line, start)
    if found is None or found.end() == start:
        return None
    join, rel, be = (found[name] or "" for name in ("join", "rel", "be"))
    out, comma = (found["out"] or "").strip(), bool(found["comma"])
    adverbs = f"{found['adverbs']}{found['more']}"
    mark = "both" if "both" in adverbs else "either" if "either" in adverbs else ""
    linked, others = found["linked"] or "", found["others"] or ""
    tail_rel = "that" in linked or "which" in linked or any(one in others for one in ("that", "which", "who"))
    tail_be = bool(linked.replace("that ", "").replace("which ", ""))
    if out == "no" and not join:
        return None
    if out:
        clause = bool(_CLAUSE.search(f"{out} ")) or (out == "not" and bool(re.search(r"\b(?:do|does|did|can|could)\b", found["help"] or "")))
        be_after = bool(found["again"]) or tail_be
        keeps = "that" if (clause and not be_after) or (tail_rel and not tail_be) else ""
        if out in ("without", "without any", "with no", "lacking"):
            keeps = "with"
        if first and not join:
            return None
        joint = Connective("not", out if not _CLAUSE.search(f"{out} ") else "don't", comma, bool(rel or be or found["help"]), join.strip())
        return _Match(joint, found.end() - start, out, "either" if out.startswith("neither") else mark, keeps)
    that = bool(rel or be or tail_rel)
    keeps = "that" if (rel or tail_rel) and not (be or tail_be) else ""
    if join or (comma and not (rel or be)):
        name = join.strip() or ","
        kind = {"or": "or", "and/or": "or", "nor": "nor", ",": "comma", "or else": "or", "or also": "or"}.get(name, "and")
        kind = "or" if name.startswith("or ") else "too" if name in _TOO else kind
        if found["those"] and not (rel or be):
            return _trimmed(found, start, line, Connective(kind, name, comma, that), mark)
        return _Match(Connective(kind, name, comma and name != ",", that), found.end() - start, name, mark, keeps)
    if rel or be:
        also = "also" if "also" in found.group() else "that"
        return _Match(Connective("that", also, comma, bool(be)), found.end() - start, "that", mark, keeps)
    if adverbs.strip() in ("both", "either"):
        return _Match(Connective("that", adverbs.strip()), found.end() - start, adverbs.strip(), mark, "")
    return None


def _trimmed(found: re.Match[str], start: int, line: str, joint: Connective, mark: str) -> _Match:
    """A joining word followed by "those" without "that": "those" goes with it."""
    return _Match(joint, found.end() - start, joint.name, mark, "")


def _grouped(words: Sequence[Word]) -> tuple[list[Word], list[tuple[int, int]]]:
    """The words without parentheses that hold a part together, and where these were; those of names stay."""
    opened: list[int] = []
    pairs: list[tuple[int, int]] = []
    for at, one in enumerate(words):
        if one.low == "(":
            opened.append(at)
        elif one.low == ")" and opened:
            pairs.append((opened.pop(), at))
    dropped = {side for a, b in pairs if _holds(words, a, b) for side in (a, b)}
    dropped |= {at for at, one in enumerate(words) if one.low in ("(", ")") and all(at not in pair for pair in pairs)}
    kept = [at for at in range(len(words)) if at not in dropped]
    place = {at: number for number, at in enumerate(kept)}
    ranges = []
    for a, b in pairs:
        inside = [place[at] for at in range(a, b) if at in place]
        if a in dropped and inside:
            ranges.append((inside[0], inside[-1]))
    return [words[at] for at in kept], ranges


def _holds(words: Sequence[Word], a: int, b: int) -> bool:
    inside = "".join(f"{one.low} " for one in words[a + 1 : b])
    joined = re.search(r"(?:^|\s)(?:and|or|but|not|that|which|except|excluding|without|unless|minus|nor|aren't|other than) ", inside)
    before = words[a - 1].low if a else ""
    return bool(joined) or a == 0 or before in ("and", "or", "not", "are", "but", "except", "excluding", "minus", "than", "that", ",", "(")


def _bounded(line: Line, most: int) -> Line:
    """The line with boundaries before modifiers inside its runs."""
    runs: list[tuple[Word, ...]] = []
    joints: list[Connective] = []
    moved: dict[int, tuple[int, int]] = {}
    room = most - len(line.joints)
    for number, run in enumerate(line.runs):
        cuts = _cuts(run)[:room]
        room -= len(cuts)
        sides = [0, *cuts, len(run)]
        moved[number] = (len(runs), len(runs) + len(cuts))
        runs += [run[a:b] for a, b in zip(sides, sides[1:], strict=False)]
        joints += [Connective("none", "number" if run[cut - 1].kind == "number" and cut == 1 else run[cut].low if run[cut].low in _OPENERS else run[cut].kind) for cut in cuts]
        joints += line.joints[number : number + 1]
    groups = tuple((moved[a][0], moved[b][1]) for a, b in line.groups)
    return Line(tuple(runs), tuple(joints), groups)


def _cuts(run: Sequence[Word]) -> list[int]:
    """Where a modifier begins inside a run, or a year that opens it ends."""
    cuts = [1] if len(run) > 2 and run[0].kind == "number" and run[1].kind not in ("prep", "part") else []
    for at in range(1, len(run) - 1):
        one, after, before = run[at], run[at + 1], run[at - 1]
        if before.kind in ("prep", "part", "det") or one.mark or one.literal:
            continue
        dated = one.low in ("in", "of", "during") and any(two.kind == "number" for two in run[at + 1 : at + 3])
        if (one.kind == "part" and after.kind == "prep") or one.low in _OPENERS or dated or (one.kind == "prep" and at > 2):
            if not (at == 1 and before.kind == "generic"):
                cuts.append(at)
    return cuts
