"""What made an index, written beside it as the last step of making it. Nothing opens unless its manifest agrees.

An index is a folder named after its kind and its corpus, made under another name and renamed when whole, so that a
crash leaves either the old index, or the new one, or both, and never half of one.

The manifest holds the size and the digests of every file beside it, and one of itself. They show damage; whoever can
write the folder can write them too.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from answerable.corpora.database import close_to_others, explained, own_folder
from answerable.corpora.store import Store
from answerable.errors import DamagedError, EnclaveError, IndexMismatch

VERSION = 3
_NEWEST = {"ann": 5, "entities": 5, "lexical": 4}
"""Of the kinds that have changed since: signs in place of a graph; words with names that have marks within."""
BLOCK = 1 << 24
"""Bytes that have a digest of their own."""
WHOLE = 1 << 26
"""Bytes of a file up to which all of it is looked at whenever its index is opened."""
_NATIVE = ".usearch"
"""What is loaded as it lies, so that a damaged one could end the process: always looked at whole."""
_FILE = "manifest.json"
_UNFINISHED = ".unfinished"
PAIRS = "pairs"
"""The kind of index that `pairs index` makes; see `indexes.enclave` for the others."""
Digests = dict[str, Any]
"""By the name of a file its size and the digest of each of its blocks."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """`encoder` is empty and `dimension` 0 where no vectors are. `last_key` is the newest passage in the index."""

    kind: str
    enclave: str
    encoder: str
    dimension: int
    fingerprint: str
    count: int
    last_key: int
    version: int = VERSION
    files: Digests = field(default_factory=dict)

    @property
    def folder_name(self) -> str:
        """Names the kind and the corpus: equal for equal content."""
        return f"{self.kind}-{self.fingerprint[:16]}"

    def describes(self, store: Store) -> bool:
        """Whether the index holds just what the store holds now, under the same keys.

        A document read again with other headings or other data beside its text has new keys and an equal fingerprint.
        """
        now = store.holdings(self.enclave).fingerprint
        return (self.fingerprint, self.last_key) == (now, store.last_key(self.enclave))

    def describes_older(self, store: Store) -> bool:
        """Whether passages were only added to the store since the index was made."""
        if self.describes(store):
            return True
        return store.fingerprint_up_to(self.enclave, self.last_key) == self.fingerprint

    def require(self, kind: str, enclave: str, encoder: str = "", dimension: int = 0) -> None:
        """Raise `IndexMismatch` when something else made this index, or made it for something else."""
        what, hint = f"the {self.kind} index of enclave {self.enclave!r}", way_out(self.kind)
        if self.version != newest(kind):
            what, known = f"{what} has format {self.version}", newest(kind)
            raise IndexMismatch(f"{what}, this program reads format {known}", hint=hint)
        if (self.kind, self.enclave) != (kind, enclave):
            raise IndexMismatch(f"{what} stands where the {kind} index of enclave {enclave!r} should", hint=hint)
        if (self.encoder, self.dimension) != (encoder, dimension):
            raise IndexMismatch(
                f"{what} was made by encoder {self.encoder!r} ({self.dimension} dimensions), "
                f"not by {encoder!r} ({dimension} dimensions)",
                hint=hint,
            )


def newest(kind: str) -> int:
    """The version that indexes of a kind are made in."""
    return _NEWEST.get(kind, VERSION)


def way_out(kind: str) -> str:
    """What to do about an index that cannot be used, by its kind or the name of its folder."""
    command = "pairs index" if kind.startswith(PAIRS) else "index"
    return f"run 'answerable {command}' for this enclave to bring it up to date"


def enclave_folder(folder: Path, enclave: str) -> Path:
    """Where the indexes of an enclave lie. Raises `EnclaveError` for a name that would lead elsewhere."""
    if not enclave or enclave.startswith(".") or Path(enclave).name != enclave or "\\" in enclave:
        raise EnclaveError(f"{enclave!r} cannot name an enclave", hint="use letters, digits, '-' and '_'")
    return folder / enclave


def finished(folder: Path, enclave: str, kind: str) -> list[Path]:
    """Folders of whole indexes of a kind, by name: one, or two after a crash between making and clearing up."""
    place = enclave_folder(folder, enclave)
    if not place.is_dir():
        return []
    return sorted(p for p in place.iterdir() if p.name.startswith(f"{kind}-") and not p.name.endswith(_UNFINISHED))


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an index folder. Raises `DamagedError` when it is missing, is none, or was changed."""
    try:
        values = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        seal = values.pop("seal", None)
        known = {one.name: values[one.name] for one in fields(Manifest) if one.name in values or one.name != "files"}
        if any(type(known[one.name]).__name__ != one.type for one in fields(Manifest) if one.name != "files"):
            raise TypeError
        if seal != _seal(values):
            raise ValueError
        for size, digests in values.get("files", {}).values():
            if len(digests) != -(-size // BLOCK):
                raise ValueError
        return Manifest(**known)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedError(f"the index {folder} has no readable manifest", hint=way_out(folder.name)) from error


def check_files(folder: Path, manifest: Manifest, whole: bool = False) -> None:
    """Raise `DamagedError` unless the files of an index are those that its manifest was written beside.

    Of a file above `WHOLE` bytes only the first and the last block are looked at, unless all is to be, or it is loaded
    as it lies.
    """
    blocks: list[tuple[str, int, str]] = []
    wrong: str | None = None
    for name, (size, digests) in manifest.files.items():
        path = folder / name
        if not path.is_file() or path.stat().st_size != size:
            wrong = wrong or name
        every = whole or size <= WHOLE or name.endswith(_NATIVE)
        chosen = range(len(digests)) if every else (0, len(digests) - 1)
        blocks += [(name, number, digests[number]) for number in chosen]
    if wrong is None:
        with ThreadPoolExecutor() as pool:
            told = pool.map(lambda one: _digest(folder / one[0], one[1]) == one[2], blocks)
            wrong = next((name for (name, _, _), same in zip(blocks, told, strict=True) if not same), None)
    if wrong is not None:
        what = f"the {manifest.kind} index of enclave {manifest.enclave!r} is damaged"
        raise DamagedError(f"{what}: {wrong} is not as it was made", hint=way_out(manifest.kind))


def faults(folder: Path, enclave: str) -> list[str]:
    """What is wrong with the files of an enclave's indexes, all of every file looked at."""
    found = []
    place = enclave_folder(folder, enclave)
    for path in sorted(place.iterdir()) if place.is_dir() else []:
        if not path.name.endswith(_UNFINISHED):
            try:
                check_files(path, read_manifest(path), whole=True)
            except DamagedError as error:
                found.append(str(error))
    return found


def _digests(folder: Path) -> Digests:
    """Of every file in a folder but locks."""
    made = {}
    for path in sorted(folder.iterdir()):
        if path.suffix != ".lock":
            size = path.stat().st_size
            made[path.name] = (size, [_digest(path, number) for number in range(-(-size // BLOCK))])
    return made


def _digest(path: Path, block: int) -> str | None:
    """Of one block of a file; None where it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(block * BLOCK)
            return sha256(file.read(BLOCK)).hexdigest()
    except OSError:
        return None


def _seal(values: Digests) -> str:
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def publish(folder: Path, manifest: Manifest, make: Callable[[Path], None]) -> Path:
    """Let `make` fill a new folder, seal it with the manifest, and put it in the place of every other of its kind."""
    place = enclave_folder(folder, manifest.enclave)
    final = place / manifest.folder_name
    unfinished = place / f"{manifest.folder_name}{_UNFINISHED}"
    with explained(place):
        shutil.rmtree(unfinished, ignore_errors=True)
        for made in (place, unfinished):
            own_folder(made)
        try:
            make(unfinished)
            values = asdict(replace(manifest, files=_digests(unfinished)))
            with open(unfinished / _FILE, "w", encoding="utf-8") as file:
                json.dump({**values, "seal": _seal(values)}, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            for made in unfinished.rglob("*"):
                close_to_others(made)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)  # a full disk needs the room
            raise
        if final.exists():  # made from the same passages by another encoder or version
            shutil.rmtree(final)
        unfinished.rename(final)
    discard_others(folder, manifest.enclave, manifest.kind, keep=final)
    return final


def discard_others(folder: Path, enclave: str, kind: str, keep: Path | None) -> None:
    """Remove every index of a kind but `keep`, finished or not."""
    place = enclave_folder(folder, enclave)
    with explained(place):
        for path in sorted(place.iterdir()) if place.is_dir() else []:
            if path.name.startswith(f"{kind}-") and path != keep:
                shutil.rmtree(path)


PAIRS_WAY_OUT = way_out(PAIRS)


def discard_stale_pairs(store: Store, folder: Path, enclave: str) -> None:
    """Remove every index of an enclave's pairs that was not made of just the pairs it has now."""
    discard_others(folder, enclave, PAIRS, keep=current_pairs(store, folder, enclave))


def current_pairs(store: Store, folder: Path, enclave: str) -> Path | None:
    """The folder of the index made of just the pairs that an enclave has now, or None."""
    if not store.pair_count(enclave):
        return None
    now = store.pair_fingerprint(enclave)
    for path in finished(folder, enclave, PAIRS):
        try:
            if read_manifest(path).fingerprint == now:
                return path
        except IndexMismatch:
            continue
    return None
