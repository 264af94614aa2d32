"""Mail where a server keeps it, by IMAP (RFC 3501), over TLS alone: looked at, and left as it is."""

from __future__ import annotations

import imaplib
import re
import ssl
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from answerable.errors import FormatError, RemoteError, UsageError

SECONDS = 60.0
"""For which an answer is waited for."""
_TLS_PORT = 993
_LISTED, _MAILS, _BYTES = 2_000, 50, 2**23
"""Mails that are listed at once, that are fetched at once, and how many bytes of them."""
_UID, _SIZE = re.compile(rb"\bUID (\d{1,10})\b"), re.compile(rb"\bRFC822\.SIZE (\d{1,18})\b")
_HINT = "imap://NAME@HOST/MAILBOX, such as imap://maria@example.org@imap.example.org/INBOX"
_FAILURES = (imaplib.IMAP4.error, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A mailbox of a server. `ca_file`: who vouches for its certificate; None: who does for the system.

    TLS begins with the connection at port 993, which is meant where none is given, and for `imaps://`; elsewhere by
    STARTTLS, without which nothing is sent. Raises `UsageError` for an address that cannot be used; it is not quoted,
    since it may hold a password.
    """

    url: str
    password: str = field(repr=False)
    ca_file: Path | None = None
    user: str = field(init=False)
    host: str = field(init=False)
    port: int = field(init=False)
    name: str = field(init=False)

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            port, host, user = parts.port or _TLS_PORT, parts.hostname, unquote(parts.username or "")
        except ValueError:
            port, host, user = 0, None, ""
        if not host or not user.isprintable() or not user or parts.query or parts.fragment:
            raise UsageError("the address of a mailbox cannot be used", hint=_HINT)
        if parts.password is not None:
            raise UsageError("a password does not belong into an address", hint="--password-file FILE")
        name = unquote(parts.path.strip("/")) or "INBOX"
        for key, value in {"user": user, "host": host, "port": port, "name": name}.items():
            object.__setattr__(self, key, value)
        tls = parts.scheme == "imaps" and port != _TLS_PORT
        place = f"[{host}]" if ":" in host else host
        place += f":{port}" if port != _TLS_PORT else ""
        user, name = (re.sub(r"[%?#:]", lambda mark: quote(mark[0]), one) for one in (user, name))
        object.__setattr__(self, "url", f"imap{'s' * tls}://{user}@{place}/{name}")

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """What is in it, read only. Raises `RemoteError` for a server that does not answer as it should, `UsageError`
        where there is no such mailbox or whoever asks is not let in."""
        with ExitStack() as stack:
            try:
                server = self._connected()
                stack.callback(_leave, server)
                self._let_in(server)
                found, counted = server.select(_quoted(_coded(self.name)), readonly=True)
                validity = server.response("UIDVALIDITY")[1]
                held = Opened(self, server, int(counted[0] or 0), int(validity[0] or 0)) if found == "OK" else None
            except ssl.SSLCertVerificationError as error:
                raise RemoteError(
                    f"nobody vouches for the certificate of {self.host}", hint="--ca-file FILE"
                ) from error
            except (*_FAILURES, TypeError) as error:  # never with what the server said: it may quote what it was sent
                raise RemoteError(f"{self.host}:{self.port} does not answer as an IMAP server with TLS") from error
            if held is None:
                raise UsageError(f"there is no mailbox {self.name!r} at {self.host}")
            yield held

    def _connected(self) -> imaplib.IMAP4:
        context = ssl.create_default_context(cafile=self.ca_file)
        if self.port == _TLS_PORT or self.url.startswith("imaps:"):
            return imaplib.IMAP4_SSL(self.host, self.port, ssl_context=context, timeout=SECONDS)
        server = imaplib.IMAP4(self.host, self.port, SECONDS)
        try:
            server.starttls(context)
        except BaseException:
            server.shutdown()
            raise
        return server

    def _let_in(self, server: imaplib.IMAP4) -> None:
        try:
            if "AUTH=PLAIN" in server.capabilities:
                server.authenticate("PLAIN", lambda _: f"\0{self.user}\0{self.password}".encode())
            else:
                server.login(_quoted(self.user), self.password)
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error:
            hint = "many want a password made for one program alone"
            raise UsageError(f"{self.host} does not let {self.user} in with this password", hint=hint) from None


class Opened:
    """A mailbox that is open. `validity`: with another number than before, its UIDs name other mails (2.3.1.1)."""

    def __init__(self, mailbox: Mailbox, server: imaplib.IMAP4, count: int, validity: int) -> None:
        self.mailbox, self.validity, self._server, self._count = mailbox, validity, server, count

    def sizes(self) -> dict[int, int]:
        """The bytes of every mail by its UID, upwards. Raises `FormatError`."""
        found: dict[int, int] = {}
        for first in range(1, self._count + 1, _LISTED):
            rows = self._said(
                self._server.fetch, f"{first}:{min(first + _LISTED - 1, self._count)}", "(UID RFC822.SIZE)"
            )
            for row in rows:
                uid, size = _UID.search(row or b""), _SIZE.search(row or b"")
                if uid and size:
                    found[int(uid[1])] = int(size[1])
        return dict(sorted(found.items()))

    def mails(self, sizes: dict[int, int]) -> Iterator[tuple[int, bytes]]:
        """The mails of these UIDs as they stand, upwards, without marking them as read. Raises `FormatError`."""
        batch, held = list[int](), 0
        for uid, size in sizes.items():
            batch.append(uid)
            held += size
            if len(batch) == _MAILS or held > _BYTES:
                yield from self._batch(batch)
                batch, held = [], 0
        if batch:
            yield from self._batch(batch)

    def _batch(self, uids: list[int]) -> list[tuple[int, bytes]]:
        rows = self._said(self._server.uid, "FETCH", ",".join(map(str, uids)), "(UID BODY.PEEK[])")
        found: dict[int, bytes] = {}
        for row, after in zip(rows, [*rows[1:], b""], strict=True):
            if isinstance(row, tuple):  # what stands before a mail and the mail; its UID may stand behind it
                about = row[0] + (after if isinstance(after, bytes) else b"")
                if (uid := _UID.search(about)) and int(uid[1]) in uids:
                    found[int(uid[1])] = row[1]
        return sorted(found.items())

    def _said(self, ask: Any, *words: str) -> list[Any]:
        try:
            found, rows = ask(*words)
        except _FAILURES as error:
            raise FormatError(f"{self.mailbox.host} hung up, or said what is no IMAP") from error
        if found != "OK":
            raise FormatError(f"{self.mailbox.host} refused to give mails")
        return list(rows)


def _leave(server: imaplib.IMAP4) -> None:
    try:
        server.logout()
    except _FAILURES:
        with suppress(OSError):
            server.shutdown()


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _coded(name: str) -> str:
    """A mailbox's name in the UTF-7 of IMAP (RFC 3501, 5.1.3)."""

    def coded(part: re.Match[str]) -> str:
        packed = b64encode(part[0].encode("utf-16-be")).decode("ascii").rstrip("=").replace("/", ",")
        return "&-" if part[0] == "&" else f"&{packed}-"

    return re.sub(r"&|[^\x20-\x7e]+", coded, name)
