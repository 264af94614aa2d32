"""The one door: what each enclave is sent, what comes back, and what is written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from answerable.encoders.encoder import Passages, Span, Vectors
from answerable.encoders.expansion import search_text
from answerable.encoders.hashed import HashedEncoder
from answerable.errors import EnclaveError, IndexMismatch, SettingsError, UsageError, WorkspaceError
from answerable.indexes.index import Mode, Ranking, SearchMode
from answerable.privacy.audit_log import AuditLog
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.privacy.grants import standing
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import PUBLIC, Asker, Hop, Passage, Privacy, Query, Skill
from tests.laws.worlds import MODES, MemoryEnclave, Sent, TinyEncoder, passage

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


SOLD = "In 1909 the lamp was sold. AGA sold it, and The Gustaf Dalén Museum shows it."
READ = Passage("p", "d", "wiki", "Dalén light", SOLD, 0, len(SOLD))


def test_the_texts_of_a_query() -> None:
    query = Query("Who made it?", because=(READ,))
    assert search_text(query, Skill.SINGLE) == "Who made it?"
    assert search_text(query, Skill.EXPANDED) == "Who made it? Dalén light 1909 AGA Gustaf Dalén Museum"


def test_an_encoder_that_cannot_rerank_says_so() -> None:
    door, _, _ = _door()
    hits = door.search(Query("beta"), Skill.SINGLE, 2)[0].hits
    with pytest.raises(SettingsError, match="plain cannot rerank"):
        replace(door, encoder=Plain()).rerank(Query("beta"), hits)  # type: ignore[arg-type]
    assert door.remembering().rerank(Query("beta"), [*hits, *hits]) == door.rerank(Query("beta"), hits) * 2


def test_what_was_reranked_is_not_read_again_in_the_same_ask() -> None:
    door, _, _ = _door()
    read: list[tuple[str, tuple[str, ...]]] = []

    class Reading(TinyEncoder):
        def rerank(self, question: str, passages: Passages) -> Vectors:
            read.append((question, tuple(text for _, text in passages)))
            return super().rerank(question, passages)

    once = replace(door, encoder=Reading()).remembering()
    copy, wiki = (hop.hits for hop in once.search(Query("beta"), Skill.SINGLE, 2, into=PUBLIC))
    assert once.rerank(Query("beta"), [*copy, *copy]) == [1.0, 1.0]
    assert once.rerank(Query("beta alpha"), copy) == [2.0]
    assert once.rerank(Query("beta"), [*wiki, *copy]) == [1.0, 1.0, 1.0]
    assert once.rerank(Query("beta"), wiki) == [1.0, 1.0] and once.rerank(Query("beta"), []) == []
    assert read == [("beta", ("alpha beta",)), ("beta alpha", ("alpha beta",)), ("beta", ("beta gamma",))]


class Shelf:
    """Finds every passage of its own by whatever mention, and writes down what it is sent."""

    def __init__(self, stored: Sequence[Passage]) -> None:
        self.stored, self.sent = stored, []

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        self.sent.append((query_text, None if vector is None else vector.tobytes(), mode, k))
        return [(each.id, 1.0) for each in self.stored][:k]

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        return [each for each in self.stored if each.id in ids]


class CountingEncoder(HashedEncoder):
    """Writes down the texts it reads for spans and for mentions."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[object] = []

    def propose(self, text: str) -> list[tuple[Span, float]]:
        self.read.append(text)
        return super().propose(text)

    def encode_mentions(self, text: str, spans: Sequence[Span]) -> Vectors:
        self.read.append((text, tuple(spans)))
        return super().encode_mentions(text, spans)


MAILED = Passage("m", "m", "mail", "Note", "Dalén met Ada.", 0, 14)


def _linking(mode: Mode = "hybrid") -> tuple[Retriever, Shelf, Shelf, CountingEncoder]:
    wiki, mail, encoder = Shelf([READ]), Shelf([MAILED]), CountingEncoder()
    table = EnclaveTable([public("wiki"), private("mail")])
    door = Retriever(table, {"wiki": wiki, "mail": mail}, encoder, Privacy.DOCUMENT, RetrieverSettings(mode))
    return door, wiki, mail, encoder


@pytest.mark.parametrize("mode", MODES)
def test_a_mention_is_sent_with_its_own_words_and_vector(mode: Mode) -> None:
    door, wiki, mail, encoder = _linking(mode)
    question = "Who made the lamp of Bell Rock?"
    hops = door.remembering().search(Query(question).naming(21, 30), Skill.MENTION, 2)
    vector = HashedEncoder().encode_mentions(question, [(21, 30)])[0].tobytes()
    assert wiki.sent == mail.sent == [("Bell Rock", vector, "entity", 2)]
    assert encoder.read == [(question, ((21, 30),))]  # alone, and once
    assert [(hop.skill, hop.enclave, hop.query.text) for hop in hops] == [
        (Skill.MENTION, "wiki", question),
        (Skill.MENTION, "mail", question),
    ]


