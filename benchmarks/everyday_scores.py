"""Whether an answer of the everyday set is right, and what a run comes to: counts, areas, and two runs side by side."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import common
from answerable.evaluation.metrics.answers import overlap
from answerable.evaluation.metrics.confidence import area, expected_calibration_error, risk_coverage
from answerable.evaluation.metrics.significance import paired_bootstrap
from answerable.text import normalise_answer, words
from everyday_corpora import Question, grouped, half_of

ENOUGH = 0.6
"""Least F1 in words with an accepted answer."""
COVERED = 0.9
"""Of the words of a quote, the least that must stand in a passage of its document where the quote is not whole."""
AGAIN = 300
"""How many times questions are drawn again for the intervals of areas and of the calibration error."""
_NUMBER = re.compile(r"[^\w-]*(-?\d[\d,]*(?:\.\d+)?)\s*%?\W*")
_NAMES = "zero one two three four five six seven eight nine ten eleven twelve".split()

Record = dict[str, Any]


def right(question: Question, said: str | None) -> bool:
    """Whether what was said is an accepted answer.

    A yes or a no must be just that. Two numbers are compared by value. Else the normalised words must be the same, or
    share enough (`ENOUGH`), where every figure said is one of the accepted answer's and some figure is, if it has any.
    For why and how, the words of one may be within the other's, at least two of them. A command must have the options
    of the accepted answer, if that has any, and no others.
    """
    if not said or not question["answers"]:
        return False
    kind, fitting = question["kind"], question["answers"]
    if kind == "command":
        fitting = [text for text in fitting if not _options(text) or _options(text) == _options(said)]
    return any(_matches(said, accepted, kind == "why-how") for accepted in fitting)


def _options(text: str) -> set[str]:
    """The options of a command, as typed: `-d` is not `-D`, though as words they would be the same."""
    typed = (word.strip("`'\"“”‘’.,;:()[]") for word in text.split())
    return {word for word in typed if word.startswith("-") and word.strip("-")}


def _matches(said: str, accepted: str, contained: bool) -> bool:
    ours, gold = normalise_answer(said).split(), normalise_answer(accepted).split()
    values = _value(said), _value(accepted)
    if None not in values:
        return values[0] == values[1]
    if ours == gold or gold in (["yes"], ["no"]):
        return ours == gold
    figures = [{word for word in text if any(map(str.isdigit, word))} for text in (ours, gold)]
    if figures[1] and not (figures[0] and figures[0] <= figures[1]):
        return False
    within = contained and min(len(ours), len(gold)) > 1 and (set(ours) <= set(gold) or set(gold) <= set(ours))
    return within or overlap(ours, gold)[0] >= ENOUGH


def _value(text: str) -> float | None:
    """The number that a text is; None for one that is more than that, or none."""
    if (name := text.strip().lower()) in _NAMES:
        return float(_NAMES.index(name))
    match = _NUMBER.fullmatch(text.strip())
    return float(match[1].replace(",", "")) if match else None


def shown(question: Question, passages: Sequence[Mapping[str, str]], names: Mapping[str, Sequence[str]]) -> bool:
    """Whether every quote stands in one of the passages: whole, or in its own document nearly all of its words.

    `names`: the source and id of each document of the workspace by its name there.
    """
    told = [(names.get(one["document"], ()), words(one["text"])) for one in passages]
    return all(
        any(_stands(words(gold["quote"]), text, list(name) == [gold["source"], gold["id"]]) for name, text in told)
        for gold in question["gold"]
    )


def _stands(quote: list[str], text: list[str], own: bool) -> bool:
    whole = f" {' '.join(quote)} " in f" {' '.join(text)} "
    return whole or (own and (Counter(quote) & Counter(text)).total() >= COVERED * len(quote))


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question as it came out. `answerable`: whether something answers it; `guess`: whether the best guess does."""

    id: str
    slices: tuple[str, ...]
    answerable: bool
    given: bool
    right: bool
    guess: bool
    shown: bool
    read: bool
    together: bool
    confidence: float
    softmax: float
    processor: float

    @property
    def good(self) -> bool:
        """Rightly answered, or rightly not."""
        return self.right if self.answerable else not self.given

    @property
    def wrong(self) -> bool:
        """Whether a wrong answer was given."""
        return self.given and not self.right


