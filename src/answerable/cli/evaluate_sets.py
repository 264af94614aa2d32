"""`answerable evaluate finding` and `evaluate threshold`: systems that find whole sets, and the threshold of one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answerable.cli.evaluate_given import cuts_of, only, place_of, sliced
from answerable.cli.progress import reporting
from answerable.cli.shell import Exit, Folder, Json, Mode, Shell, workspace_of
from answerable.errors import UsageError
from answerable.types import Privacy

if TYPE_CHECKING:
    from answerable.evaluation.metrics.violations import Sets
    from answerable.evaluation.sets.threshold import Threshold
    from answerable.evaluation.tasks.data import Survey
    from answerable.evaluation.tasks.task import Task
    from answerable.indexes.index import Mode as IndexMode

AT = (20, 50, 100, 1000)
"""Where recall is cut unless told otherwise: as in the paper's table 4."""


class System(StrEnum):
    """What finds sets (`evaluation.sets.open`)."""

    BM25 = "bm25"
    DENSE = "dense"
    HYBRID = "hybrid"
    CANDIDATES = "candidates"
    CLASSIFIER = "classifier"
    FIND = "find"


class Source(StrEnum):
    """Where the expression of a query comes from."""

    PARSED = "parsed"
    DATA = "data"
    WHOLE = "whole"


class Logic(StrEnum):
    """How constraints are joined."""

    PRODUCT = "product"
    MINIMUM = "minimum"


class Pool(StrEnum):
    """What candidates are searched with."""

    ALL = "all"
    QUERY = "query"


class Part(StrEnum):
    """How much of a document a classifier reads."""

    FIRST = "first"
    ALL = "all"


Data = Annotated[Path, typer.Option("--data", metavar="F", help="Queries and the documents that fit, in QUEST's form.")]
SystemName = Annotated[System, typer.Option("--system", help="What finds the sets.")]
Retrieving = Annotated[Mode | None, typer.Option("--mode", help="How candidates are ranked.")]
JudgeName = Annotated[str | None, typer.Option("--judge", metavar="NAME", help="As models.judge, or a T5's folder.")]
Candidates = Annotated[int | None, typer.Option("--k", help="Documents that are judged.")]
PartOf = Annotated[Part | None, typer.Option("--part", help="Read the first tokens of a document, or all in pieces.")]
Tokens = Annotated[int | None, typer.Option("--tokens", help="Of a document that are read at once.")]
Least = Annotated[
    str | None, typer.Option("--threshold", metavar="P|FILE", help="One for all queries, or what was tuned.")
]
Expressions = Annotated[
    Source | None, typer.Option("--expression", help="Parse queries, take the data's, or take nothing apart.")
]
Algebra = Annotated[Logic | None, typer.Option("--logic", help="Join constraints by products or by the least.")]
PoolOf = Annotated[Pool | None, typer.Option("--pool", help="Search with each constraint too, or the query alone.")]
Evidence = Annotated[bool | None, typer.Option("--evidence/--no-evidence", help="Look for sentences that show why.")]
Atoms = Annotated[
    Path | None, typer.Option("--atoms", metavar="FILE", help="The documents of each constraint: what sets break.")
]
Predictions = Annotated[
    Path | None, typer.Option("--predictions", metavar="FILE", help="Score these instead of asking.")
]
MODES: Mapping[Mode | None, IndexMode] = {Mode.HYBRID: "hybrid", Mode.DENSE: "dense", Mode.LEXICAL: "lexical"}
_FIND = {"k": "find.candidates", "logic": "find.logic", "threshold": "find.threshold", "pool": "find.each"}
_TAKES: Mapping[System, frozenset[str]] = {
    System.BM25: frozenset(),
    System.DENSE: frozenset(),
    System.HYBRID: frozenset(),
    System.CANDIDATES: frozenset({"mode", "expression", "pool"}),
    System.CLASSIFIER: frozenset({"mode", "judge", "k", "part", "tokens", "threshold"}),
    System.FIND: frozenset({"mode", "judge", "expression", "evidence", *_FIND}),
}
"""Options that mean something to some systems only."""


