"""What is said of an enclave in answerable.toml, and how it is written there."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, get_type_hints

from answerable.errors import SettingsError
from answerable.indexes.index import Mode
from answerable.privacy.enclaves import mirror, private
from answerable.remote.place import Place, places
from answerable.types import EVERYTHING, PUBLIC, Asker, Enclave
from answerable.workspace.values import check_known, convert

if TYPE_CHECKING:
    from answerable.indexes.sources import SearchableEnclave

FILE_NAME = "answerable.toml"


class Kind(StrEnum):
    """What an enclave is, as declared: whose text it holds and who hears the queries sent to it."""

    PUBLIC = "public"
    """Public text: reading it makes nothing private. Here it may be asked anything; elsewhere, where strangers may see
    the queries, it is sent public ones only."""
    MIRROR = "mirror"
    """Public text on a machine of the user's own, wherever that is: any query may be sent."""
    PRIVATE = "private"
    """Private text: reading it makes all that follows private."""


UNLABELLED = (Kind.PUBLIC, Kind.MIRROR)


@dataclass(frozen=True, slots=True)
class Declaration:
    """One `[enclaves.NAME]` table. `admits`: the labels that its host may be sent, if not as it lies: text on this
    machine may be asked anything. An empty one treats text that lies here as if it were elsewhere.

    `remote`: the machine that serves it, `beside`: others that hold parts of it; None: it is in this workspace. `mode`:
    how it is ranked; None: as all are. `index`: what searches it in this process, an object that was handed in; it
    stands in no file.
    """

    name: str
    kind: Kind = Kind.PRIVATE
    admits: frozenset[str] | None = None
    remote: Place | None = None
    mode: Mode | None = None
    index: SearchableEnclave | None = field(default=None, repr=False, compare=False)
    beside: tuple[Place, ...] = ()

    @property
    def places(self) -> tuple[Place, ...]:
        """The machines that serve it, none if it is in this workspace."""
        return (self.remote, *self.beside) if self.remote else ()

    @property
    def url(self) -> str | None:
        """Their addresses."""
        return ", ".join(one.url for one in self.places) or None

    def enclave(self) -> Enclave:
        """The enclave as the flow rule sees it. Raises `SettingsError` for a mirror with `admits`."""
        return replace(self._ruled(), remote=self.remote is not None)

    def _ruled(self) -> Enclave:
        if self.kind is Kind.MIRROR and self.admits is not None:
            raise SettingsError(f"enclaves.{self.name}.admits is set", hint="a mirror admits everything; leave it out")
        # What another machine, or an index that was handed in, does with a query is not known: it is sent no more than
        # is said.
        elsewhere = self.remote is not None or (self.index is not None and self.kind is Kind.PUBLIC)
        admits = PUBLIC if self.admits is None and elsewhere else self.admits
        if self.kind is Kind.PRIVATE:
            return private(self.name, admits)
        if self.kind is Kind.MIRROR or admits is None:
            return mirror(self.name)
        return Enclave(self.name, PUBLIC, admits)

    @property
    def whose(self) -> str:
        """Whose machine it lies on, and what it is sent, in words."""
        if self.remote:
            return f"at {self.url}"
        return "on this machine" if self.enclave().admits == EVERYTHING else "on this machine, as if elsewhere"

    def record(self, enclave: Enclave) -> dict[str, Any]:
        """One of `enclaves --json`, with the enclave as it stands in the table."""
        told = {"name": self.name, "kind": self.kind, "label": sorted(enclave.label), "admits": sorted(enclave.admits)}
        return {**told, "remote": self.url, "mode": self.mode}

    def toml(self) -> str:
        """The table, as it stands in the file. A token is not among it, only where it is kept."""
        lines = [f"[enclaves.{self.name}]", f'kind = "{self.kind}"']
        if self.admits is not None:
            lines.append(f"admits = {_quoted(sorted(self.admits))}")
        if self.remote:
            given = {
                "remote": [one.url for one in self.places],
                "token_file": [str(one.token_file) for one in self.places if one.token_file],
                "ca_file": [str(one.ca_file) for one in self.places if one.ca_file],
            }
            if len(given["token_file"]) not in (0, len(self.places)):  # one that is written is for all of them
                raise SettingsError(
                    f"some of the servers of {self.name} have a token, others none", hint="give each one"
                )
            each = {key: values[:1] if len(set(values)) == 1 else values for key, values in given.items() if values}
            lines += [f"{key} = {_quoted(one[0] if len(one) == 1 else one)}" for key, one in each.items()]
            lines += ["plain = true"] if self.remote.plain else []
        lines += [f'mode = "{self.mode}"'] if self.mode else []
        return "\n".join(lines)


