from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from answerable.cli.main import app
from tests.cli.conftest import STAND_INS, Command, Ran

FIRST, SECOND = "Which company repaired the lamp of Zephyrine?", "And when was it founded?"


@pytest.fixture
def chat(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Say lines to `chat`, in a folder where two mails are indexed."""
    monkeypatch.setenv("ANSWERABLE_ASK_THRESHOLD", "0")
    (tmp_path / "lamp.txt").write_text("Quastelbrock repaired the lamp of Zephyrine.\n")
    (tmp_path / "firm.txt").write_text("The company Quastelbrock was founded in 1887.\n")
    assert command("index", "lamp.txt", "firm.txt", "--enclave", "mail").code == 0

    def say(*args: str, lines: str = "") -> Ran:
        done = CliRunner(env=STAND_INS).invoke(app, ["chat", *args], input=lines)
        return Ran(done.exit_code, done.stdout, done.stderr)

    return say


def test_each_line_is_a_turn_and_one_that_follows_on_shows_with_what_it_was_asked(chat) -> None:
    ran = chat(lines=f"{FIRST}\n{SECOND}\n\nnever asked\n")
    assert ran.code == 0 and "never" not in ran.out
    assert f"> {SECOND}\n  asked with: {FIRST}; " in ran.out and "founded in 1887" in ran.out


def test_one_with_a_name_goes_on_later_is_listed_and_deleted(chat) -> None:
    assert chat("--list").code == 3
    assert chat("--name", "lamp", lines=f"{FIRST}\n").code == 0
    later = chat("--name", "lamp", lines=f"{SECOND}\n")
    assert f"1 > {FIRST}" in later.out and "asked with" in later.out
    assert "lamp  2 turns" in chat("--list").out
    listed = json.loads(chat("--list", "--json").out)
    assert listed["conversations"] == [{"name": "lamp", "turns": 2}]
    assert chat("--delete", "lamp").code == 0 and chat("--list").code == 3
    gone = chat("--delete", "lamp")
    assert gone.code == 2 and "no conversation is called 'lamp'" in gone.err


def test_what_looks_like_a_command_is_not_asked(chat) -> None:
    ran = chat(lines=f"/help\n{FIRST}\n/quit\n")
    assert ran.code == 0 and ran.err.count("A chat has no commands") == 2 and ran.out.count("> ") == 1


def test_as_json_a_turn_is_a_line(chat) -> None:
    one, two = map(json.loads, chat("--json", lines=f"{FIRST}\n{SECOND}\n").out.splitlines())
    assert one["said"] == [] and two["question"] == SECOND and two["said"][0] == FIRST
    assert two["label"] == ["mail"]


def test_a_risk_that_nothing_keeps_to_gives_no_answer(chat, command: Command) -> None:
    assert chat("--risk", "0", lines=f"{FIRST}\n").code == 3
    assert command("ask", FIRST, "--risk", "0").code == 3
    assert command("ask", FIRST).code == 0
    wrong = command("ask", FIRST, "--risk", "2")
    assert wrong.code in (1, 2) and "ask.risk" in wrong.err
