"""Several processes index one enclave at once, some of them killed: what is there then is what one would have made."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from answerable.corpora.store import Store
from answerable.indexes.enclave import open_enclave_index
from answerable.indexes.postgres.build import PostgresBuilder
from answerable.indexes.postgres.store import PostgresStore
from tests.contracts.shared_store import MODES, everything
from tests.indexes.building import ENCODER, jsonl
from tests.indexes.postgres import killable
from tests.indexes.samples import sentences

LIMIT = 120


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for n in range(6):
        jsonl(tmp_path / "in" / f"part{n}.jsonl", sentences(30, seed=n))
    for n, text in enumerate(sentences(6, seed=9)):
        (tmp_path / "in" / "deep" / f"note{n}.md").write_text(f"# Note {n}\n\n{text}\n", "utf8")
    return tmp_path / "in"


def begin(database: str, folder: Path, *sources: Path) -> subprocess.Popen[str]:
    command = [sys.executable, killable.__file__, database, folder, str(LIMIT), *sources]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_several_at_once_some_of_them_killed_are_equal_to_one(
    store: Store, database: str, sources: Path, tmp_path: Path
) -> None:
    killed = [begin(database, tmp_path / f"w{n}", sources) for n in range(2)]
    for one in killed:
        assert one.stdout is not None and one.stdout.readline() == "started\n"
    time.sleep(random.Random(11).uniform(0.2, 0.8))
    for one in killed:
        one.kill()
        one.communicate()
    running = [begin(database, tmp_path / f"w{n}", sources, sources / "deep") for n in range(2)]
    added = 0
    for one in running:
        out, err = one.communicate(timeout=300)
        assert one.returncode == 0 and err == "", err
        added += int(out.split()[-1])
    PostgresBuilder(store, tmp_path / "indexes", ENCODER, exact_limit=LIMIT, linking=True).run([sources], "alone")
    one, other = store.holdings("public"), store.holdings("alone")
    assert added <= 186 == one.documents and one.fingerprint == other.fingerprint
    assert store.vector_counts("public") == store.vector_counts("alone")
    assert [*store.files("public")] == [*store.files("alone")]
    found = [everything(open_enclave_index(store, tmp_path, name, ENCODER), MODES[:3]) for name in ("public", "alone")]
    assert found[0] == found[1]
    assert [*store.faults("public")] == []


def test_files_of_one_name_keep_apart_whoever_reads_them(store: Store, database: str, tmp_path: Path) -> None:
    folders = [tmp_path / name / "notes" for name in ("ada", "ben")]
    for folder in folders:
        folder.mkdir(parents=True)
        for n in range(20):
            (folder / f"n{n}.txt").write_text(f"note {n} of {folder.parent.name}", "utf8")
    assert isinstance(store, PostgresStore)
    builders = [PostgresBuilder(store, tmp_path / "indexes", ENCODER) for _ in folders]
    with ThreadPoolExecutor() as pool:
        done = pool.map(lambda build, folder: build.run([folder], "public"), builders, folders)
    assert [one.added for one in done] == [20, 20]
    places = {state.place for _, state in store.files("public")}
    assert store.holdings("public").documents == 40 == len(places)


def test_what_changed_is_read_again_and_what_is_gone_is_dropped(store: Store, sources: Path, tmp_path: Path) -> None:
    build = PostgresBuilder(store, tmp_path / "indexes", ENCODER)
    assert build.run([sources], "public").added == 186
    assert build.run([sources], "public").unchanged == 12
    (sources / "part0.jsonl").unlink()
    jsonl(sources / "part1.jsonl", [*sentences(30, seed=1)[:29], "another line"])
    done = build.run([sources], "public")
    assert (done.gone, done.kept, done.replaced, done.unchanged) == (30, 29, 1, 10)
    assert store.holdings("public").documents == 156 and store.vector_counts("public") == {ENCODER.name: 156}
