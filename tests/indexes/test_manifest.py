"""What lies beside a manifest is what it was written beside, or is refused and made again."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from answerable.corpora.store import Store
from answerable.errors import DamagedError, IndexMismatch
from answerable.indexes import manifest as module
from answerable.indexes.lexical import Bm25Index, build_bm25
from answerable.indexes.manifest import check_files, read_manifest
from tests.indexes.building import answers, bare, builder, opened
from tests.indexes.samples import put, texts
from tests.indexes.test_lexical import rows


@pytest.fixture
def made(store: Store) -> Path:
    """The indexes of an enclave that has every kind of them."""
    put(store, texts(60))
    builder(store, exact_limit=50).refresh("public")
    return store.path.parent / "indexes" / "public"


def test_every_file_of_an_index_has_its_digest(made: Path) -> None:
    for folder in made.iterdir():
        there = {path.name for path in folder.iterdir() if path.suffix != ".lock"}
        assert {*read_manifest(folder).files} == there - {"manifest.json"}
        check_files(folder, read_manifest(folder), whole=True)


@pytest.mark.parametrize("damage", ["flip", "cut", "longer", "gone"])
def test_a_damaged_file_is_refused_by_name_and_built_again(store: Store, made: Path, damage: str) -> None:
    """None of them gives other answers, a traceback or a crash."""
    before, chance = answers(store), random.Random(5)
    files = sorted(path for path in made.rglob("*") if path.is_file() and path.suffix != ".lock")
    assert {path.suffix for path in files} >= {".fast", ".term", ".idx", ".npy", ".json"}
    for path in files:
        whole = path.read_bytes()
        place = chance.randrange(len(whole))
        if damage == "flip":
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << chance.randrange(8)]) + whole[place + 1 :])
        elif damage == "gone":
            path.unlink()
        else:
            path.write_bytes(whole[:place] if damage == "cut" else whole + b"\0")
        if damage == "longer" and path.name == "manifest.json":
            path.write_bytes(whole[:-1])
        with pytest.raises(DamagedError, match="run 'answerable index'"):
            opened(store)
        path.write_bytes(whole)
    assert answers(store) == before
    for path in files:
        if path.exists() and path.name != "manifest.json":
            path.write_bytes(path.read_bytes()[::-1] + b"\1")
    builder(store, exact_limit=50).refresh("public")
    assert answers(store) == before


def test_a_large_file_is_looked_at_by_its_ends_and_what_is_loaded_as_it_lies_whole(
    store: Store, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BLOCK", 64)
    monkeypatch.setattr(module, "WHOLE", 128)
    for folder in [*made.iterdir()]:
        for path in folder.iterdir():
            path.unlink() if path.name == "manifest.json" else None
    builder(store, exact_limit=50).refresh("public")
    answers(store)
    for folder in sorted(made.iterdir()):
        manifest = read_manifest(folder)
        name = max(manifest.files, key=lambda one: manifest.files[one][0])
        whole = (folder / name).read_bytes()
        for place, noticed in ((0, True), (len(whole) // 2, name.endswith(".usearch")), (len(whole) - 1, True)):
            (folder / name).write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            if noticed:
                with pytest.raises(DamagedError, match=name):
                    check_files(folder, manifest)
            else:
                check_files(folder, manifest)
            with pytest.raises(DamagedError, match=name):
                check_files(folder, manifest, whole=True)
        (folder / name).write_bytes(whole)


def test_an_index_without_digests_is_refused_and_made_anew_by_the_next_indexing(store: Store, made: Path) -> None:
    before = answers(store)
    for manifest in made.rglob("manifest.json"):
        bare(manifest)
    with pytest.raises(IndexMismatch, match="answerable index"):
        answers(store)
    builder(store, exact_limit=50).refresh("public")
    assert answers(store) == before
    assert all(read_manifest(folder).files for folder in made.iterdir())


def test_digests_are_not_taken_away_from_a_manifest(made: Path) -> None:
    (path,) = made.glob("lexical-*/manifest.json")
    values = json.loads(path.read_text())
    for changed in ({"version": 1}, {"files": {}}, {"seal": None}, {"count": 61}, {"files": {"x": [1, []]}}):
        path.write_text(json.dumps(values | changed))
        with pytest.raises(DamagedError, match="no readable manifest"):
            read_manifest(path.parent)


def test_a_panic_of_tantivy_is_a_clear_sentence(tmp_path: Path) -> None:
    """Where nobody looked at the files first: what panics, and what is told in an ordinary way."""
    given, panics = texts(200), 0
    (tmp_path / "whole").mkdir()
    build_bm25(rows(given), tmp_path / "whole", lambda *_: None, 200)
    (path,) = (tmp_path / "whole").glob("*.term")
    whole = path.read_bytes()
    for place in range(0, len(whole), len(whole) // 16):
        folder = tmp_path / str(place)
        shutil.copytree(tmp_path / "whole", folder)
        (folder / path.name).write_bytes(
            whole[:place] + bytes(byte ^ 0x5A for byte in whole[place : place + 8]) + whole[place + 8 :]
        )
        try:
            Bm25Index(folder, lambda keys: {key: str(key) for key in keys}).search("lamp keeper", 5)
        except DamagedError as error:
            panics += "panicked" in str(error.__cause__)
    assert panics
