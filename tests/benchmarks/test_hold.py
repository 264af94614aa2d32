"""benchmarks/hold.py and whole_asks.py start, and a tiny run of the first measures what it says."""

from __future__ import annotations

import json
from pathlib import Path

import hold
import misbehaving
from answerable.remote.wire import Search


def test_a_tiny_run_measures_both_sides(tmp_path: Path, monkeypatch, capsys) -> None:
    """The well-behaved are all answered; every kind that misbehaves holds a connection at least."""
    given = {"seconds": 1.5, "clients": 12, "misbehaving": 8, "each": 2, "rounds": 1, "json": tmp_path / "out.json"}
    monkeypatch.setenv("ANSWERABLE_MODELS_ENCODER", "hashed")
    monkeypatch.setattr(hold, "PAUSE", 0.1)
    hold.main([f"--{key}={value}" for key, value in given.items()])
    figures = json.loads((tmp_path / "out.json").read_text("utf8"))["figures"]
    assert figures == json.loads(capsys.readouterr().out)
    assert figures["with"]["requests"] >= 4 and figures["without"]["requests"] >= 1
    assert figures["with"]["failed"] == figures["without"]["failed"] == 0
    assert set(figures["held"]) == set(misbehaving.KINDS) and figures["misbehaving"] == 8


def test_what_is_sent_is_a_search() -> None:
    assert Search("lexical", 1000, "the light of the lamp", None, None).to_bytes() == misbehaving.SEARCH
