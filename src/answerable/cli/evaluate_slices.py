"""`answerable evaluate slices`: runs over a split, by the domains of the hops; what privacy costs, and whom."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from answerable.cli.shell import Json, Shell
from answerable.errors import UsageError

Methods = Mapping[str, Mapping[str, Mapping[str, float]]]
"""By slice, then by method: the measures of `evaluation.methods`."""
NAME = "slices"
MEASURES = ("EM", "F1", "guess EM", "guess F1")
"""What is printed; `--json` has every measure of the runs."""


def run(
    context: typer.Context,
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="The first is what the others compare to.", show_default=False),
    ],
    split: Annotated[Path, typer.Option("--split", metavar="DIR", help="The split the runs were asked of.")],
    as_json: Json = False,
) -> None:
    """Compare runs over a split by slice.

    PG: a private passage leads to a public one. Areas are those under the curve of risk (1 - F1) against coverage;
    smaller is better. Runs that kept them are also measured by each way to be sure of an answer.
    """
    from answerable.evaluation.enclave_splits import labels
    from answerable.evaluation.methods import by_slice
    from answerable.evaluation.runs import scored
    from answerable.evaluation.slices import Slice, cost, read, table

    shell = Shell.of(context, None, as_json)
    if len({path.stem for path in runs}) < len(runs):
        raise UsageError("two runs have one name", hint="rename a file: runs are called by their names here")
    slices = labels(split)
    systems: dict[str, tuple[Slice, ...]] = {}
    methods: dict[str, Methods] = {}
    for path in runs:
        first = next(iter(systems.values()), None)
        systems[path.stem] = read(path, slices, first)
        methods[path.stem] = by_slice(slices, scored(path))
    shell.emit({"split": str(split), "runs": {name: _plain(ones, methods[name]) for name, ones in systems.items()}})
    measured = {measure for ones in systems.values() for one in ones for measure in one.means}
    for measure in (*(name for name in MEASURES if name in measured), *(["area"] if "area" in measured else [])):
        shell.say(table(systems, measure), wrap=False)
    _say_methods(shell, systems, methods)
    (name, base), *others = systems.items()
    for measure in ("F1", "guess F1"):
        free = _overall(base).get(measure)
        for other, ones in others:
            if free is not None and (kept := _overall(ones).get(measure)) is not None:
                shell.say(f"{other}: {100 * cost(free, kept):.1f} % of the {measure} of {name} lost")


def _overall(slices: Any) -> Mapping[str, float]:
    """The means over all questions, which come first."""
    means: Mapping[str, float] = slices[0].means
    return means


def _plain(slices: Any, methods: Methods) -> dict[str, Any]:
    return {
        one.name: {"questions": one.questions, **one.means}
        | ({"methods": methods[one.name]} if one.name in methods else {})
        for one in slices
    }


def _say_methods(shell: Shell, systems: Mapping[str, Any], methods: Mapping[str, Methods]) -> None:
    """A table for each measure of confidence: a row for each run and method, as far as runs kept them."""
    from answerable.evaluation.methods import MEASURES as TOLD
    from answerable.evaluation.slices import Slice, table

    rows: dict[str, tuple[Slice, ...]] = {}
    for name, ones in systems.items():
        for method in next(iter(methods[name].values()), {}):
            rows[f"{name}, {method}"] = tuple(
                Slice(one.name, one.questions, methods[name].get(one.name, {}).get(method, {})) for one in ones
            )
    for measure in TOLD if rows else ():
        shell.say(table(rows, measure), wrap=False)
