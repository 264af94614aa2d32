"""`enclaves`, `status`, `delete` and `export`: what is kept, for whom, and how it leaves."""

from pathlib import Path

import pytest

from tests.cli.conftest import STAND_INS, Command


def test_enclaves(indexed: Command):
    ran = indexed("enclaves")
    assert ran.code == 0 and "public queries only" in ran.out and "on your own machine" in ran.out
    record = indexed("enclaves", "--json").record
    assert [(e["name"], e["kind"], e["label"]) for e in record["enclaves"]] == [
        ("wiki", "public", []),
        ("mail", "private", ["mail"]),
    ]


def test_status(indexed: Command):
    ran = indexed("status")
    assert ran.code == 0 and ran.out.count("ready") == 2
    record = indexed("status", "--json").record
    assert [(e["documents"], e["passages"], e["vectors"]) for e in record["enclaves"]] == [(2, 2, 2), (1, 1, 1)]
    assert record["bytes"] > 0 and record["encoder"].startswith("hashed")


def test_delete(indexed: Command):
    record = indexed("export", "all.jsonl", "-e", "wiki", "--json").record
    assert record["documents"] == 2 and record["label"] == []
    assert indexed("delete", "nothing", "-e", "wiki").code == 2
    assert indexed("delete", "-e", "wiki").code == 2
    assert indexed("delete", "-e", "attic", "--everything").code == 2
    ran = indexed("delete", "-e", "wiki", "--everything")
    assert ran.code == 0 and "Deleted 2 documents" in ran.out
    assert indexed("delete", "-e", "wiki", "--everything", "--json").record == {"enclave": "wiki", "deleted": 0}
    assert indexed("ask", "Who built Hook Lighthouse?").code == 3


def test_a_problem_is_shown_whole_however_narrow_the_terminal(indexed: Command, monkeypatch: pytest.MonkeyPatch):
    for manifest in Path(".answerable/indexes/wiki").rglob("manifest.json"):
        manifest.write_text("{}")
    problem = indexed("status", "--json").record["enclaves"][0]["problem"]
    assert "lexical-" in problem
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delitem(STAND_INS, "COLUMNS")
    shown = indexed("status").out
    assert "\u2026" not in shown


def test_an_export_indexed_again_holds_each_text_once(indexed: Command):
    for target in ("all.jsonl", "all"):
        held = indexed("export", target, "-e", "wiki", "--json").record
        again = indexed("index", target, "-e", f"copy-{target[4:] or 'folder'}", "--json").record
        assert (again["documents"], again["passages"]) == (held["documents"], held["passages"]) == (2, 2)


def test_what_an_export_says_is_private_stays_so(indexed: Command):
    indexed("export", "mail.jsonl", "-e", "mail")
    for kind in ("--public", "--mirror"):
        ran = indexed("index", "mail.jsonl", "-e", f"again{kind[1:]}", kind, "--json")
        assert ran.record["documents"] == 0 and ran.record["files"]["failed"] == 1
        assert "holds private text of mail, and again" in ran.record["skipped"][0]
        assert "KESTREL" not in ran.record["skipped"][0]
    assert indexed("index", "mail.jsonl", "-e", "post", "--private", "--json").record["documents"] == 1
    indexed("export", "wiki.jsonl", "-e", "wiki")
    assert indexed("index", "wiki.jsonl", "-e", "more", "--public", "--json").record["documents"] == 2


def test_export_warns_of_private_text(indexed: Command, tmp_path: Path):
    ran = indexed("export", "out", "-e", "mail")
    assert ran.code == 0 and "private text of: mail" in ran.err
    assert "KESTREL" in (tmp_path / "out" / "documents.jsonl").read_text(encoding="utf8")
    ran = indexed("export", "out", "-e", "wiki")
    assert ran.code == 2 and "never mixed" in ran.err
    for held in ("x", "[" * 100_000):
        (tmp_path / "own.jsonl").write_text(held)
        assert "own.jsonl exists and is no export" in indexed("export", "own.jsonl", "-e", "wiki").err
