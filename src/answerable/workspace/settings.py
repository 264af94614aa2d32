"""Settings: `answerable.toml`, then the environment, then flags, into the rooms' own frozen classes.

Every key has one path, `section.key`: `hops` under `[beam]` in the file, `ANSWERABLE_BEAM_HOPS` in the environment,
`beam.hops` in Python and in messages. Unknown keys and values out of range fail with their path, or with the variable
where they are from the environment.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

from answerable.chains.beam import BeamSettings
from answerable.corpora.database import explained
from answerable.corpora.sources import Limits
from answerable.documents.read_settings import ReadSettings
from answerable.engine import AskSettings
from answerable.errors import EnclaveError, SettingsError, UsageError
from answerable.indexes.index import Mode
from answerable.privacy.audit_log import JournalSettings
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.small_files import write_file
from answerable.qapairs.pair_settings import PairSettings
from answerable.records import Key, setting
from answerable.remote.host import LLM, LlmSettings
from answerable.remote.place import RemoteSettings
from answerable.retriever import RetrieverSettings
from answerable.serving.access import ServeSettings
from answerable.sets.find_settings import FindSettings
from answerable.types import PUBLIC, Asker
from answerable.work.spread import WorkSettings
from answerable.workspace.declarations import FILE_NAME, Declaration, Kind, added, read_askers, read_declarations
from answerable.workspace.parts import Parts
from answerable.workspace.stores import StoreSettings
from answerable.workspace.values import check_known, convert

PREFIX = "ANSWERABLE_"
NOT_SETTINGS = frozenset({"ANSWERABLE_WORKSPACE", "ANSWERABLE_TOKEN"})
"""Environment variables of ours that name no setting."""


@dataclass(frozen=True, slots=True)
class Origin:
    """One setting as `answerable doctor` prints it: its path, its value, and where the value came from."""

    path: str
    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which weights are used. A name without weights is a deterministic stand-in, for tests and small machines."""

    encoder: str = setting(
        "skills", "skills (an expert for each), hashed (no weights), a folder, or hf:NAME of Hugging Face"
    )
    reader: str = setting("span", "span, overlap (no weights), a folder, hf:NAME of Hugging Face, or llm: see [llm]")
    navigator: str = setting(
        "skills", "what walks long documents: skills, hashed (no weights), or the folder of a model"
    )
    judge: str = setting(
        "skills", "what judges whether documents fit a constraint: skills, overlap (no weights), or a folder"
    )
    matcher: str = setting("skills", "what matches questions among pairs: skills, hashed (no weights), or a folder")
    threads: int = setting(0, "processors a model may use; 0: all", 0, 256)


