"""Where a remote enclave is, and how it is reached: an address, a token and whom to trust."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from answerable.errors import SettingsError
from answerable.records import setting

PORT = 8642
"""Of a server that is not told another."""
SHORTEST_TOKEN = 16  # characters
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9a-f:.]+")  # a name, or an address of either kind
_LINE = re.compile(r"(?:(?P<name>[\w.@-]{1,64}):\s*)?(?P<token>[\x21-\x7e]+)")


@dataclass(frozen=True, slots=True)
class RemoteSettings:
    """How long an enclave on another machine is waited for: a try counts from connecting to the last byte."""

    timeout: float = setting(5.0, "seconds for one try to ask an enclave on another machine", 0.05, 600)
    tries: int = setting(3, "times that one search of such an enclave is sent, at most", 1, 10)
    deadline: float = setting(
        5.0, "seconds for one search of an enclave on several machines; who is later is left out, and named", 0.05, 600
    )


@dataclass(frozen=True, slots=True)
class Place:
    """A server. The token stays in its file; `plain` allows http to another machine, over a network that is trusted.

    Raises `SettingsError` for an address that is none, or that would carry text and token over a network in the clear.
    """

    url: str
    token_file: Path | None = None
    ca_file: Path | None = None
    plain: bool = False

    def __post_init__(self) -> None:
        hint = "such as https://wiki.example.org:8642"
        try:
            parts = urlsplit(self.url)
            host, port = parts.hostname, parts.port  # a port that is none raises
        except ValueError:
            raise SettingsError("the address of a remote enclave is not valid", hint=hint) from None
        if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host or "") or port == 0:
            raise SettingsError("the address of a remote enclave is not valid", hint=hint)
        if parts.username or parts.password:
            raise SettingsError("the address of a remote enclave holds a password", hint="use a token file")
        if parts.path not in ("", "/") or parts.query or parts.fragment:
            raise SettingsError("the address of a remote enclave ends after the port", hint=hint)
        if parts.scheme == "http" and not (self.plain or is_loopback(self.host)):
            raise SettingsError(
                f"http to {self.host} would carry questions and token readable by the network",
                hint="use https, or --plain (plain = true in the file) over a network that you trust",
            )

    @property
    def secure(self) -> bool:
        """Whether it is reached by TLS."""
        return urlsplit(self.url).scheme == "https"

    @property
    def host(self) -> str:
        """The name or address of the machine."""
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        """The port: the one given, or else that of the scheme."""
        return urlsplit(self.url).port or (443 if self.secure else 80)

    def token(self) -> str | None:
        """The one token of the token file. Raises `SettingsError` when the file holds none or several."""
        if self.token_file is None:
            return None
        tokens = read_tokens(self.token_file)
        if len(tokens) != 1:
            raise SettingsError(f"{self.token_file} holds {len(tokens)} tokens", hint="a client has one token")
        return next(iter(tokens.values()))


def places(
    urls: Sequence[str], token_files: Sequence[Path], ca_files: Sequence[Path], plain: bool
) -> tuple[Place, ...]:
    """One server, or several that hold an enclave together, with one file for all of them or one for each.

    Raises `SettingsError` for no address, one that is given twice, and another number of files.
    """
    if not urls or len({url.rstrip("/") for url in urls}) < len(urls):
        raise SettingsError("an address of a remote enclave is missing or given twice", hint="name each server once")
    for what, files in (("token", token_files), ("certificate", ca_files)):
        if len(files) not in (0, 1, len(urls)):
            raise SettingsError(
                f"{len(files)} {what} files are given for {len(urls)} servers", hint="give one for all, or one for each"
            )
    tokens, trusted = ([*files] * len(urls) if len(files) == 1 else [*files] for files in (token_files, ca_files))
    return tuple(
        Place(url, tokens[at] if tokens else None, trusted[at] if trusted else None, plain)
        for at, url in enumerate(urls)
    )


def is_loopback(host: str) -> bool:
    """Whether a host is this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_tokens(path: Path) -> dict[str, str]:
    """The tokens of a file by the name of who holds them: lines `NAME: TOKEN`, or a token alone; # starts a comment.

    Raises `SettingsError` for a file that cannot be read, a line that is none of these, or a token that is too short.
    No message quotes a line.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise SettingsError(f"the token file {path} cannot be read: {reason}") from None
    return tokens_of(lines, str(path))


def tokens_of(lines: list[str], source: str) -> dict[str, str]:
    """As `read_tokens`, from lines that came from `source`."""
    tokens: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise SettingsError(f"line {number} of {source} is no token", hint="write NAME: TOKEN, or a token alone")
        name = match["name"] or f"token-{number}"
        if len(match["token"]) < SHORTEST_TOKEN:
            raise SettingsError(
                f"the token in line {number} of {source} has under {SHORTEST_TOKEN} characters",
                hint="python -c 'import secrets; print(secrets.token_urlsafe(32))'",
            )
        if name in tokens or match["token"] in tokens.values():
            raise SettingsError(f"line {number} of {source} gives a name or a token twice", hint="keep one of the two")
        tokens[name] = match["token"]
    return tokens
