"""The journal on disk: appended by many, torn by a crash, closed to others, and never in the way."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from answerable.errors import WorkspaceError
from answerable.privacy import audit_log
from answerable.privacy.audit_log import AuditLog, JournalSettings, new_ask
from answerable.privacy.audit_records import FIRST, Sent
from answerable.privacy.enclaves import EnclaveTable, private, public
from answerable.privacy.flow import Decision
from answerable.privacy.grants import standing
from answerable.types import Asker, Query, Skill

TABLE = EnclaveTable([public("wiki"), private("mail")])
SENT = Sent("Who built it?", None, "lexical", 10)
ALLOWED = Decision(True, "carries only public text")


def write(journal: AuditLog, times: int = 1, ask: str = "a", hits: int | None = 2) -> None:
    for _ in range(times):
        line = journal.searches(ask, Skill.SINGLE, TABLE["wiki"], [(Query("a private question"), ALLOWED, SENT)])[0]
        if hits is not None:
            journal.found(line, hits)


@pytest.fixture
def journal(tmp_path: Path) -> AuditLog:
    return AuditLog(tmp_path / "journal.jsonl")


def test_nothing_yet(journal: AuditLog) -> None:
    assert journal.shown(Asker(), TABLE) == [] and journal.verified().lines == 0
    assert journal.verified().head == FIRST
    journal.flush()
    assert not journal.path.exists()


def test_several_searches_are_written_down_at_once(journal: AuditLog) -> None:
    refused = Decision(False, "carries mail; wiki admits only public text")
    asked = [(Query("one"), ALLOWED, SENT), (Query("two"), refused, None), (Query("three"), ALLOWED, SENT)]
    lines = journal.searches("a", Skill.MATCH, TABLE["wiki"], asked)
    assert len({*lines}) == 3 and journal.searches("a", Skill.MATCH, TABLE["wiki"], []) == []
    for line, hits in zip(lines, (5, 6, 7), strict=True):
        journal.found(line, hits)
    entries = journal.shown(Asker(), TABLE)
    assert [(one["skill"], one["ask"], one["rule"], one["hits"]) for one in entries] == [
        ("match", "a", ALLOWED.reason, 5),
        ("match", "a", refused.reason, 6),
        ("match", "a", ALLOWED.reason, 7),
    ]
    silent = AuditLog(journal.path, JournalSettings(keep=False))
    assert silent.searches("a", Skill.MATCH, TABLE["wiki"], asked) == [None] * 3 and journal.verified().lines == 6


def test_grants_are_written_down_when_given_and_when_taken_back(journal: AuditLog) -> None:
    rule = standing(Asker(), ["mail"], "wiki", datetime(2026, 5, 4, tzinfo=UTC))
    silent = AuditLog(journal.path, JournalSettings(keep=False))
    for one in (silent, journal):
        one.granted(rule, "Who?")
        one.revoked(rule)
    given, taken = journal.shown(Asker(), TABLE)
    assert (given["kind"], given["id"], taken["kind"], taken["id"]) == ("grant", rule.id, "revoke", rule.id)
    assert given["question"] == sha256(b"Who?").hexdigest()


def test_what_is_written_is_shown_and_whole(journal: AuditLog) -> None:
    write(journal, 3)
    other = AuditLog(journal.path)  # another process, or the next day
    write(other, 2)
    other.flush()
    write(journal, 1, hits=None)
    journal.flush()
    entries = AuditLog(journal.path).shown(Asker(), TABLE)
    assert [entry["hits"] for entry in entries] == [2] * 5 + [None]
    verdict = journal.verified()
    assert (verdict.lines, verdict.broken) == (11, None)
    assert journal.verified(verdict.head).broken is None and journal.verified("f" * 64).broken
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600


def test_the_latest_are_those_that_come_last_however_long_it_is(
    journal: AuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_log, "_LATEST", 700)  # bytes: two lines and a part of one
    for number in range(12):
        asker = Asker(f"clerk {number % 3}")
        line = journal.searches(str(number), Skill.SINGLE, TABLE["wiki"], [(Query("q", asker), ALLOWED, SENT)])[0]
        journal.found(line, number)
    every = journal.shown(Asker(), TABLE)
    assert [one["hits"] for one in every] == [*range(12)]
    for last in range(14):
        assert journal.shown(Asker(), TABLE, last) == every[-last:]
        own = [one for one in every if one["asker"] == "clerk 1"]
        assert journal.shown(Asker(), TABLE, last, "clerk 1") == own[-last:]
    read = []
    monkeypatch.setattr(audit_log, "shown", lambda lines, *rest: read.extend(lines) or [{}] * 2)
    journal.shown(Asker(), TABLE, 2)
    assert 0 < len(read) < 5  # of 24


def test_no_text_is_kept_unless_it_is_asked_for(tmp_path: Path) -> None:
    write(AuditLog(tmp_path / "a.jsonl"))
    assert b"Who built it" not in (tmp_path / "a.jsonl").read_bytes()
    telling = AuditLog(tmp_path / "b.jsonl", JournalSettings(text=True))
    write(telling)
    telling.searches("a", Skill.SINGLE, TABLE["wiki"], [(Query("q"), Decision(False, "no"), None)])[0]
    assert [entry.get("text") for entry in telling.shown(Asker(), TABLE)] == ["Who built it?", None]
    assert b"private question" not in (tmp_path / "b.jsonl").read_bytes()


def test_turned_off_it_writes_nothing(tmp_path: Path) -> None:
    off = AuditLog(tmp_path / "journal.jsonl", JournalSettings(keep=False))
    write(off)
    off.flush()
    assert not off.kept and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("left", [1, 40, -2, -1])
def test_a_torn_last_line_is_said_and_cut_off_and_nothing_else_is_lost(journal: AuditLog, left: int) -> None:
    write(journal, 3, hits=None)
    whole = journal.path.read_bytes().splitlines(keepends=True)
    torn = whole[-1][:left]
    journal.path.write_bytes(b"".join(whole[:-1]) + torn)
    assert (journal.verified().lines, journal.verified().torn) == (2, len(torn))
    assert len(journal.shown(Asker(), TABLE)) == 2
    write(AuditLog(journal.path), 1, hits=None)
    verdict, entries = journal.verified(), journal.shown(Asker(), TABLE)
    assert (verdict.lines, verdict.broken, verdict.torn) == (4, None, 0)
    assert [entry["kind"] for entry in entries] == ["search", "search", "torn", "search"]
    assert entries[2]["bytes"] == len(torn) and journal.path.read_bytes().startswith(b"".join(whole[:-1]))


def test_torn_at_the_very_first_line_and_lines_longer_than_a_block(journal: AuditLog) -> None:
    journal.path.write_bytes(b'{"kind":"sea')
    write(journal, 1, hits=None)
    assert (journal.verified().lines, journal.verified().broken) == (2, None)
    telling = AuditLog(journal.path, JournalSettings(text=True))
    long = Sent("x" * 200_000, None, "lexical", 1)
    telling.searches("a", Skill.SINGLE, TABLE["wiki"], [(Query("q"), ALLOWED, long)])[0]
    with journal.path.open("ab") as file:
        file.write(b"y" * 100_000)
    write(AuditLog(journal.path), 1, hits=None)
    assert (journal.verified().lines, journal.verified().broken) == (5, None)


def test_an_edit_shows_and_writing_goes_on(journal: AuditLog) -> None:
    write(journal, 3, hits=None)
    lines = journal.path.read_bytes().splitlines(keepends=True)
    journal.path.write_bytes(b"".join([lines[0], lines[1].replace(b'"wiki"', b'"mail"'), lines[2]]))
    assert journal.verified().broken == "line 2 was changed, or is no record"
    write(AuditLog(journal.path), 1)
    assert journal.verified().broken == "line 2 was changed, or is no record"
    journal.path.write_bytes(b"garbage\n")
    write(AuditLog(journal.path), 1, hits=None)
    assert journal.verified().broken == "line 1 was changed, or is no record"
    assert len(journal.shown(Asker(), TABLE)) == 1


def test_a_file_taken_away_is_begun_anew(journal: AuditLog) -> None:
    write(journal, 2)
    journal.flush()
    journal.path.unlink()
    write(journal, 1)
    assert (journal.verified().lines, journal.verified().broken) == (2, None)


PROGRAM = """
import sys
from pathlib import Path
from tests.privacy.test_audit_log import AuditLog, write
journal = AuditLog(Path(sys.argv[1]))
write(journal, int(sys.argv[2]), ask=sys.argv[3])
journal.flush()
"""


def test_threads_and_processes_take_turns(journal: AuditLog) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", PROGRAM, str(journal.path), "40", name], cwd=Path(__file__).parents[2])
        for name in ("p0", "p1")
    ]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda name: write(journal, 20, ask=name), ("t0", "t1", "t2", "t3")))
    assert [process.wait(timeout=60) for process in started] == [0, 0]
    verdict, entries = journal.verified(), journal.shown(Asker(), TABLE)
    assert (verdict.lines, verdict.broken) == (2 * (2 * 40 + 4 * 20), None)
    counts = {name: sum(entry["ask"] == name for entry in entries) for name in ("p0", "p1", "t0", "t3")}
    assert counts == {"p0": 40, "p1": 40, "t0": 20, "t3": 20}
    assert all(entry["hits"] == 2 for entry in entries)


def test_killed_at_any_moment_it_stays_whole(journal: AuditLog) -> None:
    before = 0
    for _ in range(2):
        args = [sys.executable, "-c", PROGRAM, str(journal.path), "1000000", "k"]
        process = subprocess.Popen(args, cwd=Path(__file__).parents[2])
        while (journal.path.stat().st_size if journal.path.exists() else 0) < before + 20_000:
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
        process.wait()
        verdict = journal.verified()
        assert verdict.broken is None and journal.path.stat().st_size > before
        before = journal.path.stat().st_size
    write(journal)
    assert journal.verified().broken is None


def test_a_disk_without_room_stops_the_search(journal: AuditLog, monkeypatch: pytest.MonkeyPatch) -> None:
    write(journal)
    kept = journal.path.read_bytes()
    if not Path("/dev/full").exists():
        pytest.skip("this system has no full device")
    full = AuditLog(Path("/dev/full"))
    with pytest.raises(WorkspaceError, match=r"journal /dev/full cannot be used: No space .*keep = false"):
        write(full)
    assert journal.path.read_bytes() == kept


def test_a_folder_that_cannot_be_written_is_read(journal: AuditLog, monkeypatch: pytest.MonkeyPatch) -> None:
    write(journal)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert not journal.kept
    write(journal)
    assert len(journal.shown(Asker(), TABLE)) == 1 and journal.verified().broken is None


def test_asks_are_told_apart() -> None:
    assert len({new_ask() for _ in range(100)}) == 100 and len(new_ask()) == 8


def test_roots_are_written_down_where_they_change(tmp_path):
    file = AuditLog(tmp_path / "journal.jsonl")
    for roots in ({"wiki": "a", "mail": "b"}, {"wiki": "a", "mail": "b"}, {"wiki": "c", "mail": "b"}):
        file.stored(roots)
    assert file.roots() == {"wiki": "c", "mail": "b"}
    assert file.verified().lines == 3 and file.verified().broken is None
    off = AuditLog(file.path, JournalSettings(keep=False))
    off.stored({"wiki": "d"})
    assert off.roots() == {} and file.verified().lines == 3
