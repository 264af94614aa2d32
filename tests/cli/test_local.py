"""Commands done by `answerable serve --local`, over its real socket, beside the same ones done alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from answerable.cli import local
from tests.cli.conftest import STAND_INS, Command, Ran

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no Unix-domain sockets")
ANSWERABLE = (sys.executable, "-m", "answerable")
QUESTION = "When was Kõpu Lighthouse completed?"
Served = Callable[..., Ran | None]


def serving() -> subprocess.Popen[str]:
    """A server of ./.answerable that says it serves."""
    made = subprocess.Popen(
        [*ANSWERABLE, "serve", "--local"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert made.stdout is not None and made.stdout.readline().startswith("Serving .answerable")
    return made


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """What is started here can be interrupted, also where the tests were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextmanager
def stopped(made: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """A server that stops when told to, and told nothing."""
    place = Path.cwd() / ".answerable" / "local" / "socket"
    yield made
    killed = made.poll() is not None
    made.terminate()
    said, _ = made.communicate(timeout=60)
    assert re.fullmatch("" if killed else r"stopped; commands done: \d+\n", said)
    assert killed or (made.returncode == 0 and not place.exists())


def without_weights(patch: pytest.MonkeyPatch) -> None:
    """The environment of this process is that of the commands."""
    for name, value in STAND_INS.items():
        patch.setenv(name, value) if value else patch.delenv(name, raising=False)


@pytest.fixture
def server(indexed: Command, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    """A server of the notes, in the environment of this process, for tests that end it or change what it serves."""
    without_weights(monkeypatch)
    with stopped(serving()) as made:
        yield made


@pytest.fixture(scope="module")
def lasting(indexed_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a server that the tests have in common which leave it and its notes as they are."""
    folder = Path(shutil.copytree(indexed_once, tmp_path_factory.mktemp("lasting"), dirs_exist_ok=True))
    with pytest.MonkeyPatch.context() as patch:
        without_weights(patch)
        patch.chdir(folder)
        with stopped(serving()):
            yield folder


@pytest.fixture
def common(command: Command, lasting: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in that folder."""
    without_weights(monkeypatch)
    monkeypatch.chdir(lasting)
    return lasting


@pytest.fixture
def served(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Served:
    """Have a command done by a server, from this process; None where it would go on by itself."""

    def run(*args: str) -> Ran | None:
        capfd.readouterr()
        monkeypatch.setattr(sys, "argv", ["/usr/bin/answerable"])
        code = local.done(args)
        out, err = capfd.readouterr()
        assert code is not None or out == err == ""
        return None if code is None else Ran(code, out, err)

    return run


def timeless(ran: Ran | None) -> tuple[int, str, str] | None:
    """What a command left behind, but for how long things took."""
    took = r'\d+(\.\d+)? m?s\b|"seconds": [\d.e-]+'
    return ran and (
        ran.code,
        re.sub(took, "", ran.out),
        re.sub(took, "", ran.err.replace("root ask", "answerable ask")),
    )


COMMANDS = [
    ["ask", QUESTION],
    ["ask", QUESTION, "--explain"],
    ["--json", "ask", "--explain", "What does the crate at Kõpu Lighthouse weigh?"],
    ["-w", ".answerable", "ask", *"who is called KESTREL".split(), "--dry-run"],
    ["ask", "Who?", "--as", "nobody", "--json"],
    ["ask", "Who?", "--hop", "2"],
    ["ask", "--", "--chat"],
    ["find", "lighthouses", "--count"],
    ["find", "lighthouses in Ireland", "--csv", "-"],
    ["find"],
    ["read", "wiki/kopu.md", QUESTION, "--path"],
    ["read", "nowhere.md", QUESTION],
    ["pairs", "ask", QUESTION],
    ["link", "Kõpu Lighthouse"],
]


@pytest.mark.usefixtures("common")
def test_what_is_said_and_written_down_is_the_same(command: Command, served: Served) -> None:
    journal, own = Path(".answerable/journal.jsonl"), ("at", "ask", "of", "before", "hash")

    def done(run: Callable[..., Ran | None], args: list[str]) -> tuple[object, list[object]]:
        before = len(journal.read_bytes())
        told = timeless(run(*args))
        lines = map(json.loads, journal.read_bytes()[before:].splitlines())
        return told, [{key: value for key, value in one.items() if key not in own} for one in lines]

    for args in COMMANDS:
        assert done(served, args) == done(command, args), args


def test_what_is_not_for_the_server_goes_on_by_itself(
    common: Path, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = ["ask", QUESTION]
    for args in (["status"], ["pairs", "list"], ["ask", "--help"], ["read", "wiki/kopu.md", "--chat"], []):
        assert served(*args) is None
    assert served("-w", "elsewhere", *asks) is None
    assert served(*asks, "--part", "-w", ".") is None  # an option's value that looks like the folder
    with monkeypatch.context() as patch:
        patch.setenv("ANSWERABLE_BEAM_HOPS", "1")
        assert served(*asks) is None
    with monkeypatch.context() as patch:
        patch.setattr(local, "stamp", lambda: b"another version")
        assert served(*asks) is None
    folder = common / ".answerable" / "local"
    folder.chmod(0o755)
    assert served(*asks) is None
    folder.chmod(0o700)
    assert (done := served(*asks)) and done.code == 0


@pytest.mark.usefixtures("server")
def test_what_is_indexed_or_set_meanwhile_counts(command: Command, served: Served, notes: Path) -> None:
    asks = ["ask", "When was Tahkuna Lighthouse completed?", "--json"]
    before = served(*asks)
    (notes / "wiki" / "tahkuna.md").write_text("# Tahkuna\n\nTahkuna Lighthouse was completed in 1875.\n", "utf8")
    assert command("index", notes / "wiki", "--enclave", "wiki").code == 0
    after = served(*asks)
    assert before and after and before.record["answer"] != "1875" == after.record["answer"]
    assert timeless(after) == timeless(command(*asks))
    settings = notes / ".answerable" / "answerable.toml"
    settings.write_text(settings.read_text("utf8").replace("[ask]", "[ask]\nthreshold = 0.999"), "utf8")
    strict = served(*asks)
    assert strict and strict.code == 3 and timeless(strict) == timeless(command(*asks))


def test_nobody_else_reaches_it(common: Path) -> None:
    place = common / ".answerable" / "local"
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (place, place / "socket")]
    assert modes == [0o700, 0o600]
    if os.geteuid() == 0:
        if (child := os.fork()) == 0:
            os.chdir(place.parent)
            os.setuid(65534)
            try:
                socket.socket(socket.AF_UNIX).connect("local/socket")
            except PermissionError:
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0


def test_one_serves_and_one_that_was_killed_amid_a_command_says_so_and_is_in_nobodys_way(
    server: subprocess.Popen[str], served: Served, tmp_path: Path
) -> None:
    second = subprocess.run([*ANSWERABLE, "serve", "--local"], capture_output=True, text=True, check=False)
    assert (second.returncode, second.stdout) == (1, "")
    assert second.stderr == f"error: {Path('.answerable').resolve()} is served by answerable serve --local already\n"
    assert served("ask", QUESTION)
    os.mkfifo(fifo := tmp_path / "questions")
    client, held = busy(fifo)
    server.kill()
    out, err = client.communicate(timeout=60)
    os.close(held)
    server.wait()
    assert (client.returncode, out) == (1, "")
    assert err == "error: answerable serve --local ended before the command did\n  try: run the command again\n"
    assert Path(".answerable/local/socket").exists() and served("ask", QUESTION) is None
    third = serving()
    assert served("ask", QUESTION)
    third.send_signal(signal.SIGINT)
    assert third.communicate(timeout=60)[0] == "stopped; commands done: 1\n" and third.returncode == 0


def busy(fifo: Path) -> tuple[subprocess.Popen[str], int]:
    """A command that the server is at for as long as the second is open."""
    given = [*ANSWERABLE, "pairs", "ask", "--questions", str(fifo)]
    made = subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while True:
        try:
            return made, os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads it yet
            time.sleep(0.01)


def test_a_command_is_interrupted_there_too(common: Path, served: Served, tmp_path: Path) -> None:
    os.mkfifo(fifo := tmp_path / "questions")
    for sent in (signal.SIGINT, signal.SIGKILL):
        client, held = busy(fifo)
        assert served("ask", QUESTION) is None  # it is at something
        client.send_signal(sent)
        said = client.communicate(timeout=60)
        assert said == ("", "") and client.returncode == (130 if sent == signal.SIGINT else -signal.SIGKILL)
        os.close(held)
        until = time.monotonic() + 60
        while (ran := served("ask", QUESTION)) is None and time.monotonic() < until:
            time.sleep(0.1)
        assert ran and ran.code == 0 and ran.out.startswith("1531")


@pytest.mark.usefixtures("common")
def test_a_reader_that_has_had_enough_ends_it_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run([*ANSWERABLE, "ask", QUESTION], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_it_takes_no_other_options(command: Command) -> None:
    for options in (["--port", "0"], ["--enclave", "wiki"]):
        ran = command("serve", "--local", *options)
        assert ran.code == 2 and "--local is for this machine alone" in ran.err
