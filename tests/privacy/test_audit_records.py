"""The chain of the journal's lines, what breaks it, and what each viewer is shown of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.privacy.audit_records import (
    FIRST,
    Record,
    Sent,
    Verdict,
    chained,
    found_record,
    granted_record,
    hash_of,
    read_line,
    revoked_record,
    search_record,
    shown,
    torn_record,
    verified,
)
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.privacy.flow import Decision, decide
from answerable.privacy.grants import standing
from answerable.types import Asker, Enclave, Passage, Privacy, Query, Skill

AT = datetime(2026, 5, 4, 12, 0, 0, 250_000, tzinfo=UTC)
TABLE = EnclaveTable([public("wiki"), private("mail")])
ME, GUEST = Asker(), Asker("guest", frozenset({"wiki"}))
MAIL = Passage("m", "m", "mail", "secret title", "secret text", 0, 11)
SENT = Sent("Who built it?", b"\x00" * 8, "hybrid", 10)


def search(query: Query, enclave: str, sent: Sent | None = SENT, ask: str = "a1") -> Record:
    decision = decide(query, TABLE[enclave], Privacy.DOCUMENT)
    return search_record(AT, ask, query, Skill.SINGLE, TABLE[enclave], decision, sent)


def lines_of(records: Sequence[Record]) -> list[bytes]:
    head, lines = FIRST, []
    for record in records:
        line, head = chained(record, head)
        lines.append(line)
    return lines


def test_a_search_is_told_without_its_text() -> None:
    record = search(Query("secret question", ME), "wiki")
    assert record == {
        "kind": "search",
        "at": "2026-05-04T12:00:00.250+00:00",
        "ask": "a1",
        "asker": "me",
        "asked_under": [],
        "enclave": "wiki",
        "host": "elsewhere",
        "label": [],
        "skill": "single",
        "hop": 1,
        "allowed": True,
        "rule": "carries only public text; wiki admits only public text",
        "grants": [],
        "sha256": sha256(b"Who built it?").hexdigest(),
        "vector": sha256(b"\x00" * 8).hexdigest(),
        "bytes": 21,
        "mode": "hybrid",
        "k": 10,
    }
    refused = search(Query("secret question", ME, frozenset({"mail"}), (MAIL,)), "wiki", None)
    assert (refused["allowed"], refused["label"], refused["hop"]) == (False, ["mail"], 2)
    assert [refused[key] for key in ("sha256", "vector", "bytes", "mode", "k")] == [None, None, 0, None, None]
    assert "secret" not in json.dumps([record, refused])
    assert search(Query("q"), "mail")["host"] == "yours"
    assert search(Query("q"), "wiki", Sent("a\ud800", None, "lexical", 1))["bytes"] == 4


@pytest.mark.parametrize("enclave", [private("mail"), mirror("copy")])
def test_a_host_that_may_be_sent_everything_is_yours_only_where_it_is_this_machine(enclave: Enclave) -> None:
    hosts = [
        search_record(AT, "a1", Query("q"), Skill.SINGLE, one, decide(Query("q"), one, Privacy.DOCUMENT), SENT)["host"]
        for one in (enclave, replace(enclave, remote=True))
    ]
    assert hosts == ["yours", "elsewhere"]


texts = st.dictionaries(st.text(max_size=4), st.text(max_size=8) | st.integers(), max_size=3)
journals = st.lists(texts.map(lambda told: {"kind": "search", "at": "2026", **told}), min_size=1, max_size=6)


@given(records=journals)
def test_a_chain_is_whole_and_reads_back(records: list[Record]) -> None:
    lines = lines_of(records)
    heads = [hash_of(line) for line in lines]
    verdict = verified(lines)
    assert (verdict.lines, verdict.head, verdict.broken, verdict.torn) == (len(lines), heads[-1], None, 0)
    for line, record, before in zip(lines, records, [FIRST, *heads], strict=False):
        assert read_line(line) == {**record, "before": before}
    assert all(verified(lines, noted).broken is None for noted in heads)


@given(records=journals, data=st.data())
def test_what_is_changed_dropped_moved_or_put_in_shows(records: list[Record], data: st.DataObject) -> None:
    lines = lines_of(records)
    at = data.draw(st.integers(0, len(lines) - 1))
    byte = data.draw(st.integers(0, len(lines[at]) - 2))
    changed = lines[at][:byte] + bytes([lines[at][byte] ^ 1]) + lines[at][byte + 1 :]
    if b"\n" not in changed[:-1]:
        verdict = verified([*lines[:at], changed, *lines[at + 1 :]])
        assert verdict.lines == at and str(verdict.broken).startswith(f"line {at + 1} ")
    if at < len(lines) - 1:
        for wrong in ([*lines[:at], *lines[at + 1 :]], [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]):
            verdict = verified(wrong)
            assert verdict.lines == at and str(verdict.broken).startswith(f"line {at + 1} ") and verdict.torn == 0
    twice = verified([*lines[: at + 1], *lines[at:]])
    assert twice.head == hash_of(lines[at])
    assert twice.lines == at + 1 and str(twice.broken).startswith(f"line {at + 2} does not follow line {at + 1}")
    forged, _ = chained({"kind": "search", "at": "2026", "by": "hand"}, hash_of(lines[at]))
    assert (verified([*lines[: at + 1], forged, *lines[at + 1 :]]).broken is None) == (at == len(lines) - 1)


@given(records=journals, data=st.data())
def test_a_cut_end_shows_to_whoever_noted_the_last_hash(records: list[Record], data: st.DataObject) -> None:
    lines = lines_of(records)
    left = data.draw(st.integers(0, len(lines) - 1))
    assert verified(lines[:left]).broken is None
    assert str(verified(lines[:left], hash_of(lines[-1])).broken).startswith("no line has the hash")


def test_a_torn_end_is_no_break() -> None:
    lines = lines_of([search(Query("q"), "wiki"), search(Query("q"), "mail")])
    verdict = verified([lines[0], lines[1][:40]])
    assert (verdict.lines, verdict.broken, verdict.torn) == (1, None, 40)


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b"not json\n", b'{"kind":"search","hash":"00"}\n', b"\xff\xfe\n"])
def test_a_line_that_is_no_record(line: bytes) -> None:
    assert read_line(line) is None
    assert verified([line]) == Verdict(0, FIRST, "line 1 was changed, or is no record", 0)
    assert shown([line], ME, TABLE) == []
    assert len(hash_of(line)) == 64 or line.startswith(b'{"kind"')


def _journal(mails: int) -> list[bytes]:
    """One ask that read so many mails, and a grant."""
    asked = Query("q", ME)
    read = Query("q", ME, frozenset({"mail"}), (MAIL,))
    head, lines = FIRST, []
    of: list[tuple[Record, int | None]] = [(search(asked, "wiki"), 3), (search(asked, "mail"), mails)]
    of += [(search(read, "wiki", None), None), (search(read, "mail"), 1)] * mails
    of += [(search(asked, "wiki", ask="a2"), None)]
    for record, hits in of:
        line, head = chained(record, head)
        lines.append(line)
        if hits is not None:
            line, head = chained(found_record(AT, head, hits), head)
            lines.append(line)
    rule = standing(ME, ["mail"], "wiki", AT, reason="because")
    for record in (granted_record(AT, rule), revoked_record(AT, rule), torn_record(AT, b"{")):
        line, head = chained(record, head)
        lines.append(line)
    return lines


def test_all_that_is_written_of_a_grant_and_of_a_torn_line() -> None:
    rule = standing(ME, ["mail"], "wiki", AT, reason="because")
    at = "2026-05-04T12:00:00.250+00:00"
    told = {"id": rule.id, "asker": "me", "lifts": ["mail"], "to": "wiki"}
    assert revoked_record(AT, rule) == {"kind": "revoke", "at": at, **told}
    assert granted_record(AT, rule) == {
        "kind": "grant",
        "at": at,
        **told,
        "before_reading": [],
        "given": rule.given.isoformat(),
        "until": rule.until.isoformat(),
        "reason": "because",
        "question": None,
    }
    half = granted_record(AT, rule, "\udcff")["question"]  # typed where what was typed is no Unicode
    assert half == sha256(b"\xed\xb3\xbf").hexdigest()
    assert torn_record(AT, b"{") == {"kind": "torn", "at": at, "bytes": 1, "sha256": sha256(b"{").hexdigest()}


def test_whoever_may_read_all_is_shown_all() -> None:
    entries = shown(_journal(1), ME, TABLE)
    assert [entry["kind"] for entry in entries] == ["search"] * 5 + ["grant", "revoke", "torn"]
    assert [entry["hits"] for entry in entries[:5]] == [3, 1, None, 1, None]
    assert entries[2]["rule"] == "carries mail; wiki admits only public text"
    assert {entry["at"] for entry in entries} == {"2026-05-04T12:00:00+00:00"}
    assert entries[5]["reason"] == "because" and entries[5]["lifts"] == ["mail"]


def test_a_guest_is_shown_the_same_whatever_mail_holds() -> None:
    shows = [shown(_journal(mails), GUEST, TABLE) for mails in (0, 1, 4)]
    assert shows[0] == shows[1] == shows[2]
    assert [(entry["enclave"], entry["hits"]) for entry in shows[0]] == [("wiki", 3), ("wiki", None)]
    told = json.dumps(shows[0])
    assert "mail" not in told and "before" not in told and '"hash"' not in told


def test_a_private_question_and_a_grant_are_shown_to_their_asker_only() -> None:
    own = Asker("boss", None, frozenset({"mail"}))
    asked = search(Query("q", own, frozenset({"mail", "question"})), "mail")
    lines = lines_of([asked, granted_record(AT, standing(GUEST, ["mail"], "wiki", AT), "my question")])
    assert [entry["kind"] for entry in shown(lines, own, TABLE)] == ["search", "grant"]
    assert [entry["kind"] for entry in shown(lines, ME, TABLE)] == ["grant"]
    (given_to_guest,) = shown(lines, GUEST, TABLE)
    assert given_to_guest["question"] == sha256(b"my question").hexdigest()
    assert shown(lines, Asker("other", frozenset({"mail"})), TABLE) == []


def test_whoever_asks_with_a_label_of_their_own_is_shown_what_it_was_asked_under() -> None:
    """They gave their questions that label; it tells them nothing of the enclave, which they may not read."""
    clerk = Asker("clerk", frozenset({"wiki"}), frozenset({"mail"}))
    lines = lines_of([search(Query("q", clerk, frozenset({"mail"})), "wiki")])
    (entry,) = shown(lines, clerk, TABLE)
    assert entry["label"] == ["mail"] and "asked_under" not in entry
    assert shown(lines, replace(clerk, name="guest"), TABLE) == []


@pytest.mark.parametrize("wrong", [b"x", b"", b'"} ', b'"}}'])
def test_a_line_with_another_end_has_a_hash_that_no_line_has(wrong: bytes) -> None:
    (line,) = lines_of([search(Query("q"), "wiki")])
    cut = line.removesuffix(b'"}\n')
    assert hash_of(line) == hash_of(cut + b'"}') == cut[-64:].decode()
    assert hash_of(cut + wrong) == sha256(cut + wrong).hexdigest()


def test_an_enclave_that_is_no_longer_declared_is_nobodys() -> None:
    lines = _journal(1)
    assert {entry["enclave"] for entry in shown(lines, ME, EnclaveTable([public("wiki")])) if "rule" in entry} == {
        "wiki"
    }


def test_a_decision_by_grant_names_it() -> None:
    rule = standing(ME, ["mail"], "wiki", AT, AT + timedelta(days=1))
    query = Query("q", ME, frozenset({"mail"}), (MAIL,))
    decision = decide(query, TABLE["wiki"], Privacy.DOCUMENT, [rule], AT)
    record = search_record(AT, "a", query, Skill.EXPANDED, TABLE["wiki"], decision, SENT)
    assert record["grants"] == [rule.id] and rule.id in record["rule"]
    assert search_record(AT, "a", query, Skill.EXPANDED, TABLE["wiki"], Decision(False, "no"), None)["grants"] == []
