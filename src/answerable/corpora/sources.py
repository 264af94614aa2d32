"""Opening files that nobody vouches for: bounded reads, gzip that is no bomb, text in whatever encoding."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from answerable.errors import FormatError
from answerable.printing import counted
from answerable.records import setting
from answerable.text import one_line

Report = Callable[[str], None]
"""Takes one sentence about something that was passed over. It never carries text of a document."""

_MEBIBYTE = 2**20
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_NO_CHARSETS = frozenset({"punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined"})
_NAME_BLANK = re.compile(r"_|(?<!\d)-|-(?!\d)")  # the hyphens of a date stay
_CONTROL = bytes(set(range(32)) - {9, 10, 11, 12, 13, 27})
_CONTROL_SHARE = 0.01
_LONGEST_ID = 500
_SHOWN = 3  # faults of one file


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may cost, in bytes unless the name says otherwise. Whatever is larger is passed over, and said so.

    `max_bytes` bounds a file that is read whole (text, HTML, PDF, tables), counted unpacked. Mailboxes and JSONL are
    streams of any length, where `max_record` bounds one mail or line. `max_ratio` counts once past 16 MiB.
    `max_seconds` is time of the processor; with 0 files are read in this process, and `max_memory` does not hold.
    """

    max_bytes: int = setting(64 * _MEBIBYTE, "bytes of a file that is read whole", 1, 2**40)
    max_record: int = setting(16 * _MEBIBYTE, "bytes of one mail or one line of JSONL", 1, 2**40)
    max_attached: int = setting(16 * _MEBIBYTE, "bytes of a file attached to a mail; 0: none is read", 0, 2**40)
    max_ratio: int = setting(200, "times its packed size that an archive may unpack to", 1, 10_000)
    max_pages: int = setting(5000, "pages of one PDF", 1, 1_000_000)
    max_seconds: float = setting(
        60.0, "seconds for reading each 4 MiB of a file; 0: no limit, nor of memory", 0, 86_400
    )
    max_memory: int = setting(2048 * _MEBIBYTE, "bytes of memory that reading files may take, on Linux", 2**27, 2**40)


@dataclass(frozen=True, slots=True)
class Held:
    """A file that lies in memory, as what is attached to a mail does."""

    name: str
    data: bytes


File = Path | Held


def skipped(source: str, why: object) -> str:
    """The line for a file that was passed over; of what an error says of it the name is left out."""
    told = str(why)
    return f"skipped {source}: " + (f"it{told.removeprefix(source)}" if told.startswith(f"{source} ") else told)


