"""`pairs build`: what it makes, what it says, and one sentence for whatever stands in the way."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from answerable.privacy.audit_log import JOURNAL
from answerable.qapairs import build as building
from answerable.qapairs.generation import stages
from answerable.qapairs.index.build import BuiltPairs, build_pair_index
from answerable.workspace import qapairs
from answerable.workspace.opening import open_workspace
from tests.cli.conftest import Command


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts without models, which a real build opens by their names."""
    import answerable.workspace.pair_stages as parts
    from tests.qapairs.generation.plain import BeforeIt, extractors

    monkeypatch.setattr(parts, "open_extractors", lambda names, threads: extractors())
    monkeypatch.setattr(parts, "open_generator", lambda settings, name, per_answer, threads: BeforeIt())
    monkeypatch.setattr(parts, "SELECTION", Path("nowhere"))


def test_by_the_parts_that_ship(indexed: Command, notes: Path) -> None:
    """What learned to find answers, and to ask for them."""
    ran = indexed("pairs", "build", "-e", "wiki", "--filter", "none", "--processes", 1)
    assert ran.code == 0, ran.err
    with open_workspace(notes / ".answerable") as opened:
        held = {pair.question: pair for _, pair in opened.pairs._store.pairs("wiki")}
    assert held and all("?" in question for question in held)
    assert any("1531" in pair.answers for pair in held.values()), held
    assert f"{len(held)} pairs in all" in ran.out and "wiki: 2 of 2 new passages" in ran.out


def test_json_says_what_each_stage_did_and_a_second_build_does_nothing(indexed: Command, quick: None) -> None:
    record = indexed("pairs", "build", "-e", "wiki", "--processes", 1, "--budget", "50MB", "--json").record
    assert (record["enclave"], record["passages"], record["chosen"]) == ("wiki", 2, 2)
    asked = record["counts"]["filter"]["questions"]
    assert record["counts"]["generate"]["questions"] == asked >= record["counts"]["filter"]["kept by global"] > 0
    assert record["pairs"] == record["index"]["pairs"] == record["counts"]["filter"]["kept by global"]
    again = indexed("pairs", "build", "-e", "wiki", "--processes", 1, "--budget", "50MB", "--json").record
    assert (again["passages"], again["pairs"]) == (0, record["pairs"])


def test_private_questions_reach_no_public_enclave(indexed: Command, quick: None, notes: Path) -> None:
    assert indexed("pairs", "build", "-e", "mail", "--processes", 1).code in (0, 3)
    lines = (notes / ".answerable" / JOURNAL).read_text("utf-8").splitlines()
    told = [record for record in map(json.loads, lines) if record["kind"] == "search"]
    assert {record["enclave"] for record in told if record["allowed"]} == {"mail"}
    assert all(record["label"] == ["mail"] and record["asker"] == "pairs" for record in told)
    assert all(record["sha256"] is None for record in told if record["enclave"] == "wiki")


def test_what_was_deleted_is_in_no_file(indexed: Command, quick: None, notes: Path) -> None:
    ran = indexed("pairs", "build", "-e", "mail", "--filter", "none", "--keep", "--processes", 1)
    assert ran.code == 0, ran.err
    place = notes / ".answerable"
    assert [path for path in place.rglob("*.jsonl") if b"412" in path.read_bytes()]
    assert indexed("delete", "-e", "mail", "--everything").code == 0
    assert not [path for path in place.rglob("*") if path.is_file() and b"KESTREL" in path.read_bytes()]
    assert not (place / "pairs" / "mail").exists()


def test_what_cannot_be_is_said_in_a_sentence(indexed: Command, notes: Path) -> None:
    for options, says, code in (
        (["-e", "nowhere"], "no enclave is named 'nowhere'", 2),
        (["-e", "wiki", "--share", "0"], "is none", 2),
        (["-e", "wiki", "--per-answer", "0"], "are none", 2),
        (["-e", "wiki", "--budget", "much"], "no amount of memory", 2),
        (["-e", "wiki", "--generator", "no/such/folder"], "there is no generator", 2),
    ):
        ran = indexed("pairs", "build", *options, "--filter", "none", "--processes", 1)
        assert ran.code == code and says in ran.err and "Traceback" not in ran.err, (options, ran.err)


