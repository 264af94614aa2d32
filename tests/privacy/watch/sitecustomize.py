"""A watch over a Python process and all that it starts: what it looks up, connects to and writes.

Python imports this when it starts, wherever this folder is on PYTHONPATH. What Python code does is seen by an audit
hook (PEP 578), noted in WATCH_NOTES and refused: names and addresses that are not this machine's, and writing outside
of the folders in WATCH_ROOTS. Native code is held by a filter of the kernel (seccomp; Linux alone, no root needed): a
process dies of SIGSYS that connects a socket to anything, or sends to an address. A look-up of a name begins so.
"""

import ctypes
import os
import platform
import struct
import sys

NOTES, ROOTS = os.environ["WATCH_NOTES"], os.environ["WATCH_ROOTS"].split(os.pathsep)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate", "os.chmod")
ADDRESSED = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg")
LOOK_UPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
CONNECT_AND_SENDTO = {"x86_64": (42, 44), "aarch64": (203, 206)}
"""The numbers of the two calls of the system."""
noting = False


def _outside(path):
    if not isinstance(path, str | bytes | os.PathLike):
        return False  # a file that is open
    name = os.path.realpath(os.fsdecode(path))
    device = name.startswith("/dev/") and not name.startswith("/dev/shm/")  # where files lie in memory
    return not device and not any(name == root or name.startswith(f"{root}/") for root in ROOTS)


def _away(host):
    return host not in (None, "", b"") and not os.fsdecode(host).startswith(("127.", "::1", "localhost"))


def _wrong(event, args):
    if event == "open":
        return bool(args[2] & WRITES) and _outside(args[0])
    if event in CHANGES or event == "sqlite3.connect":
        return any(_outside(path) for path in args[:2])
    if event in ADDRESSED:
        return isinstance(args[1], tuple) and _away(args[1][0])
    return event in LOOK_UPS and _away(args[0])


def _watch(event, args):
    global noting
    if noting or not _wrong(event, args):
        return
    noting = True
    with open(NOTES, "a", encoding="utf-8") as notes:
        notes.write(f"{event} {args!r}\n")
    noting = False
    raise PermissionError(f"watched: {event} {args!r}")


def _step(code, value, then=0, other=0):
    return struct.pack("HBBI", code, then, other, value)


def _hold_native_code(connect, sendto):
    """The filter: what is compared, and how many steps are left out where it is so, and where not."""
    load, same, end = 0x20, 0x15, 0x06
    address = (48, 52)  # where the fifth argument's halves lie: 0 where a socket that is connected sends
    steps = [_step(load, 0), _step(same, connect, 5), _step(same, sendto, 0, 5)]
    steps += [_step(load, address[0]), _step(same, 0, 0, 2), _step(load, address[1]), _step(same, 0, 1)]
    steps += [_step(end, 0x80000000), _step(end, 0x7FFF0000)]  # kill the process; allow
    program = ctypes.create_string_buffer(b"".join(steps))
    kernel = ctypes.CDLL(None, use_errno=True)
    if kernel.prctl(38, 1, 0, 0, 0) or kernel.prctl(22, 2, struct.pack("HP", len(steps), ctypes.addressof(program))):
        raise OSError(ctypes.get_errno(), "this system lets no process watch itself")


if sys.platform == "linux" and platform.machine() in CONNECT_AND_SENDTO:
    _hold_native_code(*CONNECT_AND_SENDTO[platform.machine()])
sys.addaudithook(_watch)