class EnclaveRow(TypedDict, total=False):
    """What may stand in a table `[enclaves.NAME]`."""

    kind: Kind
    admits: frozenset[str]
    mode: Mode
    remote: str | list[str]
    token_file: str | list[str]
    ca_file: str | list[str]
    plain: bool


class AskerRow(TypedDict, total=False):
    """What may stand in a table `[askers.NAME]`."""

    clearance: frozenset[str]
    label: frozenset[str]


def read_declarations(raw: Mapping[str, Any], folder: Path) -> dict[str, Declaration]:
    """The enclaves of a settings file; files are meant from the workspace's `folder`. Raises `SettingsError`."""
    return {
        name: Declaration(
            name,
            table.get("kind", Kind.PRIVATE),
            table.get("admits"),
            places[0] if places else None,
            table.get("mode"),
            beside=places[1:],
        )
        for name, table in _rows(raw, "enclaves", EnclaveRow).items()
        for places in [_places(f"enclaves.{name}", table, folder)]
    }


def read_askers(raw: Mapping[str, Any]) -> dict[str, Asker]:
    """The askers of a settings file. Raises `SettingsError`."""
    askers = _rows(raw, "askers", AskerRow).items()
    return {name: Asker(name, table.get("clearance", PUBLIC), table.get("label", PUBLIC)) for name, table in askers}


def _rows(raw: Mapping[str, Any], section: str, row: type) -> dict[str, Any]:
    """The tables of a section by name, each value as the type that the `row` says."""
    tables, kinds = raw.get(section, {}), get_type_hints(row)
    if not isinstance(tables, dict):
        raise SettingsError(f"{section} is not a table", hint=f"write [{section}.NAME]")
    rows: dict[str, Any] = {}
    for path, table in ((f"{section}.{name}", table) for name, table in tables.items()):
        if not isinstance(table, dict):
            raise SettingsError(f"{path} is not a table", hint=f"write [{path}]")
        for key in table:
            check_known(key, sorted(kinds), f"unknown setting {path}.{key} in {FILE_NAME}")
        rows[path.partition(".")[2]] = {
            key: convert(f"{path}.{key}", value, kinds[key], strict=True) for key, value in table.items()
        }
    return rows


def _places(path: str, table: EnclaveRow, folder: Path) -> tuple[Place, ...]:
    """Where the table at `path` says that its enclave is."""
    if "remote" not in table:
        if given := {"token_file", "ca_file", "plain"} & table.keys():
            raise SettingsError(f"{path}.{min(given)} is set", hint="it is for an enclave with remote, an address")
        return ()
    token_files = [folder / one for one in _several(f"{path}.token_file", table.get("token_file", []))]
    ca_files = [folder / one for one in _several(f"{path}.ca_file", table.get("ca_file", []))]
    try:
        return places(_several(path, table["remote"]), token_files, ca_files, table.get("plain", False))
    except SettingsError as error:
        raise SettingsError(f"{path}.remote: {error.args[0]}", hint=error.hint) from None


def _several(path: str, given: str | list[str]) -> list[str]:
    several = [given] if isinstance(given, str) else given
    if not all(map(str.strip, several)):
        raise SettingsError(f"{path} is empty", hint="leave it out")
    return several


def added(text: str, made: Declaration) -> str:
    """The text of a settings file with one more table. Raises `SettingsError` when it takes none."""
    text = f"{text.rstrip()}\n\n{made.toml()}\n"
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # `enclaves = {...}` takes no table after it
        hint = "write each enclave under a line [enclaves.NAME], not in braces"
        raise SettingsError(f"enclave {made.name} cannot be added to {FILE_NAME}", hint=hint) from None
    return text


def _quoted(value: Any) -> str:
    """A string, or a list of them, as TOML; what JSON writes is TOML too, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
