"""benchmarks/hold.py and whole_asks.py start, and a tiny run of the first measures what it says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import hold, whole_asks


@pytest.mark.parametrize(("program", "flag"), [(hold, "--misbehaving"), (whole_asks, "--trials")])
def test_they_say_how_they_are_used(program: ModuleType, flag: str, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["program", "--help"])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 0 and flag in capsys.readouterr().out


def test_a_tiny_run_measures_both_sides(tmp_path: Path, monkeypatch, capsys) -> None:
    """The well-behaved are all answered; every kind that misbehaves holds a connection at least."""
    given = {"seconds": 1.5, "clients": 12, "misbehaving": 8, "each": 2, "rounds": 1, "json": tmp_path / "out.json"}
    monkeypatch.setattr(sys, "argv", ["hold.py", *(f"--{key}={value}" for key, value in given.items())])
    monkeypatch.setenv("ANSWERABLE_MODELS_ENCODER", "hashed")
    monkeypatch.setattr(hold, "PAUSE", 0.1)
    hold.main()
    figures = json.loads((tmp_path / "out.json").read_text("utf8"))
    assert figures == json.loads(capsys.readouterr().out)
    assert figures["with"]["requests"] >= 4 and figures["without"]["requests"] >= 1
    assert figures["with"]["failed"] == figures["without"]["failed"] == 0
    assert set(figures["held"]) == set(hold.KINDS) and figures["misbehaving"] == 8
