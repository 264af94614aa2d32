"""`evaluate finding`: systems and the tables."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.evaluation.sets import worlds


@pytest.fixture
def toys(command: Command, tmp_path: Path) -> Command:
    """Toys indexed, queries for sets of them, and which toy fits which constraint."""
    worlds.queries(tmp_path / "q.jsonl")
    worlds.atoms(tmp_path / "atoms.jsonl")
    assert command("index", worlds.documents(tmp_path / "toys.jsonl"), "-e", "toys", "--public").code == 0
    return command


FINDING = ("evaluate", "finding", "--data", "q.jsonl", "--atoms", "atoms.jsonl", "--json")


def test_every_system_gives_tables(toys: Command):
    for system in ("bm25", "dense", "hybrid"):
        record = toys(*FINDING, "--system", system, "--at", "2,12").record
        assert record["questions"] == 4 and "recall@12" in record["measures"] and "F1" not in record["measures"]
        assert record["settings"]["system"] == system and record["parts"]["search"]["median"] > 0
    found = toys(*FINDING, "--system", "candidates", "--at", "12").record
    assert found["measures"]["recall@12"] == 1.0 and "F1" not in found["measures"]
    classified = toys(*FINDING, "--system", "classifier").record
    assert "F1" not in classified["measures"] and set(classified["parts"]) == {"search", "judge", "all"}
    ran = toys(*FINDING, "--run", "r.jsonl", "--report", "out")
    record = ran.record
    assert record["measures"]["F1"] == 0.75 and "expression" in record["measures"]
    assert record["templates"]["A \\ B"]["queries"] == 1 and record["domains"]["toys"]["queries"] == 4
    assert record["each"]["all"]["toys"] == 0.75
    assert record["violations"]["set"]["all"]["unjudged"] == 0
    assert json.loads(Path("out/r.json").read_text("utf8"))["measures"] == record["measures"]
    assert "| A \\ B |" in Path("out/r.md").read_text("utf8")
    assert toys(*FINDING, "--run", "r.jsonl").record["measures"] == record["measures"]


def test_what_a_setting_is_worth_is_told_by_two_runs(toys: Command, monkeypatch: pytest.MonkeyPatch):
    ours = toys(*FINDING, "--run", "ours.jsonl").record
    monkeypatch.setenv("ANSWERABLE_FIND_EACH", "1")
    other = toys(*FINDING, "--run", "other.jsonl").record
    assert other["settings"] != ours["settings"]
    compared = toys("evaluate", "compare", "ours.jsonl", "other.jsonl", "--json").record
    assert compared["leading"] == "F1" and {"precision", "recall"} <= {row["measure"] for row in compared["rows"]}
