from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

ASKED = "Which company repaired the lamp of Zephyrine?"


@pytest.fixture
def ask(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command line, where a mail is indexed and everything found is answered from."""
    monkeypatch.setenv("ANSWERABLE_ASK_THRESHOLD", "0")
    (tmp_path / "lamp.txt").write_text("Quastelbrock repaired the lamp of Zephyrine.\n")
    assert command("index", "lamp.txt", "--enclave", "mail").code == 0
    return command


def test_good_remembers_the_last_answer_and_forget_takes_it_back(ask: Command) -> None:
    assert "no answer was given just before" in ask("good").err and ask("remembered").code == 3
    ask("ask", ASKED)
    said = ask("good")
    assert said.code == 0 and "Remembered: " in said.out and "Quastelbrock" in said.out
    again = ask("ask", ASKED)
    assert f"called good before: {ASKED}" in again.out
    told = json.loads(ask("remembered", "--json").out)["remembered"]
    assert [(one["question"], one["answer"], one["good"], one["label"]) for one in told] == [
        (ASKED, "Quastelbrock", True, ["mail"])
    ]
    assert told[0]["citations"][0]["text"].startswith("Quastelbrock") and "vector" not in told[0]
    assert "good" in ask("remembered").out
    assert ask("remembered", "--forget", told[0]["id"]).code == 0
    assert json.loads(ask("ask", ASKED, "--json").out)["via"] == "search"
    assert ask("remembered", "--forget", told[0]["id"]).code == 2


def test_bad_has_an_answer_given_no_more(ask: Command) -> None:
    ask("ask", ASKED)
    ask("ask", "Who has a lamp?")
    said = ask("bad", "--question", ASKED)
    assert "Not given again: " in said.out
    after = json.loads(ask("ask", ASKED, "--json").out)
    assert after["answer"] != "Quastelbrock" and after["passages"]
    assert "bad" in ask("remembered").out
