"""Both command lines without weights, in a folder of their own."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from answerable.cli.main import app
from answerable_bench.cli.main import app as bench_app

STAND_INS = {f"ANSWERABLE_MODELS_{part}": "hashed" for part in ("ENCODER", "MATCHER")}
STAND_INS |= {f"ANSWERABLE_MODELS_{part}": "overlap" for part in ("READER", "JUDGE")}


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def record(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        (line,) = self.out.splitlines()
        return json.loads(line)


Command = Callable[..., Ran]


def _runner(program: typer.Typer) -> Command:
    runner = CliRunner(env={**STAND_INS, "TERM": "dumb", "COLUMNS": "200"})

    def run(*args: str | Path) -> Ran:
        result = runner.invoke(program, [str(arg) for arg in args], catch_exceptions=False)
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command of `answerable` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return _runner(app)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command of `answerable-bench` there."""
    monkeypatch.chdir(tmp_path)
    return _runner(bench_app)
