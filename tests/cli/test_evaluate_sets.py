"""`evaluate finding` and `evaluate threshold`: systems, ablations, the tables, a threshold from validation queries."""

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
    found = toys(*FINDING, "--system", "candidates", "--expression", "data", "--at", "4").record
    assert found["measures"]["expression"] == found["measures"]["recall@4"] == 1.0
    ran = toys(*FINDING, "--expression", "data", "--run", "r.jsonl", "--report", "out")
    record = ran.record
    assert record["measures"]["F1"] == 1.0 and record["measures"]["expression"] == 1.0
    assert record["measures"]["count error"] == 0.0
    assert record["templates"]["A \\ B"]["queries"] == 1 and record["domains"]["toys"]["queries"] == 4
    assert record["each"]["all"]["toys"] == 1.0
    assert record["violations"]["set"]["all"]["unjudged"] == 0
    assert json.loads(Path("out/r.json").read_text("utf8"))["measures"] == record["measures"]
    assert "| A \\ B |" in Path("out/r.md").read_text("utf8")
    assert toys(*FINDING, "--expression", "data", "--run", "r.jsonl").record["measures"] == record["measures"]


def test_what_is_not_taken_apart_breaks_more(toys: Command):
    whole = toys(*FINDING, "--expression", "whole", "--threshold", "0.01", "--run", "whole.jsonl").record
    ours = toys(*FINDING, "--expression", "data", "--run", "data.jsonl").record
    assert whole["measures"]["F1"] < ours["measures"]["F1"]
    broken = whole["violations"]["set"]["all"]
    assert broken["wrong"] > 0 and broken["shares"]["1"] == 1.0 and broken["shares"]["negated"] > 0
    compared = toys("evaluate", "compare", "whole.jsonl", "data.jsonl", "--json").record
    assert compared["leading"] == "F1" and {"precision", "recall"} <= {row["measure"] for row in compared["rows"]}
    for more in (("--logic", "product"), ("--pool", "query"), ("--k", "3"), ("--mode", "lexical"), ("--no-evidence",)):
        record = toys(*FINDING, "--expression", "data", *more).record
        assert record["measures"]["F1"] > 0 and record["settings"] != ours["settings"]


def test_a_classifier_s_threshold_is_tuned_on_a_run_and_held_to_it(toys: Command):
    given = (*FINDING, "--system", "classifier", "--judge", "overlap", "--k", "12")
    assert "F1" not in toys(*given, "--run", "val.jsonl").record["measures"]
    tuned = toys("evaluate", "threshold", "val.jsonl", "--data", "q.jsonl", "--out", "t.json", "--json").record
    assert 0 < tuned["threshold"] < 1 and tuned["queries"] == 4 and tuned["data"]["name"] == "q.jsonl"
    record = toys(*given, "--threshold", "t.json").record
    assert record["measures"]["F1"] == pytest.approx(tuned["f1"]) and set(record["parts"]) == {"search", "judge", "all"}
    assert toys(*given, "--threshold", str(tuned["threshold"])).record["measures"]["F1"] == pytest.approx(tuned["f1"])
    other = toys(*given, "--threshold", "t.json", "--part", "all")
    assert other.code == 2 and "tuned with part" in other.record["error"]["message"]


def test_what_does_not_go_together_is_refused_in_one_sentence(toys: Command, tmp_path: Path):
    worlds.write_lines(tmp_path / "plain.jsonl", [{"query": "red things", "docs": ["red-ball"], "template": "_"}])
    for arguments, named in (
        (("--system", "bm25", "--judge", "overlap"), "the system bm25 takes no --judge"),
        (("--system", "find", "--part", "all"), "the system find takes no --part"),
        (("--system", "classifier", "--judge", "none"), "no judge"),
        (("--threshold", "2"), "the threshold is 2"),
        (("--system", "classifier", "--k", "0"), "0 candidates"),
        (("--system", "bm25", "--logic", "minimum"), "takes no --logic"),
    ):
        ran = toys(*FINDING, *arguments)
        assert ran.code == 2 and named in ran.record["error"]["message"], (arguments, ran.record)
    ran = toys("evaluate", "finding", "--data", "plain.jsonl", "--expression", "data", "--json")
    assert ran.code == 2 and "does not say what its queries ask for" in ran.record["error"]["message"]
