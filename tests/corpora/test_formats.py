"""Which files are found, and that what is hostile or broken is told in one line while the rest goes on."""

from __future__ import annotations

import gzip
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from answerable.corpora.formats import Limits, find_files, read_documents
from answerable.errors import FormatError, UsageError
from tests.corpora.reading import read, write


def found_in(*paths: Path) -> tuple[list[tuple[str, str]], list[str]]:
    reports: list[str] = []
    return [(found.source, found.kind) for found in find_files(paths, reports.append)], reports


def test_a_folder_is_walked_by_name_and_told_by_its_own_name(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.md", "a/b.html", "c.jsonl.gz", "d.csv", ".hidden/x.txt", ".dot.txt"):
        write(tmp_path / "docs" / name, "x")
    assert found_in(tmp_path / "docs") == (
        [
            ("docs/a/b.html", "html"),
            ("docs/a/z.md", "markdown"),
            ("docs/b.txt", "text"),
            ("docs/c.jsonl.gz", "jsonl"),
            ("docs/d.csv", "table"),
        ],
        [],
    )


def test_what_sphinx_made_pages_from_is_not_read_beside_them(tmp_path: Path) -> None:
    for name in ("made/lamps.html", "made/_sources/lamps.rst.txt", "made/objects.inv", "other/_sources/wicks.txt"):
        write(tmp_path / name, "Lamps")
    found, reports = found_in(tmp_path)
    assert [name for name, _ in found] == [
        f"{tmp_path.name}/{one}" for one in ("made/lamps.html", "other/_sources/wicks.txt")
    ]
    assert any("_sources" in report for report in reports)


def test_a_file_given_by_name_is_its_own_source(tmp_path: Path) -> None:
    assert found_in(write(tmp_path / "n.MBOX", "x")) == ([("n.MBOX", "mbox")], [])


def test_unread_formats_are_counted_in_one_line(tmp_path: Path) -> None:
    for name in ("a.jpg", "b.jpg", "c.rar", "d"):
        write(tmp_path / "box" / name, "\0")
    found, reports = found_in(tmp_path / "box")
    assert found == []
    assert reports == ["skipped 4 files in box of formats that are not read: .jpg (2), .rar (1), no ending (1)"]


def test_of_an_old_document_it_is_said_what_to_save_it_as(tmp_path: Path) -> None:
    path = write(tmp_path / "box" / "prices.DOC", "x")
    assert found_in(path)[1] == [f"skipped {path}: it is of a format that is not read; save it as PDF"]
    assert found_in(tmp_path / "box")[1][0].endswith("not read: .doc (1); save .doc as PDF")


@pytest.mark.parametrize(
    ("name", "holds", "kind"),
    [
        ("LICENSE", "No warranty is given.", "text"),
        ("GFDL-1.3", "No warranty is given.", "text"),
        ("LESEN", "Grüße.".encode("cp1252"), "text"),
        ("cut", "ü" * 5000, "text"),
        ("saved page", "\n<!DOCTYPE html><p>Hello.", "html"),
        ("scan", "%PDF-1.4\n\0", "pdf"),
        ("kept", "From: a@b.example\nDate: today\n\nHello.", "mail"),
        ("core", "\0\1\2", None),
        ("run", "#!/bin/sh\necho hello", None),
        ("id_key", "-----BEGIN PRIVATE KEY-----\nx", None),
        ("nothing", "", None),
        ("notes.xyz", "No warranty is given.", None),
        ("LICENSE.gz", "No warranty is given.", None),
    ],
)
def test_a_file_without_an_ending_is_what_it_begins_as(
    tmp_path: Path, name: str, holds: str | bytes, kind: str | None
) -> None:
    found, reports = found_in(write(tmp_path / name, holds))
    assert found == ([(name, kind)] if kind else [])
    assert bool(reports) is (kind is None)


def test_a_path_that_is_not_there_is_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"missing\.txt"):
        found_in(tmp_path / "missing.txt")


def test_a_file_given_by_name_that_is_not_read_is_a_line(tmp_path: Path) -> None:
    found, reports = found_in(write(tmp_path / "picture.png", "x"), write(tmp_path / "n.txt", "x"))
    assert found == [("n.txt", "text")] and len(reports) == 1 and "picture.png" in reports[0]


def test_two_files_of_one_name_do_not_mix(tmp_path: Path) -> None:
    first, second = write(tmp_path / "one/n.txt", "1"), write(tmp_path / "two/n.txt", "2")
    assert found_in(first, second, first) == ([("n.txt", "text"), ("two/n.txt", "text")], [])


