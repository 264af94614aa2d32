"""`link`: readable output, one JSON object, exit codes, and the way out where nothing can be linked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Command

TEXT = "Who built Hook Lighthouse,\nand when was Kõpu Lighthouse lit?"


@pytest.fixture
def linking(command: Command, notes: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The notes indexed for linking: `wiki` public, `mail` private."""
    monkeypatch.setenv("ANSWERABLE_SEARCH_LINKING", "true")
    assert command("index", notes / "wiki", "--enclave", "wiki", "--public", "--as-if-elsewhere").code == 0
    assert command("index", notes / "mail", "--enclave", "mail").code == 0
    return command


def test_readable(linking: Command):
    ran = linking("link", TEXT)
    assert ran.code == 0 and ran.err == ""
    lines = ran.out.splitlines()
    assert lines[0] == "Hook Lighthouse  10-25, score 1.00"
    assert lines[1].startswith("  Hook Lighthouse — wiki, ") and lines[1].endswith("  1.00")
    assert lines[2] == "Kõpu Lighthouse  40-55, score 1.00" and len(lines) == 4


def test_json_is_one_object(linking: Command):
    ran = linking("link", TEXT, "--json", "-k", "2")
    record = ran.record
    assert ran.code == 0 and list(record) == ["text", "spans", "seconds"] and record["text"] == TEXT
    for span in record["spans"]:
        assert TEXT[span["start"] : span["end"]] == span["text"]
        assert len(span["pages"]) == 2 and span["pages"][0]["title"] == span["text"]
    assert linking("status", "--json").record["enclaves"][0]["pages"] == 2
    assert "pages" in linking("status").out


def test_nothing_named_ends_with_3(linking: Command):
    plain, record = linking("link", "who is there?"), linking("link", "who is there?", "--json")
    assert plain.code == record.code == 3
    assert plain.out == "Nothing is named\n" and record.record["spans"] == []


def test_a_private_text_is_not_sent_to_a_public_enclave(linking: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANSWERABLE_ASK_PRIVACY", "query")
    ran = linking("link", TEXT)
    assert ran.code == 0 and "wiki," not in ran.out
    assert ran.err == "wiki was not asked: carries a private question; wiki admits only public text\n"


def test_who_may_read_less_is_linked_to_less(linking: Command, tmp_path: Path):
    with (tmp_path / ".answerable" / "answerable.toml").open("a", encoding="utf8") as file:
        file.write('\n[askers.guest]\nclearance = ["wiki"]\n[askers.nobody]\nclearance = []\n')
    record = linking("link", "Kõpu birds", "--as", "guest", "--json", "-k", "9").record
    assert {page["enclave"] for span in record["spans"] for page in span["pages"]} == {"wiki"}
    ran = linking("link", TEXT, "--as", "nobody")
    assert ran.code == 1 and "no readable enclave has pages" in ran.err


def test_where_nothing_is_indexed_for_linking_it_says_what_to_do(indexed: Command):
    ran = indexed("link", TEXT)
    assert (ran.code, ran.out) == (1, "")
    assert "has pages to link to" in ran.err and "linking under [search] in answerable.toml to true" in ran.err
    assert indexed("link", TEXT, "--json").record["error"]["kind"] == "IndexMismatch"


@pytest.mark.parametrize("args", [[""], ["  "], ["x" * 3000], [TEXT, "-k", "0"], []])
def test_what_cannot_be_linked_is_usage(linking: Command, args: list[str]):
    assert linking("link", *args, "--json").record["error"]["code"] == 2


def test_what_is_indexed_for_linking_is_linked_whatever_is_set_now(linking: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("ANSWERABLE_SEARCH_LINKING")
    spans = linking("link", TEXT, "--json").record["spans"]
    assert [span["pages"][0]["title"] for span in spans] == ["Hook Lighthouse", "Kõpu Lighthouse"]


def test_bytes_that_are_no_text_are_usage(linking: Command):
    ran = linking("link", os.fsdecode(b"Who is \xff?"))  # as Python hands on what it was called with
    assert ran.code == 2 and "UTF-8" in ran.err and "Traceback" not in ran.err


def test_the_trace_of_an_answer_tells_what_was_looked_for_by_name(linking: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANSWERABLE_BEAM_LINK", "1")
    out = linking("ask", TEXT, "--explain").out
    assert "wiki was asked for pages by name: “Hook Lighthouse”, “Kõpu Lighthouse”" in out
    assert "hop 2  wiki was asked for pages by name: " in out
