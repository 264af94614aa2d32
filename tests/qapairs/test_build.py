"""Building pairs: resumable at any moment, the same wherever it is done, and gone with what it was made from."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from answerable.corpora.pair_joins import pairs_folder
from answerable.corpora.store import Store
from answerable.encoders.hashed import HashedEncoder
from answerable.errors import MissingExtraError, WorkspaceError
from answerable.indexes.build import IndexBuilder
from answerable.qapairs import build as module
from answerable.qapairs.build import Built, Recipe, build_pairs
from answerable.qapairs.generation import stages
from answerable.qapairs.generation.stages import FILTER, GENERATE, SELECT, Stages, pair_id
from answerable.types import QAPair
from answerable.work.spread import WorkSettings, workers
from tests.indexes.samples import occurs, put, remove, texts
from tests.qapairs.generation.killable import RECIPE
from tests.qapairs.generation.plain import PLAIN, failing, missing

ALL = replace(RECIPE, share=1.0)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "BLOCK", 4)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as opened:
        put(opened, texts(18))
        yield opened


def build(store: Store, recipe: Recipe = RECIPE, **more: object) -> Built:
    return build_pairs(store, "public", recipe, replace(PLAIN, **more.pop("parts", {})), **more)


def kept(store: Store) -> list[QAPair]:
    return sorted((pair for _, pair in store.pairs("public")), key=lambda pair: pair.id)


def files(store: Store) -> dict[str, bytes]:
    """The files of the stages by name; the order in which counts are told does not matter."""
    place = pairs_folder(store)
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def test_what_the_parts_say_becomes_pairs(store: Store) -> None:
    with store.write() as transaction:
        transaction.remove("public", [id for id, _, _ in store.documents("public")])
    put(store, {"a": "The lamp shone 1844 times.", "b": "Storms came in 12 waves."})
    built = build(store, ALL)
    found = {pair.question: pair for pair in kept(store)}
    assert set(found) == {
        "What follows lamp shone of About a?",
        "After lamp shone, what comes?",
        "What follows of About b?" if "What follows of About b?" in found else "What follows  of About b?",
        "After , what comes?",
        "What follows came in of About b?",
        "After came in, what comes?",
    }
    pair = found["What follows lamp shone of About a?"]
    assert pair.answers == ("1844",) and (pair.start, pair.end) == (15, 19)
    assert pair.score == pytest.approx(26 / 200 * 0.8 / 4)
    assert pair.id == pair_id("public", pair.passage_id, "what follows LAMP shone of about a")
    assert (built.passages, built.chosen, built.pairs) == (2, 2, 6)
    told = {"passages": 2, "answers": 3, "answers by numbers": 2, "answers by words": 1, "questions": 6}
    assert built.counts[GENERATE] == told | {"answers asked about": 3} and built.counts[FILTER] == {
        "questions": 6,
        "kept by even": 6,
    }


def test_a_filter_and_the_number_of_questions_an_answer_leave_fewer(store: Store) -> None:
    everything = build(store, replace(ALL, filter="none"), parts={"filter": None}).pairs
    assert build(store, ALL).pairs < everything
    fewer = build(store, replace(ALL, filter="none", per_answer=1), parts={"filter": None, "per_answer": 1})
    assert fewer.counts[GENERATE]["questions"] == fewer.counts[GENERATE]["answers"]
    assert all(pair.score > 0 and pair.question.startswith("What") for pair in kept(store))


def test_the_best_share_of_the_corpus_is_chosen(store: Store) -> None:
    built = build(store, replace(RECIPE, share=0.5), keep=True)
    assert (built.passages, built.chosen) == (18, 9)
    lengths = {row.id: len(row.text) for row in store.rows("public")}
    worst = sorted(lengths.values(), reverse=True)[8]
    assert {pair.passage_id for pair in kept(store)} <= {id for id, length in lengths.items() if length >= worst}
    put(store, {"short": "A 1", "long": "The 12 lamps of the harbour shone for 1844 nights " * 9})
    later = build(store, replace(RECIPE, share=0.5))
    assert (later.passages, later.chosen) == (2, 1)


def test_a_second_build_does_only_what_is_new(store: Store) -> None:
    build(store, ALL)
    before = kept(store)
    again = build(store, ALL)
    assert (again.passages, again.chosen, again.pairs) == (0, 0, len(before)) and kept(store) == before
    put(store, {"new": "The lamps shone for 1844 nights over the harbour and its ships."})
    assert build(store, ALL).passages == 1
    assert {pair.id for pair in before} < {pair.id for pair in kept(store)}
    with store.write() as transaction:  # another text under the same name
        transaction.remove("public", ["new"])
    put(store, {"new": "Since then 24 pilots have kept watch over the harbour and its ships at night."})
    assert build(store, ALL).passages == 1
    assert not [pair for pair in kept(store) if "1844" in pair.answers]


def test_another_recipe_takes_the_place_of_the_first(store: Store) -> None:
    build(store)
    first = kept(store)
    built = build(store, replace(RECIPE, per_answer=1), parts={"per_answer": 1})
    assert built.passages == 18 and 0 < built.pairs < len(first)
    assert not store.unpurged() and not occurs(store.path.parent, b"After ")


def test_a_build_that_was_stopped_survives_what_deletes_nothing(store: Store) -> None:
    put(
        store,
        {
            "twin": "Storms came in the lighthouse of 12 keepers.",
            "twins": "Storms came in the lighthouse of 14 keepers.",
        },
    )
    build(store, replace(ALL, filter="none"), parts={"filter": None})
    assert any(len(pair.answers) > 1 for pair in kept(store))
    put(store, {"new": "The lamps shone for 1844 nights over the harbour and its ships."})
    with pytest.raises(ValueError, match="secret"):
        build(store, replace(ALL, filter="none"), parts={"filter": None, "generator": failing})
    before = files(store)
    assert len(before) == 2
    IndexBuilder(store, store.path.parent / "indexes", HashedEncoder(16)).refresh("public")
    assert files(store) == before


def test_files_and_pairs_are_the_same_however_many_work(store: Store, tmp_path: Path) -> None:
    build(store, keep=True)
    alone, pairs = files(store), kept(store)
    (tmp_path / "other").mkdir()
    with Store(tmp_path / "other" / "store.sqlite") as other:
        put(other, texts(18))
        with workers(WorkSettings(processes=2)) as those:
            build(other, keep=True, workers=those)
        assert files(other) == alone and kept(other) == pairs


def test_the_work_files_say_what_made_them_and_are_the_owners_alone(store: Store) -> None:
    build(store, keep=True)
    place = pairs_folder(store) / "public" / RECIPE.digest
    manifest = json.loads((place / "manifest.json").read_text("utf-8"))
    assert (manifest["made_by"], manifest["share"], manifest["generator"]) == (RECIPE.made_by, 0.8, "before it")
    assert {path.name for path in place.iterdir()} == {"manifest.json", SELECT, GENERATE, FILTER}
    for path in pairs_folder(store).rglob("*"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
    assert not stat.S_IMODE(pairs_folder(store).stat().st_mode) & 0o077
    heads = [json.loads(path.read_text("utf-8").splitlines()[0]) for path in sorted((place / SELECT).iterdir())]
    assert sum(head["counts"]["passages"] for head in heads) == 18 == sum(len(head["keys"]) for head in heads)


def test_they_go_when_all_is_done_unless_they_are_to_stay(store: Store) -> None:
    build(store, ALL)
    assert not pairs_folder(store).exists()


def test_scores_stay_so_that_a_later_share_needs_not_all_of_them_again(store: Store) -> None:
    build(store)
    scores = {name: (pairs_folder(store) / name).stat().st_mtime_ns for name in files(store) if SELECT in name}
    assert len(scores) == 5 and len(files(store)) == 6  # and the manifest
    for name in scores:
        head, *rows = (pairs_folder(store) / name).read_text("utf-8").splitlines()
        assert all(0 <= float(row) <= 1 for row in rows) and set(json.loads(head)) == {"form", "keys", "counts"}
    put(store, {"new": "The lamps shone for 1844 nights over the harbour and its ships, year after year after year."})
    build(store)
    again = {name: (pairs_folder(store) / name).stat().st_mtime_ns for name in scores}
    assert sum(again[name] != scores[name] for name in scores) <= 1


def test_a_file_that_is_not_whole_or_of_other_passages_is_made_again(store: Store) -> None:
    with pytest.raises(ValueError, match="secret"):
        build(store, parts={"filter": failing})
    place = pairs_folder(store) / "public" / RECIPE.digest
    first, second, *_ = sorted((place / GENERATE).iterdir())
    whole = first.read_bytes()
    first.write_bytes(b'{"form": 2, "ke')
    second.write_text(second.read_text("utf-8").replace('"keys": [', '"keys": [1, ', 1), "utf-8")
    build(store, keep=True)
    assert first.read_bytes() == whole


def test_what_a_part_lacks_is_said_and_nothing_done_is_lost(store: Store) -> None:
    with pytest.raises(MissingExtraError):
        build(store, parts={"generator": missing})
    done = {name: (pairs_folder(store) / name).stat().st_mtime_ns for name in files(store) if SELECT in name}
    build(store, keep=True)
    assert done and done == {name: (pairs_folder(store) / name).stat().st_mtime_ns for name in done}


def test_a_full_disk_is_said_in_a_sentence_and_leaves_no_half_file(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: object, target: object) -> None:
        if GENERATE in str(target):
            raise OSError(28, "No space left on device")
        Path(str(source)).rename(str(target))

    monkeypatch.setattr(stages.os, "replace", full)
    with pytest.raises(WorkspaceError, match="is full"):
        build(store)
    monkeypatch.undo()
    assert not [*pairs_folder(store).rglob("*.part")]
    assert build(store).pairs == len(kept(store)) > 0


@pytest.mark.parametrize("processes", [1, 2])
def test_killed_at_any_moment_it_ends_up_the_same(store: Store, tmp_path: Path, processes: int) -> None:
    build(store, keep=True)
    alone, pairs = files(store), kept(store)
    folder = tmp_path / "killed"
    folder.mkdir()
    with Store(folder / "store.sqlite") as other:
        put(other, texts(18))
    chance = random.Random(processes)
    done: dict[str, int] = {}
    for _ in range(3 if processes == 1 else 1):
        assert killed(folder, processes, chance.randrange(1, 8)) == (-signal.SIGKILL, "")
        now = {str(path): path.stat().st_mtime_ns for path in folder.rglob("*.jsonl")}
        assert {path: now[path] for path in done} == done  # no block that was finished is lost or made again
        assert len(now) >= len(done)
        done = now
    assert killed(folder, 1, 0) == (0, "done\n")
    with Store(folder / "store.sqlite") as other:
        assert files(other) == alone and kept(other) == pairs
        assert [pair for _, pair in other.pairs("public")] == [pair for _, pair in store.pairs("public")]


def killed(folder: Path, processes: int, at: int) -> tuple[int, str]:
    """A build that dies at a step: how it ended, once all its processes have, and what it said."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.qapairs.generation.killable", str(folder), str(processes), str(at)]
    environment = os.environ | {"PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    ran = subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True, timeout=100)
    return ran.returncode, ran.stdout


def test_stopped_between_two_blocks_of_the_last_step_it_goes_on(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "calm").mkdir()
    with Store(tmp_path / "calm" / "store.sqlite") as calm:
        put(calm, texts(18))
        build(calm)
        expected = kept(calm)
    made, count = Stages.pairs, 0

    def stopping(self: Stages, block: stages.Block) -> dict[str, list[QAPair]]:
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt
        return made(self, block)

    monkeypatch.setattr(module.Stages, "pairs", stopping)
    with pytest.raises(KeyboardInterrupt):
        build(store)
    assert 0 < store.pair_count("public") < len(expected)
    left = len(store.unpaired("public", RECIPE.made_by))
    assert 0 < left < 18 and build(store).passages == left and kept(store) == expected


def test_a_deletion_leaves_no_work_behind(store: Store) -> None:
    put(store, {"secret": "The 18 kestrels nested at quillonby quarters of the harbour and its ships for years."})
    with pytest.raises(ValueError, match="secret"):
        build(store, parts={"filter": failing})
    place = pairs_folder(store)
    assert occurs(place, b"quillonby")
    builder = IndexBuilder(store, place.parent / "indexes", HashedEncoder(16))
    assert builder.delete("public", ["secret"]) == 1
    assert not occurs(place.parent, b"quillonby") and not (place / "public").exists()


def test_a_deletion_that_was_killed_takes_the_work_with_the_next_run(store: Store) -> None:
    build(store, keep=True)
    remove(store, ["doc00001"])
    assert pairs_folder(store).exists()
    IndexBuilder(store, store.path.parent / "indexes", HashedEncoder(16)).refresh("public")
    assert not (pairs_folder(store) / "public").exists()
