"""`answerable train`: train a part from a recipe. Needs the `train` extra."""

from __future__ import annotations

import logging
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from answerable.cli.shell import Json, Shell, clean
from answerable.encoders.choose import encoder_folder
from answerable.encoders.shipped import mark_taught, taught_label
from answerable.errors import MissingExtraError, UsageError
from answerable.types import Label, Skill

NAME = "train"
SKILLS = "skills"
PATHS, FUSION, NAVIGATION, CONSTRAINTS, PAIRS = "paths", "fusion", "navigation", "constraints", "pairs"
T5_CLASSIFIER, T5_DUAL_ENCODER = "t5-classifier", "t5-dual-encoder"
PAIR_QUESTIONS, CLOSED_BOOK = "pair-questions", "closed-book"
PAIR_SELECTION, PAIR_SPANS = "pair-selection", "pair-spans"
KINDS = (
    "reader",
    "selector",
    "weights",
    PATHS,
    FUSION,
    NAVIGATION,
    CONSTRAINTS,
    PAIRS,
    SKILLS,
    T5_CLASSIFIER,
    T5_DUAL_ENCODER,
    PAIR_QUESTIONS,
    CLOSED_BOOK,
    PAIR_SELECTION,
    PAIR_SPANS,
)
OWN: dict[str, Any] = {
    "kind": SKILLS,
    "batch": {"size": 32, "hard": 2, "length": 192},
    "loop": {"rate": 2e-5, "tokens": 4096, "evaluate_steps": 50, "patience": 4},
    "negatives": {"bm25": True},
    "sources": {"own": {"single": 10, "rerank": 5}},
}
"""What `answerable train skills` does with questions of one's own; a recipe can say more."""


def run(
    context: typer.Context,
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
    as_json: Json = False,
) -> None:
    """Train a model from a recipe.

    Run again with the same folder, it resumes; when done, it exports the model. The model's manifest names the private
    enclaves it was trained on: those of --label, those that lines of an export name, those of the model it began from.
    """
    shell = Shell.of(context, None, as_json)
    settings = _with_own(dict(OWN) if str(recipe) == SKILLS else read_recipe(recipe), questions, corpus)
    if data is None and settings["kind"] != SKILLS:
        raise UsageError(f"the kind {settings['kind']!r} is trained on a folder of data", hint="give it with --data")
    if data is not None and not data.is_dir():
        raise UsageError(f"{data} is not a folder of training data")
    _listen()
    out.mkdir(parents=True, exist_ok=True)
    taught = _taught(settings, label or (), data)
    if settings["kind"] == SKILLS:
        name, folder = _skills(settings, data, out)
        shell.emit({"recipe": str(recipe), "model": str(folder), "name": name, "label": sorted(taught)})
        shell.say(f"Trained {name}, in {folder}.")
        _mark(shell, folder, taught)
        return
    assert data is not None
    if settings["kind"] == "selector":
        _selector(shell, settings, data, out)
    elif settings["kind"] == "weights":
        _weights(shell, settings, data, out)
    else:
        made, key = _MADE.get(settings["kind"], (_reader, "reader"))
        name, folder = made(settings, data, out)
        shell.emit({"recipe": str(recipe), "model": str(folder), "name": name, "label": sorted(taught)})
        how = f'To use it: {key} = "{{}}" under [models] in answerable.toml' if key else _USE[settings["kind"]]
        shell.say(f"Trained {name}. {how.format(folder)}")
        _mark(shell, folder, taught)


def _with_own(settings: dict[str, Any], questions: Path | None, corpus: Path | None) -> dict[str, Any]:
    """The recipe with the user's own files. Raises `UsageError` where they cannot be used."""
    if (questions is None) != (corpus is None):
        raise UsageError("--questions and --corpus go together", hint="a question's passage is one of the corpus")
    if not (questions and corpus):
        return settings
    if settings["kind"] != SKILLS:
        raise UsageError(f"--questions and --corpus are for skills, not for {settings['kind']!r}")
    return {**settings, "own": {"questions": str(questions), "corpus": str(corpus)}}


def _taught(settings: dict[str, Any], named: Iterable[str], data: Path | None) -> Label:
    """The private enclaves whose text a model learns from: as named, in files of one's own, and through its start.

    Pairs that were exported name theirs on each line.

    Raises `UsageError` where they are named for what makes no model.
    """
    label = frozenset(named)
    if label and settings["kind"] in ("selector", "weights"):
        raise UsageError(f"--label is for a model, and the kind {settings['kind']!r} makes none")
    if files := settings.get("own"):
        from answerable.training.skills.own import label_of

        label |= label_of(Path(path) for path in files.values())
    if settings["kind"] == CLOSED_BOOK and data is not None:
        from answerable.pairs.formats import read_lines

        label |= {word for name in settings.get("pairs", ()) for line in read_lines(data / name) for word in line.label}
    start = settings.get("start")
    return label | taught_label(encoder_folder(start)) if isinstance(start, str) else label


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