def _read_toml(path: Path) -> dict[str, Any]:
    """The file's tables, none when it is missing. Raises `SettingsError` with the line when it is not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))  # Windows editors put a byte-order mark first
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise SettingsError(f"{path.name} cannot be read: {reason}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{path.name} is not valid TOML: {error}") from error


@dataclass(frozen=True, slots=True)
class Settings:
    """Every room's settings, the enclaves and askers declared, and where each value came from.

    `own`: parts that were handed in, in place of those that `models` names. `folder`: of the workspace, if any.
    """

    ask: AskSettings
    beam: BeamSettings
    search: RetrieverSettings
    models: ModelSettings
    read: ReadSettings
    find: FindSettings
    pairs: PairSettings
    llm: LlmSettings
    limits: Limits
    journal: JournalSettings
    remote: RemoteSettings
    serve: ServeSettings
    store: StoreSettings
    work: WorkSettings
    enclaves: Mapping[str, Declaration] = field(default_factory=dict)
    askers: Mapping[str, Asker] = field(default_factory=dict)
    origins: tuple[Origin, ...] = ()
    own: Parts = Parts()
    folder: Path | None = None

    def table(self) -> EnclaveTable:
        """The declared enclaves, checked together, and each asker against them. Raises `EnclaveError`."""
        table = EnclaveTable(one.enclave() for one in self.enclaves.values())
        for asker in self.askers.values():
            table.check_asker(asker)
        return table

    def hosts(self) -> EnclaveTable:
        """The enclaves, and the language model where one is named: all that may be sent anything."""
        model = [self.llm.enclave] if self.asks or self.llm.endpoint else []
        return EnclaveTable([*self.table().values(), *model])

    @property
    def asks(self) -> bool:
        """Whether a language model answers."""
        return self.models.reader == LLM and self.own.reader is None

    @property
    def reader(self) -> str:
        """The reader that reads here: the one beside the language model where that answers."""
        return self.llm.beside if self.models.reader == LLM else self.models.reader

    def modes(self) -> dict[str, Mode]:
        """How enclaves are ranked that say so themselves."""
        return {name: one.mode for name, one in self.enclaves.items() if one.mode}

    def check_held_here(self, name: str) -> None:
        """Raise `EnclaveError` for an enclave that another machine holds, or an index that was handed in."""
        declared = self.enclaves.get(name)
        if declared and declared.index is not None:
            raise EnclaveError(f"enclave {name} is held by an index of your own", hint="choose another name")
        if declared and declared.remote:
            raise EnclaveError(f"enclave {name} is on another machine", hint=f"do this there: {declared.url}")


SECTIONS: Mapping[str, Any] = {
    name: kind for name, kind in get_type_hints(Settings).items() if is_dataclass(kind) and kind is not Parts
}
NAMED = ("enclaves", "askers")
"""What else a settings file holds: a table for each name."""


class Known(NamedTuple):
    """One setting: its type, its default, and what is said of it."""

    kind: Any
    default: Any
    key: Key


@cache
def keys() -> dict[str, Known]:
    """Every setting by its path, in the order of the file."""
    found = {}
    for section, room in SECTIONS.items():
        kinds = get_type_hints(room)
        for one in fields(room):
            found[f"{section}.{one.name}"] = Known(kinds[one.name], one.default, one.metadata["key"])
    return found


def checked(path: str, value: Any, said: str | None = None) -> Any:
    """A value for one setting, as its type and in its range. Raises `SettingsError` naming the path, or `said`."""
    return convert(said or path, value, keys()[path].kind, keys()[path].key)


def load(folder: Path | None, environment: Mapping[str, str], given: Mapping[str, Any] | None = None) -> Settings:
    """The settings of a workspace folder (None: no file), under the environment and what was `given` as an argument.

    Values of None in `given` mean "not given"; `enclaves.NAME.kind` redeclares an enclave for as long as it is open,
    and `enclaves.NAME.as_if_elsewhere` treats it as if its text lay elsewhere, or no longer.
    A `search.mode` that is given, or in the environment, is for every enclave, whatever the file says of each.
    Raises `SettingsError` naming the path or the variable of what is unknown or wrong.
    """
    raw = _read_toml(folder / FILE_NAME) if folder else {}
    given = {path: value for path, value in (given or {}).items() if value is not None}
    enclaves = read_declarations(raw, folder or Path())
    for path in [path for path in given if path.startswith("enclaves.")]:
        _, name, key = path.split(".", 2)
        if name not in enclaves or key not in ("kind", "as_if_elsewhere"):
            raise SettingsError(f"unknown setting {path}")
        if key == "kind":
            enclaves[name] = replace(enclaves[name], kind=convert(path, given.pop(path), Kind), admits=None)
        else:
            admits = PUBLIC if convert(path, given.pop(path), bool) else None
            enclaves[name] = replace(enclaves[name], admits=admits)
    paths = {path: path for path in keys()}
    variables = {_variable(path): path for path in paths}
    ours = {name: environment[name] for name in environment if name.startswith(PREFIX) and name not in NOT_SETTINGS}
    layers = {
        FILE_NAME: _layer(_flat(raw), paths, f" in {FILE_NAME}"),
        "environment": _layer(ours, variables, " in the environment"),
        "argument": _layer(given, paths),
    }
    if any("search.mode" in layers[name] for name in ("environment", "argument")):
        enclaves = {name: replace(declared, mode=None) for name, declared in enclaves.items()}
    found = {path: Origin(path, known.default, "default") for path, known in keys().items()}
    for name, values in layers.items():
        found |= {path: Origin(path, value, name) for path, value in values.items()}
    rooms = {
        section: room(**{one.name: found[f"{section}.{one.name}"].value for one in fields(room)})
        for section, room in SECTIONS.items()
    }
    return Settings(**rooms, enclaves=enclaves, askers=read_askers(raw), origins=tuple(found.values()), folder=folder)


def _variable(path: str) -> str:
    """The environment's name of a setting."""
    return PREFIX + path.replace(".", "_").upper()