@dataclass(frozen=True, slots=True)
class Given:
    """One command. `how`: the options that say how a system finds, None where not given."""

    shell: Shell
    survey: Survey
    system: System
    how: Mapping[str, Any]
    privacy: Privacy | None
    predictions: Path | None


def run(
    context: typer.Context,
    data: Data,
    system: SystemName = System.FIND,
    mode: Retrieving = None,
    judge: JudgeName = None,
    k: Candidates = None,
    part: PartOf = None,
    tokens: Tokens = None,
    threshold: Least = None,
    expression: Expressions = None,
    logic: Algebra = None,
    pool: PoolOf = None,
    evidence: Evidence = None,
    atoms: Atoms = None,
    predictions: Predictions = None,
    privacy: Annotated[Privacy | None, typer.Option("--privacy", help="As for ask.")] = None,
    form: Annotated[str | None, typer.Option("--format", metavar="NAME", help="The data's form.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Queries to draw from the data.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Draws the same queries.")] = 0,
    run: Annotated[Path | None, typer.Option("--run", metavar="FILE", help="Where the run is kept.")] = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="DIR", help="Write tables there.")] = None,
    at: Annotated[str | None, typer.Option("--at", metavar="K,K", help="Where recall is cut.")] = None,
    by: Annotated[str, typer.Option("--by", help="Slice by `kind` (the template) or a field of the data's.")] = "kind",
    fresh: Annotated[bool, typer.Option("--fresh", help="Drop what the run file holds.")] = False,
    workspace: Folder = None,
    as_json: Json = False,
) -> None:
    """Whole sets: precision, recall and F1 by template and domain. Interrupted, the same command resumes."""
    from answerable.evaluation.tasks.data import Data as Questions

    shell = Shell.of(context, workspace, as_json)
    how = {"mode": mode, "judge": judge, "k": k, "part": part, "tokens": tokens, "threshold": threshold}
    how |= {"expression": expression, "logic": logic, "pool": pool, "evidence": evidence}
    takes = frozenset() if predictions else _TAKES[system]
    only(how, takes, "evaluate finding --predictions" if predictions else f"the system {system.value}")
    cuts = cuts_of(at, AT)
    survey = Questions(data, form, limit, seed).survey()
    try:
        _evaluate(Given(shell, survey, system, how, privacy, predictions), run, report, cuts, by, atoms, fresh)
    except KeyboardInterrupt:
        shell.note("stopped; every query answered is kept. The same command resumes.", style="yellow")
        raise typer.Exit(Exit.INTERRUPTED) from None


def _evaluate(
    given: Given,
    run: Path | None,
    folder: Path | None,
    at: tuple[int, ...],
    by: str,
    atoms: Path | None,
    fresh: bool,
) -> None:
    """Fill the run, measure it, print it and write the report."""
    from answerable.evaluation.report import Report, as_record, markdown, write_text
    from answerable.evaluation.runs import writing
    from answerable.evaluation.sets import tables
    from answerable.evaluation.tasks.task import fill, header, measure, pairs

    survey, shell = given.survey, given.shell
    sets = _sets(atoms, survey)
    with ExitStack() as stack:
        task = _task(given, stack)
        head = header(task, survey)
        path = run or place_of(shell, folder) / f"finding-{given.system.value}-{head.key[:8]}.jsonl"
        with writing(path, head, fresh) as kept, reporting(shell) as progress:
            fill(task, survey, kept, progress)
        measures = measure(task, survey, path, at, sliced(by, None))
        told = tables.tables(task, pairs(survey, path), sets, at)
    shell.note(f"run: {path}")
    report = Report.of(head, path, measures)
    record = {**as_record(report), **told}
    shown = replace(report, measures=replace(measures, slices={})) if by == "kind" else report  # the tables have them
    text = f"{markdown(shown)}\n{tables.markdown(told)}"
    if folder is not None:
        files = [
            write_text(folder / f"{path.stem}.md", text),
            write_text(folder / f"{path.stem}.json", json.dumps(record, indent=1, ensure_ascii=False) + "\n"),
        ]
        shell.note(f"report: {', '.join(str(file) for file in files)}")
    shell.emit(record)
    shell.say(text, wrap=False)


