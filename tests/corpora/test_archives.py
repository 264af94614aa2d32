"""Archives that nobody vouches for: bombs, names that lead elsewhere, what is damaged, what is nobody's export."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from answerable.corpora.archives import Folder, opened
from answerable.corpora.sources import Limits
from answerable.errors import FormatError
from tests.corpora.packing import packed
from tests.corpora.reading import read, write


def test_what_unpacks_to_far_more_than_its_size_is_not_unpacked(tmp_path: Path) -> None:
    path = write(tmp_path / "a.zip", packed({"small.txt": "x" * 9, "bomb.txt": b"\0" * 3_000_000}))
    with opened(path, "a.zip", Limits(), "export") as archive:
        assert archive.read("small.txt") == b"x" * 9
        with pytest.raises(FormatError, match="only a bomb"):
            archive.read("bomb.txt")
    with opened(path, "a.zip", replace(Limits(), max_ratio=10_000), "export") as archive:
        assert len(archive.read("bomb.txt")) == 3_000_000


def test_an_archive_in_an_archive_is_held_to_the_same(tmp_path: Path) -> None:
    inner = packed({"bomb.txt": b"\0" * 3_000_000})
    path = write(tmp_path / "a.zip", packed({"inner.zip": inner, "broken.zip": "PK"}))
    with opened(path, "a.zip", Limits(), "export") as archive:
        assert archive.inner("inner.zip").names == ("bomb.txt",)
        with pytest.raises(FormatError, match="only a bomb"):
            archive.inner("inner.zip").read("bomb.txt")
        with pytest.raises(FormatError, match="damaged, encrypted or no export"):
            archive.inner("broken.zip")
        with pytest.raises(FormatError, match="damaged, encrypted or no export"):
            archive.read("nothing.txt")


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04 and nothing", b"", packed({"a": "x" * 999})[:-30]], ids=["no entries", "empty", "cut off"]
)
def test_what_is_damaged_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(FormatError, match="damaged"):
        read(write(tmp_path / "a.zip", data))


def test_names_that_lead_elsewhere_are_names_and_nothing_is_written(tmp_path: Path) -> None:
    id = "0123456789abcdef0123456789abcdef"
    path = write(tmp_path / "box" / "a.zip", packed({f"../../../up {id}.md": "# Up\n\nOut.", f"/etc/x {id}.md": "# X"}))
    documents, _ = read(path)
    assert [one.id for one in documents] == [f"a.zip#{id}", f"a.zip#{id}~2"]
    assert [one.name for one in tmp_path.rglob("*")] == ["box", "a.zip"]


def test_an_archive_that_is_no_export_says_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no export of Slack or Notion") as refused:
        read(write(tmp_path / "a.zip", packed({"readme.md": "Hello."})))
    assert "unpack it" in (refused.value.hint or "")


def test_a_folder_gives_its_files_but_no_links_and_nothing_hidden(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.json", "[]")
    write(tmp_path / "in" / ".git" / "b.json", "[]")
    write(tmp_path / "secret.json", "[1]")
    (tmp_path / "in" / "c.json").symlink_to(tmp_path / "secret.json")
    members = Folder(tmp_path / "in", "in", Limits())
    assert members.names == ("a.json",) and members.read("a.json") == b"[]"
