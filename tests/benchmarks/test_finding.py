"""benchmarks/finding.py and find_speed.py over a small collection: every system, tuned, in one JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import find_speed as speed
import finding
from answerable.workspace.opening import open_workspace
from tests.evaluation.sets import worlds


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
    given = ["--workspace", toys / "space", "--data", toys / "q.jsonl", "--tune", toys / "q.jsonl"]
    given += ["--atoms", toys / "atoms.jsonl", "--runs", toys / "runs", "--judge", "overlap", "--json", toys / "f.json"]
    finding.main([*map(str, given)])
    figures = json.loads((toys / "f.json").read_text("utf-8"))["figures"]["systems"]
    assert set(figures) == set(finding.SYSTEMS) and len(capsys.readouterr().out.splitlines()) == len(figures)
    assert figures["find-data"]["measures"]["F1"] == 1.0 and "F1" not in figures["bm25"]["measures"]
    for name in ("classifier-bm25", "find-threshold"):
        assert figures[name]["threshold"]["F1"] == pytest.approx(figures[name]["measures"]["F1"])
        assert figures[name]["threshold"]["queries"] == 4
    before = {path: path.read_bytes() for path in (toys / "runs").iterdir()}
    finding.main([*map(str, given)])
    assert before == {path: path.read_bytes() for path in (toys / "runs").iterdir()}


def test_parts_of_a_find_add_up(toys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "WARMING", 1)
    for name in ("gather", "supports"):  # what it watches is put back afterwards
        monkeypatch.setattr(speed.finding, name, getattr(speed.finding, name))
    given = ["--workspace", toys / "space", "--enclave", "toys", "--data", toys / "q.jsonl"]
    given += ["--judge", "overlap", "--expression", "data", "--json", toys / "s.json"]
    speed.main([*map(str, given)])
    figures = json.loads((toys / "s.json").read_text("utf-8"))["figures"]
    assert figures["queries"] == 3 and figures["documents"] == 12 and figures["members"] > 0
    assert all(figures[part]["95 %"] > 0 for part in ("all", "search", "judge", "evidence"))
