"""`answerable doctor`: is everything here that should be, and where did each setting come from?"""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

import typer
from rich.table import Table
from rich.text import Text

from answerable.cli.shell import Exit, Shell, workspace_of
from answerable.encoders.pretrained import called
from answerable.errors import AnswerableError
from answerable.printing import counted
from answerable.privacy import telemetry
from answerable.workspace.models import model_folders
from answerable.workspace.settings import Settings

LEAST_SPACE = 1_000_000_000  # bytes
EXTRAS = {
    "serve": "uvicorn",
    "mcp": "mcp",
    "watch": "watchfiles",
    "xlsx": "xlsxwriter",
    "pairs": "usearch",
    "evaluate": "spacy",
    "transformers": "transformers",
    "cluster": "ray",
    "lance": "lancedb",
    "postgres": "psycopg",
    "train": "torch",
}
"""Optional extras and the package that tells whether each is there."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. `ok` None: neither right nor wrong, only said."""

    name: str
    ok: bool | None
    detail: str


def run(shell: Shell) -> None:
    """Check everything, print every setting.

    Python, disk, models, indexes and extras; each setting with where its value came from.
    """
    here, settings = shell.there, shell.settings()
    checks = [*_machine(shell.folder), *_models(settings), *(_indexes(shell) if here else ()), *_extras()]
    shell.emit(
        {
            "checks": [asdict(check) for check in checks],
            "settings": [{"path": o.path, "value": o.value, "origin": o.origin} for o in settings.origins],
        }
    )
    for check in checks:
        mark = {True: ("ok   ", "green"), False: ("WRONG", "bold red"), None: ("     ", "")}[check.ok]
        shell.say(Text(*mark), f"  {check.name}: {check.detail}")
    if not here:
        shell.say(f"       workspace: none in {shell.folder} yet")
    table = Table("setting", "value", "from", box=None, header_style="bold")
    for one in settings.origins:
        table.add_row(one.path, Text(str(one.value)), one.origin, style=None if one.origin == "default" else "bold")
    shell.say("")
    shell.out.print(table)
    if any(check.ok is False for check in checks):
        raise typer.Exit(Exit.ERROR)


def _machine(folder: Path) -> Iterator[Check]:
    version = platform.python_version()
    yield Check("python", sys.version_info >= (3, 11), f"{version} on {platform.system()} {platform.machine()}")
    there = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
    free = shutil.disk_usage(there).free
    yield Check("disk", free >= LEAST_SPACE, f"{free / 1e9:,.1f} GB free")
    wrong = telemetry.problem()
    yield Check(
        "telemetry", wrong is None, wrong or f"off ({', '.join(f'{n}={v}' for n, (v, _) in telemetry.OFF.items())})"
    )


def _models(settings: Settings) -> Iterator[Check]:
    for what, folder in model_folders(settings).items():
        if folder is None:
            yield Check(what, None, "a stand-in without weights")
            continue
        try:
            yield Check(what, True, f"{called(folder)}, every file as its manifest says")
        except AnswerableError as error:
            yield Check(what, False, str(error))
    given = settings.llm
    if settings.asks or given.endpoint:
        lies = "here: it is sent everything" if given.endpoint_private else "elsewhere: it is sent public text alone"
        named = given.endpoint and given.model
        detail = f"{given.model} at {given.endpoint}, {lies}" if named else "llm, but endpoint or model is not set"
        yield Check("language model", None if named else False, detail)


def _indexes(shell: Shell) -> Iterator[Check]:
    try:
        with workspace_of(shell) as opened:
            for one in opened.status().enclaves:
                counts = f"{counted(one.passages, 'passage')}, {counted(one.vectors, 'vector')}"
                counts += f", at {one.remote}" if one.remote else f", {one.whose}"
                wrong = [] if one.remote else opened.faults(one.name)
                said = dict.fromkeys([*filter(None, [one.problem]), *wrong])
                yield Check(f"enclave {one.name}", not said, "; ".join(said) or counts)
    except AnswerableError as error:
        yield Check("workspace", False, str(error))


def _extras() -> Iterator[Check]:
    for extra, package in EXTRAS.items():
        there = find_spec(package) is not None
        yield Check(
            f"extra {extra}", None, "installed" if there else f"not installed: pip install 'answerable[{extra}]'"
        )
