"""The one door: what each enclave is sent, what comes back, and what is written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from answerable.encoders.encoder import Vectors
from answerable.errors import EnclaveError, IndexMismatch, UsageError, WorkspaceError
from answerable.indexes.index import Mode, Ranking, SearchMode
from answerable.privacy.audit_log import AuditLog
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.privacy.grants import standing
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import PUBLIC, Asker, Hop, Passage, Privacy, Query, Skill
from tests.laws.worlds import MemoryEnclave, Sent, TinyEncoder, passage

MAIL = frozenset({"mail"})


class FixedEnclave:
    """Gives the same ranking whatever is asked."""

    def __init__(self, ranking: Ranking, stored: Sequence[Passage]) -> None:
        self.ranking, self.stored = ranking, stored

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        return self.ranking

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        return [each for each in self.stored if each.id in ids]


def _door(mode: Mode = "hybrid") -> tuple[Retriever, list[tuple[str, Sent]], TinyEncoder]:
    log: list[tuple[str, Sent]] = []
    texts = {"wiki": ["alpha beta", "beta gamma"], "mail": ["beta delta"], "copy": ["alpha beta"]}
    indexes = {
        name: MemoryEnclave(name, [passage(name, at, text) for at, text in enumerate(stored)], log)
        for name, stored in texts.items()
    }
    table = EnclaveTable([private("mail"), public("wiki"), mirror("copy")])
    encoder = TinyEncoder()
    return Retriever(table, indexes, encoder, Privacy.DOCUMENT, RetrieverSettings(mode)), log, encoder


def _fixed(ranking: Ranking, stored: Sequence[Passage]) -> Retriever:
    return Retriever(EnclaveTable([public("wiki")]), {"wiki": FixedEnclave(ranking, stored)}, TinyEncoder())


def test_every_enclave_once_public_first() -> None:
    retriever, log, _ = _door()
    hops = retriever.search(Query("beta"), Skill.SINGLE, 2)
    assert [hop.enclave for hop in hops] == ["copy", "wiki", "mail"] == [name for name, _ in log]
    assert [[hit.label for hit in hop.hits] for hop in hops] == [[PUBLIC], [PUBLIC, PUBLIC], [MAIL]]
    assert all(hop.refused is None and 0 < hop.seconds < 60 for hop in hops)


def test_a_refused_enclave_is_not_touched() -> None:
    retriever, log, _ = _door()
    query = Query("beta", label=MAIL)
    hops = retriever.search(query, Skill.EXPANDED, 2)
    assert [name for name, _ in log] == ["copy", "mail"]
    why = "carries mail; wiki admits only public text"
    assert hops[1] == Hop(query, Skill.EXPANDED, "wiki", why, (), 0.0, why)
    assert [hop.reason for hop in hops] == [
        "carries mail; copy admits everything",
        why,
        "carries mail; mail admits everything",
    ]


def test_under_another_mode() -> None:
    retriever, log, _ = _door()
    retriever.under(Privacy.NONE).search(Query("beta", label=MAIL), Skill.SINGLE, 2)
    assert [name for name, _ in log] == ["copy", "wiki", "mail"]
    retriever.under(Privacy.QUERY).search(Query("beta"), Skill.SINGLE, 2)
    assert [name for name, _ in log[3:]] == ["copy", "mail"]


def test_into_keeps_to_one_label() -> None:
    retriever, log, _ = _door()
    retriever.search(Query("beta"), Skill.SINGLE, 2, into=PUBLIC)
    assert [name for name, _ in log] == ["copy", "wiki"]
    retriever.search(Query("beta"), Skill.SINGLE, 2, into=MAIL)
    assert [name for name, _ in log[2:]] == ["mail"]
    assert retriever.search(Query("beta", label=MAIL), Skill.SINGLE, 2, into=PUBLIC) == []


@pytest.mark.parametrize(("mode", "encoded"), [("hybrid", 1), ("dense", 1), ("lexical", 0)])
def test_a_query_is_encoded_alone_and_only_where_needed(mode: Mode, encoded: int) -> None:
    retriever, log, encoder = _door(mode)
    once = retriever.remembering()
    once.search(Query("beta"), Skill.SINGLE, 2)
    once.search(Query("beta"), Skill.SINGLE, 2, into=MAIL)
    assert encoder.texts == ["beta"] * encoded
    assert {sent[1] is None for _, sent in log} == {mode == "lexical"}
    nobody = Asker("nobody", frozenset())
    retriever.search(Query("beta", nobody), Skill.SINGLE, 2)
    assert encoder.texts == ["beta"] * encoded  # nobody was asked: nothing was encoded


def test_an_enclave_is_ranked_by_a_mode_of_its_own() -> None:
    retriever, log, encoder = _door()
    mixed = replace(retriever, modes={"mail": "lexical", "wiki": "dense"})
    mixed.search(Query("beta"), Skill.SINGLE, 2)
    assert {name: (sent[2], sent[1] is None) for name, sent in log} == {
        "copy": ("hybrid", False),
        "wiki": ("dense", False),
        "mail": ("lexical", True),
    }
    words = replace(retriever, modes=dict.fromkeys(("mail", "copy"), "lexical")).remembering()
    encoder.texts.clear()
    words.prepare([Query("beta", label=MAIL)], Skill.SINGLE)
    words.search(Query("beta", label=MAIL), Skill.SINGLE, 2)
    assert encoder.texts == []  # wiki, which needs a vector, may not be asked


def test_hits_of_enclaves_that_differ_in_mode_score_by_place() -> None:
    stored = {name: [passage(name, at, "text") for at in range(3)] for name in ("mail", "wiki")}
    rankings = {
        "mail": [("mail00", 31.0), ("mail02", 18.5)],
        "wiki": [("wiki01", 0.71), ("wiki00", 0.7), ("wiki02", 0.1)],
    }
    indexes = {name: FixedEnclave(rankings[name], stored[name]) for name in stored}
    table = EnclaveTable([private("mail"), public("wiki")])
    alike = Retriever(table, indexes, TinyEncoder(), settings=RetrieverSettings("dense"))
    mixed = replace(alike, modes={"mail": "lexical"})

    def scores(retriever: Retriever) -> dict[str, float]:
        return {hit.passage.id: hit.score for hop in retriever.search(Query("q"), Skill.SINGLE, 3) for hit in hop.hits}

    assert scores(alike) == {id: score for ranking in rankings.values() for id, score in ranking}
    assert scores(replace(alike, modes={"mail": "dense"})) == scores(alike)
    assert scores(mixed) == {"mail00": 2 / 61, "mail02": 2 / 62, "wiki01": 2 / 61, "wiki00": 2 / 62, "wiki02": 2 / 63}


def test_modes_differ_whatever_the_enclaves_hold() -> None:
    """An enclave without an index counts: how mails score may not tell whether another enclave holds anything."""
    ranking, stored = [("mail00", 31.0)], [passage("mail", 0, "text")]
    table = EnclaveTable([private("mail"), private("clinic")])
    mixed = Retriever(table, {"mail": FixedEnclave(ranking, stored)}, TinyEncoder(), modes={"mail": "lexical"})
    (hit,) = [hit for hop in mixed.search(Query("q"), Skill.SINGLE, 1) for hit in hop.hits]
    assert hit.score == 2 / 61


def test_a_search_is_made_once_for_each_number_of_hits() -> None:
    retriever, log, _ = _door()
    once = retriever.remembering()
    found = {k: once.search(Query("beta"), Skill.SINGLE, k, into=PUBLIC) for k in (1, 2, 1, 2)}
    assert {k: [len(hop.hits) for hop in hops] for k, hops in found.items()} == {1: [1, 1], 2: [1, 2]}
    assert [(name, sent[3]) for name, sent in log] == [("copy", 1), ("wiki", 1), ("copy", 2), ("wiki", 2)]


def test_what_is_remembered_stays_with_its_copy() -> None:
    retriever, _, encoder = _door("dense")
    retriever.remembering().search(Query("beta"), Skill.SINGLE, 2)
    retriever.remembering().search(Query("beta"), Skill.SINGLE, 2)
    assert encoder.texts == ["beta", "beta"]


def test_ties_break_by_id_and_no_more_than_k_come_back() -> None:
    stored = [passage("wiki", at, "text") for at in range(4)]
    retriever = _fixed([("wiki03", 1.0), ("wiki02", 0.5), ("wiki01", 1.0), ("wiki00", 1.0)], stored)
    (hop,) = retriever.search(Query("q"), Skill.SINGLE, 3)
    assert [(hit.passage.id, hit.score) for hit in hop.hits] == [("wiki00", 1.0), ("wiki01", 1.0), ("wiki03", 1.0)]


def test_a_passage_that_was_deleted_meanwhile_is_left_out() -> None:
    (hop,) = _fixed([("wiki01", 1.0), ("gone", 2.0)], [passage("wiki", 1, "text")]).search(Query("q"), Skill.SINGLE, 3)
    assert [hit.passage.id for hit in hop.hits] == ["wiki01"]


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_scores_must_be_finite(score: float) -> None:
    with pytest.raises(IndexMismatch, match="index of wiki gives scores that are not numbers"):
        _fixed([("wiki00", score)], [passage("wiki", 0, "text")]).search(Query("q"), Skill.SINGLE, 3)


def test_a_passage_of_another_enclave_is_refused() -> None:
    """It would carry the wrong label."""
    with pytest.raises(IndexMismatch, match="index of wiki holds passages of another enclave"):
        _fixed([("mail00", 1.0)], [passage("mail", 0, "text")]).search(Query("q"), Skill.SINGLE, 3)


def test_an_enclave_without_an_index_says_so() -> None:
    retriever = Retriever(EnclaveTable([public("wiki")]), {}, TinyEncoder())
    (hop,) = retriever.search(Query("q"), Skill.SINGLE, 3)
    assert (hop.refused, hop.hits) == ("wiki has no index yet", ())
    assert hop.reason == "carries only public text; wiki admits only public text"


class Witness(MemoryEnclave):
    """Says how many lines the journal has when it is searched."""

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        self.lines = len(self.journal.path.read_bytes().splitlines())  # type: ignore[attr-defined]
        return super().search(query_text, vector, mode, k)


def test_a_search_is_written_down_before_it_is_sent(tmp_path: Path) -> None:
    journal = AuditLog(tmp_path / "journal.jsonl")
    wiki, mail = (Witness(name, [passage(name, 0, "beta")], []) for name in ("wiki", "mail"))
    wiki.journal = mail.journal = journal  # type: ignore[attr-defined]
    table = EnclaveTable([public("wiki"), private("mail"), private("empty")])
    door = Retriever(table, {"wiki": wiki, "mail": mail}, TinyEncoder(), journal=journal).remembering()
    door.search(Query("beta"), Skill.SINGLE, 2)
    door.search(Query("beta", label=MAIL), Skill.EXPANDED, 2, into=MAIL)
    assert (wiki.lines, mail.lines) == (1, 7)  # type: ignore[attr-defined]
    entries = journal.shown(Asker(), table)
    told = [(entry["enclave"], entry["allowed"], entry["rule"], entry["hits"]) for entry in entries]
    private_text = "carries mail; mail admits everything"
    assert told == [
        ("wiki", True, "carries only public text; wiki admits only public text", 1),
        ("empty", False, "empty has no index yet", None),
        ("mail", True, "carries only public text; mail admits everything", 1),
        ("wiki", False, "carries mail; wiki admits only public text", None),
        ("mail", True, private_text, 1),
    ]
    assert {(entry["mode"], entry["k"]) for entry in entries if entry["allowed"]} == {("hybrid", 2)}
    assert len({entry["ask"] for entry in entries}) == 1
    vector = TinyEncoder().encode_query("beta", Skill.SINGLE).tobytes()
    assert (entries[0]["sha256"], entries[0]["vector"]) == (sha256(b"beta").hexdigest(), sha256(vector).hexdigest())
    assert journal.verified().broken is None


def test_what_cannot_be_written_down_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    retriever, log, _ = _door()
    (tmp_path / "journal.jsonl").mkdir()
    with pytest.raises(WorkspaceError, match="cannot be used"):
        replace(retriever, journal=AuditLog(tmp_path / "journal.jsonl")).search(Query("beta"), Skill.SINGLE, 2)
    assert log == []


def test_grants_count_under_the_moment_they_are_given_with() -> None:
    retriever, log, _ = _door()
    query, now = Query("beta", label=MAIL), datetime(2026, 5, 4, tzinfo=UTC)
    rule = standing(Asker(), ["mail"], "wiki", now)
    granted = retriever.under(Privacy.DOCUMENT, (rule,), now)
    hops = granted.search(query, Skill.SINGLE, 2)
    assert [name for name, _ in log] == ["copy", "wiki", "mail"] and rule.id in hops[1].reason
    for door in (retriever, granted.under(Privacy.DOCUMENT), retriever.under(Privacy.DOCUMENT, (rule,), rule.until)):
        log.clear()
        door.search(query, Skill.SINGLE, 2)
        assert [name for name, _ in log] == ["copy", "mail"]


def test_misuse() -> None:
    with pytest.raises(EnclaveError, match="an index belongs to 'mail', which is no enclave"):
        Retriever(EnclaveTable([public("wiki")]), {"mail": FixedEnclave([], [])}, TinyEncoder())
    with pytest.raises(UsageError, match="k is 0"):
        _fixed([], []).search(Query("q"), Skill.SINGLE, 0)
