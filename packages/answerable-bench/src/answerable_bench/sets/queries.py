"""The queries of a build: composed within each split, then said in words.

By template (Malaviya et al. 2023, section 3.2 and table 1) a query is built from the left, a step at a time, with the
paper's conditions on the sizes of a step's two parts and on what they share. The whole has as many answers as are asked
for, and every category of a query counts: without it the answers would be others. First parts are drawn by chance,
those little used and those of small fields more often; one that has no partner left is given up. How many there would
be if all splits shared their categories is told too: that is what keeping them apart costs.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answerable.evaluation.set_phrasing import HELD_OUT, PATTERNS, phrased
from answerable.evaluation.sets.meaning import TEMPLATES, template
from answerable.sets.expression import (
    And,
    Atom,
    Expression,
    Minus,
    Or,
    atoms,
    printed,
    read_expression,
)
from answerable_bench.sets.atoms import Category, Counted, Members, Pool, of_split, read_atoms
from answerable_bench.sets.categories import MODIFIER, document_ids, read_categories
from answerable_bench.sets.settings import SPLITS, TEST, TRAIN, VALIDATION, SetPlan
from answerable_bench.stages import Counts, Progress, read_jsonl, write_json, write_jsonl

Mask = NDArray[np.bool_]
_SECONDS = 200  # second parts tried for one first part of three
_FEWEST = 3  # queries of a template that a category may always stand in


@dataclass(frozen=True, slots=True)
class Step:
    """One operation. `fits`: which categories may follow a left part, given (its size, what they share, their sizes,
    the plan); `made`: how many members there then are; `joined`: they themselves."""

    fits: Callable[[int, Counted, Counted, SetPlan], Mask]
    made: Callable[[int, Counted, Counted], Counted]
    joined: Callable[[Members, Members], Members]


def _both_fit(left: int, common: Counted, sizes: Counted, plan: SetPlan) -> Mask:
    return (sizes > plan.large) & (left > plan.large) & (common > 0)


def _either_fit(left: int, common: Counted, sizes: Counted, plan: SetPlan) -> Mask:
    fair = (common > 0) & (common < plan.shared * (left + sizes - common))
    return fair & (sizes >= plan.part_least) & (left >= plan.part_least) & (common < np.minimum(left, sizes))


def _without_fit(left: int, common: Counted, sizes: Counted, plan: SetPlan) -> Mask:
    sized = (plan.large < left < plan.first_most) & (sizes > plan.large) & (sizes < plan.second_most)
    return sized & (common > 0) & (common < plan.overlap * left)


BOTH = Step(_both_fit, lambda left, common, sizes: common, partial(np.intersect1d, assume_unique=True))
EITHER = Step(_either_fit, lambda left, common, sizes: left + sizes - common, np.union1d)
WITHOUT = Step(_without_fit, lambda left, common, sizes: left - common, partial(np.setdiff1d, assume_unique=True))
STEPS: dict[str, tuple[Step, ...]] = dict(
    zip(TEMPLATES, ((), (EITHER,), (BOTH,), (WITHOUT,), (EITHER, EITHER), (BOTH, BOTH), (BOTH, WITHOUT)), strict=True)
)
"""What each template does, from the left."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A query: its template, its tree, the categories in their order, and the documents that answer it."""

    template: str
    expression: Expression
    parts: tuple[int, ...]
    members: Members


