"""The indexes of pairs as those know them who only have to remove them; `answerable.qapairs.index` makes them."""

from __future__ import annotations

from pathlib import Path

from answerable.corpora.store import Store
from answerable.errors import IndexMismatch
from answerable.indexes.manifest import PAIRS, discard_others, finished, read_manifest, way_out

WAY_OUT = way_out(PAIRS)


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
