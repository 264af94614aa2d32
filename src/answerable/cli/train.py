"""`answerable train`: train a part from a recipe. Needs the `train` extra."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated, Any

import typer

from answerable.cli.shell import Plain, Shell
from answerable.encoders.choose import encoder_folder
from answerable.encoders.shipped import mark_taught, taught_label
from answerable.errors import MissingExtraError, UsageError
from answerable.printing import clean
from answerable.training.recipe import Kind, kind_of, read_toml
from answerable.types import Label

NAME = "train"
SKILLS = "skills"
OWN: dict[str, Any] = {
    "kind": SKILLS,
    "start": SKILLS,
    "batch": {"size": 32, "hard": 2, "length": 192},
    "loop": {"rate": 2e-5, "tokens": 4096, "evaluate_steps": 50, "patience": 4},
    "negatives": {"bm25": True},
    "sources": {"own": {"single": 10, "rerank": 5}},
}
"""What `answerable train skills` does with questions of one's own, from the encoder that ships: from MiniLM 451 of them
gave far less (`benchmarks/experiments/pair-figure-5.toml`). A recipe can say more."""


def run(
    shell: Plain,
    recipe: Annotated[
        Path,
        typer.Argument(
            metavar="RECIPE.toml|skills",
            help="What to train, on what; `skills`: an encoder on questions of your own.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Checkpoints and the trained model.")],
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The folder of training data.")] = None,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="MODEL", help="Train nothing; put what --out holds into this model's folder."),
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions", metavar="FILE", help="Your questions: CSV or JSONL with `question` and `positive`."
        ),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="FILE", help="Your passages: CSV or JSONL with `id`, `title` and `text`."),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", metavar="NAME", help="A private enclave whose text is trained on; may be repeated."),
    ] = None,
) -> None:
    """Train a model from a recipe.

    Run again with the same folder, it resumes; when done, it exports the model. The model's manifest names the private
    enclaves it was trained on: those of --label, those that lines of an export name, those of the model it began from.
    """
    given = _with_own(dict(OWN) if str(recipe) == SKILLS else read_toml(recipe), questions, corpus)
    if data is not None and not data.is_dir():
        raise UsageError(f"{data} is not a folder of training data")
    kind = _kind(given["kind"], label or [], data is not None or export is not None)
    asked = kind.recipe.of(given)
    _listen()
    taught = _taught(given, label or [], out)
    if export is None:
        out.mkdir(parents=True, exist_ok=True)
        made = kind.make(asked, data, out)
    elif kind.export is None:
        raise UsageError(f"the kind {given['kind']!r} is exported when it is trained", hint="leave out --export")
    else:
        made = kind.export(asked, out, export)
    told = {"recipe": str(recipe), "model": str(made.folder), "name": made.name, "label": sorted(taught)}
    shell.emit({**made.record, **(told if made.folder else {})})
    for line in made.said:
        shell.say(line)
    if made.folder:
        done = "Trained" if export is None else "Exported"
        shell.say(f"{done} {made.name}. {kind.use.format(made.folder)}")
        _mark(shell, made.folder, taught)


def _kind(name: str, label: list[str], has_data: bool) -> Kind[Any]:
    """The kind of a recipe. Raises `UsageError` for what it cannot be asked, `MissingExtraError`."""
    try:
        kind = kind_of(name)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] != "torch":
            raise
        raise MissingExtraError("training", "train") from error
    if label and not kind.labelled:
        raise UsageError(f"--label is for a model, and the kind {name!r} makes none")
    if kind.needs_data and not has_data:
        raise UsageError(f"the kind {name!r} is trained on a folder of data", hint="give it with --data")
    return kind


def _with_own(given: dict[str, Any], questions: Path | None, corpus: Path | None) -> dict[str, Any]:
    """The recipe with the user's own files. Raises `UsageError` where they cannot be used."""
    if (questions is None) != (corpus is None):
        raise UsageError("--questions and --corpus go together", hint="a question's passage is one of the corpus")
    if not (questions and corpus):
        return given
    if given["kind"] != SKILLS:
        raise UsageError(f"--questions and --corpus are for skills, not for {given['kind']!r}")
    return {**given, "own": {"questions": str(questions), "corpus": str(corpus)}}


def _taught(given: dict[str, Any], named: list[str], out: Path) -> Label:
    """The private enclaves whose text a model learns from: as named, in files of one's own, and through what it began
    from, which may be a model or a run that made one in a folder of its own."""
    label = frozenset(named)
    if files := given.get("own"):
        from answerable.training.skills.own import label_of

        label |= label_of(Path(path) for path in files.values())
    began = [given.get(key) for key in ("start", "toward", "first", "last")] + list(given.get("runs", ()))
    for folder in (out, *(encoder_folder(one) for one in began if one and isinstance(one, str))):
        label = label.union(*(taught_label(folder / made) for made in ("", "reader", "model")))
    return label


def _mark(shell: Shell, folder: Path, label: Label) -> None:
    """Let the model say what it was trained on, and the user know."""
    if label:
        mark_taught(folder, label)
        names = ", ".join(sorted(label))
        shell.note(f"It was trained on private text of {names}, and is as private: only who reads that may use it.")


def _listen() -> None:
    """Show the progress and the time left, which our own loggers tell, and not what other packages log."""
    ours = logging.StreamHandler()
    ours.addFilter(_told)
    logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[ours])


def _told(record: logging.LogRecord) -> bool:
    record.msg, record.args = clean(record.getMessage()), None
    return logging.Filter("answerable").filter(record) is not False
