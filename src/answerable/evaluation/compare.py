"""Two runs side by side: each measure's difference with its interval, and the questions that differ."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from pathlib import Path

from answerable.errors import UsageError
from answerable.evaluation.metrics.significance import Difference, paired_bootstrap, paired_randomisation
from answerable.evaluation.report import table
from answerable.evaluation.runs import Scored, header_of, scored

LEADING = ("F1", "joint F1", "EM", "nDCG@10", "Easy")
"""The measure by which questions are said to differ: the first of these that both runs have, else the first of all."""
SHOWN = 20  # questions on either side in a Markdown table
SAME = 1e-12


@dataclass(frozen=True, slots=True)
class Row:
    """One measure: over how many questions, its mean in either run, the difference (second - first), and p by swaps."""

    measure: str
    questions: int
    first: float
    second: float
    difference: Difference
    p: float


@dataclass(frozen=True, slots=True)
class Differing:
    """A question on which the leading measure differs, with what either run said (None: nothing, or a ranking)."""

    id: str
    question: str
    first: float
    second: float
    said: tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`alone` counts the questions that only the first, and only the second run has; these are left out.

    `differing` are the questions that the second run got better or worse, the largest gain first and the largest loss
    last.
    """

    names: tuple[str, str]
    questions: int
    alone: tuple[int, int]
    rows: tuple[Row, ...]
    leading: str
    differing: tuple[Differing, ...]


def compare(first: Path, second: Path, seed: int = 0, rounds: int = 10_000) -> Comparison:
    """Compare two runs of one task over the questions they share, by the scores in their records.

    Intervals are 95 %, by paired bootstrap; `Row.p` is by paired randomisation. Raises `UsageError` when a file is no
    run, when the tasks differ, when a question's text does, or when no question is shared, and `FormatError` when a
    record is damaged.
    """
    tasks = [header_of(path).task for path in (first, second)]
    if tasks[0] != tasks[1]:
        raise UsageError(f"{first} is a run of {tasks[0]}, {second} of {tasks[1]}", hint="compare runs of one task")
    ours = {one.id: one for one in scored(first)}
    columns: dict[str, tuple[array[float], array[float]]] = {}
    pairs: list[tuple[Scored, Scored]] = []
    theirs = 0
    for its in scored(second):
        theirs += 1
        mine = ours.get(its.id)
        if mine is None:
            continue
        if mine.question != its.question:
            raise UsageError(
                f"question {its.id!r} differs between {first} and {second}", hint="compare runs of one data set"
            )
        pairs.append((mine, its))
        for name in mine.scores.keys() & its.scores.keys():
            one, other = columns.setdefault(name, (array("d"), array("d")))
            one.append(mine.scores[name])
            other.append(its.scores[name])
    if not pairs or not columns:
        raise UsageError(f"{first} and {second} share no scored question", hint="compare runs over one data set")
    names = [name for name in pairs[0][0].scores if name in columns]
    names += sorted(columns.keys() - set(names))
    rows = tuple(_row(name, *columns[name], seed, rounds) for name in names)
    leading = next((name for name in LEADING if name in columns), names[0])
    alone = (len(ours) - len(pairs), theirs - len(pairs))
    return Comparison((_called(first), _called(second)), len(pairs), alone, rows, leading, _differing(pairs, leading))


def markdown(comparison: Comparison) -> str:
    """The comparison as Markdown tables; at most `SHOWN` questions on either side."""
    first, second = comparison.names
    rows = [
        [
            row.measure,
            f"{row.questions:,}",
            f"{100 * row.first:.1f}",
            f"{100 * row.second:.1f}",
            f"{100 * row.difference.mean:+.1f}",
            f"{100 * row.difference.low:+.1f} to {100 * row.difference.high:+.1f}",
            f"{row.p:.4f}",
        ]
        for row in comparison.rows
    ]
    left_out = f"; only the first has {comparison.alone[0]:,}, only the second {comparison.alone[1]:,}"
    better = [one for one in comparison.differing if one.second > one.first]
    worse = [one for one in reversed(comparison.differing) if one.second < one.first]
    parts = [
        f"# {first} and {second}\n",
        f"{comparison.questions:,} questions in both{left_out if any(comparison.alone) else ''}.\n",
        table(("measure", "questions", first, second, "difference", "95 % interval", "p"), rows),
        f"By {comparison.leading}, {len(better):,} questions are better in the second and {len(worse):,} worse.\n",
    ]
    for title, ones in (("Better", better), ("Worse", worse)):
        if ones:
            cells = [
                [one.id, one.question, f"{one.first:.2f}", f"{one.second:.2f}", *(said or "–" for said in one.said)]
                for one in ones[:SHOWN]
            ]
            more = f"\n… and {len(ones) - SHOWN:,} more\n" if len(ones) > SHOWN else ""
            columns = ("question", "", first, second, f"{first} said", f"{second} said")
            parts.append(f"## {title}\n\n{table(columns, cells)}{more}")
    return "\n".join(parts)


def _row(name: str, first: array[float], second: array[float], seed: int, rounds: int) -> Row:
    means = (sum(first) / len(first), sum(second) / len(second))
    difference = paired_bootstrap(first, second, seed, rounds)
    return Row(name, len(first), *means, difference, paired_randomisation(first, second, seed, rounds))


def _differing(pairs: list[tuple[Scored, Scored]], leading: str) -> tuple[Differing, ...]:
    found = []
    for one, other in pairs:
        before, after = one.scores.get(leading), other.scores.get(leading)
        if before is not None and after is not None and abs(after - before) > SAME:
            found.append(Differing(one.id, one.question, before, after, (one.said, other.said)))
    return tuple(sorted(found, key=lambda d: (d.first - d.second, d.id)))


def _called(path: Path) -> str:
    """A run's file name without its end, with its folder's where there is one to tell runs apart."""
    return f"{path.parent.name}/{path.stem}" if path.parent.name else path.stem
