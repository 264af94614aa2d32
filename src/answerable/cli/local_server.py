"""`answerable serve --local`: commands of one workspace done in a process that has its models loaded.

A client (`cli.local`) hands over its arguments, environment, working folder and outlets; the command line runs here
with them as it would there. One command at a time: a client that would have to wait does its command itself.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import typer
from filelock import FileLock, Timeout

from answerable.cli import shell as shared
from answerable.cli.local import ALONE, FOLDER, PATIENCE, SERVED, SOCKET, stamp
from answerable.cli.main import app
from answerable.cli.shell import Exit, Shell
from answerable.corpora.database import own_folder
from answerable.errors import AnswerableError, BusyError, UsageError, WorkspaceError
from answerable.workspace.fitted import FITTED
from answerable.workspace.opening import open_workspace, warm
from answerable.workspace.settings import Settings, load
from answerable.workspace.trust import admitted
from answerable.workspace.workspace import INDEXES, Workspace

_AGAIN = 0.1
"""Seconds between two signals to a command whose client is gone."""


def serve_local(shell: Shell) -> None:
    """Serve until told to stop. Raises `UsageError` on a system without such sockets, `BusyError` where the workspace
    is served so already, and `WorkspaceError` where its folder cannot hold the socket."""
    if not hasattr(socket, "send_fds"):
        raise UsageError("--local needs Unix-domain sockets, which this system does not have", "answerable serve")
    with shared.workspace_of(shell):  # there is one, and it may be used
        folder = shell.folder.resolve()
    with listening(folder / FOLDER) as listener, LocalServer(folder) as server:
        server.prepare(listener)
        shell.emit({"socket": str(folder / FOLDER / SOCKET)})
        shell.say(f"Serving {shell.folder} to your own commands on this machine. Ctrl-C to stop.")
        server.run(listener)
        shell.note(f"stopped; commands done: {server.count:,}")


@contextmanager
def listening(place: Path) -> Iterator[socket.socket]:
    """A socket in a folder of its own that nobody but its owner can reach, and where nobody else serves."""
    own_folder(place)
    held = place.stat()
    if held.st_uid != os.geteuid() or held.st_mode & 0o077:
        raise WorkspaceError(f"{place} cannot be closed to others", hint="keep the workspace on a disk of this machine")
    path = place / SOCKET
    try:
        with FileLock(place / "lock", mode=0o600, timeout=0), socket.socket(socket.AF_UNIX) as listener:
            path.unlink(missing_ok=True)  # of one that was killed
            mask = os.umask(0o177)
            try:
                listener.bind(str(path))
            except OSError as error:
                hint = "a shorter path, or another disk"
                raise WorkspaceError(f"{path} cannot be a socket: {error.strerror or error}", hint=hint) from error
            finally:
                os.umask(mask)
            try:
                yield listener
            finally:
                path.unlink(missing_ok=True)
    except Timeout:
        raise BusyError(f"{place.parent} is served by answerable serve --local already") from None


@dataclass(frozen=True, slots=True)
class Asked:
    """A command with what it finds around it, as `cli.local` sends it."""

    folder: str
    program: str
    encodings: tuple[str, str]
    args: tuple[str, ...]
    environment: Mapping[str, str]
    outlets: tuple[int, ...]

    @staticmethod
    def of(connection: socket.socket) -> Asked:
        """What a client sent. Raises `OSError`, and `ValueError` for what is not all there."""
        length, outlets, _, _ = socket.recv_fds(connection, 4, 3)
        try:
            size = int.from_bytes(length)
            with connection.makefile("rb") as file:
                sent = file.read(size)
            if len(sent) != size:
                raise ValueError
            *fields, _ = map(os.fsdecode, sent.split(b"\0"))
            folder, program, out, err, count, *rest = fields
            args, around = rest[: int(count)], rest[int(count) :]
            environment = dict(one.split("=", 1) for one in around)
            if len(outlets) != 3:
                raise ValueError
            return Asked(folder, program, (out, err), tuple(args), environment, tuple(outlets))
        except BaseException:
            for one in outlets:
                os.close(one)
            raise


class LocalServer(AbstractContextManager["LocalServer"]):
    """One workspace, open, and what runs commands on it. `count`: how many were done."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        self._stamp, self._environment = stamp(), dict(os.environ)
        self._command = typer.main.get_group(app)
        for name in SERVED:  # loaded now, not when the first is asked for
            self._command.commands[name.split()[0]]
        self._running = self._stopping = self._interrupted = False
        self._opened: Workspace | None = None
        self._chosen: object = None
        self._seen: object = None
        self._open()
        shared.lent = self._lend

    def __exit__(self, *_: object) -> None:
        shared.lent = None
        if self._opened is not None:
            self._opened.close()

    def prepare(self, listener: socket.socket) -> None:
        """From now on clients are answered, as soon as it runs, and signals heeded."""
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, self._stop)
        signal.signal(signal.SIGUSR1, self._interrupt)
        for one in (signal.SIGTTOU, signal.SIGTTIN):  # a client's terminal may be the one this was started from
            signal.signal(one, signal.SIG_IGN)
        listener.listen()

    def run(self, listener: socket.socket) -> None:
        """Do one command after the other, until a signal says to stop; then the one that was begun is finished."""
        with suppress(KeyboardInterrupt):
            while not self._stopping:
                connection, _ = listener.accept()
                with connection:
                    self._answer(connection)

    def _stop(self, *_: object) -> None:
        again, self._stopping = self._stopping, True
        if again or not self._running:
            raise KeyboardInterrupt

    def _interrupt(self, *_: object) -> None:
        if self._running and not self._interrupted:
            self._interrupted = True
            raise KeyboardInterrupt

    def _answer(self, connection: socket.socket) -> None:
        """Do what one client asks for."""
        connection.settimeout(PATIENCE)
        try:
            connection.sendall(self._stamp)
            asked = Asked.of(connection)
        except (OSError, ValueError):
            return
        connection.settimeout(None)
        with _leaving(connection) as gone:
            code = self._done(asked, gone)
        self.count += code != ALONE
        with suppress(OSError):
            connection.sendall(bytes([code]))
            connection.shutdown(socket.SHUT_RDWR)
        if code == Exit.INTERRUPTED:  # whatever it was at may be half done
            with suppress(AnswerableError):
                self._open()

    def _done(self, asked: Asked, gone: threading.Event) -> int:
        """Run a command, and return its exit code. `gone`: whether the client is."""
        code: Any = Exit.INTERRUPTED
        try:
            with _in_place_of(asked):
                try:
                    self._interrupted, self._running = False, True
                    if gone.is_set():
                        raise KeyboardInterrupt
                    self._command(asked.args, prog_name=asked.program)
                except SystemExit as ended:
                    code = ended.code
                finally:
                    self._running = False
        except KeyboardInterrupt:
            pass
        except (OSError, LookupError):  # no place for it here, or an encoding that is not known
            code = ALONE
        return int(code or 0)

    def _open(self) -> None:
        """Open the workspace as it is set up now, in place of what was open, and load what an ask needs."""
        if self._opened is not None:
            with suppress(Exception):  # interrupted anywhere, it may be in any state
                self._opened.close()
        self._chosen = None
        chosen = self._set_up(os.environ)
        self._opened = open_workspace(self.folder)
        self._seen = self._written(self._opened)
        warm(self._opened)
        self._chosen = chosen

    def _set_up(self, environment: Mapping[str, str]) -> tuple[Settings, object]:
        return load(self.folder, environment), _files(self.folder / FITTED)

    def _written(self, opened: Workspace) -> object:
        """Differs after whatever another process has written that is searched."""
        return opened.library.changes(), _files(self.folder / INDEXES)

    def _lend(self, folder: Path, found: bool) -> AbstractContextManager[Workspace]:
        """The workspace for the command that runs, as it is now. Raises `SystemExit` with `ALONE` where that is another
        one, is set up otherwise, may not be used, or cannot be opened: the command itself tells what is wrong."""
        try:
            chosen = self._set_up(os.environ)
            admitted(folder, chosen[0], found=found)
            if folder.resolve() != self.folder:
                raise SystemExit(ALONE)
            if chosen != self._chosen:
                if chosen != self._set_up(self._environment):
                    raise SystemExit(ALONE)
                self._open()
            assert self._opened is not None
            now = self._written(self._opened)
            if now != self._seen:
                if not self._opened.reopen():
                    raise SystemExit(ALONE)
                self._seen = now
            self._opened.resume()
        except (AnswerableError, OSError):
            raise SystemExit(ALONE) from None
        return nullcontext(self._opened)


