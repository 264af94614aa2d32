"""Plots of a measured run: risk against coverage, recall against k, F1 by slice, scores by enclave, seconds.

Drawn on a canvas of their own, without a window or any global state. Needs the `evaluate` extra.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from answerable.errors import MissingExtraError

try:
    from matplotlib.figure import Figure
except ModuleNotFoundError as error:
    raise MissingExtraError("drawing plots", "evaluate") from error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from answerable.evaluation.metrics.confidence import Curve
    from answerable.evaluation.tasks.task import Measures

SIZE = (5.0, 3.4)  # inches
DPI = 150
MOST_BARS = 30
MOST_PANELS = 8
_BINS = 40


def draw(
    task: str, measures: Measures, curve: Curve | None, recalls: Mapping[str, Mapping[int, float]], folder: Path
) -> list[Path]:
    """Every plot that a run has figures for, as `TASK-NAME.png`; returns the files. `recalls`: by name and k."""
    made = []

    def path(name: str) -> Path:
        made.append(folder / f"{task}-{name}.png")
        return made[-1]

    if curve is not None:
        risk_coverage({task: (curve.coverages, curve.risks)}, path("risk-coverage"))
    if recalls:
        recall_at_k(recalls, path("recall"))
    for name in ("F1", "nDCG@10"):
        values = {key: one.means()[name] for key, one in measures.slices.items() if name in one.means()}
        if len(values) > 1:
            by_slice(name, values, {key: measures.slices[key].questions for key in values}, path("slices"))
            break
    for number in sorted({n for hops in measures.spread.values() for n, ones in hops.items() if any(ones.values())}):
        scores = {key: hops.get(number, {}) for key, hops in measures.spread.items()}
        scores_by_enclave(scores, path(f"scores-{number}"))
    if len(measures.seconds) > 1:
        latency(measures.seconds, path("latency"))
    return made


def risk_coverage(curves: Mapping[str, tuple[Sequence[float], Sequence[float]]], path: Path) -> None:
    """Risk (share of wrong answers among those given) against coverage (share of questions answered), a line a run."""
    figure, axes = _canvas("coverage", "risk")
    for name, (coverages, risks) in curves.items():
        axes.plot(coverages, risks, label=name, linewidth=1.5)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    _finish(figure, axes, path, legend=len(curves) > 1)


def recall_at_k(lines: Mapping[str, Mapping[int, float]], path: Path) -> None:
    """Shares against k, on a logarithmic scale, a line a measure."""
    figure, axes = _canvas("k", "share of questions or passages")
    places = sorted({k for values in lines.values() for k in values})
    for name, values in lines.items():
        axes.plot(list(values), list(values.values()), marker="o", markersize=3, label=name)
    axes.set_xscale("log")
    axes.set_xticks(places, [str(k) for k in places])
    axes.minorticks_off()
    axes.set_ylim(0, 1)
    _finish(figure, axes, path, legend=True)


def by_slice(measure: str, values: Mapping[str, float], questions: Mapping[str, int], path: Path) -> None:
    """One measure as a bar for each slice, the largest `MOST_BARS` slices, with the number of questions."""
    shown = sorted(values, key=lambda name: (-questions[name], name))[:MOST_BARS]
    figure, axes = _canvas(measure, "")
    figure.set_size_inches(SIZE[0], max(SIZE[1], 0.6 + 0.28 * len(shown)))
    axes.barh(range(len(shown)), [values[name] for name in shown], color="tab:blue")
    axes.set_yticks(range(len(shown)), [f"{_short(name)} ({questions[name]})" for name in shown])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    _finish(figure, axes, path, legend=False)


def scores_by_enclave(slices: Mapping[str, Mapping[str, Sequence[float]]], path: Path) -> None:
    """How many passages each enclave returned at each score, a panel for each of the first `MOST_PANELS` slices."""
    shown = [name for name in sorted(slices) if any(map(len, slices[name].values()))][:MOST_PANELS]
    every = [score for name in shown for scores in slices[name].values() for score in scores]
    figure = Figure(figsize=(SIZE[0], 1.5 * len(shown) + 0.6), dpi=DPI, layout="constrained")
    enclaves = sorted({enclave for name in shown for enclave in slices[name]})
    for place, name in enumerate(shown, start=1):
        axes = figure.add_subplot(len(shown), 1, place)
        for enclave in enclaves:
            scores = slices[name].get(enclave, ())
            axes.hist(scores, bins=_BINS, range=(min(every), max(every)), alpha=0.5, label=_short(enclave))
        axes.set_ylabel(_short(name))
        axes.grid(alpha=0.3)
        if place == len(shown):
            axes.set_xlabel("score")
            _finish(figure, axes, path, legend=len(enclaves) > 1)


def latency(seconds: Sequence[float], path: Path) -> None:
    """A histogram of milliseconds a question."""
    figure, axes = _canvas("milliseconds", "questions")
    axes.hist([1000 * one for one in seconds], bins=min(50, max(5, len(seconds) // 10)), color="tab:blue")
    _finish(figure, axes, path, legend=False)


def _canvas(across: str, up: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=SIZE, dpi=DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
    return figure, axes


def _finish(figure: Figure, axes: Axes, path: Path, legend: bool) -> None:
    if legend:
        axes.legend(fontsize="small", frameon=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a letter that the font lacks is drawn as a box
        figure.savefig(path, metadata={"Software": None})


def _short(name: str) -> str:
    """A slice's name as a tick; a dollar sign begins no formula."""
    return name[:40].replace("$", r"\$")