def outcome(question: Question, record: Record, names: Mapping[str, Sequence[str]]) -> Outcome:
    """One question, by the record of its answer."""
    guesses = [one["answer"] for one in record["guesses"]]
    best = record["answer"] if record["answer"] is not None else guesses[0] if guesses else None
    chained = [passage for chain in record["chains"] for passage in chain]
    return Outcome(
        id=question["id"],
        slices=("all", half_of(question["workspace"]), question["kind"], grouped(question["workspace"])),
        answerable=bool(question["answers"]),
        given=record["answer"] is not None,
        right=right(question, record["answer"]),
        guess=right(question, best),
        shown=bool(question["gold"]) and shown(question, record["passages"], names),
        read=bool(question["gold"]) and shown(question, chained, names),
        together=bool(question["gold"]) and any(shown(question, one, names) for one in record["chains"]),
        confidence=record["confidence"],
        softmax=record["confidences"].get("softmax", 0.0),
        processor=record["processor"],
    )


def figures(outcomes: Sequence[Outcome], intervals: bool = True) -> dict[str, Any]:
    """What some questions come to: counts, shares in per cent, areas under the curve of risk (0 to 1), seconds.

    A guess at a question that nothing answers is a loss, whatever it says.
    """
    answerable = [one for one in outcomes if one.answerable]
    share: Callable[[Sequence[bool]], Any] = lambda held: common.mean(held, 100) if held else None  # noqa: E731
    spread = _spread if intervals else lambda value, held: value(held)
    return {
        "questions": len(outcomes),
        "right": sum(one.right for one in outcomes),
        "rightly none": sum(not one.answerable and not one.given for one in outcomes),
        "wrong": sum(one.wrong for one in outcomes),
        "missed": sum(one.answerable and not one.given for one in outcomes),
        "right or none %": share([one.good for one in outcomes]),
        "wrong %": share([one.wrong for one in outcomes]),
        "guess right %": share([one.guess for one in answerable]),
        "shown %": share([one.shown for one in answerable]),
        "in chains %": share([one.read for one in answerable]),
        "in one chain %": share([one.together for one in answerable]),
        "area": spread(lambda held: _area(held, "confidence"), outcomes),
        "softmax area": spread(lambda held: _area(held, "softmax"), outcomes),
        "calibration error": spread(_calibration, outcomes),
        "processor s": common.mean([one.processor for one in outcomes]),
    }


def _area(held: Sequence[Outcome], name: str) -> float:
    return area(risk_coverage([getattr(one, name) for one in held], [1.0 - one.guess for one in held]))


def _calibration(held: Sequence[Outcome]) -> float:
    return expected_calibration_error([one.confidence for one in held], [float(one.guess) for one in held])


def _spread(value: Callable[[Sequence[Outcome]], float], held: Sequence[Outcome]) -> common.Mean:
    """A figure of questions, with what holds 95 % of it over questions drawn again."""
    draws = np.random.default_rng(common.SEED).integers(0, len(held), (AGAIN, len(held)))
    low, high = np.quantile([value([held[n] for n in draw]) for draw in draws], (0.025, 0.975))
    return common.Mean(value(held), float(low), float(high))


def sliced(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """The questions by slice: all, halves, kinds, workspaces."""
    found: dict[str, list[Outcome]] = {}
    for place in range(4):
        for one in sorted(outcomes, key=lambda one: one.slices[place]):
            found.setdefault(one.slices[place], []).append(one)
    return found


def against(ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> dict[str, Any]:
    """Two runs by question, where both have it: the share right or rightly none of each, and the p of the sign test."""
    other = {one.id: one for one in theirs}
    pairs = [(float(other[one.id].good), float(one.good)) for one in ours if one.id in other]
    better, worse = (sum(sign * (b - a) > 0 for a, b in pairs) for sign in (1, -1))
    gap = paired_bootstrap([a for a, _ in pairs], [b for _, b in pairs])
    return {
        "questions": len(pairs),
        "other %": 100 * sum(a for a, _ in pairs) / len(pairs),
        "ours %": 100 * sum(b for _, b in pairs) / len(pairs),
        "difference": common.Mean(100 * gap.mean, 100 * gap.low, 100 * gap.high),
        "better": better,
        "worse": worse,
        "p": common.sign_test(better, worse),
    }
