"""Small files are there whole or as they were, for their owner alone, and what is wrong with one is a sentence."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from answerable.errors import WorkspaceError
from answerable.privacy.small_files import explained, write_file


def test_a_file_is_replaced_whole_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "grants.json"
    path.write_text("old")
    write_file(path, "néw")
    assert path.read_text("utf8") == "néw" and stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_cannot_be_written_leaves_the_old_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "grants.json"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_file(path, "\ud800")
    assert [*tmp_path.iterdir()] == [path] and path.read_text() == "old"


@pytest.mark.parametrize(
    ("error", "said"), [(OSError(28, "No space left"), "cannot be used: No space"), (KeyError("x"), "hold grants")]
)
def test_what_is_wrong_is_one_sentence_with_a_way_out(tmp_path: Path, error: Exception, said: str) -> None:
    with pytest.raises(WorkspaceError, match=said) as told, explained(tmp_path / "grants.json", "grants", "remove it"):
        raise error
    assert told.value.hint
