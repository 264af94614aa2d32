"""Standing grants on disk."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from answerable.errors import UsageError, WorkspaceError
from answerable.privacy.grant_file import GrantFile
from answerable.privacy.grants import grant_record, standing
from answerable.types import Asker

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
MAIL = standing(Asker(), ["mail"], "wiki", NOW, reason="until Friday")


def test_added_listed_and_revoked(tmp_path: Path) -> None:
    file = GrantFile(tmp_path / "grants.json")
    assert file.all() == ()
    other = standing(Asker("guest"), ["mail", "question"], "wiki", NOW)
    file.add(MAIL)
    file.add(other)
    assert GrantFile(file.path).all() == (MAIL, other)
    revoked = file.revoke(MAIL.id, NOW + timedelta(hours=1))
    assert revoked == MAIL.withdrawn(NOW + timedelta(hours=1)) and revoked.revoked == NOW + timedelta(hours=1)
    assert file.revoke(MAIL.id, NOW + timedelta(hours=2)) == revoked  # the first time counts
    assert file.all() == (revoked, other)
    with pytest.raises(UsageError, match=f"no grant is called 'g0' .known: {MAIL.id}, {other.id}"):
        file.revoke("g0", NOW)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_what_is_being_written_lies_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that it can be renamed into its place, wherever temporary files lie otherwise."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    (tmp_path / "here").mkdir()
    file = GrantFile(tmp_path / "here" / "grants.json")
    file.add(MAIL)
    assert {path.suffix for path in (tmp_path / "here").iterdir()} <= {".json", ".lock"} and file.all() == (MAIL,)


def test_all_of_it_is_on_the_disk_before_it_takes_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: sizes.append(os.fstat(handle).st_size))
    file = GrantFile(tmp_path / "grants.json")
    file.add(MAIL)
    assert sizes == [file.path.stat().st_size]


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    file = GrantFile(tmp_path / "grants.json")
    file.add(MAIL)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WorkspaceError, match="No space left on device"):
        file.revoke(MAIL.id, NOW)
    assert {path.suffix for path in tmp_path.iterdir()} <= {".json", ".lock"} and file.all() == (MAIL,)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"grants": [{"id": "g1"}]}', '{"grants": 3}', "\xff"])
def test_a_damaged_file_grants_nothing_and_says_so(tmp_path: Path, text: str) -> None:
    file = GrantFile(tmp_path / "grants.json")
    file.path.write_text(text, encoding="latin-1")
    for use in (file.all, lambda: file.add(MAIL), lambda: file.revoke("g1", NOW)):
        with pytest.raises(WorkspaceError, match=r"grants.json does not hold grants .remove it: every grant"):
            use()
    assert file.path.read_text(encoding="latin-1") == text


@pytest.mark.parametrize(
    "change",
    [
        {"lifts": "mail"},
        {"until": "soon"},
        {"given": "2026-05-04T12:00:00"},
        {"id": 3},
        {"lifts": [3]},
        {"new": 1},
        {"revoked": 0},
    ],
)
def test_what_is_no_grant_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    file = GrantFile(tmp_path / "grants.json")
    file.path.write_text(json.dumps({"grants": [grant_record(MAIL)]}))
    assert file.all() == (MAIL,)
    file.path.write_text(json.dumps({"grants": [grant_record(MAIL) | change]}))
    with pytest.raises(WorkspaceError, match="does not hold grants"):
        file.all()


def test_nothing_is_lost_when_several_add(tmp_path: Path) -> None:
    made = [standing(Asker(), ["mail"], "wiki", NOW + timedelta(hours=at)) for at in range(12)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda one: GrantFile(tmp_path / "grants.json").add(one), made))
    assert {one.id for one in GrantFile(tmp_path / "grants.json").all()} == {one.id for one in made}


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "grants.json").mkdir()
    with pytest.raises(WorkspaceError, match="cannot be used"):
        GrantFile(tmp_path / "grants.json").add(MAIL)
