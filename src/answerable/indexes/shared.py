"""Stores that several people share: for each enclave one of its own, kept and indexed by an engine."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar

from answerable.corpora.database import MEMORY
from answerable.corpora.store import Holdings, Store
from answerable.corpora.transaction import FileState, Transaction
from answerable.encoders.encoder import Encoder
from answerable.errors import IndexMismatch
from answerable.indexes.index import LexicalIndex, OpenVectors
from answerable.types import QAPair

if TYPE_CHECKING:
    from answerable.indexes.build import IndexBuilder

Parts = tuple[LexicalIndex, OpenVectors | None, OpenVectors | None]
"""What an enclave is searched by: words, vectors and pages; without the others every vector is compared."""


class EngineStore(Store):
    """What an engine holds of one enclave. Question-answer pairs are kept beside it (`corpora.own_pairs`)."""

    shared = True
    enclave: str

    @abstractmethod
    def parts(self, encoder: Encoder) -> Parts:
        """What it is searched by."""

    def pairs(self, enclave: str, after: int = 0) -> Iterator[tuple[int, QAPair]]:
        """None."""
        return iter(())

    def generated(self, enclave: str, several: bool = False) -> Iterator[QAPair]:
        """None."""
        return iter(())

    def pairs_of(self, enclave: str, document: str, most: int) -> list[QAPair]:
        """None."""
        return []

    def pair_count(self, enclave: str) -> int:
        """0."""
        return 0

    def pair_fingerprint(self, enclave: str) -> str:
        """That of none."""
        return f"{0:032x}"

    def require_gone(self, enclave: str, ids: Sequence[str]) -> None:
        """The engine looks after its own indexes."""

    def _sound(self) -> bool:
        return True  # it checks its own pages as it reads them

    def _spoilt(self, enclave: str) -> int:
        return 0


class SharedStore(Store):
    """The enclaves that an engine lets this user look into. Reading and writing are safe from several threads."""

    shared = True
    kind: ClassVar[str]
    """What it is to people, after "in": "the database"."""

    def __init__(self, folder: Path) -> None:
        """`folder`: of the workspace."""
        self.path, self._lock = folder / "store", RLock()
        self._opened: dict[str, EngineStore] = {}
        self._nothing = Store(MEMORY)

    @abstractmethod
    def names(self) -> list[str]:
        """The enclaves that are there, in order."""

    @abstractmethod
    def make(self, enclave: str) -> None:
        """Make a place for an enclave, as far as there is none."""

    @abstractmethod
    def open(self, enclave: str) -> EngineStore:
        """The store of an enclave that is there."""

    @abstractmethod
    def builder(self, *given: Any, **named: Any) -> IndexBuilder:
        """As `IndexBuilder`, without the store."""

    def close(self) -> None:
        """Close every connection. Closing twice does no harm."""
        for one in (*self._opened.values(), self._nothing):
            one.close()

    def of(self, enclave: str) -> Store:
        """What is held of an enclave; of one that is not there an empty store."""
        with self._lock:
            if enclave not in self._opened:
                if enclave not in self.names():
                    return self._nothing
                self._opened[enclave] = self.open(enclave)
            return self._opened[enclave]

    def held(self, enclave: str) -> EngineStore:
        """The store of an enclave. Raises `IndexMismatch` for one that is not there."""
        held = self.of(enclave)
        if not isinstance(held, EngineStore):
            raise IndexMismatch(f"nothing is indexed in enclave {enclave!r}", hint="run 'answerable index' for it")
        return held

    @contextmanager
    def write(self, enclave: str | None = None) -> Iterator[Transaction]:
        """As `Store.write`, of one enclave. Makes its place where there is none."""
        assert enclave is not None
        with self._made(enclave).write() as transaction:
            yield transaction

    @contextmanager
    def claim(self, enclave: str, what: str, wait: bool = False) -> Iterator[bool]:
        """As `Store.claim`. Makes the enclave's place where there is none."""
        with self._made(enclave).claim(enclave, what, wait) as mine:
            yield mine

    def purge(self, *enclaves: str, seconds: float | None = None) -> None:
        """As `Store.purge`."""
        for enclave in enclaves:
            self.of(enclave).purge(enclave, seconds=seconds)

    def enclaves(self) -> list[Holdings]:
        """What each enclave holds, by name."""
        return [held for store in self._all_of_them() for held in store.enclaves()]

    def unpurged(self) -> list[str]:
        """As `Store.unpurged`."""
        return [enclave for store in self._all_of_them() for enclave in store.unpurged()]

    def changes(self) -> int:
        """As `Store.changes`, as far as documents go."""
        return hash(tuple(self.enclaves()))

    def roots(self) -> dict[str, str]:
        """As `Store.roots`."""
        return {enclave: root for store in self._all_of_them() for enclave, root in store.roots().items()}

    def placed(self, place: str) -> list[tuple[str, str, FileState]]:
        """As `Store.placed`."""
        return [found for store in self._all_of_them() for found in store.placed(place)]

    def pair_enclaves(self) -> list[str]:
        """None: pairs are kept beside it."""
        return []

    def _made(self, enclave: str) -> Store:
        if self.of(enclave) is self._nothing:
            self.make(enclave)
        return self.of(enclave)

    def _all_of_them(self) -> list[Store]:
        return [self.of(enclave) for enclave in self.names()]


ROUTED = (
    *("holdings", "document", "documents", "versions", "named", "passages", "require_gone"),
    *("fields", "passages_of", "undated"),
    *("openings", "passages_of_kind", "rows", "last_key", "fingerprint_up_to", "without_vectors", "first_passages"),
    *("vector_counts", "vectors", "vectors_at", "vectors_of", "book", "file", "files", "faults"),
    *("pairs", "generated", "pairs_of", "pair_count", "pair_fingerprint"),
)
"""What is asked of the one enclave that is named first."""


def _routed(name: str) -> Callable[..., Any]:
    @wraps(getattr(Store, name))
    def asked(self: SharedStore, enclave: str, *rest: Any, **named: Any) -> Any:
        return getattr(self.of(enclave), name)(enclave, *rest, **named)

    return asked


for _name in ROUTED:
    setattr(SharedStore, _name, _routed(_name))


def builder_of(store: Store, *given: Any, **named: Any) -> IndexBuilder:
    """What indexes into a store, of its engine or of files: as `IndexBuilder`."""
    from answerable.indexes.build import IndexBuilder

    return store.builder(*given, **named) if isinstance(store, SharedStore) else IndexBuilder(store, *given, **named)
