"""Where the question-answer pairs of a workspace are made, kept and answered from."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from answerable.chosen import model_folders, open_matcher
from answerable.corpora.store import Store
from answerable.engine import Engine
from answerable.errors import UsageError
from answerable.indexes.build import IndexBuilder
from answerable.indexes.index import Progress, silent
from answerable.pairs.budget import parse_bytes
from answerable.pairs.exchange import ExportedPairs, ImportedPairs, export_pairs, import_pairs
from answerable.pairs.formats import Style
from answerable.pairs.index.build import BuiltPairs, build_pair_index, folder_bytes
from answerable.pairs.stats import PairStats, pair_stats
from answerable.settings import Settings
from answerable.types import Enclave


class PairDesk:
    """The pairs of one workspace. `engine` gives the engine as it is now; `writing` makes this the one writer."""

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        store: Store,
        engine: Callable[[], Engine],
        writing: Callable[[], AbstractContextManager[IndexBuilder]],
    ) -> None:
        self.folder = folder
        self.settings = settings
        self._store = store
        self._engine = engine
        self._writing = writing

    def stats(self, enclave: str | None = None) -> list[PairStats]:
        """What is kept of the pairs of one enclave, or of each that has some or could have. Raises `EnclaveError`."""
        names = [self._held(enclave).name] if enclave else self._names()
        return [pair_stats(self._store, self._indexes, name) for name in names]

    def export(self, target: Path | str, enclave: str, style: Style | None = None) -> ExportedPairs:
        """Write the pairs of one enclave to a file in one of PAQ's formats (see `pairs.exchange`)."""
        return export_pairs(self._store, self._held(enclave), Path(target), style)

    def import_(
        self, path: Path | str, enclave: str, source: str | None = None, progress: Progress = silent
    ) -> ImportedPairs:
        """Keep the pairs of a file in one of PAQ's formats, in place of those of the same source.

        They are found once `index` ran. Raises as `pairs.exchange.import_pairs` does, and `BusyError`.
        """
        held = self._held(enclave)
        with self._writing() as builder:
            done = import_pairs(self._store, held, Path(path), source, progress)
            builder.settle()
        return done

    def remove(self, enclave: str, source: str) -> int:
        """Remove the pairs that were imported from a source; how many. Nothing of them stays in the store or any index.

        Raises `UsageError` when none came from there.
        """
        name = self._held(enclave).name
        with self._writing() as builder:
            with self._store.write() as transaction:
                removed = transaction.remove_pairs(name, source)
            builder.settle()
        if not removed:
            raise UsageError(f"enclave {name!r} has no pairs from {source!r}", hint="see 'answerable pairs stats'")
        return removed

    def index(
        self, enclave: str | None = None, budget: str | int | None = None, progress: Progress = silent
    ) -> list[BuiltPairs]:
        """Bring the index of one enclave's pairs up to date, or of each that has some.

        `budget`: what index and matcher may take together, as "500MB" or in bytes; None: as the settings say.
        """
        size = parse_bytes(budget) if isinstance(budget, str) else budget
        names = [self._held(enclave).name] if enclave else self._store.pair_enclaves()
        models = self.settings.models
        with self._writing():
            matcher, _ = open_matcher(models.matcher, models.threads)
            weights = model_folders(self.settings)["matcher"]
            given = (matcher, self.settings.pairs, size, progress, folder_bytes(weights) if weights else 0)
            return [build_pair_index(self._store, self._indexes, name, *given, models.threads) for name in names]

    @property
    def _indexes(self) -> Path:
        return self.folder / "indexes"

    def _held(self, enclave: str) -> Enclave:
        """A declared enclave that lies here. Raises `EnclaveError`."""
        found = self.settings.table().find(enclave)
        self.settings.check_held_here(found.name)
        return found

    def _names(self) -> list[str]:
        """Enclaves that lie here, and those that nobody declares and that have pairs."""
        here = [name for name in self.settings.table() if not self.settings.enclaves[name].remote]
        return [*here, *(name for name in self._store.pair_enclaves() if name not in here)]
