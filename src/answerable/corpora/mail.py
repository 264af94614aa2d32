"""Mail: mbox files, maildir folders and single messages, each mail a document that opens with its header lines."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.policy import Compat32
from email.utils import getaddresses, parsedate_to_datetime
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from answerable.corpora.attached import Attached, Read, name_of
from answerable.corpora.quotes import quote_sections
from answerable.corpora.sources import (
    ByteStream,
    Faults,
    File,
    Limits,
    Report,
    charset,
    clean,
    distinct,
    open_stream,
    read_whole,
    short_name,
    title_from,
)
from answerable.corpora.web import html_text
from answerable.errors import FormatError
from answerable.text import one_line
from answerable.types import Document

# `From `, an address, and a date: what opens a mail in a mailbox. Sloppy writers leave other lines with `From `.
_TIME, _YEAR = re.compile(rb"\d\d:\d\d"), re.compile(rb"\d{4}")
_LENIENT: dict[str, Any] = {"strict": False} if "strict" in signature(getaddresses).parameters else {}
"""Newer Pythons give nobody for "Moe, Kari <k@x.example>" without quotation marks, as mail often has it."""
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_MESSAGE_ID = re.compile(rb"^message-id:\s*<?([^\s<>]+)>?", re.IGNORECASE | re.MULTILINE)
_HEADER_END = re.compile(rb"\r?\n\r?\n")
_SOFT_BREAKS = re.compile(rb"(?:=20|=09|[^=\s]=)\r?$", re.MULTILINE)
_REMARK = re.compile(r"\(|(?<!\w)-|-(?!\w)")
"""Where a remark on a person begins, which stays behind the name: in a comment, or at a dash that joins no names."""
_RECIPIENTS = 10
"""People named in the text of a mail; all of them are in its meta."""

_BROKEN = (
    MessageError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
    RecursionError,
    OverflowError,
)
"""What the parser of the standard library has been seen to raise on mails that break the rules."""

_LINE = 65536
_LONGEST_MIME = 2000  # characters of a field about the content of a part
_DEEPEST = 20
_MOST_ATTACHMENTS = 1000
_LONGEST_ENCODED = 20_000  # characters of a header: decoding takes the square of them


def read_mbox(
    path: Path, source: str, enclave: str, limits: Limits, report: Report, start: int = 0, read: Read | None = None
) -> Iterator[Document]:
    """The mails of an mbox file (mboxrd quoting) from number `start` on, each with its number as `meta["record"]`,
    and after each what is attached to it, as `read` reads it.

    Ids are `source#message-id`; without one, the number and a hash of the mail; one that comes again gets `~2`.
    """
    with Faults(source, report) as faults, open_stream(path, source, limits) as stream:
        box = _Box(source, enclave, start, faults, Attached(read, faults))
        for number, raw in enumerate(_messages(stream, source, limits.max_record)):
            yield from box.documents(raw, number, title_from(source))


def read_maildir(
    path: Path, source: str, enclave: str, limits: Limits, report: Report, start: int = 0, read: Read | None = None
) -> Iterator[Document]:
    """The mails of a maildir and its subfolders, by folder and file name; ids and numbers as for an mbox."""
    with Faults(source, report) as faults:
        box = _Box(source, enclave, start, faults, Attached(read, faults))
        for number, (folder, file) in enumerate(maildir_files(path)):
            try:
                raw = read_whole(file, f"{source}/{file.parent.name}/{file.name}", limits)
            except FormatError:
                if number >= start:
                    faults.add(f"mail {number + 1}", "it is empty, too large or cannot be opened")
                continue
            yield from box.documents(raw, number, folder or title_from(source))


def maildir_files(path: Path) -> list[tuple[str, Path]]:
    """(subfolder, file) of every mail of a maildir, in the order they are read. Links are left out."""
    folders = [("", path)]
    folders += sorted(
        (entry.name.strip(".").replace(".", "/"), entry)
        for entry in path.iterdir()
        if entry.name.startswith(".") and not entry.is_symlink() and (entry / "cur").is_dir()
    )
    found = []
    for name, folder in folders:
        for part in ("cur", "new"):
            box = folder / part
            if box.is_dir() and not box.is_symlink():
                files = sorted(file for file in box.iterdir() if not file.is_symlink() and file.is_file())
                found += [(name, file) for file in files if not file.name.startswith(".")]
    return found


def read_eml(
    path: File, source: str, enclave: str, limits: Limits, report: Report, start: int = 0, read: Read | None = None
) -> Iterator[Document]:
    """A file that holds one mail, as one document whose id is its source, and what is attached to it."""
    raw = read_whole(path, source, limits)
    document: Document | None = None
    with suppress(*_BROKEN):
        message = parsed(raw)
        document = mail_document(message, source, source, enclave, 0, "")
    if document is None:
        raise FormatError(f"{source} is no mail that can be read")
    if not start:
        yield document
        with Faults(source, report) as faults:
            yield from Attached(read, faults).documents(message, document)


class _Box:
    """The mails of a mailbox, those from number `start` on as documents."""

    def __init__(self, source: str, enclave: str, start: int, faults: Faults, attached: Attached) -> None:
        self._source, self._enclave, self._start = source, enclave, start
        self._faults, self._attached = faults, attached
        self._seen: dict[str, int] = {}

    def documents(self, raw: bytes | None, number: int, folder: str) -> Iterator[Document]:
        """One mail, if it can be read, and what is attached to it. Its name is taken either way."""
        if raw is None:
            if number >= self._start:
                self._faults.add(f"mail {number + 1}", "it is longer than the limit for a record")
            return
        id = f"{self._source}#{distinct(_mail_name(raw, number), self._seen)}"
        if number < self._start:
            with suppress(*_BROKEN):
                self._attached.pass_over(partial(parsed, raw))
            return
        document: Document | None = None
        with suppress(*_BROKEN, FormatError):
            message = parsed(raw)
            document = mail_document(message, id, self._source, self._enclave, number, folder)
        if document is None:
            self._faults.add(f"mail {number + 1}", "its header or its encoding is broken")
        else:
            yield document
            yield from self._attached.documents(message, document)


def _messages(stream: ByteStream, source: str, limit: int) -> Iterator[bytes | None]:
    """The mails of a mailbox without their separator lines, None for one of more than `limit` bytes."""
    parts: list[bytes] = []
    size = 0
    after_blank = started = False
    for line in iter(lambda: stream.readline(_LINE), b""):
        if (after_blank or not started) and _separates(line):
            if started:
                yield _joined(parts, size, limit)
            parts, size, started, after_blank = [], 0, True, False
            continue
        if not started:
            if line.isspace():
                continue
            raise FormatError(f"{source} is not a mailbox: it does not begin with a From line")
        size += len(line)
        if size <= limit:
            parts.append(line)
        after_blank = line in (b"\n", b"\r\n")
    if started:
        yield _joined(parts, size, limit)


def _separates(line: bytes) -> bool:
    """Whether a line opens a mail: `From `, something, and later a time and a year."""
    if not line.startswith(b"From ") or line[5:6].isspace():
        return False
    time = _TIME.search(line, 6)
    return time is not None and _YEAR.search(line, time.end()) is not None


def _joined(parts: list[bytes], size: int, limit: int) -> bytes | None:
    return _QUOTED_FROM.sub(rb"\1", b"".join(parts)) if size <= limit else None


def _mail_name(raw: bytes, number: int) -> str:
    end = _HEADER_END.search(raw)
    head = raw[: end.start() + 1 if end else _LINE]
    if match := _MESSAGE_ID.search(head):
        return short_name(clean(match.group(1).decode("utf-8", "replace")))
    return f"{number}-{hashlib.blake2b(raw, digest_size=6).hexdigest()}"


def parsed(raw: bytes) -> Message:
    """A mail with its parts. May raise what the standard parser raises on broken mails."""
    return message_from_bytes(raw, _Part, policy=_Fields())


def mail_document(message: Message, id_: str, source: str, enclave: str, number: int, folder: str) -> Document | None:
    """A mail as a document: four header lines, a blank line, then its text. None when it has no header at all.

    `meta` has message_id, from, to, cc, date (ISO 8601, or empty), subject, in_reply_to, folder, attachments, record.
    May raise what the standard parser raises on broken mails.
    """
    if not (message.keys() and (message["from"] or message["to"] or message["subject"] or message["date"])):
        return None
    body, attachments = _body(message)
    subject = _header(message, "subject")
    sender, to, cc = (_people(message, name) for name in ("from", "to", "cc"))
    date = _date(message)
    head = f"From: {', '.join(sender)}\nTo: {_listed(to)}\nDate: {_readable(date)}\nSubject: {subject}\n\n"
    text = (head + body).rstrip() if body else head.rstrip()
    reply = _header(message, "in-reply-to").split()
    folders = _header(message, "x-folder").replace("\\", "/").strip("/ ")
    meta: dict[str, Any] = {
        "record": number,
        "message_id": _header(message, "message-id").strip("<>"),
        "from": ", ".join(sender),
        "to": to,
        "cc": cc,
        "date": date.isoformat() if date else "",
        "subject": subject,
        "in_reply_to": reply[0].strip("<>") if reply else "",
        "folder": folders.rpartition("/")[2] or folder,
        "attachments": attachments,
    }
    sections = quote_sections(text, len(head)) if body else ()
    return Document(id_, enclave, subject or "(no subject)", text, source, "mail", sections, meta)


class _Fields(Compat32):
    """Fields as they stand, to a length: what takes them apart takes long for each character, of MIME its square."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """A field's name and value."""
        name, value = super().header_source_parse(sourcelines)
        return name, value[: _LONGEST_MIME if name.lower().startswith("content-") else _LINE]


