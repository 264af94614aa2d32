"""The one door where an enclave does not answer: what is told of it, asked after it, and written down."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from answerable.encoders.encoder import Vectors
from answerable.errors import RemoteError
from answerable.indexes.index import Ranking, SearchMode
from answerable.privacy.audit_log import AuditLog
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.retriever import Retriever
from answerable.types import PUBLIC, Asker, Query, Skill
from tests.laws.worlds import MemoryEnclave, TinyEncoder, passage
from tests.test_retriever import FixedEnclave


class AwayEnclave(FixedEnclave):
    """On a machine that does not answer."""

    asked = 0

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        self.asked += 1
        raise RemoteError("wiki could not be asked: nothing answers", hint="answerable doctor")


def test_an_enclave_that_does_not_answer_is_a_refusal_and_left_alone_for_the_rest_of_an_ask() -> None:
    away = AwayEnclave([], [])
    table = EnclaveTable([public("wiki"), public("news")])
    found = passage("news", 0, "alpha")
    door = Retriever(table, {"wiki": away, "news": FixedEnclave([("news00", 1.0)], [found])}, TinyEncoder())
    one = door.remembering()
    for _ in range(3):
        news, wiki = one.search(Query("alpha"), Skill.SINGLE, 1)
        assert wiki.refused == "wiki could not be asked: nothing answers" and wiki.unreachable and not wiki.hits
        assert [hit.passage for hit in news.hits] == [found] and not news.unreachable
    assert away.asked == 1
    door.remembering().search(Query("alpha"), Skill.SINGLE, 1)
    assert away.asked == 2


def test_what_does_not_answer_is_not_asked_for_passages_to_hold() -> None:
    away, found = AwayEnclave([], []), passage("wiki", 0, "alpha")
    table = EnclaveTable([public("away"), public("wiki"), private("mail")])
    wiki = MemoryEnclave("wiki", [found], [])
    door = Retriever(table, {"away": away, "wiki": wiki}, TinyEncoder()).remembering()
    door.search(Query("alpha"), Skill.SINGLE, 1)
    found = door.search(Query("alpha"), Skill.SINGLE, 1, PUBLIC, ahead=3)
    assert [(hop.enclave, hop.ahead) for hop in found] == [("away", 0), ("wiki", 1)] and away.asked == 1


def test_passages_to_hold_that_cannot_be_fetched_are_a_refusal_too() -> None:
    class Half(AwayEnclave):
        """Answers searches, and fails when it is fetched from."""

        def fetch(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> object:
            return self.search(query_text, vector, mode, k)

    table = EnclaveTable([public("wiki"), private("mail")])
    door = Retriever(table, {"wiki": Half([], [])}, TinyEncoder()).remembering()  # type: ignore[dict-item]
    (hop,) = door.search(Query("alpha"), Skill.SINGLE, 1, PUBLIC, ahead=3)
    assert (hop.unreachable, hop.ahead, hop.hits) == (True, 0, ())
    told = door.search(Query("alpha", label=frozenset({"mail"})), Skill.EXPANDED, 1)
    assert [one.held for one in told] == [None, None]


def test_a_failure_at_private_text_does_not_show_in_queries_without_it() -> None:
    """A mirror that could not read the mail is still asked what carries no mail."""
    away = AwayEnclave([], [])
    one = Retriever(EnclaveTable([mirror("wiki"), private("mail"), private("clinic")]), {"wiki": away}, TinyEncoder())
    door = one.remembering()
    for words, asked in ((("mail",), 1), (("clinic", "mail"), 1), (("clinic",), 2), ((), 3), (("clinic",), 3)):
        (hop,) = door.search(Query("alpha", label=frozenset(words)), Skill.SINGLE, 1, into=frozenset(words))[:1]
        assert hop.unreachable and away.asked == asked


def test_a_search_that_failed_is_in_the_journal_and_what_is_not_asked_after_it_too(tmp_path: Path) -> None:
    journal = AuditLog(tmp_path / "journal.jsonl")
    table = EnclaveTable([public("wiki")])
    door = Retriever(table, {"wiki": AwayEnclave([], [])}, TinyEncoder(), journal=journal).remembering()
    hops = [hop for _ in range(2) for hop in door.search(Query("alpha"), Skill.SINGLE, 1)]
    assert {hop.reason for hop in hops} == {"carries only public text; wiki admits only public text"}
    sent, given_up = journal.shown(Asker(), table)
    assert (sent["allowed"], sent["hits"], sent["sha256"]) == (True, None, sha256(b"alpha").hexdigest())
    assert (given_up["allowed"], given_up["bytes"]) == (False, 0)
    assert given_up["rule"] == "wiki could not be asked: nothing answers"
    assert len((tmp_path / "journal.jsonl").read_bytes().splitlines()) == 2 and journal.verified().broken is None
