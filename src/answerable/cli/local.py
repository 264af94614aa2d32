"""The way from a command to the server of its workspace (`answerable serve --local`), which has the models loaded.

Imports nothing but a little of the standard library: a command that is done there starts at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

FOLDER, SOCKET = "local", "socket"
"""Where it is answered, in the workspace: the folder and the socket are their owner's alone."""
SERVED = ("ask", "find", "read", "link", "good", "bad", "pairs ask")
"""Commands that load models, and read nothing of standard input."""
ALONE = 255
"""Said in place of an exit code: the command is to be done by its own process. Nothing of it was done."""
PATIENCE = 0.5
"""Seconds for which a server is waited for that is at another command, and a client that does not say its own."""
_NOT_SERVED = {"--chat", "--help", "-h", "--version"}
_LEAVING = 2.0  # seconds for which an interrupted command may end


def done(args: Sequence[str]) -> int | None:
    """Have a command done by the server of its workspace: its exit code, or None where it is to be done here, since
    none runs, or it is busy, of another version, or set up otherwise.

    The server writes to this process's own outlets. Raises `KeyboardInterrupt`, once it has stopped there.
    """
    folder = _workspace(args)
    if folder is None or os.name == "nt" or None in (sys.stdin, sys.stdout, sys.stderr):
        return None
    place = f"{folder}/{FOLDER}"
    try:
        held = os.lstat(place)
        if held.st_uid != os.geteuid() or held.st_mode & 0o077:
            return None
        import socket

        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE)
            line.connect(f"{place}/{SOCKET}")
            if line.recv(1024) != stamp():
                return None
            line.settimeout(None)
            request = _request(args)
            socket.send_fds(line, [len(request).to_bytes(4)], [0, 1, 2])
            line.sendall(request)
            return _end(line, args)
    except OSError:
        return None


def _workspace(args: Sequence[str]) -> str | None:
    """The workspace that a command line seems to name, and None for a command that is not served. The server reads
    the line as the command itself does, and does nothing in another workspace."""
    options = args[: args.index("--")] if "--" in args else args
    folder, words, before = os.environ.get("ANSWERABLE_WORKSPACE") or ".answerable", list[str](), ""
    for one in options:
        if before in ("-w", "--workspace"):
            folder = one
        elif one.startswith("--workspace="):
            folder = one.partition("=")[2]
        elif one.startswith("-w"):
            folder = one[2:] or folder
        elif not one.startswith("-"):
            words.append(one)
        before = one
    served = words and (words[0] in SERVED or " ".join(words[:2]) in SERVED)
    return folder if served and _NOT_SERVED.isdisjoint(options) else None


def _request(args: Sequence[str]) -> bytes:
    """A command with what it finds around it: fields that end with a NUL, which none of them can hold."""
    name = os.path.basename(sys.argv[0])  # noqa: PTH119
    program = "python -m answerable" if name == "__main__.py" else name
    about = [os.getcwd(), program, sys.stdout.encoding, sys.stderr.encoding, f"{len(args)}"]  # noqa: PTH109
    around = [f"{name}={value}" for name, value in os.environ.items()]
    return b"".join(os.fsencode(field) + b"\0" for field in (*about, *args, *around))


def _end(line: socket.socket, args: Sequence[str]) -> int | None:
    """The exit code, when there is one."""
    import socket

    try:
        code = line.recv(1)
    except KeyboardInterrupt:
        line.settimeout(_LEAVING)
        try:
            line.shutdown(socket.SHUT_WR)
            line.recv(1)
        except OSError:
            pass
        raise
    except OSError:
        code = b""
    if not code:
        from answerable.cli.shell import fail
        from answerable.errors import WorkspaceError

        error = WorkspaceError("answerable serve --local ended before the command did", hint="run the command again")
        fail(error, "--json" in args)
    return None if code[0] == ALONE else code[0]


def stamp() -> bytes:
    """Differs between two installations, and between two versions of one, by the times of its files."""
    here = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
    return os.fsencode(f"{sys.version} {here} {_newest(here)}")[-1024:]


def _newest(folder: str) -> tuple[int, int, int]:
    """How many files there are below a folder, the sum of their sizes, and when the last was written."""
    count = size = last = 0
    with os.scandir(folder) as held:
        for one in held:
            if one.is_dir(follow_symlinks=False):
                more = _newest(one.path) if one.name != "__pycache__" else (0, 0, 0)
            else:
                about = one.stat()
                more = 1, about.st_size, about.st_mtime_ns
            count, size, last = count + more[0], size + more[1], max(last, more[2])
    return count, size, last