def test_all_names_of_a_text_are_read_at_once() -> None:
    door, wiki, _, encoder = _linking()
    once, question = door.remembering(), "Did Ada sell AGA in 1909?"
    for named in once.mentions(Query(question)):
        once.search(named, Skill.MENTION, 1)
    spans = tuple(span for span, _ in HashedEncoder().propose(question))
    assert len(spans) > 2 and encoder.read == [question, (question, spans)]
    vectors = HashedEncoder().encode_mentions(question, spans)
    assert [sent[1] for sent in wiki.sent] == [row.tobytes() for row in vectors]


def test_names_are_found_in_one_way_whatever_the_modes() -> None:
    door, *_ = _linking()
    mixed = replace(door, modes={"mail": "lexical"})
    named = Query("Who made the lamp of Bell Rock?").naming(21, 30)
    assert [hit.score for hop in mixed.search(named, Skill.MENTION, 2) for hit in hop.hits] == [1.0, 1.0]
    assert {hit.score for hop in mixed.search(named, Skill.SINGLE, 2) for hit in hop.hits} == {2 / 61}


def test_a_name_in_private_text_is_not_sent_to_a_public_enclave() -> None:
    door, wiki, mail, _ = _linking()
    (hop,) = door.search(Query("Whom did they meet?"), Skill.SINGLE, 1, into=MAIL)
    named = door.mentions(Query("Whom did they meet?").follow(hop.hits))
    assert [one.text[slice(*one.span)] for one in named] == ["Dalén", "Ada"]
    assert {one.label for one in named} == {MAIL} and {one.because for one in named} == {(MAILED,)}
    hops = door.search(named[0], Skill.MENTION, 1)
    assert wiki.sent == [] and mail.sent[-1][0] == "Dalén"
    assert [hop.refused for hop in hops] == ["carries mail; wiki admits only public text", None]


def test_the_names_in_the_question_or_in_what_was_read_last() -> None:
    door, _, _, encoder = _linking()
    query = Query("Did Ada sell AGA in 1909?")
    once = door.remembering()
    assert [(one.span, one.text) for one in once.mentions(query)][1:] == [
        ((13, 16), query.text),
        ((20, 24), query.text),
    ]
    read = Query(query.text, because=(MAILED, READ))
    assert [READ.text[slice(*one.span)] for one in once.mentions(read)] == ["1909", "AGA", "Gustaf Dalén Museum"]
    once.under(Privacy.QUERY).mentions(query)
    assert encoder.read == [query.text, READ.text]  # remembered
    assert door.mentions(Query("who?")) == ()


class Plain:
    """An encoder that neither links nor reranks."""

    name, dimension = "plain", 16
    encode_query, encode_queries = TinyEncoder.encode_query, TinyEncoder.encode_queries
    encode_passages = TinyEncoder.encode_passages


def test_an_encoder_that_does_not_link_names_nothing() -> None:
    door = replace(_door()[0], encoder=Plain())  # type: ignore[arg-type]
    assert door.mentions(Query("Who met Ada?")) == ()
    with pytest.raises(UsageError, match="the encoder plain names nothing"):
        door.search(Query("Who met Ada?").naming(8, 11), Skill.MENTION, 1)
    with pytest.raises(UsageError, match="this query names nothing"):
        _linking()[0].search(Query("Who met Ada?"), Skill.MENTION, 1)


def test_what_is_prepared_is_encoded_once_and_only_if_it_will_be_asked() -> None:
    door, log, encoder = _door()
    plain, remembering = door, door.remembering()
    expected = plain.search(Query("beta"), Skill.SINGLE, 2)
    encoder.texts.clear()
    for _ in range(2):
        remembering.prepare([Query("beta"), Query("beta")], Skill.SINGLE)
    assert encoder.texts == ["beta"] and len(log) == len(expected)  # nothing was sent
    hops = remembering.search(Query("beta"), Skill.SINGLE, 2)
    assert encoder.texts == ["beta"] and [hop.hits for hop in hops] == [hop.hits for hop in expected]
    remembering.prepare([Query("gamma", label=MAIL)], Skill.SINGLE, into=PUBLIC)
    plain.prepare([Query("delta")], Skill.SINGLE)
    replace(remembering, settings=RetrieverSettings("lexical")).prepare([Query("delta")], Skill.SINGLE)
    assert encoder.texts == ["beta"]
