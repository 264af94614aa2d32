"""`answerable train`: train a part from a recipe. Needs the `train` extra."""

from __future__ import annotations

import logging
import shutil
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from answerable.cli.shell import Json, Shell
from answerable.errors import MissingExtraError, UsageError

NAME = "train"


def run(
    context: typer.Context,
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE.toml", help="What to train, on what.", show_default=False)],
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="The folder of training data.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Checkpoints and the trained model.")],
    as_json: Json = False,
) -> None:
    """Train a model from a recipe.

    Run again with the same folder, it resumes; when done, it exports the model.
    """
    shell = Shell.of(context, None, as_json)
    settings = read_recipe(recipe)
    if not data.is_dir():
        raise UsageError(f"{data} is not a folder of training data")
    logging.basicConfig(level=logging.INFO, format="%(message)s")  # the loop tells its progress and the time left
    out.mkdir(parents=True, exist_ok=True)
    if settings["kind"] == "selector":
        from answerable.training.selector import train_selector

        fitted = train_selector(settings, data, out)
        shell.emit({"recipe": str(recipe), "calibration": str(out / "calibration.json")})
        shell.say(f"Fitted on {fitted.fitted_on}; threshold {fitted.threshold:.2f}.")
        return
    name, folder = _reader(settings, data, out)
    shell.emit({"recipe": str(recipe), "model": str(folder), "name": name})
    shell.say(f'Trained {name}. To use it: reader = "{folder}" under [models] in answerable.toml')


def _reader(recipe: dict[str, Any], data: Path, out: Path) -> tuple[str, Path]:
    """Train, export, and calibrate as the shipped reader until a selector recipe is run with it."""
    try:
        from answerable.training.reader import train_reader
    except ModuleNotFoundError as error:
        if error.name != "torch" and not str(error.name).startswith("torch."):
            raise
        raise MissingExtraError("training", "train") from error
    from answerable.encoders.choose import SHIPPED
    from answerable.training.export import export_reader

    trained = train_reader(recipe, data, out)
    shutil.copyfile(SHIPPED / "tokenizer.json", out / "tokenizer.json")
    shipped = export_reader(trained, out / "reader", out / "tokenizer.json")
    shutil.copyfile(SHIPPED / "reader" / "calibration.json", shipped.folder / "calibration.json")
    return shipped.name, shipped.folder


def read_recipe(path: Path) -> dict[str, Any]:
    """A recipe of a kind that can be trained. Raises `UsageError` when it is none."""
    try:
        recipe = tomllib.loads(path.read_text(encoding="utf8"))
    except FileNotFoundError:
        raise UsageError(f"there is no recipe {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read as a recipe: {error}") from error
    if recipe.get("kind") not in ("reader", "selector"):
        raise UsageError(f"kind is {recipe.get('kind')!r} in {path}", hint="kind is 'reader' or 'selector'")
    return recipe
