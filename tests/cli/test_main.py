"""The command line as a whole: exit codes, one JSON object, no traceback and no private text."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

import answerable.cli.ask
from answerable.cli.main import COMMANDS, app
from answerable.cli.shell import clean
from tests.cli.conftest import STAND_INS, Command

SECRET = "the vault opens at nine"


def test_without_a_workspace_it_says_what_to_run(command: Command):
    ran = command("ask", "Who is there?")
    assert (ran.code, ran.out) == (2, "")
    assert "no workspace" in ran.err and "answerable index" in ran.err and "answerable demo" in ran.err


@pytest.mark.parametrize(
    "name", ["ask Who?", "link Ada", "status", "enclaves", "delete x --enclave a", "export x --enclave a"]
)
def test_every_command_needs_a_workspace(command: Command, name: str):
    ran = command(*name.split(), "--json")
    assert ran.code == 2 and "no workspace" in ran.record["error"]["message"]


@pytest.mark.parametrize(
    "args", [["ask"], ["ask", "Who?", "--hop", "2"], ["asks"], ["ask", "Who?", "--privacy", "total"], ["index", "x"]]
)
def test_a_wrong_command_line_is_usage(command: Command, args: list[str]):
    plain, record = command(*args), command(*args, "--json")
    assert plain.code == record.code == 2
    assert plain.out == "" and "error:" in plain.err and "--help" in plain.err
    assert record.record["error"]["code"] == 2 and record.record["error"]["kind"] == "UsageError"


def test_json_may_stand_before_the_command(command: Command):
    assert command("--json", "status").record["error"]["code"] == 2


def test_a_question_that_looks_like_an_option_is_no_option(command: Command):
    ran = command("ask", "--", "--json")
    assert ran.code == 2 and "no workspace" in ran.err and ran.out == ""


def test_an_unforeseen_error_shows_its_class_alone(indexed: Command, monkeypatch: pytest.MonkeyPatch):
    def fails(*_: object) -> None:
        raise ValueError(SECRET)

    monkeypatch.setattr(answerable.cli.ask, "show_answer", fails)
    monkeypatch.setattr(answerable.cli.ask, "answer_record", fails)
    for args in (["ask", "Who?"], ["ask", "Who?", "--json"]):
        ran = indexed(*args)
        assert ran.code == 1 and "ValueError" in ran.out + ran.err
        assert SECRET not in ran.out + ran.err and "Traceback" not in ran.out + ran.err
    assert "Traceback" in indexed("--debug", "ask", "Who?").err


def test_what_is_printed_cannot_drive_a_terminal():
    assert clean("a\x1b[2Jb\u202ec\udcffd\te\n") == "a\ufffd[2Jb\ufffdc\ufffdd\te\n"


def test_help_and_version(command: Command):
    assert command("--version").out.startswith("answerable ")
    ran = command("--help")
    assert ran.code == 0
    for name in ("demo", "index", "ask", "link", "enclaves", "status", "doctor", "delete", "export", "train"):
        assert name in ran.out
    assert command("ask", "--help").code == 0


def test_help_is_in_groups_and_names_the_extras(command: Command):
    lines = command("--help").out.splitlines()
    heads = ["Ask:", "Index:", "Measure:", "Train:", "Administer:"]
    assert [line for line in lines if line in heads] == heads
    named = [line.split()[0] for line in lines[lines.index("Ask:") :] if line[:2] == "  " < line[2:3]]
    assert sorted(named) == sorted(typer.main.get_group(app).commands)
    for name, line in (pair for panel in COMMANDS.values() for pair in panel.items()):
        assert typer.main.get_group(app).commands[name].get_short_help_str(80) == line
    for name in ("train", "serve", "pairs"):
        assert next(line for line in lines if line.startswith(f"  {name} ")).endswith(f"[extra {name}]")


def process(*args: str | bytes, cwd: Path, **more: Any) -> subprocess.CompletedProcess[bytes]:
    here = Path(answerable.__file__).parent.parent
    changed = {**os.environ, **STAND_INS, "PYTHONPATH": str(here), **more.pop("env", {})}
    environment = {k: v for k, v in changed.items() if v is not None}
    given = [sys.executable, "-m", "answerable", *args]
    outlets = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.run(given, cwd=cwd, env=environment, timeout=120, check=False, **outlets)


def test_as_a_process(notes: Path):
    assert process("index", "wiki", "--enclave", "wiki", cwd=notes).returncode == 0
    ran = process("ask", "When was Kõpu Lighthouse completed?", "--json", cwd=notes)
    assert ran.returncode == 0 and b'"answer": "1531"' in ran.stdout
    ran = process("ask", b"Who is \xff?", cwd=notes)
    assert ran.returncode == 2 and b"UTF-8" in ran.stderr and b"Traceback" not in ran.stderr


def test_a_reader_that_has_had_enough_ends_it_quietly(tmp_path: Path):
    for options in ([], ["--json", "--no-such-option"]):
        read, write = os.pipe()
        os.close(read)
        ran = process("doctor", *options, cwd=tmp_path, stdout=write)
        os.close(write)
        if options:
            assert ran.returncode == 2 and ran.stderr.startswith(b"error: No such option")
        else:
            assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_output_that_cannot_be_written_is_one_line(tmp_path: Path, options: list[str]):
    with open("/dev/full", "wb") as full:
        ran = process("doctor", *options, cwd=tmp_path, stdout=full)
    assert ran.returncode == 1 and ran.stderr == b"error: the system refused: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="a shell closes the outlets")
def test_closed_outlets_are_no_error(tmp_path: Path):
    ran = process("doctor", cwd=tmp_path, stdout=None, stderr=None, preexec_fn=lambda: os.closerange(1, 3))
    assert ran.returncode == 0


def test_a_terminal_without_the_letters_shows_what_it_can(indexed: Command, notes: Path):
    narrow = {"PYTHONIOENCODING": "ascii"}
    ran = process("ask", "When was Kõpu Lighthouse completed?", cwd=notes, env=narrow)
    assert ran.returncode == 0 and ran.stdout.startswith(b"1531") and b"K?pu" in ran.stdout


@pytest.mark.parametrize("stop", [KeyboardInterrupt, typer.Abort])
def test_stopped_by_hand_it_ends_without_a_word(
    indexed: Command, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
):
    def stopped(*_: object) -> None:
        raise stop

    monkeypatch.setattr(answerable.cli.ask, "show_answer", stopped)
    ran = indexed("ask", "Who?")
    assert (ran.code, ran.out) == (130, "") and "error" not in ran.err


def test_what_the_system_refuses_is_told_with_the_path(indexed: Command, monkeypatch: pytest.MonkeyPatch):
    def refused(*_: object) -> None:
        Path("nowhere/to/be/found").read_bytes()

    monkeypatch.setattr(answerable.cli.ask, "show_answer", refused)
    ran = indexed("ask", "Who?")
    assert ran.code == 1 and "error: nowhere/to/be/found cannot be used: No such file or directory" in ran.err


def test_an_address_of_an_assistant_wants_http(command: Command):
    for option in (("--host", "0.0.0.0"), ("--port", "8000")):
        refused = command("mcp", *option)
        assert refused.code == 2 and "add --http" in refused.err