def _sets(atoms: Path | None, survey: Survey) -> Sets:
    """The documents of each constraint: of the file, or as far as the data asks for one alone."""
    from answerable.evaluation.sets.meaning import asked_alone, read_atoms

    return read_atoms(atoms) if atoms else asked_alone(survey.examples())


def _task(given: Given, stack: ExitStack) -> Task:
    """The system over its workspace, or predictions made elsewhere."""
    from answerable.evaluation.tasks import predictions, scored
    from answerable.evaluation.tasks.finding import Finding

    if given.predictions is not None:
        said = predictions.read(given.predictions)
        said.require(given.survey.examples())
        return scored.predicted("finding", said)
    from answerable.evaluation.sets.open import enclaves_of, open_candidates, open_system

    Finding.require(given.survey)
    asked, settings = _asked(given)
    workspace = stack.enter_context(workspace_of(given.shell, settings))
    return Finding(open_system(workspace, asked, open_candidates(workspace)), enclaves_of(workspace))


def _asked(given: Given) -> tuple[Any, dict[str, Any]]:
    """Which system, as it was asked for, and the settings of the workspace that say how."""
    from answerable.evaluation.sets.classifying import CANDIDATES, TOKENS, ClassifierSettings
    from answerable.evaluation.sets.classifying import Part as PartRead
    from answerable.evaluation.sets.finding import Understood
    from answerable.evaluation.sets.meaning import meant
    from answerable.evaluation.sets.open import Asked
    from answerable.evaluation.sets.open import SystemName as Known

    how, known = given.how, Known(given.system.value)
    settings: dict[str, Any] = {"ask.privacy": given.privacy, "models.reader": "overlap"}
    least = _threshold(how["threshold"])
    understood = Understood((how["expression"] or Source.PARSED).value)
    if given.system in (System.FIND, System.CANDIDATES):
        if understood is Understood.DATA and not any(meant(example) for example in given.survey.examples()):
            raise UsageError("the data does not say what its queries ask for", hint="--expression parsed")
        settings |= {"search.mode": how["mode"] and how["mode"].value, "models.judge": how["judge"]}
        settings |= {path: how[name] for name, path in _FIND.items()}
        settings["find.threshold"] = least if isinstance(least, float | None) else least.threshold
        settings["find.logic"] = how["logic"] and how["logic"].value
        settings["find.each"] = 1 if how["pool"] is Pool.QUERY else None
        return Asked(known, understood=understood, evidence=how["evidence"] is not False), settings
    mode = MODES.get(how["mode"], "lexical")
    part = PartRead((how["part"] or Part.FIRST).value)
    classifier = ClassifierSettings(
        mode, CANDIDATES if how["k"] is None else how["k"], part, TOKENS if how["tokens"] is None else how["tokens"]
    )
    return Asked(known, classifier, how["judge"], least), settings


def _threshold(given: str | None) -> float | Threshold | None:
    from answerable.evaluation.sets.threshold import read

    return None if given is None else read(given)


def threshold(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run of finding.", show_default=False)],
    data: Data,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the threshold is written.")],
    form: Annotated[str | None, typer.Option("--format", metavar="NAME", help="The data's form.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="As for the run.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="As for the run.")] = 0,
    as_json: Json = False,
) -> None:
    """Choose one threshold for all queries: that with the best average F1 on the queries of a run, of validation.

    The run is of `evaluate finding --system classifier`, whose probabilities it keeps (or of `find --threshold 0`).
    """
    from dataclasses import asdict

    from answerable.evaluation.sets.threshold import tuned, write
    from answerable.evaluation.tasks.data import Data as Questions

    shell = Shell.of(context, None, as_json)
    found = tuned(Questions(data, form, limit, seed).survey(), run)
    shell.note(f"threshold: {write(found, out)}")
    shell.emit(asdict(found))
    shell.say(f"{found.threshold:.4f}, with an average F1 of {100 * found.f1:.1f} over {found.queries:,} queries")