def _files(folder: Path) -> object:
    """Every file below a folder, with its time and size."""
    files = ((path, path.stat()) for path in sorted(folder.rglob("*")))
    return [(path, about.st_mtime_ns, about.st_size) for path, about in files]


@contextmanager
def _leaving(connection: socket.socket) -> Iterator[threading.Event]:
    """Says when the client is gone, and interrupts this process's command then, for the length of the block."""
    main, over, gone = threading.get_ident(), threading.Event(), threading.Event()

    def watch() -> None:
        with suppress(OSError):
            connection.recv(1)
        gone.set()
        while not over.is_set():  # a signal just before it waits for something does not wake it: the next one does
            signal.pthread_kill(main, signal.SIGUSR1)
            over.wait(_AGAIN)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield gone
    finally:
        over.set()
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RD)
        watching.join()


@contextmanager
def _in_place_of(asked: Asked) -> Iterator[None]:
    """This process as that of the command: its outlets, environment and working folder, for the length of the block.
    Raises `OSError` where it cannot be."""
    with ExitStack() as after:
        for number, outlet in enumerate(asked.outlets):
            after.callback(_put, os.dup(number), number)
            _put(outlet, number)
        after.callback(os.chdir, Path.cwd())
        os.chdir(asked.folder)
        after.callback(_surround, dict(os.environ))
        _surround(asked.environment)
        after.callback(setattr, sys, "stdin", sys.stdin)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115
        for name, number, encoding in zip(("stdout", "stderr"), (1, 2), asked.encodings, strict=True):
            after.callback(setattr, sys, name, getattr(sys, name))
            made = open(number, "w", 1 if number == 2 else -1, encoding=encoding, closefd=False)  # noqa: SIM115
            after.callback(_finished, made)
            setattr(sys, name, made)
        yield


def _put(outlet: int, number: int) -> None:
    """Have `number` be what `outlet` was."""
    os.dup2(outlet, number)
    os.close(outlet)


def _surround(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


def _finished(stream: TextIO) -> None:
    """What cannot be written now is written nowhere: soon its number is that of another process's outlet."""
    with suppress(OSError):
        stream.close()
