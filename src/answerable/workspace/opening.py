"""Opens a workspace: its settings, whether it may be used, and parts of one's own in the place of those they name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from answerable.encoders.encoder import Encoder
from answerable.errors import AnswerableError, WorkspaceError
from answerable.qapairs.generation.parts import Generator
from answerable.qapairs.lookup import Matcher
from answerable.readers.reader import Reader
from answerable.selective.calibrate import Calibration
from answerable.sets.judge import Judge
from answerable.types import Skill
from answerable.workspace.declarations import FILE_NAME
from answerable.workspace.parts import Parts
from answerable.workspace.settings import begin, load
from answerable.workspace.trust import admitted
from answerable.workspace.workspace import Workspace


def open_workspace(
    path: Path | str,
    create: bool = False,
    settings: Mapping[str, Any] | None = None,
    trust: bool = False,
    found: bool = False,
    *,
    encoder: Encoder | None = None,
    reader: Reader | None = None,
    calibration: Calibration | None = None,
    judge: Judge | None = None,
    matcher: Matcher | None = None,
    generator: Generator | None = None,
) -> Workspace:
    """Open the workspace in a folder, or with `create` make one there.

    `settings` go before the file and the environment, this time: `{"beam.hops": 3}`. Raises `WorkspaceError` when there
    is no workspace or it cannot be opened, `SettingsError` for a setting that is unknown or out of range. Raises
    `TrustError` unless `trust` or the user agreed (`answerable trust`): for another user's workspace, for one whose
    tokens lie outside it, and, if it was `found` and not named, for one that sends anything.

    Objects of your own that keep to `answerable.protocols` take the place of what the settings name: `encoder` of what
    searches, `reader` of what answers, `judge` of what finds sets, `matcher` of what looks up pairs, `generator` of
    what makes them. Without a `calibration` a reader's score counts as a log-odds. Raises `UsageError` for an object
    that lacks something.
    """
    folder, own = Path(path), Parts(encoder, reader, judge, matcher, generator, calibration)
    try:
        if not (folder / FILE_NAME).is_file():
            if not create:
                raise WorkspaceError(f"there is no workspace in {folder}", hint="index something, or use create=True")
            begin(folder, os.environ, settings)
    except OSError as error:
        raise WorkspaceError(f"{folder} cannot be a workspace: {error.strerror or type(error).__name__}") from error
    named = replace(load(folder, os.environ, settings), own=own)
    opened = Workspace(folder, admitted(folder, named, trust, found))
    opened.resume()
    return opened


def warm(workspace: Workspace) -> None:
    """Load what the first ask would wait for: models and indexes. Nothing is searched, sent or written down; what
    cannot be loaded is told to whoever asks."""
    with suppress(AnswerableError):
        workspace.engine().retriever.encoder.encode_query("warm", Skill.SINGLE)