def test_pairs_of_what_stays_are_found_after_a_change(indexed: Command, quick: None, notes: Path) -> None:
    assert indexed("pairs", "build", "-e", "wiki", "--filter", "none", "--processes", 1).code == 0

    def current() -> tuple[bool, int]:
        (wiki,) = indexed("pairs", "stats", "-e", "wiki", "--json").record["enclaves"]
        return wiki["index"]["current"], wiki["pairs"]

    before = current()
    gone, *_ = sorted((notes / "wiki").iterdir())
    gone.write_text("Nothing of what was here before.", encoding="utf8")
    assert indexed("index", notes / "wiki", "--enclave", "wiki").code == 0
    changed = current()
    assert indexed("delete", "-e", "wiki", f"wiki/{gone.name}").code == 0
    assert before[0] and changed[0] and before[1] > changed[1] > 0 and current() == changed


def test_questions_of_what_stays_are_not_encoded_again(
    indexed: Command, quick: None, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[BuiltPairs] = []

    def built(*given: Any) -> BuiltPairs:
        made.append(build_pair_index(*given))
        return made[-1]

    monkeypatch.setattr(qapairs, "build_pair_index", built)
    assert indexed("pairs", "build", "-e", "wiki", "--filter", "none", "--processes", 1).code == 0
    gone, *_ = sorted((notes / "wiki").iterdir())
    gone.write_text("Nothing of what was here before.", encoding="utf8")
    assert indexed("index", notes / "wiki", "--enclave", "wiki").code == 0
    kept, *_ = sorted((notes / "wiki").iterdir(), reverse=True)
    assert indexed("delete", "-e", "wiki", f"wiki/{kept.name}").code == 0
    first, changed = made
    assert first.encoded == first.questions > changed.questions > changed.encoded == 0


def test_the_budget_of_an_index_holds_when_it_is_made_anew(
    indexed: Command, quick: None, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANSWERABLE_MODELS_MATCHER", "hashed")
    assert indexed("pairs", "build", "-e", "wiki", "--filter", "none", "--processes", 1).code == 0

    def shape() -> tuple[str, bool]:
        (wiki,) = indexed("pairs", "stats", "-e", "wiki", "--json").record["enclaves"]
        return wiki["index"]["words"], wiki["index"]["current"]

    whole = shape()
    assert indexed("pairs", "index", "-e", "wiki", "--budget", "10kB").code == 0
    small = shape()
    gone, *_ = sorted((notes / "wiki").iterdir())
    gone.write_text("Nothing of what was here before.", encoding="utf8")
    assert indexed("index", notes / "wiki", "--enclave", "wiki").code == 0
    assert shape() == small != whole


def test_pairs_made_in_another_way_go_only_when_that_is_said(indexed: Command, quick: None) -> None:
    first = ("pairs", "build", "-e", "wiki", "--filter", "none", "--processes", 1, "--json")
    made = indexed(*first).record["pairs"]
    ran = indexed("pairs", "build", "-e", "wiki", "--generator", "stated")
    assert made and ran.code == 2 and f"{made} pairs of wiki made in another way" in ran.err
    assert indexed(*first).record["pairs"] == made
    assert indexed("pairs", "build", "-e", "wiki", "--generator", "stated", "--replace").code == 0
    assert " stated, filter none" in indexed("pairs", "stats").out


def test_an_enclave_elsewhere_or_empty_has_nothing_to_ask_about(indexed: Command, notes: Path) -> None:
    added = indexed("enclaves", "add", "far", "--remote", "http://127.0.0.1:9", "--public")
    assert added.code == 0, added.err
    ran = indexed("pairs", "build", "-e", "far")
    assert ran.code == 2 and "on another machine" in ran.err
    assert indexed("delete", "-e", "mail", "--everything").code == 0
    ran = indexed("pairs", "build", "-e", "mail")
    assert ran.code == 2 and "nothing is indexed in mail" in ran.err


def test_interrupted_or_without_room_it_says_how_to_go_on(
    indexed: Command, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(building, "join_answers", interrupt)
        ran = indexed("pairs", "build", "-e", "wiki", "--filter", "none", "--processes", 1)
        assert ran.code == 130 and "goes on" in ran.err
    with monkeypatch.context() as patch:
        patch.setattr(stages.os, "replace", full)
        ran = indexed("pairs", "build", "-e", "wiki", "--filter", "local", "--processes", 1, "--replace")
        assert ran.code == 1 and "is full" in ran.err and "run the same command again" in ran.err
    assert indexed("pairs", "build", "-e", "wiki", "--filter", "none", "--processes", 1).code == 0
