"""A command line without weights: the stand-in encoder and reader, in a folder of its own."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from answerable.cli.main import app

STAND_INS = {
    "ANSWERABLE_MODELS_ENCODER": "hashed",
    "ANSWERABLE_MODELS_READER": "overlap",
    "ANSWERABLE_MODELS_JUDGE": "overlap",
    "ANSWERABLE_MODELS_MATCHER": "hashed",
    "ANSWERABLE_WORKSPACE": None,
    "TERM": "dumb",
    "COLUMNS": "200",
}


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def record(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        lines = self.out.splitlines()
        assert len(lines) == 1, self.out
        return json.loads(lines[0])


Command = Callable[..., Ran]


@pytest.fixture(scope="session", autouse=True)
def built_once() -> Iterator[None]:
    """Nothing changes the commands, and building all of them takes longer than most that are run here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(get_command))
        yield


def _commands() -> Command:
    """Runs a command in the folder of this process."""
    runner = CliRunner(env=STAND_INS)

    def run(*args: str | Path) -> Ran:
        result = runner.invoke(app, [str(arg) for arg in args], catch_exceptions=False)
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return _commands()


NOTES = {
    "wiki/kopu.md": "# Kõpu Lighthouse\n\nIt stands on Hiiumaa. Kõpu Lighthouse was completed in 1531.\n",
    "wiki/hook.md": "# Hook Lighthouse\n\nIt stands in Ireland. William Marshal built Hook Lighthouse.\n",
    "mail/birds.txt": "From today the job at Kõpu Lighthouse is called KESTREL. The crate weighs 412 kilos.\n",
}


def _write_notes(folder: Path) -> Path:
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf8")
    return folder


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of two public notes and one private one."""
    return _write_notes(tmp_path)


@pytest.fixture(scope="session")
def indexed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The notes and their workspace, to be copied."""
    folder, command = _write_notes(tmp_path_factory.mktemp("indexed")), _commands()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert command("index", folder / "wiki", "--enclave", "wiki", "--public", "--as-if-elsewhere").code == 0
        assert command("index", folder / "mail", "--enclave", "mail").code == 0
    return folder


@pytest.fixture
def indexed(command: Command, notes: Path, indexed_once: Path) -> Command:
    """The notes in a workspace: `wiki` public, `mail` private."""
    shutil.copytree(indexed_once, notes, dirs_exist_ok=True)
    with closing(sqlite3.connect(notes / ".answerable" / "store.sqlite")) as store, store:
        store.execute("UPDATE files SET place = replace(place, ?, ?)", (str(indexed_once), str(notes)))
    return command