class ByteStream:
    """A regular file, unpacked if it is gzip, whose faults are all `FormatError`."""

    def __init__(self, raw: BinaryIO, name: str, limits: Limits, packed: bool) -> None:
        self._raw = raw
        self._file: BinaryIO = gzip.GzipFile(fileobj=raw) if packed else raw  # type: ignore[assignment]
        self._name = name
        self._packed = packed
        self._ratio = limits.max_ratio
        self._unpacked = 0

    def readline(self, size: int) -> bytes:
        """The next line, or its first `size` bytes if it is longer; empty at the end."""
        return self._taken(self._file.readline, size)

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; fewer only at the end."""
        return self._taken(self._file.read, size)

    def _taken(self, take: Callable[[int], bytes], size: int) -> bytes:
        try:
            data = take(size)
        except (OSError, EOFError, zlib.error) as error:
            raise _damaged(self._name, error) from error
        if self._packed:
            self._unpacked += len(data)
            if self._unpacked > 16 * _MEBIBYTE and self._unpacked > self._ratio * max(self._raw.tell(), 1):
                raise FormatError(f"{self._name} unpacks to over {self._ratio} times its size, as only a bomb does")
        return data


def _damaged(name: str, error: BaseException) -> FormatError:
    reason = getattr(error, "strerror", None) or "it is truncated or damaged"
    return FormatError(f"{name} cannot be read: {reason}")


@contextmanager
def open_file(path: File, name: str) -> Iterator[BinaryIO]:
    """Open a regular file for reading; pipes, sockets and devices are never waited for.

    Raises `FormatError` naming `name` when it cannot be opened or is no regular file.
    """
    if isinstance(path, Held):
        yield io.BytesIO(path.data)
        return
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        raise _damaged(name, error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FormatError(f"{name} is not a regular file")
    with os.fdopen(descriptor, "rb") as file:
        yield file


@contextmanager
def open_stream(path: File, name: str, limits: Limits) -> Iterator[ByteStream]:
    """Open a file of any length, unpacked when its name ends in .gz."""
    with open_file(path, name) as raw:
        yield ByteStream(raw, name, limits, packed=path.name.lower().endswith(".gz"))


def read_whole(path: File, name: str, limits: Limits) -> bytes:
    """All bytes of a file, unpacked when its name ends in .gz; `FormatError` when it is empty or over the limit."""
    with open_stream(path, name, limits) as stream:
        data = stream.read(limits.max_bytes + 1)
    if len(data) > limits.max_bytes:
        size = limits.max_bytes // _MEBIBYTE
        raise FormatError(f"{name} is larger than {size} MiB", hint="split it, or raise the limit max_bytes")
    if not data.strip():
        raise FormatError(f"{name} is empty")
    return data


def lines(stream: ByteStream, limit: int) -> Iterator[bytes | None]:
    """Each line of a stream, or None in the place of a line longer than `limit` bytes, which is never held whole."""
    while line := stream.readline(limit + 1):
        if len(line) <= limit:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(_MEBIBYTE)
        yield None


def decode(data: bytes, name: str) -> str:
    """Text in UTF-8, in UTF-16 or UTF-32 with a byte-order mark, else in Windows-1252.

    Line ends stay as they are; a byte-order mark is dropped. Raises `FormatError` when the bytes are no text.
    """
    encoding = next((encoding for mark, encoding in _BOMS if data.startswith(mark)), None)
    if encoding:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            raise FormatError(f"{name} is not the {encoding} text its first bytes promise") from None
    if b"\0" in data:
        raise FormatError(f"{name} holds NUL bytes: it is binary, or UTF-16 without a byte-order mark")
    try:
        return data.decode()
    except UnicodeDecodeError:
        if len(data) - len(data.translate(None, _CONTROL)) > _CONTROL_SHARE * len(data):
            raise FormatError(f"{name} is binary, not text") from None
        return data.decode("cp1252", errors="replace")


def charset(name: str) -> str:
    """The codec of a charset that a file names. Raises `LookupError` for one that is unknown, and for those that
    are no writing of texts but take the square of their length."""
    found = codecs.lookup(name).name if len(name) <= 40 and name.isascii() else "undefined"
    if found.replace("-", "_") in _NO_CHARSETS:
        raise LookupError("no charset of texts")
    return found


def clean(text: str) -> str:
    """Text that any store can hold: no NUL and no half of a surrogate pair (JSON and mail can smuggle in both)."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def short_name(name: str) -> str:
    """A record's name for itself, which all of its passages repeat: one that is overlong is cut, and told by a hash."""
    if len(name) <= _LONGEST_ID:
        return name
    return f"{name[: _LONGEST_ID - 13]}-{hashlib.blake2b(name.encode(), digest_size=6).hexdigest()}"


def distinct(name: str, seen: dict[str, int]) -> str:
    """A name that comes again with `~2` after it, or the next number that is no name yet; `seen` is added to."""
    made, count = name, seen.get(name, 0) + 1
    while made in seen:
        made, count = f"{name}~{max(2, count)}", count + 1
    seen[name] = max(1, count - 1)
    seen.setdefault(made, 1)
    return made


def title_from(source: str) -> str:
    """A title for a file that has none: its name without endings, with spaces for hyphens and underscores."""
    name = PurePosixPath(source).name
    if name.lower().endswith(".gz"):
        name = name[:-3]
    stem = PurePosixPath(name).stem or name
    return one_line(_NAME_BLANK.sub(" ", stem)) or stem


class Faults:
    """Reports the faults of the records of one file: the first few each, the others as a count, once all are read."""

    def __init__(self, name: str, report: Report) -> None:
        self._name = name
        self._report = report
        self._count = 0

    def add(self, where: str, reason: str) -> None:
        """One record was passed over. `reason` must not quote it."""
        self._count += 1
        if self._count <= _SHOWN:
            self._report(f"skipped {where} of {self._name}: {reason}")

    def __enter__(self) -> Faults:
        return self

    def __exit__(self, *_: object) -> None:
        if self._count > _SHOWN:
            self._report(f"skipped {counted(self._count - _SHOWN, 'more record')} of {self._name}")
