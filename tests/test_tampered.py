"""A workspace whose files were damaged: every command ends as it may, and no other answer is given in silence."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.tampering import ASKED, LOOKED, copied, files_of, make, run, spoilt, wrong

KINDS = ("store.sqlite", "answerable.toml", "grants.json", "pairs-*", "lexical-*/*.fast")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("tampered"))


@pytest.fixture(scope="module")
def expected(place: Path) -> list[object]:
    ran = [run(place, *given) for given in ASKED]
    assert [one.code for one in ran].count(0) >= 3
    return ran


@pytest.mark.parametrize("kind", KINDS)
def test_no_damage_is_a_traceback_or_another_answer(place: Path, expected: list, kind: str, tmp_path: Path) -> None:
    chance = random.Random(kind)
    file = chance.choice([path for path in files_of(place) if path.match(f"{kind}/*") or path.match(kind)])
    with copied(place, tmp_path / "copy", file, spoilt((place / file).read_bytes(), "block", chance)) as damaged:
        assert wrong(damaged, expected, file) == []
    with copied(place, tmp_path / "cut", file, spoilt((place / file).read_bytes(), "cut", chance)) as damaged:
        assert all(run(damaged, *given).foreseen for given in LOOKED[:1])


def test_an_edited_store_is_not_cited_and_doctor_says_so(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place, tmp_path / "copy")
    with closing(sqlite3.connect(tmp_path / "copy" / "store.sqlite", isolation_level=None)) as connection:
        connection.execute("UPDATE documents SET text = replace(text, '1531', '1631')")
    ran = run(tmp_path / "copy", *ASKED[1])
    assert ran.code == 1 and "damaged or edited" in ran.said and "1631" not in ran.said
    looked = run(tmp_path / "copy", "doctor")
    assert looked.code == 1 and "not as stored" in looked.said and "kopu.md" in looked.said


def test_an_edit_with_new_seals_does_not_have_the_root_in_the_journal(place: Path, tmp_path: Path) -> None:
    """As one would make it who knows how: an older store in the place of this one."""
    shutil.copytree(place, tmp_path / "copy")
    shutil.copytree(place, tmp_path / "other")
    more = tmp_path / "more.md"
    more.write_text("# More\n\nSomething was added here.\n")
    assert run(tmp_path / "other", "index", str(more), "--enclave", "mail").code == 0
    for path in (tmp_path / "copy").glob("store.sqlite*"):
        path.unlink()
    shutil.copy(tmp_path / "other" / "store.sqlite", tmp_path / "copy" / "store.sqlite")
    looked = run(tmp_path / "copy", "doctor")
    assert looked.code == 1 and "last line about it in the journal" in looked.said
