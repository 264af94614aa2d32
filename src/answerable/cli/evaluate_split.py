"""`answerable evaluate split` and `slices`: a corpus as a private and a public enclave, its questions by the hops they
need, and runs over it by these: what privacy costs, and whom."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answerable.cli.progress import reporting
from answerable.cli.shell import Exit, Plain
from answerable.errors import UsageError
from answerable.printing import counted


def split(
    shell: Plain,
    corpus: Annotated[
        list[Path], typer.Argument(metavar="CORPUS", help="JSONL, a passage or table a line.", show_default=False)
    ],
    questions: Annotated[Path, typer.Option("--questions", metavar="FILE", help="A data set with gold passages.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write.")],
    share: Annotated[float | None, typer.Option("--share", help="Share of articles made private (0.5).")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Another seed, another split (1).")] = None,
    private: Annotated[
        list[Path] | None,
        typer.Option("--private", metavar="FILE", help="Split by source: this file private, CORPUS public."),
    ] = None,
    form: Annotated[str | None, typer.Option("--form", metavar="NAME", help="Form of the questions.")] = None,
) -> None:
    """Put a corpus's documents into a private and a public enclave.

    At random by article, or by source with --private. Questions get a slice: PG means that a private passage leads to
    a public one.
    """
    from answerable.datasets.load import load
    from answerable.evaluation.enclave_splits import FILES, PRIVATE, PUBLIC, Plan, require_room
    from answerable.evaluation.enclave_splits import split as parted

    if private and (share is not None or seed is not None):
        raise UsageError("with --private nothing is drawn", hint="leave out --share and --seed")
    plan = Plan(0.5 if share is None else share, 1 if seed is None else seed, tuple(private or ()))
    require_room(out, [questions])
    with reporting(shell) as progress:
        done = parted(corpus, load(questions, form), out, plan, progress)
    counts = {FILES[domain]: count for domain, count in done.documents.items()}
    slices = dict(sorted(done.slices.items()))
    shell.emit({"folder": str(out), "documents": counts, "questions": slices,
                "order": dict(sorted(done.known.items())), "left_out": done.left_out})  # fmt: skip
    shell.say(f"{counted(done.documents[PRIVATE], 'document')} private, {done.documents[PUBLIC]:,} public, in {out}")
    shell.say("questions: " + (", ".join(f"{name} {count:,}" for name, count in slices.items()) or "none"))
    if done.left_out:
        left_out = counted(done.left_out, "question")
        shell.note(f"{left_out} left out: a passage needed is not in the corpus", style="yellow")
    if not slices:
        raise typer.Exit(Exit.ABSTAINED)


MEASURES = ("EM", "F1", "guess EM", "guess F1")
"""What is printed; `--json` has every measure of the runs."""


def slices(
    shell: Plain,
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="The first is what the others compare to.", show_default=False),
    ],
    split: Annotated[Path, typer.Option("--split", metavar="DIR", help="The split the runs were asked of.")],
) -> None:
    """Compare runs over a split by slice.

    PG: a private passage leads to a public one. Areas are those under the curve of risk (1 - F1) against coverage;
    smaller is better. Runs that kept them are also measured by each way to be sure of an answer.
    """
    from answerable.evaluation.enclave_splits import labels
    from answerable.evaluation.runs import scored
    from answerable.evaluation.slices import MEASURES as SURE
    from answerable.evaluation.slices import Slice, cost, read, sure_by_slice, table

    if len({path.stem for path in runs}) < len(runs):
        raise UsageError("two runs have one name", hint="rename a file: runs are called by their names here")
    named = labels(split)
    systems: dict[str, tuple[Slice, ...]] = {}
    for path in runs:
        systems[path.stem] = read(path, named, next(iter(systems.values()), None))
    methods = {path.stem: sure_by_slice(named, scored(path)) for path in runs}
    told = {
        name: {
            one.name: {"questions": one.questions, **one.means}
            | ({"methods": methods[name][one.name]} if one.name in methods[name] else {})
            for one in ones
        }
        for name, ones in systems.items()
    }
    shell.emit({"split": str(split), "runs": told})
    measured = {measure for ones in systems.values() for one in ones for measure in one.means}
    for measure in (*(name for name in MEASURES if name in measured), *(["area"] if "area" in measured else [])):
        shell.say(table(systems, measure), wrap=False)
    by_method = {
        f"{name}, {method}": tuple(
            Slice(one.name, one.questions, methods[name].get(one.name, {}).get(method, {})) for one in ones
        )
        for name, ones in systems.items()
        for method in next(iter(methods[name].values()), {})
    }
    for measure in SURE if by_method else ():
        shell.say(table(by_method, measure), wrap=False)
    (name, base), *others = systems.items()
    for measure in ("F1", "guess F1"):
        free = base[0].means.get(measure)  # all questions come first
        for other, ones in others:
            if free is not None and (kept := ones[0].means.get(measure)) is not None:
                shell.say(f"{other}: {100 * cost(free, kept):.1f} % of the {measure} of {name} lost")
