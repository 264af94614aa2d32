"""Calibrations that were fitted in a workspace, each to one reader, with the label of the text it was fitted on."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

from answerable.errors import ModelError
from answerable.privacy.small_files import write_file
from answerable.selective.calibrate import Calibration
from answerable.types import PUBLIC, Label

FITTED = "calibrations"


def fitted_file(folder: Path, reader: str) -> Path:
    """Where the calibration of a reader lies in a workspace."""
    return folder / FITTED / f"{re.sub(r'[^A-Za-z0-9.@-]+', '-', reader)[:120]}.json"


def keep_fitted(folder: Path, reader: str, made: Calibration, label: Label) -> Path:
    """Keep it, in place of an earlier one. Returns its file."""
    path = fitted_file(folder, reader)
    path.parent.mkdir(exist_ok=True, mode=0o700)
    write_file(path, json.dumps({**asdict(made), "reader": reader, "label": sorted(label)}, indent=1) + "\n")
    return path


def fitted_label(folder: Path | None) -> Label:
    """The private enclaves on whose text any calibration of a workspace was fitted. Raises `ModelError` for a file that
    does not say it."""
    label = PUBLIC
    for path in sorted((folder / FITTED).glob("*.json")) if folder else ():
        try:
            label |= frozenset(map(str, json.loads(path.read_text(encoding="utf-8"))["label"]))
        except (OSError, ValueError, LookupError, TypeError) as error:
            hint = "answerable models calibrate --forget"
            raise ModelError(f"the calibration {path.name} cannot be read", hint=hint) from error
    return label
