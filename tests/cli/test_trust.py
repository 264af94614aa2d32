"""A workspace that came with a clone: refused without a terminal, asked about on one, and used once it is trusted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import answerable
from answerable.workspace.declarations import FILE_NAME
from answerable.workspace.trust import trusted, trusted_file
from tests.cli.conftest import STAND_INS, Command

URL = "http://127.0.0.1:1"
ATLAS = f'\n[enclaves.atlas]\nkind = "public"\nremote = "{URL}"\n'
LINE = f"atlas (public) is at {URL}, and may be sent questions, public text"
QUESTION = "When was Kõpu Lighthouse completed?"


@pytest.fixture(autouse=True)
def nothing_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of their own for each test."""
    monkeypatch.setenv("LOCALAPPDATA" if os.name == "nt" else "XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def cloned(indexed: Command, tmp_path: Path) -> Command:
    """A workspace in the current folder whose settings somebody else wrote a host into."""
    with (tmp_path / ".answerable" / FILE_NAME).open("a", encoding="utf8") as file:
        file.write(ATLAS)
    return indexed


@pytest.mark.parametrize(
    "args", ["ask Who?", "find lamps", "status", "index wiki -e mail", "pairs stats", "serve -e wiki", "enclaves"]
)
def test_nobody_is_asked_where_there_is_no_terminal(cloned: Command, args: str) -> None:
    ran = cloned(*args.split())
    assert (ran.code, ran.out) == (2, "") and LINE in ran.err and "and 1 more" in ran.err
    assert "answerable trust -w .answerable --show" in ran.err and "-w .answerable uses it for once" in ran.err
    assert cloned(*args.split(), "--json").record["error"]["kind"] == "TrustError"
    assert not trusted_file().exists() or not trusted(Path(".answerable"))


def test_whoever_names_it_uses_it_and_trusting_it_stays(cloned: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cloned("-w", ".answerable", "enclaves").code == 0
    monkeypatch.setitem(STAND_INS, "ANSWERABLE_WORKSPACE", ".answerable")
    assert cloned("enclaves").code == 0
    monkeypatch.setitem(STAND_INS, "ANSWERABLE_WORKSPACE", None)
    assert cloned("enclaves").code == 2
    ran = cloned("trust", "--show")
    assert ran.code == 0 and LINE in ran.out and "text of wiki, which is kept here, counts as public" in ran.out
    assert ".answerable is not trusted" in ran.out and "mail" not in ran.out and cloned("enclaves").code == 2
    assert cloned("trust", "--json").record["trusted"] and cloned("enclaves").code == 0
    ran = cloned("ask", QUESTION)
    assert ran.code == 0 and "atlas could not be asked: nothing answers" in ran.out
    assert ".answerable is not trusted" in cloned("trust", "--forget").out and cloned("enclaves").code == 2


def test_what_the_user_adds_by_command_is_not_asked_about(indexed: Command, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("t" * 40)
    ran = indexed("enclaves", "add", "atlas", "--public", "--remote", URL, "--token-file", "token")
    assert ran.code == 0 and "text of wiki, which is kept here, counts as public" in ran.err
    assert f"atlas at {URL} is sent the token in {tmp_path / 'token'}, which lies outside" in ran.err
    for args in (("index", "wiki", "-e", "more", "--public"), ("grants", "add", "--lift", "mail", "--to", "atlas")):
        assert indexed(*args).code == 0 and indexed("enclaves").code == 0
    assert indexed("ask", QUESTION).code == 0
    with (tmp_path / ".answerable" / FILE_NAME).open("a", encoding="utf8") as file:
        file.write(ATLAS.replace("atlas", "other"))
    assert "other (public) is at" in indexed("enclaves").err


def test_a_token_outside_is_agreed_to_even_where_the_folder_is_named(cloned: Command, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s" * 40)
    with (tmp_path / ".answerable" / FILE_NAME).open("a", encoding="utf8") as file:
        file.write('token_file = "../secret"\n')
    ran = cloned("-w", ".answerable", "ask", QUESTION)
    assert ran.code == 2 and f"the token in {tmp_path / 'secret'}, which lies outside" in ran.err
    assert "s" * 40 not in ran.err and "for once" not in ran.err
    assert cloned("-w", ".answerable", "trust").code == 0 and cloned("ask", QUESTION).code == 0


def test_there_may_be_nothing_to_agree_to(indexed: Command) -> None:
    ran = indexed("trust")
    assert ran.code == 0 and "is yours and sends nothing" in ran.out and not trusted_file().exists()
    assert indexed("-w", "nowhere", "trust").code == 2


def test_doctor_says_that_it_is_not_trusted(cloned: Command) -> None:
    ran = cloned("doctor")
    assert ran.code == 1 and "is not trusted: atlas (public) is at" in ran.out


@pytest.mark.parametrize(("said", "code"), [(b"y\n", 0), (b"\n", 2)])
def test_on_a_terminal_it_asks_once(cloned: Command, tmp_path: Path, said: bytes, code: int) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    os.write(ours, said)
    environment = {**os.environ, **{k: v for k, v in STAND_INS.items() if v}}
    environment["PYTHONPATH"] = str(Path(answerable.__file__).parent.parent)
    given = [sys.executable, "-m", "answerable", "enclaves"]
    ran = subprocess.run(
        given, cwd=tmp_path, env=environment, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, timeout=300
    )
    os.close(theirs)
    shown = " ".join(os.read(ours, 65536).decode().split())
    os.close(ours)
    assert ran.returncode == code and LINE in shown and "Use it from now on? [y/N]" in shown
    assert cloned("enclaves").code == code  # as it was answered, without being asked
