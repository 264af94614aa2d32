"""No command with the models that ship connects, looks up a name, or writes outside of its workspace.

Each runs under `watch/sitecustomize.py`, with an empty folder for its home: what native code writes there, past Python,
is found afterwards. The last tests plant what would be wrong, to show that it is seen.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import answerable
from answerable.encoders.choose import SHIPPED
from answerable.encoders.shipped import open_shipped, sha256
from answerable.remote.wire import API_HEADER, SEARCH, Search

SRC = Path(answerable.__file__).parents[1]
WATCH = Path(__file__).parent / "watch"
FILES = {
    "wiki/kopu.md": "# Kõpu Lighthouse\n\nIt stands on Hiiumaa. Kõpu Lighthouse was completed in 1531.\n",
    "wiki/hook.md": "# Hook Lighthouse\n\nIt stands in Ireland. William Marshal built Hook Lighthouse.\n",
    "mail/birds.txt": "From today the job at Kõpu Lighthouse is called KESTREL. The crate weighs 412 kilos.\n",
}
COMMANDS = (
    "index wiki --enclave wiki --public",
    "index mail --enclave mail",
    "pairs build --enclave wiki --processes 1",
    "ask 'When was the lighthouse of the KESTREL job completed?'",
    "pairs ask 'When was Kõpu Lighthouse completed?'",
    "find 'lighthouses that are not in Ireland'",
    "read wiki/kopu.md 'When was it completed?'",
    "doctor",
)
ALL = """
import shlex, sys
from answerable.cli.main import app
for line in sys.argv[1:]:
    try:
        app(["-w", "work", *shlex.split(line)])
    except SystemExit as ended:
        print(f"{line}: {ended.code}", flush=True)
"""
UNTOLD = "import os, answerable; del os.environ['ORT_DISABLE_TELEMETRY']; import onnxruntime"
NATIVE = "import ctypes; c = ctypes.CDLL(None); s = c.socket(2, 2, 0); c.{call}"
PYTHON = {
    "import socket; socket.getaddrinfo('collector.example', 443)": "socket.getaddrinfo",
    "import socket; socket.socket().connect(('192.0.2.1', 443))": "socket.connect",
    "open('../aside', 'w')": "open",
    "import os; os.mkdir('../aside')": "os.mkdir",
    "import sqlite3; sqlite3.connect('../aside')": "sqlite3.connect",
}
filtered = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"), reason="no filter of the kernel"
)


@dataclass(frozen=True)
class Place:
    """A folder to work in with nothing beside it but a home, which must stay empty, and a cache for weights alone."""

    folder: Path

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-X", "utf8", *args]

    def environment(self) -> dict[str, str]:
        """Nothing of the tests' own: a variable such as CI would make onnxruntime silent by itself."""
        named = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{WATCH}{os.pathsep}{SRC}", "PYTHONDONTWRITEBYTECODE": "1"}
        named |= {"HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"), "USER": "watched"}
        named["XDG_CACHE_HOME"] = str(self.folder / "cache")
        roots = os.pathsep.join(str((self.folder / name).resolve()) for name in ("here", "tmp", "cache"))
        return named | {"WATCH_NOTES": str(self.folder / "notes"), "WATCH_ROOTS": roots}

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        given = {"cwd": self.folder / "here", "env": self.environment(), "timeout": 300}
        return subprocess.run(self.command(*args), capture_output=True, text=True, encoding="utf-8", **given)

    def seen(self) -> Sequence[str]:
        """What was noted, and what was left where nothing should be."""
        notes = (self.folder / "notes").read_text("utf-8").splitlines() if (self.folder / "notes").exists() else []
        left = [str(path.relative_to(self.folder)) for path in (self.folder / "home").rglob("*")]
        held = [path for path in (self.folder / "cache").rglob("*") if path.is_file()]
        digest = open_shipped(SHIPPED / "reader").about["adapted"]
        others = [path.name for path in held if path.name != f"{digest}.onnx" or sha256(path) != digest]
        return [*notes, *left, *others]


def _laid(folder: Path) -> Place:
    for name in ("here", "home", "tmp", "cache"):
        (folder / name).mkdir()
    for name, text in FILES.items():
        path = folder / "here" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Place(folder)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return _laid(tmp_path)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, subprocess.CompletedProcess[str]]:
    """Where all commands have run, one after another in one process, and what they said."""
    place = _laid(tmp_path_factory.mktemp("worked"))
    return place, place.run("-c", ALL, *COMMANDS)


def test_commands_tell_nobody_and_leave_nothing(worked: tuple[Place, subprocess.CompletedProcess[str]]):
    place, ran = worked
    assert place.seen() == [], ran.stdout
    assert ran.returncode == 0, ran.stderr
    codes = [line.rpartition(": ")[::2] for line in ran.stdout.splitlines() if line.startswith(COMMANDS)]
    assert [line for line, _ in codes] == list(COMMANDS), ran.stdout
    assert {code for _, code in codes} <= {"0", "3"}, ran.stdout + ran.stderr


def test_a_server_answers_and_calls_nobody(worked: tuple[Place, subprocess.CompletedProcess[str]]):
    place, _ = worked
    command = place.command("-m", "answerable", "-w", "work", "--json", "serve", "--enclave", "wiki", "--port", "0")
    given = {"cwd": place.folder / "here", "env": place.environment(), "text": True}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **given) as process:
        try:
            url = json.loads(process.stdout.readline())["url"] + SEARCH
            asked = Search("hybrid", 2, "When was Kõpu Lighthouse completed?", None, None).to_bytes()
            headers = {API_HEADER: "1", "Content-Type": "application/json"}
            with urllib.request.urlopen(urllib.request.Request(url, asked, headers), timeout=60) as answer:
                assert "1531" in answer.read().decode()
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0, process.stderr.read()
    assert place.seen() == []


def test_onnxruntime_that_was_told_nothing_is_seen(place: Place):
    """What the package is for: without the variable, files appear at the import."""
    ran = place.run("-c", UNTOLD)
    assert ran.returncode == 0, ran.stderr
    assert any("deviceid" in line for line in place.seen())


@filtered
@pytest.mark.parametrize(
    "call", ["connect(s, b'\\2\\0\\0\\x35\\x7f' + bytes(11), 16)", "sendto(s, b'', 0, 0, bytes(16), 16)"]
)
def test_native_code_that_connects_ends_the_process(place: Place, call: str):
    assert place.run("-c", NATIVE.format(call=call)).returncode == -signal.SIGSYS


@filtered
def test_native_code_that_answers_goes_on(place: Place):
    assert place.run("-c", NATIVE.format(call="send(s, b'', 0, 0)")).returncode == 0


@pytest.mark.parametrize("program", PYTHON)
def test_what_python_code_does_is_seen_and_refused(place: Place, program: str):
    ran = place.run("-c", program)
    assert ran.returncode == 1 and "watched" in ran.stderr
    assert [line.split()[0] for line in place.seen()] == [PYTHON[program]]
    assert not (place.folder / "aside").exists()
