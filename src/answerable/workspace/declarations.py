"""What is said of an enclave in answerable.toml, and how it is written there."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from answerable.errors import SettingsError
from answerable.indexes.index import Mode
from answerable.indexes.sources import SearchableEnclave
from answerable.privacy.enclaves import mirror, private
from answerable.remote.place import Place
from answerable.types import PUBLIC, Enclave


class Kind(StrEnum):
    """What an enclave is, as declared: whose text it holds and who hears the queries sent to it."""

    PUBLIC = "public"
    """Public text, searched where strangers may see the queries: only public queries are sent."""
    MIRROR = "mirror"
    """Public text on the user's own machine: any query may be sent, and reading it makes nothing private."""
    PRIVATE = "private"
    """Private text: reading it makes all that follows private."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """One `[enclaves.NAME]` table. `admits`: the labels a public or a private host elsewhere may be sent.

    `remote`: the machine that serves it; None: it is in this workspace. `mode`: how it is ranked; None: as all are.
    `index`: what searches it in this process, an object that was handed in; it stands in no file.
    """

    name: str
    kind: Kind = Kind.PRIVATE
    admits: frozenset[str] | None = None
    remote: Place | None = None
    mode: Mode | None = None
    index: SearchableEnclave | None = field(default=None, repr=False, compare=False)

    def enclave(self) -> Enclave:
        """The enclave as the flow rule sees it. Raises `SettingsError` for a mirror with `admits`."""
        return replace(self._ruled(), remote=self.remote is not None)

    def _ruled(self) -> Enclave:
        if self.kind is Kind.PRIVATE:
            elsewhere = PUBLIC if self.remote else None  # another machine is sent no more than is said
            return private(self.name, elsewhere if self.admits is None else self.admits)
        if self.kind is Kind.PUBLIC:
            return Enclave(self.name, PUBLIC, self.admits or PUBLIC)
        if self.admits is not None:
            raise SettingsError(f"enclaves.{self.name}.admits is set", hint="a mirror admits everything; leave it out")
        return mirror(self.name)

    def toml(self) -> str:
        """The table, as it stands in the file. A token is not among it, only where it is kept."""
        lines = [f"[enclaves.{self.name}]", f'kind = "{self.kind}"']
        if self.admits is not None:
            lines.append(f"admits = {_quoted(sorted(self.admits))}")
        if self.remote:
            lines.append(f"remote = {_quoted(self.remote.url)}")
            files = {"token_file": self.remote.token_file, "ca_file": self.remote.ca_file}
            lines += [f"{key} = {_quoted(str(path))}" for key, path in files.items() if path]
            lines += ["plain = true"] if self.remote.plain else []
        lines += [f'mode = "{self.mode}"'] if self.mode else []
        return "\n".join(lines)


REMOTE_KEYS = frozenset({"remote", "token_file", "ca_file", "plain"})


def place_of(path: str, table: Mapping[str, Any], folder: Path) -> Place | None:
    """Where the table at `path` says that its enclave is; files are meant from the workspace's folder.

    Raises `SettingsError` with the path of what is wrong.
    """
    given = REMOTE_KEYS & table.keys()
    if not given:
        return None
    if "remote" not in table:
        raise SettingsError(f"{path}.{min(given)} is set", hint="it is for an enclave with remote, an address")
    for key in given:
        kind: type = bool if key == "plain" else str
        if not isinstance(table[key], kind) or table[key] == "":
            raise SettingsError(f"{path}.{key} is {table[key]!r}, not {'true or false' if kind is bool else 'a name'}")
    token_file, ca_file = (folder / table[key] if key in table else None for key in ("token_file", "ca_file"))
    try:
        return Place(table["remote"], token_file, ca_file, table.get("plain", False))
    except SettingsError as error:
        raise SettingsError(f"{path}.remote: {error.args[0]}", hint=error.hint) from None


def added(text: str, made: Declaration, file_name: str) -> str:
    """The text of a settings file with one more table. Raises `SettingsError` when it takes none."""
    text = f"{text.rstrip()}\n\n{made.toml()}\n"
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # `enclaves = {...}` takes no table after it
        hint = "write each enclave under a line [enclaves.NAME], not in braces"
        raise SettingsError(f"enclave {made.name} cannot be added to {file_name}", hint=hint) from None
    return text


def _quoted(value: Any) -> str:
    """A string, or a list of them, as TOML; what JSON writes is TOML too, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
