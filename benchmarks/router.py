"""Would a learned router of words and vectors pay? Fitted on one corpus, and held against fixed choices on another.

    python benchmarks/router.py --corpora mails=DIR tables=DIR [--encoder minilm] [--json FILE]

Each DIR is what `benchmarks/mixed_corpora.py` wrote, with the workspace that `benchmarks/mixed.py` makes there. For
each question and hop, the enclave that holds the gold passage is searched by words and by vectors, 50 passages each. A
logistic regression is fitted on the questions of the part "fitting" where one finds the gold passage higher than the
other, from what an enclave could know by itself: the form of the question, the scores at the top of its own two
rankings, and how far these agree. It gives how words are weighed when both are fused by rank (`indexes.index`).

seen: fitted on the same corpora. unseen: on the other corpus alone, as a router that ships would be. each: the mode
that finds most on the fitting part of this enclave. Every figure is recall@10 in per cent on the part "report"; won and
lost count the searches in which the unseen router finds what hybrid does not, and the reverse.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import common
from answerable.encoders.expansion import search_text
from answerable.indexes.index import Ranking, fuse
from answerable.retriever import Retriever, RetrieverSettings
from answerable.selective.calibrate import fit
from answerable.types import Privacy, Skill
from mixed import BEST, document, opened, queries
from mixed_corpora import KINDS, lines

DEPTH = 50
WEIGHTS = {"lexical": 1.0, "dense": 0.0, "hybrid": 0.5}
_ASKED = (r"\bwho(se|m)?\b", r"\b(when|year|date)\b", r"@|mail")


@dataclass(frozen=True)
class Case:
    """One search of the enclave that holds its gold passage: both rankings, and the ids of passages that are gold."""

    part: str
    kind: str
    enclave: str
    features: tuple[float, ...]
    words: Ranking
    vectors: Ranking
    gold: frozenset[str]

    def rank(self, weight: float) -> int:
        """The place of the first gold passage, from 0, with words weighed so; past the end when there is none."""
        fused = fuse([self.words, self.vectors], DEPTH, [2 * weight, 2 - 2 * weight])
        if weight in (0.0, 1.0):  # the other ranking adds passages without any score
            fused = self.words if weight else self.vectors
        return next((place for place, (id, _) in enumerate(fused) if id in self.gold), DEPTH)


def cases(folder: Path, kind: str, encoder: str) -> list[Case]:
    """Every hop of every question whose first passage is known."""
    found = []
    with opened(folder, kind, encoder) as workspace:
        door = workspace.engine().retriever.under(Privacy.NONE)
        for row in lines(folder / "questions.jsonl"):
            once = door.remembering()
            for query, step, domain in zip(queries(once, row), row["steps"], row["slice"], strict=True):
                if query is None:
                    continue
                enclave = KINDS[kind]["PG".index(domain)]
                skill = Skill.EXPANDED if query.because else Skill.SINGLE
                by_words, by_vectors = (ranked(once, mode, query, skill, enclave) for mode in ("lexical", "dense"))
                hits = [*by_words, *by_vectors]
                gold = frozenset(hit.passage.id for hit in hits if document(hit) in step)
                words, vectors = ([(h.passage.id, h.score) for h in ones] for ones in (by_words, by_vectors))
                features = described(search_text(query, skill), bool(query.because), words, vectors)
                found.append(Case(row["part"], kind, enclave, features, words, vectors, gold))
    return found


def ranked(door: Retriever, mode: Any, query: Any, skill: Skill, enclave: str) -> Sequence[Any]:
    """What one enclave returns by one mode."""
    hops = replace(door, settings=RetrieverSettings(mode=mode), modes={}).search(query, skill, DEPTH)
    return next(hop.hits for hop in hops if hop.enclave == enclave)


def described(text: str, expanded: bool, words: Ranking, vectors: Ranking) -> tuple[float, ...]:
    """The features; of the enclave nothing but these two rankings."""
    asked = text.split()
    capitals = sum(word[0].isupper() for word in asked[1:]) / max(1, len(asked))
    digits = sum(any(character.isdigit() for character in word) for word in asked) / max(1, len(asked))
    first, second, tenth = (_score(words, place) for place in (0, 1, 9))
    near, nearer, far = (_score(vectors, place) for place in (0, 1, 9))
    order = [[id for id, _ in ranking] for ranking in (words, vectors)]
    return (
        math.log1p(len(asked)), capitals, digits, float('"' in text or "“" in text),
        *(float(bool(re.search(pattern, text, re.IGNORECASE))) for pattern in _ASKED), float(expanded),
        first / 10 / max(1.0, math.log1p(len(asked))), (first - second) / max(first, 1e-9),
        (first - tenth) / max(first, 1e-9), near, near - nearer, near - far,
        len({*order[0][:10]} & {*order[1][:10]}) / 10, _agreement(*order), _agreement(*order[::-1]),
    )  # fmt: skip


def _score(ranking: Ranking, place: int) -> float:
    return ranking[min(place, len(ranking) - 1)][1] if ranking else 0.0


def _agreement(one: Sequence[str], other: Sequence[str]) -> float:
    """How high the best of one ranking stands in the other, 1 at the top."""
    return 1 / (1 + other.index(one[0])) if one and one[0] in other else 0.0


def fitted(known: Iterable[Case], ridge: float = 10.0) -> Callable[[Case], float]:
    """How words are to be weighed: the chance that they find the gold passage higher than vectors do."""
    told = [case for case in known if case.rank(1.0) != case.rank(0.0)]
    features = np.array([case.features for case in told])
    mean, spread = features.mean(0), features.std(0) + 1e-6
    weights, bias = fit((features - mean) / spread, [case.rank(1.0) < case.rank(0.0) for case in told], ridge)

    def weight(case: Case) -> float:
        return float(1 / (1 + np.exp(-(bias + np.dot(weights, (np.array(case.features) - mean) / spread)))))

    return weight


def always(mode: str) -> Callable[[Case], float]:
    """The same weight for every question."""
    return lambda _: WEIGHTS[mode]


def recall(ones: Sequence[Case], weight: Callable[[Case], float]) -> float:
    """The share of searches with a gold passage among the ten best, in per cent."""
    return common.mean([case.rank(weight(case)) < BEST for case in ones], 100)


def suited(ones: Sequence[Case]) -> str:
    """The mode that finds most; hybrid where two are as good."""
    return max(("hybrid", "dense", "lexical"), key=lambda mode: recall(ones, always(mode)))


def compared(every: Sequence[Case]) -> dict[str, dict[str, float]]:
    """By enclave and for all, what each way of weighing finds; where the router differs from hybrid, how often so."""
    known = [case for case in every if case.part == "fitting"]
    seen, kinds = fitted(known), {case.enclave: case.kind for case in every}
    unseen = {kind: fitted(case for case in known if case.kind != kind) for kind in {*kinds.values()}}
    best = {enclave: suited([case for case in known if case.enclave == enclave]) for enclave in kinds}
    ways: dict[str, Callable[[Case], float]] = {
        **{mode: always(mode) for mode in WEIGHTS},
        "each": lambda case: WEIGHTS[best[case.enclave]],
        "routed, seen": seen,
        "routed, unseen": lambda case: unseen[case.kind](case),
    }
    told = {}
    for name in (*kinds, "all"):
        ones = [case for case in every if case.part == "report" and name in (case.enclave, "all")]
        pairs = [(case.rank(ways["routed, unseen"](case)) < BEST, case.rank(0.5) < BEST) for case in ones]
        told[name] = {
            "searches": len(ones),
            **{way: recall(ones, weight) for way, weight in ways.items()},
            "won": sum(routed > hybrid for routed, hybrid in pairs),
            "lost": sum(routed < hybrid for routed, hybrid in pairs),
        }
    return told


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = common.parser(__doc__)
    parser.add_argument("--corpora", nargs=2, metavar="KIND=DIR", required=True)
    parser.add_argument("--encoder", default="minilm")
    return parser


def main(words: list[str] | None = None) -> None:
    """Search, fit, and print a table."""
    given = arguments().parse_args(words)
    folders = (one.partition("=") for one in given.corpora)
    told = compared([case for kind, _, folder in folders for case in cases(Path(folder), kind, given.encoder)])
    columns = list(next(iter(told.values())))
    print(f"{'recall@10':<12}" + "".join(f"{name:>16}" for name in columns))
    for enclave, figures in told.items():
        print(f"{enclave:<12}" + "".join(f"{figures[name]:>16.1f}" for name in columns))
    common.write(given.json, told)


if __name__ == "__main__":
    main()
