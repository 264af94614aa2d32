"""Where the question-answer pairs of a workspace are made, kept and answered from."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from answerable.chosen import open_matcher
from answerable.corpora.store import Store
from answerable.encoders.session import cores
from answerable.engine import Engine
from answerable.errors import UsageError
from answerable.indexes.build import IndexBuilder
from answerable.indexes.index import Progress, silent
from answerable.pair_parts import Wanted, matcher_bytes, parts_of, recipe_of
from answerable.pairs.build import Built, build_pairs
from answerable.pairs.generation.mapping import Where
from answerable.pairs.generation.work import BLOCK
from answerable.pairs.index.build import BuiltPairs, build_pair_index
from answerable.settings import Settings


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

    def build(
        self,
        enclave: str,
        wanted: Wanted | None = None,
        processes: int = 0,
        on: Where = "processes",
        keep: bool = False,
        budget: int | None = None,
        progress: Progress | None = None,
    ) -> tuple[Built, BuiltPairs]:
        """Make pairs of the passages of an enclave that have none yet, and index all that it has.

        `processes`: 0 for one a processor, as far as there is work for them. `budget`: bytes of the index with the
        model that matches. Stopped at any moment, the same call goes on. Raises `EnclaveError` for an enclave that is
        not there or elsewhere, `UsageError` for one without passages and for what is not possible, `ModelError`,
        `MissingExtraError`, `BusyError`, and as `build_pairs` does.
        """
        what, settings = wanted or Wanted(), self.settings
        target = settings.table().find(enclave)
        settings.check_held_here(enclave)
        passages = self._store.holdings(enclave).passages
        if not passages:
            raise UsageError(f"nothing is indexed in {enclave}", hint=f"answerable index PATH --enclave {enclave}")
        recipe = recipe_of(settings, target, what)
        matcher, _ = open_matcher(settings.models.matcher, settings.models.threads)
        many = processes or (max(1, min(cores(), passages // BLOCK)) if on == "processes" else 0)
        tell = progress or silent
        with self._writing() as builder:
            parts = parts_of(settings, self.folder.absolute(), target, recipe, many == 1)
            made = build_pairs(self._store, enclave, recipe, parts, many, on, keep, tell)
            model = matcher_bytes(settings)
            how = (matcher, settings.pairs, budget, tell, model, settings.models.threads)
            return made, build_pair_index(self._store, builder.folder, enclave, *how)
