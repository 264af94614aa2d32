"""What made an index, written beside it as the last step of making it. Nothing opens unless its manifest agrees.

An index is a folder named after its kind and its corpus, made under another name and renamed when whole, so that a
crash leaves either the old index, or the new one, or both, and never half of one.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from answerable.corpora.database import close_to_others, explained, own_folder
from answerable.corpora.store import Store
from answerable.errors import EnclaveError, IndexMismatch

VERSION = 1
_FILE = "manifest.json"
_UNFINISHED = ".unfinished"
_WAY_OUT = "run 'answerable index' for this enclave to bring it up to date"


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
        what = f"the {self.kind} index of enclave {self.enclave!r}"
        if self.version != VERSION:
            raise IndexMismatch(f"{what} has format {self.version}, this program reads format {VERSION}", hint=_WAY_OUT)
        if (self.kind, self.enclave) != (kind, enclave):
            raise IndexMismatch(f"{what} stands where the {kind} index of enclave {enclave!r} should", hint=_WAY_OUT)
        if (self.encoder, self.dimension) != (encoder, dimension):
            raise IndexMismatch(
                f"{what} was made by encoder {self.encoder!r} ({self.dimension} dimensions), "
                f"not by {encoder!r} ({dimension} dimensions)",
                hint=_WAY_OUT,
            )


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
    """The manifest of an index folder. Raises `IndexMismatch` when it is missing or is not one."""
    try:
        values = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        if any(type(values[field.name]).__name__ != field.type for field in fields(Manifest)):
            raise TypeError
        return Manifest(**{field.name: values[field.name] for field in fields(Manifest)})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexMismatch(f"the index {folder} has no readable manifest", hint=_WAY_OUT) from error


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
            with open(unfinished / _FILE, "w", encoding="utf-8") as file:
                json.dump(asdict(manifest), file, indent=1)
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
