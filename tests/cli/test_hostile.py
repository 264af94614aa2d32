"""Documents, file names and questions that would drive a terminal, through every command that shows them."""

import json
import os
import subprocess
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path

import pytest

import answerable
from tests.cli.conftest import STAND_INS, Command

TITLE = "\x1b]0;owned\x07 \x9b2J \u202egnihton\u202c Lamp\u2028house"
TEXT = f"{TITLE} was completed in 1531. It burns \x1b[31mred\x1b[0m \u200f\u2066light\u2069 at \x85night."
NAME = "a\x1b[2J\x9b\u202e.txt"
QUESTION = "When was \x1b]0;the\x07 Lamp \x9b\u202ehouse completed?"
BOTH = '"lamp \x1b\x9b\u202e" and "completed"'

COMMANDS = (
    ("ask", QUESTION, "--explain"),
    ("ask", QUESTION, "--dry-run", "--decompose"),
    ("ask", f"{TITLE}?", "--privacy", f"no{TITLE}"),
    ("find", "lamp", "--explain"),
    ("find", "--expression", BOTH, "--explain"),
    ("find", "--expression", f"{TITLE} {BOTH}"),
    ("read", f"in/{NAME}", QUESTION, "--path"),
    ("read", f"nowhere/{NAME}", QUESTION),
    ("pairs", "ask", QUESTION, "--explain"),
    ("pairs", "stats"),
    ("pairs", "remove", "-e", "notes", "--source", f"x{TITLE}"),
    ("grants", "list"),
    ("enclaves",),
    ("status",),
    ("doctor",),
    ("delete", f"x{TITLE}", "-e", "notes"),
    ("export", f"out{NAME}", "-e", "notes"),
    ("index", f"nowhere/{NAME}", "-e", "notes"),
    ("-w", f"no{NAME}", "status"),
    ("ask", QUESTION, "--as", TITLE),
    (f"no{TITLE}",),
    ("--debug", "ask", QUESTION, "--part", f"{TITLE}=x"),
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="its file names hold no control characters")


def hidden(text: str) -> set[str]:
    """Characters of a text that drive a terminal, or turn the direction of a line."""
    turns = {c for c in text if c in "\u061c\u200e\u200f" or "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"}
    return turns | {c for c in text if unicodedata.category(c) in ("Cc", "Zl", "Zp") and c not in "\n\t"}


@pytest.fixture
def hostile(command: Command, tmp_path: Path) -> Command:
    """A workspace of such documents, with pairs made of the same, a grant, an asker and a setting."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / NAME).write_text(TEXT, encoding="utf8")
    (tmp_path / "in" / f"{NAME}.gz").write_bytes(b"broken")
    rows = ({"_id": f"d{n}\x1b", "title": f"=1+1 {TITLE}", "text": f"{TEXT} {n}"} for n in (1, 2))
    (tmp_path / "in" / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "pairs.jsonl").write_text(
        json.dumps({"question": QUESTION, "answer": [f"1531 {TITLE}"]}) + "\n", encoding="utf8"
    )
    ran = command("index", "in", "--enclave", "notes")
    assert ran.code == 0 and not hidden(ran.out + ran.err) and "broken" not in ran.err and ran.err
    assert command("pairs", "import", "pairs.jsonl", "-e", "notes", "--source", f"s{TITLE}").code == 0
    assert command("pairs", "index").code == 0
    assert command("index", "in/rows.jsonl", "--enclave", "wiki", "--public", "--as-if-elsewhere").code == 0
    assert command("grants", "add", "--lift", "notes", "--to", "wiki", "--reason", TITLE).code == 0
    settings = tmp_path / ".answerable" / "answerable.toml"
    text = settings.read_text(encoding="utf8").replace("# text = false", "text = true")
    text = text.replace('# token_file = ""', 'token_file = "t\\u001b]0;x\\u0007\\u009b"')
    settings.write_text(f'{text}\n[askers."me\\u001b\\u009b[red]\\u202e"]\nclearance = ["notes"]\n', encoding="utf8")
    return command


def test_nothing_that_is_shown_drives_a_terminal(hostile: Command) -> None:
    for args in COMMANDS:
        ran = hostile(*args)
        assert ran.out + ran.err and not hidden(ran.out + ran.err), args
        said = hostile("--json", *args)
        assert said.out.endswith("\n") and said.out[:-1].isprintable() and not hidden(said.err), args
        assert json.loads(said.out), args


def test_the_journal_shows_what_was_sent_clean(hostile: Command) -> None:
    hostile("ask", QUESTION)
    ran, said = hostile("journal"), hostile("journal", "--json")
    assert "sent: " in ran.out and not hidden(ran.out)
    assert said.out[:-1].isprintable() and any("\x1b" in str(one.get("text")) for one in said.record["records"])


def test_an_export_says_the_same_with_every_character_shown(hostile: Command) -> None:
    assert hostile("export", "out.jsonl", "-e", "notes").code == 0
    lines = Path("out.jsonl").read_text(encoding="utf8").splitlines()
    assert all(line.isprintable() for line in lines)
    assert any(json.loads(line)["text"] == TEXT for line in lines)
    assert hostile("pairs", "export", "pairs-out.jsonl", "-e", "notes").code == 0
    (line,) = Path("pairs-out.jsonl").read_text(encoding="utf8").splitlines()
    assert line.isprintable() and json.loads(line)["question"] == QUESTION


def test_a_traceback_that_was_asked_for_is_clean(hostile: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ValueError(TITLE)

    monkeypatch.setattr("answerable.cli.ask.show_answer", fails)
    ran = hostile("--debug", "ask", QUESTION)
    assert "ValueError" in ran.err and "owned" in ran.err and not hidden(ran.err)


def test_csv_is_clean_on_a_terminal_and_word_for_word_elsewhere(hostile: Command, tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    args = ("find", "--expression", '"lamp" and "completed"', "--csv", "-")
    assert "\x1b" in hostile(*args).out and "\n'=1+1 " in hostile(*args).out
    ours, theirs = pty.openpty()
    environment = {**os.environ, **{k: v for k, v in STAND_INS.items() if v}}
    environment["PYTHONPATH"] = str(Path(answerable.__file__).parent.parent)
    given = [sys.executable, "-m", "answerable", *args]
    ran = subprocess.run(given, cwd=tmp_path, env=environment, stdout=theirs, stderr=subprocess.PIPE, timeout=300)
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # how a terminal that was closed ends
        while piece := os.read(ours, 65536):
            shown += piece
    os.close(ours)
    text = shown.decode().replace("\r\n", "\n")
    assert ran.returncode == 0 and "'=1+1 \ufffd" in text and not hidden(text)