def test_links_pipes_and_sockets_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "secret.txt", "secret")
    box = tmp_path / "box"
    write(box / "good.txt", "good")
    (box / "link.txt").symlink_to(tmp_path / "secret.txt")
    (box / "up").symlink_to(tmp_path)
    os.mkfifo(box / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as unix:
        here = Path.cwd()
        os.chdir(box)  # the path of a socket may be too long for the system
        unix.bind("s.txt")
        os.chdir(here)
        found, reports = found_in(box)
    assert found == [("box/good.txt", "text")]
    assert len(reports) == 4 and all(report.startswith("skipped box/") for report in reports)


@pytest.mark.parametrize("become", [os.mkfifo, os.mkdir])
def test_a_file_that_becomes_a_pipe_or_a_folder_is_not_waited_for(tmp_path: Path, become: Callable) -> None:
    path = write(tmp_path / "n.txt", "x")
    (found,) = find_files([path], print)
    path.unlink()
    become(path)
    with pytest.raises(FormatError, match="not a regular file"):
        list(read_documents(found, "e", Limits(), print))


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "n.txt", "x")
    path.chmod(0)
    with pytest.raises(FormatError, match=r"n\.txt cannot be read"):
        read(path)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Grüße aus Köln.".encode(), "Grüße aus Köln."),
        ("\ufeffGrüße.".encode(), "Grüße."),
        ("Grüße.".encode("utf-16"), "Grüße."),
        ("Grüße.".encode("utf-32"), "Grüße."),
        ("Grüße – so.".encode("cp1252"), "Grüße – so."),
        (b"one\r\ntwo\r\n", "one\r\ntwo\r\n"),
    ],
)
def test_text_is_decoded_exactly(tmp_path: Path, data: bytes, text: str) -> None:
    (document,), reports = read(write(tmp_path / "n.txt", data))
    assert document.text == text and not reports


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n\n ", "empty"),
        (b"abc\0def", "NUL"),
        (bytes(range(1, 256)) * 9, "binary"),
        (b"\xff\xfea\0b", "promise"),
        (b"x" * 2000, "larger than"),
    ],
)
def test_what_is_no_text_is_refused_in_one_sentence(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read(write(tmp_path / "n.txt", data), Limits(max_bytes=1999 if reason == "larger than" else 10_000))


@pytest.mark.parametrize("cut", [10, 60])
def test_a_truncated_gzip_is_refused(tmp_path: Path, cut: int) -> None:
    packed = gzip.compress(os.urandom(200).hex().encode())
    with pytest.raises(FormatError, match="truncated or damaged"):
        read(write(tmp_path / "n.txt.gz", packed[:cut]))


@pytest.mark.parametrize("name", ["n.jsonl.gz", "n.mbox.gz"])
def test_a_gzip_bomb_is_refused(tmp_path: Path, name: str) -> None:
    packed = gzip.compress(b"From a@b.c Fri Jan  4 08:52:10 2019\n" + b"x" * 20_000_000)
    with pytest.raises(FormatError, match="bomb"):
        read(write(tmp_path / name, packed))


def test_text_takes_its_title_from_its_first_line_or_its_name(tmp_path: Path) -> None:
    (named,), _ = read(write(tmp_path / "annual_report-2019-04.txt", "It was a good year. We sold all.\nAnd more."))
    assert named.title == "annual report 2019-04"
    (titled,), _ = read(write(tmp_path / "n.txt", "The annual report\n\nIt was a good year."))
    assert titled.title == "The annual report"
    (set_,), _ = read(write(tmp_path / "README", "      -*- text -*-\nGNU Wget\n========\nIt fetches files.\n"))
    assert set_.title == "GNU Wget"


def test_text_in_parts_between_rules_is_not_called_by_the_first(tmp_path: Path) -> None:
    parts = [f"Hotel {name}\n\nIt was quiet." for name in "ABC"]
    (document,), _ = read(write(tmp_path / "hotels.txt", "\n\n---\n\n".join(parts)))
    assert document.title == "hotels"
    (document,), _ = read(write(tmp_path / "hotels.txt", "\n\n---\n\n".join(["Our hotels", *parts])))
    assert document.title == "Our hotels"


def test_markdown_takes_its_title_from_its_first_heading(tmp_path: Path) -> None:
    (document,), _ = read(write(tmp_path / "n.md", "Note.\n\n# The *real* title\n\nText.\n"))
    assert document.title == "The real title"
    assert document.id == document.source == "n.md" and document.kind == "markdown" and document.meta == {"record": 0}


def test_markdown_of_several_top_headings_is_called_by_its_file(tmp_path: Path) -> None:
    (document,), _ = read(write(tmp_path / "CHANGES.md", "## Version 2\n\n- A lamp.\n\n## Version 1\n\n- A wick.\n"))
    assert document.title == "CHANGES" and [one.title for one in document.sections] == ["Version 2", "Version 1"]


def test_whole_files_have_one_record(tmp_path: Path) -> None:
    for name, data in (
        ("n.md", "# T\n\nx"),
        ("n.txt", "x"),
        ("n.csv", "a,b\nc,d"),
        ("n.html", "<p>x"),
        ("n.eml", "To: x\n\ny"),
    ):
        path = write(tmp_path / name, data)
        assert len(read(path)[0]) == 1
        assert read(path, start=1)[0] == []


def test_a_file_without_ending_may_be_a_mail(tmp_path: Path) -> None:
    write(tmp_path / "box/1.", "Message-ID: <1@x>\nDate: Fri, 4 Jan 2019 08:52:10 +0000\nFrom: a@x.org\n\nHello.")
    write(tmp_path / "box/2", "Just text")
    documents, reports = read(tmp_path / "box")
    assert [document.kind for document in documents] == ["mail", "text"] and not reports