class Composer:
    """Composes queries from one pool; remembers how often each category was used, whatever the template."""

    def __init__(self, pool: Pool, plan: SetPlan, rng: np.random.Generator) -> None:
        self.pool, self.plan, self._rng = pool, plan, rng
        self._uses = np.zeros(len(pool), np.int64)
        self._here = self._uses
        self._steps: tuple[Step, ...] = ()
        self._most = 0
        self._seen: set[tuple[object, ...]] = set()

    def compose(self, template: str, asked: int) -> list[Composed]:
        """Up to `asked` different queries of a template; fewer where the conditions leave no more."""
        steps, pool = STEPS[template], self.pool
        self._steps = steps
        self._here = np.zeros(len(pool), np.int64)
        self._most = max(_FEWEST, ceil(self.plan.crowding * asked)) if steps else 1
        alive = self._firsts(steps)
        found: list[Composed] = []
        while len(found) < asked:
            able = alive & (self._here < self._most)
            if not able.any():
                break
            first = self._drawn(able)
            parts = self._grown((first,), pool.members(first), steps)
            if parts is None:
                alive[first] = False
                continue
            self._seen.add(_same(parts, steps))
            self._uses[list(parts)] += 1
            self._here[list(parts)] += 1
            members = _members([pool.members(part) for part in parts], steps)
            names = [Atom(pool.categories[part].name) for part in parts]
            found.append(Composed(template, _tree(names, steps), parts, members))
        return found

    def _firsts(self, steps: Sequence[Step]) -> Mask:
        least = self.plan.part_least if steps and steps[0] is EITHER else 0
        return self._may_follow(self.pool.sizes, steps) & (self.pool.sizes >= least)

    def _grown(self, parts: tuple[int, ...], left: Members, steps: Sequence[Step]) -> tuple[int, ...] | None:
        """The parts with those that complete them, or None where nothing does."""
        if not steps:
            return parts if self._stands(parts) else None
        step, after = steps[0], steps[1:]
        common = self.pool.overlaps(left)
        able = step.fits(left.size, common, self.pool.sizes, self.plan) & (self._here < self._most)
        able[list(parts)] = False
        made = step.made(left.size, common, self.pool.sizes)
        able &= self._may_follow(made, after)
        for _ in range(_SECONDS if after else int(able.sum())):
            if not able.any():
                return None
            other = self._drawn(able)
            able[other] = False
            joined = step.joined(left, self.pool.members(other)) if after else left
            if whole := self._grown((*parts, other), joined, after):
                return whole
        return None

    def _may_follow(self, made: Counted, after: Sequence[Step]) -> Mask:
        """Where what was made has the size of an answer or, if a step comes after, may be its left part."""
        plan = self.plan
        if not after:
            return (made >= plan.least) & (made <= plan.most)
        if after[0] is EITHER:
            return made <= plan.most
        high = plan.first_most if after[0] is WITHOUT else np.iinfo(np.int64).max
        return (made > plan.large) & (made < high)

    def _stands(self, parts: tuple[int, ...]) -> bool:
        """Whether the query is a new one, and would have other answers without any one of its categories."""
        if _same(parts, self._steps) in self._seen:
            return False
        sets, steps = [self.pool.members(part) for part in parts], self._steps
        whole = _members(sets, steps)
        for at in range(len(parts)):
            if len(parts) == 1 or (at == 0 and steps[0] is WITHOUT):
                continue  # nothing is left to compare with
            others = _members(sets[:at] + sets[at + 1 :], steps[: max(0, at - 1)] + steps[max(1, at) :])
            changed = np.setxor1d(whole, others, assume_unique=True).size
            if not changed or changed < self.plan.change * max(whole.size, others.size):
                return False
        return True

    def _drawn(self, able: Mask) -> int:
        """One of the able, rather one that was little used, and of a field with few of them."""
        found = np.flatnonzero(able)
        fields = self.pool.fields[found]
        weights = 1.0 / (1 + self._uses[found]) ** 2 / np.bincount(fields)[fields]
        return int(self._rng.choice(found, p=weights / weights.sum()))


def _members(sets: Sequence[Members], steps: Sequence[Step]) -> Members:
    found = sets[0]
    for step, other in zip(steps, sets[1:], strict=True):
        found = step.joined(found, other)
    return found


def _same(parts: tuple[int, ...], steps: Sequence[Step]) -> tuple[object, ...]:
    """Equal for queries that differ in the order of what may change places."""
    plus = parts[: 1 + sum(step is not WITHOUT for step in steps)]
    return (tuple(map(id, steps)), frozenset(plus), parts[len(plus) :])


def _tree(atoms: Sequence[Atom], steps: Sequence[Step]) -> Expression:
    if not steps:
        return atoms[0]
    if steps[-1] is WITHOUT:
        return Minus(_tree(atoms[:-1], steps[:-1]), atoms[-1])
    return Or(tuple(atoms)) if steps[0] is EITHER else And(tuple(atoms))


def composed(pool: Pool, plan: SetPlan, asked: int, rng: np.random.Generator) -> Iterator[Composed]:
    """Up to `asked` queries of each template, template after template."""
    composer = Composer(pool, plan, rng)
    for name in STEPS:
        yield from composer.compose(name, asked)


COMPOSED, TOGETHER, FILE = "composed.jsonl", "together.json", "queries.jsonl"
COMPOSER, PHRASING = "template", "phrasing"


@dataclass(frozen=True, slots=True)
class SetQuery:
    """A query. `original`: as composed, its categories marked; `text`: as asked; `by`: who put it so."""

    id: str
    split: str
    template: str
    expression: Expression
    original: str
    text: str
    by: str
    docs: tuple[str, ...]


def write_composed(folder: Path, plan: SetPlan, progress: Progress) -> Counts:
    """Compose the queries of each split; how many there are by split, and how many there were to be of all."""
    categories, ids = read_atoms(folder, read_categories(folder)), document_ids(folder)
    every = list(composed(Pool(categories, len(ids)), plan, plan.queries, np.random.default_rng([plan.seed, 2])))
    progress("queries", 1, 1 + len(SPLITS))
    found: dict[str, list[tuple[Composed, Sequence[Category]]]] = {}
    if plan.apart:
        for number, split in enumerate(SPLITS):
            own = list(of_split(categories, split, plan))
            rng = np.random.default_rng([plan.seed, 3, number])
            made = composed(Pool(own, len(ids)), plan, plan.asked(split), rng)
            found[split] = [(one, own) for one in made]
            progress("queries", 2 + number, 1 + len(SPLITS))
    else:
        for split, ones in _divided(every, plan).items():
            found[split] = [(one, categories) for one in ones]
    rows = (_composed_row(one, own, split, ids) for split, ones in found.items() for one, own in ones)
    write_jsonl(folder / COMPOSED, rows)
    met = Counter(one.template for one in every)
    write_json(folder / TOGETHER, {name: met[name] for name in STEPS})
    counts = {split: len(ones) for split, ones in found.items()}
    return counts | {"asked": len(STEPS) * sum(map(plan.asked, SPLITS)), "with shared categories": len(every)}


