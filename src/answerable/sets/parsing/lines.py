"""A query as runs of plain words with connectives between them, and boundaries within the runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from answerable.sets.parsing.connectives import Connective, connective_at
from answerable.sets.parsing.words import CLAUSES, Word, word

KEPT = "kept"
"""The mark of a word that a connective gave its run: "with" of "without", "that" of "that don't"."""
_OPENERS = frozenset("about starring featuring with for from by using".split())
_COMPLEMENTS = frozenset(("for", "with"))
"""What an adjective takes with it."""
_VERBS = frozenset("are is were was".split())
_CAPITAL = frozenset("who which that all no any both either while yet those also".split())
_HOLDS = re.compile(
    r"(?:^|\s)(?:and|or|but|not|that|which|except|excluding|without|unless|minus|nor|aren't|other than) "
)
_BEFORE = frozenset("and or not are but except excluding minus than that , (".split())


@dataclass(frozen=True, slots=True)
class Line:
    """Runs of plain words, the connectives between them (one fewer), and runs in parentheses, as (first, last)."""

    runs: tuple[tuple[Word, ...], ...]
    joints: tuple[Connective, ...]
    groups: tuple[tuple[int, int], ...]


def taken_apart(words: Sequence[Word], most: int = 10) -> Line:
    """Words as runs and connectives, with boundaries inside runs while there are at most `most` in all."""
    words, groups = _grouped(words)
    line = "".join("\0 " if _in_name(one, at) else f"{one.low} " for at, one in enumerate(words))
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
        found = None if depth > 0 or one.literal else connective_at(line, starts[at], not runs[-1])
        if found and found.joint.kind == "that" and one.low in _VERBS and any(two.low in CLAUSES for two in runs[-1]):
            found = None  # "are" of the clause itself
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


def _in_name(one: Word, at: int) -> bool:
    """Whether the word at a place cannot connect: in quotation marks, or with the capital of a title."""
    return one.literal or (at > 0 and one.low in _CAPITAL and one.text[1:].islower() and one.text[0].isupper())


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
    paired = {side for pair in pairs for side in pair}
    dropped |= {at for at, one in enumerate(words) if one.low in ("(", ")") and at not in paired}
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
    return bool(_HOLDS.search(inside)) or a == 0 or words[a - 1].low in _BEFORE


def _bounded(line: Line, most: int) -> Line:
    """The line with boundaries before modifiers inside its runs."""
    runs: list[tuple[Word, ...]] = []
    joints: list[Connective] = []
    moved: dict[int, tuple[int, int]] = {}
    room = most - len(line.joints)
    for number, run in enumerate(line.runs):
        cuts = _cuts(run, number > 0 and line.joints[number - 1].kind == "that")[:room]
        room -= len(cuts)
        sides = [0, *cuts, len(run)]
        moved[number] = (len(runs), len(runs) + len(cuts))
        runs += [run[a:b] for a, b in pairwise(sides)]
        joints += [Connective("none", _opening(run, cut)) for cut in cuts]
        joints += line.joints[number : number + 1]
    groups = tuple((moved[a][0], moved[b][1]) for a, b in line.groups)
    return Line(tuple(runs), tuple(joints), groups)


def _cuts(run: Sequence[Word], said_to_be: bool) -> list[int]:
    """Where a modifier begins inside a run, or a year that opens it ends. `said_to_be`: it follows "that are"."""
    cuts = [1] if len(run) > 2 and run[0].kind == "number" and run[1].kind not in ("prep", "part") else []
    for at in range(1, len(run) - 1):
        one, after, before = run[at], run[at + 1], run[at - 1]
        if before.kind in ("prep", "part", "det") or one.mark or one.literal:
            continue
        if said_to_be and at == 1 and one.low in _COMPLEMENTS and before.kind in ("adjective", "low"):
            continue  # "that are suitable for children": no noun of which it could say more
        dated = one.low in ("in", "of", "during") and any(two.kind == "number" for two in run[at + 1 : at + 3])
        said = one.low in _OPENERS or dated or (one.kind == "prep" and at > 2)
        if (said or (one.kind == "part" and after.kind == "prep")) and not (at == 1 and before.kind == "generic"):
            cuts.append(at)
    return cuts


def _opening(run: Sequence[Word], cut: int) -> str:
    """What a boundary inside a run is named after: the year before it, or the word after it."""
    if cut == 1 and run[0].kind == "number":
        return "number"
    return run[cut].low if run[cut].low in _OPENERS else run[cut].kind