def _flat(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a settings file by their paths."""
    values: dict[str, Any] = {}
    for section, table in raw.items():
        check_known(section, (*SECTIONS, *NAMED), f"unknown section [{section}] in {FILE_NAME}")
        if section in NAMED:
            continue
        if not isinstance(table, dict):
            raise SettingsError(f"{section} is not a table in {FILE_NAME}", hint=f"write [{section}]")
        values |= {f"{section}.{name}": value for name, value in table.items()}
    return values


def _layer(given: Mapping[str, Any], names: Mapping[str, str], where: str = "") -> dict[str, Any]:
    """What is given by the `names` that settings have there, each value checked, by the paths of the settings."""
    for name in given:
        check_known(name, names, f"unknown setting {name}{where}")
    return {names[name]: checked(names[name], value, name) for name, value in given.items()}


def _declared(folder: Path) -> dict[str, Declaration]:
    """As it is in the file now: another process may have added to it."""
    return read_declarations(_read_toml(folder / FILE_NAME), folder)


def declared_since(settings: Settings) -> list[Declaration]:
    """Enclaves that lie here and were declared in the file after these settings were read. Raises `SettingsError`."""
    declared = _declared(settings.folder or Path())
    return [one for name, one in declared.items() if name not in settings.enclaves and one.remote is None]


def declare(folder: Path, name: str, kind: Kind | None, admits: frozenset[str] | None = None) -> Declaration:
    """The declaration of an enclave, written to the file when it is new (private unless `kind` says otherwise).

    Raises `EnclaveError` when `kind` or `admits` contradicts what is declared: text is never reclassified by the way.
    """
    declared = _declared(folder)
    if name in declared:
        if kind not in (None, declared[name].kind):
            raise EnclaveError(
                f"enclave {name} is declared {declared[name].kind}, not {kind}",
                hint=f"choose another name, or change kind under [enclaves.{name}] in {folder / FILE_NAME}",
            )
        if admits not in (None, declared[name].admits):
            what = f"enclave {name} is declared to admit other text than {', '.join(sorted(admits or ())) or 'public'}"
            raise EnclaveError(what, hint=f"change admits under [enclaves.{name}] in {folder / FILE_NAME}")
        return declared[name]
    made = Declaration(name, kind or Kind.PRIVATE, admits)
    _write_declaration(folder, made, declared)
    return made


def declare_remote(folder: Path, made: Declaration) -> None:
    """Write the declaration of an enclave on another machine.

    Raises `EnclaveError` for a name that is declared, `UsageError` where it has no address.
    """
    if made.remote is None:
        raise UsageError(f"enclave {made.name} has no address", hint="give its Place as remote")
    declared = _declared(folder)
    if made.name in declared:
        hint = f"choose another name, or change [enclaves.{made.name}] in {FILE_NAME}"
        raise EnclaveError(f"enclave {made.name} is declared already", hint=hint)
    _write_declaration(folder, made, declared)


def _write_declaration(folder: Path, made: Declaration, declared: Mapping[str, Declaration]) -> None:
    EnclaveTable(one.enclave() for one in (*declared.values(), made))  # a name that is not allowed is never written
    path = folder / FILE_NAME
    text = path.read_text(encoding="utf-8-sig") if path.exists() else template()
    with explained(path):
        write_file(path.resolve(), added(text, made))  # a link to the settings stays one


def begin(folder: Path, environment: Mapping[str, str], given: Mapping[str, Any] | None) -> None:
    """Make a folder with a new settings file. Raises `SettingsError` for what is wrong elsewhere, and makes nothing."""
    load(None, environment, given)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_file(folder / FILE_NAME, template())


def template() -> str:
    """A new `answerable.toml`: every setting, commented out at its default, with what it means and its range."""
    lines = [
        "# Settings of this workspace. A line without # overrides the default; the environment (ANSWERABLE_BEAM_HOPS)",
        "# and flags override the file. `answerable doctor` shows every value and where it came from.",
    ]
    section = ""
    for path, (_, default, key) in keys().items():
        name, _, last = path.partition(".")
        if name != section:
            section = name
            lines += ["", f"[{name}]"]
        lines += [f"# {key.about}{', ' * bool(key.bounds)}{key.bounds}", f"# {last} = {_toml(default)}"]
    lines += [
        "",
        "# Enclaves are added below by `answerable index --enclave NAME`. kind: public (others may see what is asked),",
        "# mirror (public text held on this machine) or private. admits: labels that a host elsewhere may be sent.",
        "# mode: how this enclave is ranked, if not as [search] says.",
        "# `answerable enclaves add NAME --remote URL` adds one that another machine serves.",
        "# `answerable ask --as NAME` asks for one who may read less; an enclave not in their clearance is denied:",
        "# [askers.guest]",
        '# clearance = ["office"]',
    ]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if value is None:
        return '""'
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)
