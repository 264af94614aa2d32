"""What is kept of an enclave's pairs, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from answerable.corpora.store import Store
from answerable.errors import IndexMismatch
from answerable.indexes.manifest import PAIRS, finished, read_manifest
from answerable.qapairs.index.build import folder_bytes
from answerable.qapairs.index.opened import read_about

QUANTILES = (0, 10, 25, 50, 75, 90, 100)


@dataclass(frozen=True, slots=True)
class Origin:
    """What generated pairs, or where they were imported from. `worked`: passages it made pairs of, or none."""

    name: str
    imported: bool
    pairs: int
    worked: int


@dataclass(frozen=True, slots=True)
class IndexStats:
    """An index as it lies there. `current`: made of just the pairs there are now. `bytes` on disk."""

    words: str
    matcher: str
    pairs: int
    bytes: int
    current: bool


@dataclass(frozen=True, slots=True)
class PairStats:
    """`placed`: pairs that belong to a passage. `answers`: of all pairs. `passages`: of the enclave.

    `probabilities`: those below which `QUANTILES` per cent of the pairs lie; none without pairs.
    """

    enclave: str
    pairs: int
    placed: int
    answers: int
    passages: int
    origins: tuple[Origin, ...]
    probabilities: tuple[float, ...]
    index: IndexStats | None


def pair_stats(store: Store, folder: Path, enclave: str) -> PairStats:
    """Count the pairs of an enclave, and look at the index of them in `folder`."""
    rows = np.fromiter(store.pair_numbers(enclave), np.dtype([("score", "f8"), ("placed", "?"), ("answers", "i8")]))
    quantiles = np.percentile(rows["score"], QUANTILES).tolist() if len(rows) else []
    return PairStats(
        enclave,
        len(rows),
        int(rows["placed"].sum()),
        int(rows["answers"].sum()),
        store.holdings(enclave).passages,
        tuple(Origin(*one) for one in store.pair_origins(enclave)),
        tuple(quantiles),
        _index(store, folder, enclave),
    )


def _index(store: Store, folder: Path, enclave: str) -> IndexStats | None:
    now = store.pair_fingerprint(enclave)
    for path in finished(folder, enclave, PAIRS):
        try:
            manifest, about = read_manifest(path), read_about(path)
        except IndexMismatch:
            continue
        current = manifest.fingerprint == now
        return IndexStats(about.shape.words, manifest.encoder, manifest.count, folder_bytes(path), current)
    return None
