"""Set queries read as trees: unseen phrasings of unseen atoms, queries written by hand, and people's of QUEST.

    python benchmarks/parsing.py --data DATA [--count 1000]

Per cent throughout, of queries. `exact`: the best reading agrees with the tree (`evaluation.metrics.trees.agree`);
`in parts`: it does wherever what must all hold is divided; `among`: a reading that is given does. `seen patterns` and
`unseen patterns`: trees over atoms that training never saw, said in patterns that it saw and in others. `by hand`:
queries of `tests/sets/parsing/by_hand.txt`. `typed`: of `typed.txt`, by who wrote the first that training has; `own`:
of `own.txt`, over what people keep, by another; `asked`: of `asked.txt`, over heaps of mails, rules, reviews and
papers, by who wrote the last that training has. `quest`: the validation part; `template` and `atoms`: how many are of
the right template and number of atoms; `recoverable` queries have all words of their atoms that say much, and are
`exact` in these. `left to right` has no model and `one atom` takes nothing apart.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import common
from answerable.evaluation.metrics.trees import agree, gist, matches, plain
from answerable.evaluation.set_phrasing import HELD_OUT, PATTERNS, phrased
from answerable.evaluation.sets.meaning import template
from answerable.sets.expression import And, Atom, Expression, Minus, Or, atoms, canonical, read_expression
from answerable.sets.parsing.lines import taken_apart
from answerable.sets.parsing.parser import Parser, Reading, flat
from answerable.sets.parsing.words import GENERIC, asked, tokens
from answerable.training.trees import Pool, Said, drawn, marks, pools, tree_of

HAND = Path(__file__).parents[1] / "tests" / "sets" / "parsing" / "by_hand.txt"
TYPED, OWN, ASKED = (HAND.with_name(name) for name in ("typed.txt", "own.txt", "asked.txt"))
Parse = Callable[[str], Sequence[Reading]]


def unseen(pools: Sequence[Pool], count: int, seed: int) -> list[Said]:
    """Queries said in unseen patterns alone where a choice is between patterns, and each with one at least."""
    rng = random.Random(seed)
    found: list[Said] = []
    allowed = HELD_OUT | {one for one in PATTERNS if one.startswith(("shape:", "open:plain"))}
    while len(found) < count:
        pool = rng.choice(pools)
        tree, kinds = tree_of(pool, rng)
        said = phrased(tree, rng, kinds, allowed, pool.heads)
        if said.used & HELD_OUT:
            found.append(Said(said.text, tree))
    return found


def left_to_right(query: str) -> list[Reading]:
    """What the connectives alone say."""
    return [Reading(flat(taken_apart(asked(tokens(query)))), 1.0)]


def one_atom(query: str) -> list[Reading]:
    """The query as it is, without how it opens."""
    return [Reading(Atom(" ".join(one.text for one in asked(tokens(query)))), 1.0)]


def agree_in_gist(one: Expression, other: Expression) -> bool:
    """Whether trees are equal when an atom is no more than the words in it that say much, in any order and number."""
    return matches(plain(canonical(one)), plain(canonical(other)), lambda a, b: gist(a) == gist(b))


def agree_in_parts(one: Expression, other: Expression) -> bool:
    """Whether trees are equal wherever what must all hold is divided: "jazz albums of the 1960s" as one part or two."""
    return matches(_merged(plain(canonical(one))), _merged(plain(canonical(other))), str.__eq__)


def _merged(expression: Expression) -> Expression:
    """A tree with the atoms of each intersection as one, of their words in order."""
    match expression:
        case Atom(text):
            return Atom(_words([text]))
        case And(parts):
            rest = [_merged(part) for part in parts if not isinstance(part, Atom)]
            texts = [part.text for part in parts if isinstance(part, Atom)]
            whole = [Atom(_words(texts))] if texts else []
            return And((*whole, *rest)) if len(whole + rest) > 1 else whole[0]
        case Or(parts):
            return Or(tuple(map(_merged, parts)))
        case Minus(left, right):
            return Minus(_merged(left), _merged(right))


def _words(texts: Sequence[str]) -> str:
    found = {one for text in texts for one in text.split()}
    kept = found - GENERIC - {"that", "are", "with", "the"}
    return " ".join(sorted(kept or found))


def shares(parse: Parse, queries: Sequence[Said]) -> dict[str, float]:
    """How many queries are read right, and the milliseconds of one."""
    count: Counter[str] = Counter()
    start = time.perf_counter()
    read = [parse(said.query) for said in queries]
    spent = time.perf_counter() - start
    for said, readings in zip(queries, read, strict=True):
        trees = [one.expression for one in readings]
        count["exact"] += agree(trees[0], said.tree)
        count["in parts"] += agree(trees[0], said.tree) or agree_in_parts(trees[0], said.tree)
        count["among"] += any(agree(tree, said.tree) for tree in trees)
        count["readings"] += len(trees)
    figures = {name: common.percent(count[name], len(queries)) for name in ("exact", "in parts", "among")}
    each = round(1000 * spent / len(queries), 1)
    return figures | {"queries": len(queries), "readings": round(count["readings"] / len(queries), 2), "ms": each}


def quest(parse: Parse, queries: Sequence[Said]) -> dict[str, float]:
    """How people's queries are read, whose atoms are in other words."""
    count: Counter[str] = Counter()
    for said in queries:
        trees = [one.expression for one in parse(said.query)]
        count["template"] += _template(trees[0]) == _template(said.tree)
        count["template among"] += any(_template(tree) == _template(said.tree) for tree in trees)
        count["atoms"] += len(atoms(trees[0])) == len(atoms(said.tree))
        if all(gist(text) <= gist(said.query) for text in atoms(said.tree)):
            count["recoverable"] += 1
            count["exact"] += agree_in_gist(trees[0], said.tree)
            count["among"] += any(agree_in_gist(tree, said.tree) for tree in trees)
    figures = {name: common.percent(count[name], len(queries)) for name in ("template", "template among", "atoms")}
    figures |= {name: common.percent(count[name], count["recoverable"]) for name in ("exact", "among")}
    return figures | {"queries": len(queries), "recoverable": count["recoverable"]}


def _template(tree: Expression) -> str | None:
    return template(canonical(tree))


def by_hand(path: Path) -> list[Said]:
    """Queries and trees of a file, one to a line."""
    lines = [line for line in path.read_text("utf8").splitlines() if " => " in line]
    return [Said(query, read_expression(tree)) for query, tree in (line.split(" => ") for line in lines)]


def main(words: list[str] | None = None) -> None:
    """Print the figures."""
    parser = common.parser(__doc__, "data")
    parser.add_argument("--count", type=int, default=1000, help="queries drawn of each kind")
    given = parser.parse_args(words)
    kept = pools(given.data, held=True)
    sets = {
        "seen patterns": drawn(kept, given.count, 101),
        "unseen patterns": unseen(kept, given.count, 102),
        "by hand": by_hand(HAND),
        "typed": by_hand(TYPED),
        "own": by_hand(OWN),
        "asked": by_hand(ASKED),
    }
    people = list(marks(given.data / "quest/val.jsonl"))
    readers: dict[str, Parse] = {
        "parser": Parser.open().parse,
        "left to right": left_to_right,
        "one atom": one_atom,
    }
    figures: dict[str, Any] = {
        name: {**{kind: shares(parse, queries) for kind, queries in sets.items()}, "quest": quest(parse, people)}
        for name, parse in readers.items()
    }
    common.tell(given.json, figures, given.count)


if __name__ == "__main__":
    main()