@contextmanager
def _needing_torch() -> Iterator[None]:
    """Around imports. Raises `MissingExtraError` where torch is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] != "torch":
            raise
        raise MissingExtraError("training", "train") from error


def _selector(shell: Shell, recipe: dict[str, Any], data: Path, out: Path) -> None:
    from answerable.training.selector import train_selector

    fitted = train_selector(recipe, data, out)
    shell.emit({"calibration": str(out / "calibration.json")})
    shell.say(f"Fitted on {fitted.fitted_on}; threshold {fitted.threshold:.2f}.")


def _weights(shell: Shell, recipe: dict[str, Any], data: Path, out: Path) -> None:
    from answerable.training.weights import tune_weights

    tried = tune_weights(recipe, data, out)
    best = tried[0]
    shell.emit({"alpha": best.alpha, "beta": best.beta, "tried": [asdict(one) for one in tried]})
    for one in tried:
        weights = f"alpha {one.alpha:<6g} beta {one.beta:<8g}"
        shell.say(f"{weights} passage EM {one.passage_em:.3f}  nDCG@10 {one.ndcg:.3f}")
    shell.say(f"To use the best: alpha = {best.alpha:g} and beta = {best.beta:g} under [beam] in answerable.toml")


def _t5(recipe: dict[str, Any], data: Path, out: Path) -> tuple[str, Path]:
    """Train one of the models of sets from a T5 (extra `transformers`)."""
    with _needing_torch():
        from answerable.training.t5.train import train_classifier, train_dual_encoder

    made = train_classifier if recipe["kind"] == T5_CLASSIFIER else train_dual_encoder
    shipped = made(recipe, data, out)
    return shipped.name, shipped.folder


def _seq2seq(recipe: dict[str, Any], data: Path, out: Path) -> tuple[str, Path]:
    """Train what asks questions of passages, or answers them with no book (extra `transformers`)."""
    with _needing_torch():
        from answerable.training.seq2seq.train import train_seq2seq

    shipped = train_seq2seq(recipe, data, out)
    return shipped.name, shipped.folder


def _reader(recipe: dict[str, Any], data: Path, out: Path) -> tuple[str, Path]:
    """Train, export, and calibrate as the shipped reader until a selector recipe is run with it."""
    with _needing_torch():
        from answerable.training.reader import train_reader
    from answerable.encoders.choose import SHIPPED
    from answerable.training.export import export_reader

    trained = train_reader(recipe, data, out)
    shutil.copyfile(SHIPPED / "tokenizer.json", out / "tokenizer.json")
    shipped = export_reader(trained, out / "reader", out / "tokenizer.json")
    shutil.copyfile(SHIPPED / "reader" / "calibration.json", shipped.folder / "calibration.json")
    return shipped.name, shipped.folder


def _paths(recipe: dict[str, Any], data: Path, out: Path) -> tuple[str, Path]:
    """Train and export a reader of paths, beside the encoder it is an expert of, which stays what it was if frozen."""
    with _needing_torch():
        from answerable.training.paths.train import read, train_paths
    from answerable.readers.paths import HEADS
    from answerable.training.export_paths import calibrate, export_paths, heads_of
    from answerable.training.graft import copied, graft

    trained, asked, folder = train_paths(recipe, data, out), read(recipe), out / "model"
    if not asked.joint and copied(asked.start, folder):
        calibrate(folder)
        about = {"reading": {"tokens": asked.tokens}}
        shipped = graft(trained.encoder, Skill.READ, folder, {HEADS: heads_of(trained)}, about)
    else:
        shipped = export_paths(trained, folder, "skills", out / "tokenizer.json", {}, asked.tokens)
    return shipped.name, shipped.folder


def _fusion(recipe: dict[str, Any], data: Path, out: Path) -> tuple[str, Path]:
    """Train and export a reader of many passages, beside the encoder it reads with, which stays what it was."""
    with _needing_torch():
        from answerable.training.fusion.train import read, train_fusion
    from answerable.readers.fused import FUSED
    from answerable.training.export_fusion import export_fusion
    from answerable.training.export_paths import calibrate
    from answerable.training.graft import copied, graft_fused

    trained, asked, folder = train_fusion(recipe, data, out), read(recipe), out / "model"
    if copied(asked.start, folder):
        calibrate(folder)
        shipped = graft_fused(trained, folder, {FUSED: {"tokens": asked.tokens}})
    else:
        shipped = export_fusion(trained, folder, "skills", out / "tokenizer.json", {}, asked.tokens)
    return shipped.name, shipped.folder


def _navigation(recipe: dict[str, Any], data: Path, out: Path) -> tuple[str, Path]:
    """Train and export a walk through documents, beside the encoder it walks with, which stays what it was."""
    with _needing_torch():
        from answerable.training.navigation.train import read, train_navigation
    from answerable.training.export_navigation import export_navigation, graft_navigation
    from answerable.training.graft import copied

    trained, asked, folder = train_navigation(recipe, data, out), read(recipe), out / "model"
    if copied(asked.start, folder):
        shipped = graft_navigation(trained, folder, {})
    else:
        shipped = export_navigation(trained, folder, "skills", out / "tokenizer.json", {})
    return shipped.name, shipped.folder


def _constraints(recipe: dict[str, Any], data: Path, out: Path) -> tuple[str, Path]:
    """Train and export a judge of constraints, beside the encoder it began from, which stays what it was."""
    with _needing_torch():
        from answerable.training.sets.train import read, train_constraints
    from answerable.training.export_constraints import export_constraints, graft_constraints
    from answerable.training.graft import copied

    trained, asked, folder = train_constraints(recipe, data, out), read(recipe), out / "model"
    if copied(asked.start, folder):
        shipped = graft_constraints(trained, folder, {})
    else:
        shipped = export_constraints(trained, folder, "skills", out / "tokenizer.json", {})
    return shipped.name, shipped.folder


def _pairs(recipe: dict[str, Any], data: Path, out: Path) -> tuple[str, Path]:
    """Train and export a matcher of questions, beside the encoder it began from, which stays what it was."""
    with _needing_torch():
        from answerable.training.pairs.train import train_matcher
    from answerable.training.export_matching import export_matching, graft_matching
    from answerable.training.graft import copied
    from answerable.training.pairs.recipe import read

    trained, asked, folder = train_matcher(recipe, data, out), read(recipe), out / "model"
    if copied(asked.start, folder):
        shipped = graft_matching(trained, folder, {})
    else:
        shipped = export_matching(trained, folder, "skills", out / "tokenizer.json", {})
    return shipped.name, shipped.folder


def _pair_heads(recipe: dict[str, Any], data: Path, out: Path) -> tuple[str, Path]:
    """Train a head that chooses passages, or answers in them, to make pairs of."""
    with _needing_torch():
        from answerable.training.pairs.selecting import train_selection
        from answerable.training.pairs.spans import train_spans

    shipped = (train_spans if recipe["kind"] == PAIR_SPANS else train_selection)(recipe, data, out)
    return shipped.name, shipped.folder


def _skills(recipe: dict[str, Any], data: Path | None, out: Path) -> tuple[str, Path]:
    """Train and export the modular encoder. What only finds names leaves the encoder it began from what it was."""
    with _needing_torch():
        from answerable.training.skills.train import read, train_skills
    from answerable.training.export_skills import SPANS, export_skills, spans_of
    from answerable.training.graft import copied, graft

    trained, asked, folder = train_skills(recipe, data, out), read(recipe), out / "model"
    if asked.alone == (Skill.PROPOSE,) and copied(asked.start, folder):
        shipped = graft(trained, Skill.PROPOSE, folder, {SPANS: spans_of(trained)}, {"proposing": 0.0})
    else:
        shipped = export_skills(trained, folder, "skills", out / "tokenizer.json", {})
    return shipped.name, shipped.folder


_MADE: Mapping[str, tuple[Callable[[dict[str, Any], Path, Path], tuple[str, Path]], str]] = {
    PATHS: (_paths, "reader"),
    FUSION: (_fusion, "reader"),
    NAVIGATION: (_navigation, "navigator"),
    CONSTRAINTS: (_constraints, "judge"),
    PAIRS: (_pairs, "matcher"),
    T5_CLASSIFIER: (_t5, "judge"),
    T5_DUAL_ENCODER: (_t5, "encoder"),
    PAIR_SELECTION: (_pair_heads, ""),
    PAIR_SPANS: (_pair_heads, ""),
    PAIR_QUESTIONS: (_seq2seq, ""),
    CLOSED_BOOK: (_seq2seq, ""),
}
"""What trains a kind of model, and the setting that names one, where there is one."""
_USE = {
    PAIR_SELECTION: "It is in {}.",
    PAIR_SPANS: "It is in {}.",
    PAIR_QUESTIONS: "To use it: answerable pairs build --enclave NAME --generator {}",
    CLOSED_BOOK: "To use it: answerable evaluate closed-book --model {} --data QUESTIONS --train QUESTIONS",
}
"""How the others are used."""


def read_recipe(path: Path) -> dict[str, Any]:
    """A recipe of a kind that can be trained. Raises `UsageError` when it is none."""
    try:
        recipe = tomllib.loads(path.read_text(encoding="utf8"))
    except FileNotFoundError:
        raise UsageError(f"there is no recipe {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read as a recipe: {error}") from error
    if recipe.get("kind") not in KINDS:
        raise UsageError(f"kind is {recipe.get('kind')!r} in {path}", hint=f"kind is one of {', '.join(KINDS)}")
    return recipe
