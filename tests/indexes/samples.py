"""Small corpora for the tests of indexes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from pathlib import Path

from answerable.corpora.store import Store
from answerable.types import Document, Passage

WORDS = (
    "lamp lens keeper tower rock reef harbour pilot ship fog horn bell oil glass mirror clock storm tide island "
    "granite mason engineer coast light beam flash night sailor captain chart wreck rescue gale signal buoy mast"
).split()


def passage(document: Document, start: int = 0, end: int | None = None) -> Passage:
    """Characters [start, end) of a document."""
    end = len(document.text) if end is None else end
    text = document.text[start:end]
    return Passage(f"{document.id}@{start}-{end}", document.id, document.enclave, document.title, text, start, end)


def put(store: Store, texts: Mapping[str, str], enclave: str = "public", edition: int = 1) -> None:
    """Store each text as a document of one passage, under a source of its own."""
    with store.write(enclave) as transaction:
        transaction.foresee(enclave, [*texts])
        for id, text in texts.items():
            document = Document(id, enclave, f"About {id}", text, id)
            transaction.put(document, [passage(document)], edition)


def remove(store: Store, ids: Iterable[str], enclave: str = "public") -> None:
    with store.write(enclave) as transaction:
        transaction.remove(enclave, list(ids))


def sentences(count: int, seed: int = 1, length: int = 12) -> list[str]:
    """Made-up sentences, always the same for a seed."""
    chance = random.Random(seed)
    return [" ".join(chance.choice(WORDS) for _ in range(length)) + f" {n}." for n in range(count)]


def texts(count: int, seed: int = 1) -> dict[str, str]:
    """Passages by id."""
    return {f"doc{n:05d}": text for n, text in enumerate(sentences(count, seed))}


def occurs(folder: Path, needle: bytes) -> list[Path]:
    """Files under a folder whose bytes contain `needle`."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and needle in path.read_bytes()]
