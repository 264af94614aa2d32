"""`index`: what was done, what was skipped, and what may not be."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.cli import index as module
from answerable.errors import BusyError
from answerable.workspace.workspace import Workspace
from tests.cli.conftest import Command
from tests.corpora.imap_server import PASSWORD, TLS, Server, serving


def test_a_first_index_makes_the_workspace(command: Command, notes: Path):
    ran = command("index", notes / "wiki", "-e", "wiki", "--public")
    assert ran.code == 0 and "wiki (public): 2 documents in 2 passages" in ran.out
    assert (notes / ".answerable" / "answerable.toml").is_file()
    assert "vectors: 2 of 2" in ran.err


def test_json(command: Command, notes: Path):
    record = command("index", notes / "mail", "-e", "mail", "--json").record
    assert (record["enclave"], record["kind"], record["documents"], record["skipped"]) == ("mail", "private", 1, [])
    assert record["files"]["added"] == 1 and record["seconds"] > 0


def test_a_workspace_elsewhere(command: Command, notes: Path):
    assert command("-w", "there", "index", notes / "mail", "-e", "mail").code == 0
    assert command("status", "-w", "there").code == 0
    assert not (notes / ".answerable").exists()


def test_what_is_skipped_is_said_in_a_line(command: Command, notes: Path):
    (notes / "wiki" / "broken.docx").write_bytes(b"PK\x03\x04 secret words")
    ran = command("index", notes / "wiki", "-e", "wiki")
    assert ran.code == 0 and "broken.docx" in ran.err and "secret words" not in ran.err


def test_mail_that_repeats_other_mail_is_said_in_words(command: Command, tmp_path: Path):
    said = " ".join(f"The lamp of tower {n} burns oil, and its keeper trims the wick at nine." for n in range(9))
    for name in ("one", "two"):
        (tmp_path / f"{name}.eml").write_text(f"From: ann@example.org\nSubject: Lamps\n\n{said}\n", encoding="utf8")
    ran = command("index", "one.eml", "two.eml", "-e", "mail")
    assert "2 files in" in ran.out and "left out 1 passage that repeats other mail" in ran.out
    ran = command("index", "one.eml", "-e", "mail")
    assert "1 file in" in ran.out and "left out" not in ran.out


def test_usage(command: Command, notes: Path):
    for args in (
        ["", "-e", "wiki"],
        ["nothing-here", "-e", "wiki"],
        [notes / "wiki", "-e", "wiki", "--public", "--private"],
        [notes / "wiki", "-e", "../wiki"],
    ):
        ran = command("index", *args, "--json")
        assert ran.code == 2, ran.out
    assert command("index", notes / "wiki", "-e", "wiki").code == 0
    ran = command("index", notes / "wiki", "-e", "wiki", "--public")
    assert ran.code == 2 and "declared private" in ran.err


def test_nothing_readable_ends_with_3(command: Command, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    assert command("index", tmp_path / "empty", "-e", "a").code == 3


def test_interrupted_it_says_how_to_go_on(command: Command, notes: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Workspace, "index", interrupt)
    ran = command("index", notes / "wiki", "-e", "wiki")
    assert ran.code == 130 and "resumes" in ran.err


def test_what_is_gone_is_dropped_and_what_is_not_read_is_a_line(command: Command, notes: Path):
    wiki = notes / "wiki"
    assert command("-w", wiki / "work", "index", wiki, "-e", "wiki").code == 0
    gone = next(path for path in sorted(wiki.iterdir()) if path.is_file())
    gone.unlink()
    (notes / "photo.png").write_bytes(b"x")
    ran = command("-w", wiki / "work", "index", wiki, notes / "photo.png", "-e", "wiki", "--json")
    assert ran.code == 0 and ran.record["documents"] == ran.record["files"]["gone"] == 1
    kept, unread = ran.record["skipped"]
    assert "wiki/work" in kept and "photo.png" in unread
    next(path for path in wiki.iterdir() if path.is_file()).unlink()
    ran = command("-w", wiki / "work", "index", wiki, "-e", "wiki")
    assert ran.code == 3 and "dropped 1 document of files that are gone" in ran.err


def test_watching_indexes_what_changes_and_tries_again(
    command: Command, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = iter([False, True, False, False])
    index = Workspace.index

    def sometimes(*args: object, **how: object) -> object:
        if next(busy):
            raise BusyError("another process is writing")
        return index(*args, **how)  # type: ignore[arg-type]

    def changes(paths: object, but: Path) -> Iterator[bool]:
        (notes / "wiki" / "new.md").write_text("# New\n\nA new one.\n")
        yield True  # busy
        yield False  # tried again
        yield False
        (notes / "wiki" / "new.md").unlink()
        yield True
        raise KeyboardInterrupt

    monkeypatch.setattr(Workspace, "index", sometimes)
    monkeypatch.setattr(module, "changes", changes)
    ran = command("index", notes / "wiki", "-e", "wiki", "--watch")
    assert ran.code == 130 and ran.err.count("not indexed yet: another process is writing") == 1
    assert [line.split()[2] for line in ran.out.splitlines()[::2]] == ["2", "3", "2"]


def test_watching_without_its_package_is_refused_before_anything_is_read(
    command: Command, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    ran = command("index", notes / "wiki", "-e", "wiki", "--watch")
    assert ran.code == 1 and "answerable[watch]" in ran.err and not (notes / ".answerable").exists()


def test_what_lies_in_the_workspace_is_no_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AGAIN", 0.2)
    (tmp_path / "own").mkdir()
    seen = module.changes([tmp_path], tmp_path / "own")
    writing = threading.Timer(0.1, lambda: (tmp_path / "own" / "store.sqlite").write_text("x"))
    writing.start()
    assert not any(next(seen) for _ in range(4))
    writing.join()
    (tmp_path / "note.md").write_text("x")
    assert any(next(seen) for _ in range(20))


def test_a_mailbox_is_fetched_with_the_password_of_a_file(command: Command, tmp_path: Path):
    (tmp_path / "password").write_text(f"{PASSWORD}\n", encoding="utf8")
    raw = b"From: ann@example.org\r\nSubject: Lamps\r\n\r\nThe lamp of Bell Rock burns oil.\r\n"
    with serving(Server({"INBOX": {7: raw}})) as server:
        line = ["index", f"{server.url}/INBOX", "-e", "mail", "--ca-file", TLS / "certificate.pem"]
        ran = command(*line, "--password-file", tmp_path / "password")
        assert ran.code == 0 and "mail (private): 1 document in 1 passage" in ran.out
        assert command(*line).code == 2 and "nobody to ask for the password" in command(*line).err
        assert command(*line, "--watch", "--password-file", tmp_path / "password").code == 2
        assert command(*line, "--password-file", tmp_path / "nothing").code == 2
    for file in tmp_path.rglob("*"):
        assert file.name == "password" or not file.is_file() or PASSWORD.encode() not in file.read_bytes()
