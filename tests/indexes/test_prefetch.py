"""What an ask holds is shown to queries that may know it was fetched, and to no others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.chains.beam import BeamSettings, gather
from answerable.indexes.in_memory import Prefetched
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.privacy.flow import first_query, outgrown
from answerable.privacy.grants import standing
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import Asker, Enclave, Hop, Label, Passage, Privacy, Query, Skill
from tests.laws.worlds import NOW, MemoryEnclave, Sent, TinyEncoder, passage

LABELS = st.frozensets(st.sampled_from(["mail", "clinic", "crm"]))
MAIL, CLINIC = frozenset({"mail"}), frozenset({"clinic"})
TABLE = EnclaveTable([public("wiki"), mirror("copy"), private("mail"), private("clinic")])
GUEST = Asker("guest", frozenset({"wiki", "copy"}))


@given(st.lists(st.tuples(LABELS, st.sets(st.integers(0, 9), min_size=1))), LABELS)
def test_a_query_sees_what_queries_of_labels_within_its_own_fetched(
    fetched: list[tuple[Label, set[int]]], label: Label
) -> None:
    ahead, seen = Prefetched(), set()
    for by, numbers in fetched:
        ahead.add("wiki", by, [passage("wiki", n, "text") for n in numbers], {})
        ahead.within("wiki", label)  # what was given before must not stay when more is held
        seen |= numbers if by <= label else set()
    held = ahead.within("wiki", label)
    assert (len(held) if held else 0) == len(seen)
    assert {one.id for one in (held.passages([f"wiki{n:02d}" for n in range(10)]) if held else ())} == {
        f"wiki{n:02d}" for n in seen
    }
    assert ahead.within("news", label) is None


def test_which_enclaves_later_queries_may_outgrow() -> None:
    def named(privacy: Privacy, asker: Asker = Asker(), table: EnclaveTable = TABLE) -> list[str]:
        query = first_query("q", asker, privacy, table)
        return [name for name, enclave in table.items() if outgrown(query, enclave, privacy, table)]

    assert named(Privacy.DOCUMENT) == ["wiki"] and named(Privacy.NONE) == []
    assert named(Privacy.DOCUMENT, GUEST) == []  # nothing private is read, so nothing is refused
    assert named(Privacy.DOCUMENT, Asker(label=MAIL)) == ["wiki"]
    closed = EnclaveTable([private("mail", admits=["clinic"]), private("clinic", admits=[])])
    assert named(Privacy.DOCUMENT, table=closed) == ["clinic"]
    assert named(Privacy.QUERY, table=closed) == ["clinic", "mail"]


def _door(
    texts: dict[str, list[str]], table: EnclaveTable = TABLE, mode: str = "hybrid"
) -> tuple[Retriever, list[tuple[str, Sent]]]:
    log: list[tuple[str, Sent]] = []
    indexes = {
        name: MemoryEnclave(name, [passage(name, at, text) for at, text in enumerate(stored)], log)
        for name, stored in texts.items()
    }
    door = Retriever(table, indexes, TinyEncoder(), Privacy.DOCUMENT, RetrieverSettings(mode))  # type: ignore[arg-type]
    return door.remembering(), log


def _fetched(door: Retriever, query: Query, skill: Skill, into: Label | None = None) -> list[Hop]:
    """The searches that brought passages to hold: three are asked for, and one is read."""
    return [hop for hop in door.search(query, skill, 1, into, ahead=3) if hop.ahead]


WIKI = ["LAMP Rock", "ROCK Tower 36 metres", "ROCK climbing", "Oslo"]


def _refused(hops: list[Hop], enclave: str = "wiki") -> Hop:
    (hop,) = [hop for hop in hops if hop.enclave == enclave]
    return hop


def test_a_refused_query_is_searched_among_what_was_fetched() -> None:
    door, log = _door({"wiki": WIKI})
    query = Query("ROCK")
    (fetched,) = _fetched(door, query, Skill.SINGLE)
    assert (fetched.ahead, fetched.refused, len(fetched.hits)) == (2, None, 1)
    before = len(log)
    told = Query("ROCK", label=MAIL, because=(passage("mail", 0, "Sven Tower"),))
    hop = _refused(door.search(told, Skill.EXPANDED, 1))
    assert (hop.held, hop.refused) == (2, "carries mail; wiki admits only public text")
    assert [hit.passage.text for hit in hop.hits] == ["ROCK Tower 36 metres"]
    assert len(log) == before  # nothing was sent


def test_an_enclave_that_is_not_asked_does_not_keep_others_from_being_fetched_from() -> None:
    """Here of news nothing is held, and mail is not public; wiki comes between the two."""
    table = EnclaveTable([public("news"), public("wiki"), private("mail")])
    door, log = _door({"wiki": WIKI, "mail": WIKI}, table, "lexical")
    assert [(hop.enclave, hop.ahead) for hop in _fetched(door, Query("ROCK"), Skill.SINGLE)] == [("wiki", 2)]
    assert [(name, sent[3]) for name, sent in log] == [("wiki", 3), ("mail", 1)]
    assert _fetched(door, Query("ROCK"), Skill.SINGLE, MAIL) == []
    hop = _refused(door.search(Query("ROCK", label=MAIL), Skill.EXPANDED, 1))
    assert len(hop.hits) == 1 and hop.held == 2 and hop.reason == hop.refused and 0 < hop.seconds < 60


def test_what_is_held_is_ranked_as_its_enclave_is() -> None:
    told = Query("ROCK", label=MAIL, because=(passage("mail", 0, "Sven Tower"),))
    door, _ = _door({"wiki": WIKI}, mode="dense")
    _fetched(door, Query("ROCK"), Skill.SINGLE)
    (best, *_) = _refused(door.search(told, Skill.EXPANDED, 2)).hits
    asked = TinyEncoder().encode_query("ROCK", Skill.EXPANDED, (("Sven", "Sven Tower"),))
    (there,) = TinyEncoder().encode_passages([("ROCK", "ROCK Tower 36 metres")])
    assert best.passage.text == "ROCK Tower 36 metres" and best.score == pytest.approx(float(asked @ there), abs=1e-3)
    words, _ = _door({"wiki": WIKI}, mode="lexical")
    mixed = replace(words, modes={"wiki": "dense", "mail": "dense", "clinic": "dense", "copy": "dense"})
    _fetched(mixed, Query("ROCK"), Skill.SINGLE)
    assert _refused(mixed.search(told, Skill.EXPANDED, 2)).hits[0].score == best.score  # by a mode of its own
    apart = replace(words, modes={"mail": "dense"})  # the modes of the table differ, so places count
    assert _refused(apart.search(told, Skill.EXPANDED, 2)).hits[0].score == 2 / 61


def test_nothing_is_held_for_a_door_that_forgets_for_mentions_or_for_whoever_may_not_read() -> None:
    door, log = _door({"wiki": WIKI})
    forgetting = Retriever(door.enclaves, door.indexes, door.encoder)
    assert _fetched(forgetting, Query("ROCK"), Skill.SINGLE) == [] and log[0][1][3] == 1
    _fetched(door, Query("ROCK"), Skill.SINGLE)
    mention = Query("ROCK", label=MAIL, span=(0, 4))
    blind = Asker("blind", frozenset({"mail"}))
    for query, skill in ((mention, Skill.MENTION), (Query("ROCK", blind, MAIL), Skill.EXPANDED)):
        hop = _refused(door.search(query, skill, 3))
        assert hop.refused and hop.held is None and hop.hits == ()


def test_a_mail_is_not_searched_among_what_a_query_of_the_clinic_fetched() -> None:
    notes = Enclave("notes", admits=CLINIC)
    table = EnclaveTable([notes, private("mail"), private("clinic")])
    door, _ = _door({"notes": WIKI}, table)
    _fetched(door, Query("ROCK", label=CLINIC), Skill.EXPANDED)
    assert _refused(door.search(Query("ROCK", label=MAIL), Skill.EXPANDED, 3), "notes").held is None
    assert _refused(door.search(Query("ROCK", label=MAIL | CLINIC), Skill.EXPANDED, 3), "notes").held == 2


def test_a_beam_reaches_through_what_it_holds_what_it_may_not_ask_for() -> None:
    """LAMP finds a mail, whose name finds the tower in wiki: not asked for, but held since the question was sent."""
    wiki = ["LAMP height", "LAMP height OSLO", "LAMP height ROME", "TOWER height"]
    texts, chain = {"wiki": wiki, "mail": ["LAMP Sven TOWER"]}, ("mail00", "wiki03")
    for ahead, found in ((0, False), (5, True)):
        door, log = _door(texts, EnclaveTable([public("wiki"), private("mail")]), "lexical")
        evidence = gather(Query("LAMP height"), door, BeamSettings(k=3, ahead=ahead))
        assert (chain in [one.key for one in evidence.chains]) is found
        assert not any("Sven" in sent[0] for name, sent in log if name == "wiki")
        assert sum(name == "wiki" for name, _ in log) == 4
    assert {one.label for one in evidence.chains if one.key == chain} == {MAIL}


def test_nothing_is_fetched_where_no_later_hop_could_use_it() -> None:
    for privacy, hops in ((Privacy.DOCUMENT, 1), (Privacy.NONE, 2), (Privacy.QUERY, 2)):
        door, log = _door({"wiki": WIKI, "mail": ["ROCK Sven"], "copy": ["ROCK"]})
        beam = BeamSettings(hops=hops, k=1, ahead=5)
        query = first_query("ROCK", Asker(), privacy, TABLE)
        evidence = gather(query, door.under(privacy), beam)
        assert not any(hop.ahead or hop.held for hop in evidence.hops)
        assert {sent[3] for _, sent in log} == {1}


def test_a_granted_query_is_sent_as_before() -> None:
    door, log = _door({"wiki": WIKI, "mail": ["ROCK Sven"]})
    granted = door.under(Privacy.DOCUMENT, (standing(Asker(), ["mail"], "wiki", NOW),), NOW)
    _fetched(granted, Query("ROCK"), Skill.SINGLE)
    hop = _refused(granted.search(Query("ROCK", label=MAIL), Skill.EXPANDED, 1))
    assert hop.refused is None and hop.held is None and [name for name, _ in log] == ["wiki", "mail"] * 2


def test_what_is_held_keeps_the_vectors_it_came_with() -> None:
    ahead = Prefetched()
    stored: list[Passage] = [passage("wiki", n, "same words") for n in range(2)]
    vectors = {"wiki00": np.array([1, 0], np.float16), "wiki01": np.array([0, 1], np.float16)}
    ahead.add("wiki", frozenset(), stored, vectors)
    held = ahead.within("wiki", MAIL)
    assert held is not None
    assert held.search("", np.array([0, 1], np.float32), "dense", 2) == [("wiki01", 1.0), ("wiki00", 0.0)]
