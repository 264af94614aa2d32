"""benchmarks/finding.py and find_speed.py over a small collection: every system, tuned, in one JSON."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from answerable.workspace import open_workspace
from tests.evaluation.sets import worlds

ROOT = Path(__file__).parents[2]


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", ROOT / "benchmarks" / f"{name}.py")
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace `space` of toys, with queries and constraints beside it."""
    for name, value in worlds.STAND_INS.items():
        monkeypatch.setenv(f"ANSWERABLE_{name.replace('.', '_').upper()}", value)
    worlds.queries(tmp_path / "q.jsonl")
    worlds.atoms(tmp_path / "atoms.jsonl")
    with open_workspace(tmp_path / "space", create=True) as made:
        made.index([worlds.documents(tmp_path / "toys.jsonl")], "toys", "public")
    return tmp_path


def test_every_system_is_measured_and_a_second_run_finds_it_done(
    toys: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finding = module("finding")
    given = ["finding.py", "--workspace", toys / "space", "--data", toys / "q.jsonl", "--tune", toys / "q.jsonl"]
    given += ["--atoms", toys / "atoms.jsonl", "--runs", toys / "runs", "--judge", "overlap", "--json", toys / "f.json"]
    monkeypatch.setattr(sys, "argv", [*map(str, given)])
    finding.main()
    figures = json.loads((toys / "f.json").read_text("utf-8"))["systems"]
    assert set(figures) == set(finding.SYSTEMS) and len(capsys.readouterr().out.splitlines()) == 1 + len(figures)
    assert figures["find-data"]["measures"]["F1"] == 1.0 and "F1" not in figures["bm25"]["measures"]
    for name in ("classifier-bm25", "find-threshold"):
        assert figures[name]["threshold"]["F1"] == pytest.approx(figures[name]["measures"]["F1"])
        assert figures[name]["threshold"]["queries"] == 4
    before = {path: path.read_bytes() for path in (toys / "runs").iterdir()}
    finding.main()
    assert before == {path: path.read_bytes() for path in (toys / "runs").iterdir()}


def test_parts_of_a_find_add_up(toys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speed = module("find_speed")
    monkeypatch.setattr(speed, "WARMING", 1)
    for name in ("gather", "supports"):  # what it watches is put back afterwards
        monkeypatch.setattr(speed.finding, name, getattr(speed.finding, name))
    given = ["find_speed.py", "--workspace", toys / "space", "--enclave", "toys", "--data", toys / "q.jsonl"]
    given += ["--judge", "overlap", "--expression", "data", "--json", toys / "s.json"]
    monkeypatch.setattr(sys, "argv", [*map(str, given)])
    speed.main()
    figures = json.loads((toys / "s.json").read_text("utf-8"))
    assert figures["queries"] == 3 and figures["documents"] == 12 and figures["members"] > 0
    assert all(figures[part]["95 %"] > 0 for part in ("all", "search", "judge", "evidence"))