class _Part(Message):
    """A part of a mail. One deep within others has no parts: each line is held against the ends of all around it."""

    depth = 0

    def attach(self, payload: Any) -> None:
        """Add a part, which its parser does before it reads it."""
        payload.depth = self.depth + 1
        super().attach(payload)

    def get_content_type(self) -> str:
        """As it says of itself, but plain text where it is too deep to have parts."""
        kind = super().get_content_type()
        return "text/plain" if self.depth >= _DEEPEST and kind.startswith(("multipart/", "message/")) else kind


def _header(message: Message, name: str) -> str:
    """A header decoded and on one line; as it stands where its encoding is broken."""
    value = message[name]
    if value is None:
        return ""
    value = str(value)
    if "=?" in value and len(value) <= _LONGEST_ENCODED:
        try:
            pieces = decode_header(value)
            value = "".join(
                piece if isinstance(piece, str) else _decoded(piece, name or "ascii") for piece, name in pieces
            )
        except _BROKEN:
            pass
    return one_line(clean(value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")))


def _people(message: Message, name: str) -> list[str]:
    """`Name <address>` for everyone in a header. Exports of Exchange or Notes keep the names apart, in X-From, X-To."""
    found = getaddresses([_header(message, name)], **_LENIENT)
    people = [(one_line(who), where) for who, where in found if who or where]
    aside = _header(message, f"x-{name}")
    names = [aside] if name == "from" else [part.strip() for part in aside.split(",")]
    if aside and len(names) == len(people) and not any(who for who, _ in people):
        people = [(_plain_name(who, where), where) for who, (_, where) in zip(names, people, strict=True)]
    return [f"{who} <{where}>" if who and where else who or where for who, where in people]


def _plain_name(name: str, address: str) -> str:
    """A name as people write it, from `Name/HOU/ECT@ECT` or `Last, First <address>`; empty if it says nothing new."""
    name = re.split(r"[</@]", name, maxsplit=1)[0].strip(" \"'")
    remark = found.start() if (found := _REMARK.search(name)) else len(name)
    if name.count(",", 0, remark) == 1:
        last, first = name[:remark].split(",")
        name = f"{first.strip()} {last.strip()} {name[remark:].strip()}".strip()
    return "" if not name or name.lower() == address.lower().split("@")[0] else name


def _listed(people: list[str]) -> str:
    if len(people) <= _RECIPIENTS:
        return ", ".join(people)
    return f"{', '.join(people[:_RECIPIENTS])} and {len(people) - _RECIPIENTS} more"


def _date(message: Message) -> datetime | None:
    try:
        return parsedate_to_datetime(_header(message, "date"))
    except _BROKEN:
        return None


def _readable(date: datetime | None) -> str:
    """`Friday, 4 January 2019, 08:52`, in the time zone of the sender."""
    return f"{date:%A}, {date.day} {date:%B} {date.year}, {date:%H:%M}" if date else ""


def _body(message: Message) -> tuple[str, list[str]]:
    """The text of a mail, from its plain parts or else from its HTML, and the names of what is attached."""
    plain: list[str] = []
    html: list[str] = []
    attachments: list[str] = []
    for part in message.walk():
        if part.is_multipart():
            continue
        kind = part.get_content_type()
        if name := name_of(part):
            attachments.append(name)
        elif kind == "text/html":
            html.append(_part_text(part))
        else:
            plain.append(_part_text(part))
    if not any(text.strip() for text in plain):
        plain = [html_text(markup, "a mail")[1].text for markup in html if markup.strip()]
    return _tidy("\n\n".join(text for text in plain if text.strip())), attachments[:_MOST_ATTACHMENTS]


def _part_text(part: Message) -> str:
    """The text of one part. Raises `ValueError` when it is called base64 and is not."""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    if any(type(defect).__name__ == "InvalidBase64LengthDefect" for defect in part.defects):
        raise ValueError("base64 of a wrong length")
    encoding = str(part.get("content-transfer-encoding", "")).strip().lower()
    # Some exports drop the word quoted-printable and leave the encoding: lines that end in `=` or `=20` tell.
    if encoding in ("", "7bit", "8bit") and len(_SOFT_BREAKS.findall(payload[:200_000])) >= 2:
        import quopri

        payload = quopri.decodestring(payload)
    return _decoded(payload, part.get_content_charset() or "utf-8")


def _decoded(data: bytes, name: str) -> str:
    for codec in (name, "utf-8"):
        with suppress(LookupError, ValueError):
            return data.decode(charset(codec))
    return data.decode("cp1252", "replace")


def _tidy(text: str) -> str:
    """Line ends as \\n, no blanks at line ends, no control characters, at most two blank lines together."""
    text = clean(text.replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " "))
    text = re.sub(r"[\x01-\x08\x0b-\x1f\x7f]", "", text)
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{4,}", "\n\n\n", text).strip("\n").rstrip()
