"""`demo`: the shipped sample from nothing to answers, and again without harm."""

import json
from pathlib import Path

import pytest

from answerable.cli.demo import PAIRED, QUESTIONS, SETS, STEPS
from tests.cli.conftest import Command


@pytest.fixture(autouse=True)
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERABLE_MODELS_NAVIGATOR", "hashed")
    monkeypatch.setenv("ANSWERABLE_MODELS_MATCHER", "hashed")


def test_demo(command: Command, tmp_path: Path):
    ran = command("demo")
    assert ran.code == 0
    assert ran.out.count("\n> ") == len(STEPS) + len(PAIRED) + len(SETS)
    assert "place 1  " in ran.out and "private/handbook.md" in ran.out
    assert "encyclopaedia was not asked" in ran.out and "carries office" in ran.out
    assert "answerable -w answerable-demo ask" in ran.out
    assert (tmp_path / "answerable-demo" / "sample" / "private" / "mail.mbox").is_file()
    assert "Bell Rock Lighthouse" in ran.out and "built of granite: not shown of any of them" in ran.out
    again = command("demo", "--json")
    assert again.code == 0 and len(again.record["questions"]) == len(STEPS)
    assert [one["count"] for one in again.record["sets"]] == [6]
    same, other = again.record["pairs"]
    assert same["answer"] == "14 September 1716" and "Boston Light's lamp" in same["pair"]["question"]
    assert same["citations"][0]["text"] == "Its lamp was lit on 14 September 1716." and same["why_not"] is None
    assert "pair" not in other and other["nearest"]["question"] == "When was Gustaf Dalén born?"
    assert other["answer"] != "30 November 1869" and "below the threshold" in other["why_not"]


def test_the_commands_to_go_on_with_can_be_pasted(command: Command, monkeypatch: pytest.MonkeyPatch):
    for name in ("STEPS", "PAIRED", "SETS"):
        monkeypatch.setattr(f"answerable.cli.demo.{name}", [])  # all of it is asked above
    out = command("demo", "-w", "my demo").out
    assert "answerable -w 'my demo' ask" in out and "answerable -w 'my demo' enclaves" in out


def test_demo_takes_no_folder_that_is_in_use(command: Command, tmp_path: Path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x", encoding="utf8")
    ran = command("demo", "-w", "mine")
    assert ran.code == 2 and "not empty" in ran.err
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_demo_opens_the_page(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    opened: list[str] = []
    monkeypatch.setattr("answerable.cli.demo.webbrowser.open", opened.append)
    offered: list[str] = []
    monkeypatch.setattr("answerable.serving.server.Server.run", lambda server: offered.extend(server._app.examples))
    monkeypatch.setenv("ANSWERABLE_STORE_URL", "postgresql:///shared?host=/nowhere")  # the sample stays out of it
    ran = command("demo", "--web")
    assert ran.code == 0 and "to anyone on this machine" in ran.out and "1. " not in ran.out
    assert len(opened) == 1 and opened[0].startswith("http://127.0.0.1:") and opened[0] in ran.out
    known = {json.loads(line)["question"] for line in QUESTIONS.read_text("utf8").splitlines()}
    assert len(offered) == 7 and len({*offered} & known) == 6