def _divided(every: Sequence[Composed], plan: SetPlan) -> dict[str, list[Composed]]:
    """The queries of each template dealt to the splits in the asked proportion, by chance."""
    rng = np.random.default_rng([plan.seed, 3])
    found: dict[str, list[Composed]] = {split: [] for split in SPLITS}
    for name in STEPS:
        ones = [one for one in every if one.template == name]
        order = rng.permutation(len(ones))
        tested = round(len(ones) * plan.test)
        validated = round((len(ones) - tested) * plan.validation)
        for place, at in enumerate(order):
            split = TEST if place < tested else VALIDATION if place < tested + validated else TRAIN
            found[split].append(ones[at])
    return found


def _composed_row(one: Composed, own: Sequence[Category], split: str, ids: Sequence[str]) -> dict[str, Any]:
    return {
        "split": split,
        "template": one.template,
        "expression": printed(one.expression),
        "kinds": {own[part].name: own[part].kind for part in one.parts},
        "docs": [ids[number] for number in one.members],
        "taken": _taken(one, own),
    }


def _taken(one: Composed, own: Sequence[Category]) -> float | None:
    """The share of a difference's first part that it takes away, or None for other queries."""
    if not isinstance(one.expression, Minus):
        return None
    left = reduce(np.intersect1d, [own[part].members for part in one.parts[:-1]])
    return round(1 - one.members.size / left.size, 4)


def write_queries(folder: Path, plan: SetPlan, progress: Progress) -> Counts:
    """Say each composed query in words; how many were said freely."""
    counts = dict.fromkeys(("queries", "phrased"), 0)

    def said() -> Iterator[dict[str, Any]]:
        for row in read_jsonl(folder / COMPOSED):
            expression = read_expression(row["expression"])
            text = worded(expression, row["kinds"], row["split"], plan)
            original = marked(expression, row["kinds"], plan.nouns[0])
            counts["queries"] += 1
            counts["phrased"] += not plan.plain
            by = COMPOSER if plan.plain else PHRASING
            query = SetQuery(
                query_id(plan.domain, row["expression"]), row["split"], row["template"], expression, original, text, by,
                tuple(row["docs"]),
            )  # fmt: skip
            yield as_record(query)

    write_jsonl(folder / FILE, said())
    return counts


def worded(expression: Expression, kinds: Mapping[str, str], split: str, plan: SetPlan) -> str:
    """A query in words: drawn by its own words and the seed. Phrasings that nothing is trained on are for testing."""
    if plan.plain:
        return unmarked(marked(expression, kinds, plan.nouns[0]))
    rng = random.Random(f"{plan.seed}\0{printed(expression)}")
    patterns = PATTERNS if split == TEST else PATTERNS - HELD_OUT
    return phrased(expression, rng, kinds, patterns, plan.nouns).text


def marked(expression: Expression, kinds: Mapping[str, str], noun: str) -> str:
    """The query as its template puts it, each category marked; a modifier that cannot stand alone has a noun."""
    form = template(expression) or ""
    names = list(atoms(expression))
    lone = isinstance(expression, Or)
    words = []
    for number, name in enumerate(names):
        after_noun = number == 0 or (lone and kinds.get(names[number - 1]) != MODIFIER) or name.startswith("that ")
        bare = kinds.get(name) == MODIFIER and after_noun
        words.append(f"{noun} <mark>{name}</mark>" if bare else f"<mark>{name}</mark>")
    parts = iter(words)
    return "".join(next(parts) if letter == "_" else letter for letter in form)


def unmarked(text: str) -> str:
    """The words of a marked query."""
    return text.replace("<mark>", "").replace("</mark>", "")


def query_id(domain: str, expression: str) -> str:
    """The id of a query: what it is about and what it asks."""
    return "s-" + hashlib.sha256(f"{domain}\n{expression}".encode()).hexdigest()[:12]


def as_record(query: SetQuery) -> dict[str, Any]:
    """A query as it is written."""
    return {name: getattr(query, name) for name in SetQuery.__slots__} | {
        "expression": printed(query.expression),
        "docs": list(query.docs),
    }


def read_queries(folder: Path) -> list[SetQuery]:
    """What `write_queries` wrote."""
    return [
        SetQuery(**{**row, "expression": read_expression(row["expression"]), "docs": tuple(row["docs"])})
        for row in read_jsonl(folder / FILE)
    ]
