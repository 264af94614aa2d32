"""A command line without weights: the stand-in encoder and reader, in a folder of its own."""

import json
from collections.abc import Callable, Iterator
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


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    runner = CliRunner(env=STAND_INS)

    def run(*args: str | Path) -> Ran:
        result = runner.invoke(app, [str(arg) for arg in args], catch_exceptions=False)
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of two public notes and one private one."""
    for name, text in {
        "wiki/kopu.md": "# Kõpu Lighthouse\n\nIt stands on Hiiumaa. Kõpu Lighthouse was completed in 1531.\n",
        "wiki/hook.md": "# Hook Lighthouse\n\nIt stands in Ireland. William Marshal built Hook Lighthouse.\n",
        "mail/birds.txt": "From today the job at Kõpu Lighthouse is called KESTREL. The crate weighs 412 kilos.\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf8")
    return tmp_path


@pytest.fixture
def indexed(command: Command, notes: Path) -> Command:
    """The notes in a workspace: `wiki` public, `mail` private."""
    assert command("index", notes / "wiki", "--enclave", "wiki", "--public", "--as-if-elsewhere").code == 0
    assert command("index", notes / "mail", "--enclave", "mail").code == 0
    return command
