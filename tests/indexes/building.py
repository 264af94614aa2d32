"""Building an enclave's indexes, and what they then answer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from answerable.corpora.store import Store
from answerable.encoders.encoder import Encoder
from answerable.encoders.hashed import HashedEncoder
from answerable.indexes.build import IndexBuilder
from answerable.indexes.enclave import EnclaveIndex, open_enclave_index
from answerable.indexes.manifest import _seal
from answerable.types import Skill
from tests.indexes.samples import put

ENCODER = HashedEncoder(64)
PAGES = f"{ENCODER.name}/entity"
QUERIES = ["lamp keeper", "the storm of the night", "granite mason and a mirror", "signal", "pilot harbour ship tide"]


def builder(store: Store, exact_limit: int = 10**9, encoder: Encoder = ENCODER, linking: bool = True) -> IndexBuilder:
    return IndexBuilder(store, store.path.parent / "indexes", encoder, exact_limit=exact_limit, linking=linking)


def opened(store: Store, encoder: Encoder = ENCODER) -> EnclaveIndex:
    return open_enclave_index(store, store.path.parent / "indexes", "public", encoder)


def answers(store: Store, k: int = 12) -> list[object]:
    """What every kind of search returns, to the last bit."""
    index = opened(store)
    return [
        index.search(query, ENCODER.encode_query(query, Skill.SINGLE), mode, k)
        for query in QUERIES
        for mode in ("lexical", "dense", "hybrid", "entity")
    ]


def linked(store: Store, name: str, k: int = 1) -> list[str]:
    """The documents that a name is linked to."""
    found = opened(store).search(name, ENCODER.encode_mentions(name, [(0, len(name))])[0], "entity", k)
    return [id.split("@")[0] for id, _ in found]


def folders(store: Store) -> list[str]:
    place = store.path.parent / "indexes" / "public"
    return sorted(path.name.split("-")[0] for path in place.iterdir()) if place.exists() else []


def fresh(tmp_path: Path, given: dict[str, str], exact_limit: int = 10**9) -> list[object]:
    """Answers of a workspace made at once of these texts."""
    folder = tmp_path / "fresh"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with Store(folder / "store.sqlite") as store:
        put(store, given)
        builder(store, exact_limit).refresh("public")
        return answers(store)


def resealed(manifest: Path, **changes: object) -> None:
    """Change a manifest as one would who knows how."""
    values = {key: value for key, value in json.loads(manifest.read_text()).items() if key != "seal"} | changes
    manifest.write_text(json.dumps({**values, "seal": _seal(values)}))


def bare(manifest: Path) -> None:
    """As it is without digests."""
    values = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({k: v for k, v in values.items() if k not in ("files", "seal")} | {"version": 1}))


def jsonl(path: Path, given: list[str]) -> Path:
    path.write_text(
        "".join(json.dumps({"_id": str(n), "title": f"T{n}", "text": text}) + "\n" for n, text in enumerate(given))
    )
    return path
