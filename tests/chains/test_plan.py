"""What is said beforehand of an ask agrees with what the ask then does, and nothing is sent to say it."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.chains.beam import BeamSettings, gather
from answerable.chains.plan import plan, records
from answerable.encoders.expansion import search_text
from answerable.encoders.hashed import HashedEncoder
from answerable.privacy.enclaves import EnclaveTable, private, public
from answerable.privacy.flow import first_query
from answerable.privacy.grants import standing
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import PUBLIC, Asker, Privacy, Query, Skill
from tests.laws.worlds import MODES, NOW, TABLES, MemoryEnclave, Sent, TinyEncoder, corpus, some_grants, some_text

MAIL = frozenset({"mail"})
TABLE = EnclaveTable([public("wiki"), private("mail"), private("clinic")])


def _door(*held: str, privacy: Privacy = Privacy.DOCUMENT) -> tuple[Retriever, list[tuple[str, Sent]]]:
    log: list[tuple[str, Sent]] = []
    rng = random.Random(1)
    indexes = {name: MemoryEnclave(name, corpus(rng, name), log) for name in held}
    return Retriever(TABLE, indexes, TinyEncoder(), privacy), log


def test_the_first_hop_is_told_word_for_word_and_later_ones_by_label() -> None:
    door, log = _door("wiki", "mail")
    planned = plan(Query("Who?"), door, BeamSettings(hops=2))
    rows = [(one.hop, one.enclave, sorted(one.label), one.text, one.refused) for one in planned]
    no_index, no = "clinic has no index yet", "carries mail; wiki admits only public text"
    assert rows == [
        (1, "wiki", [], "Who?", None),
        (1, "clinic", [], "Who?", no_index),
        (1, "mail", [], "Who?", None),
        (2, "wiki", [], None, None),
        (2, "clinic", [], None, no_index),
        (2, "mail", [], None, None),
        (2, "wiki", ["mail"], None, no),
        (2, "clinic", ["mail"], None, no_index),
        (2, "mail", ["mail"], None, None),
    ]
    assert planned[6].reason == no and planned[1].reason == "carries only public text; clinic admits everything"
    assert log == []


def test_labels_grow_hop_by_hop_and_end_where_nothing_may_be_sent() -> None:
    door, _ = _door("wiki", "mail", "clinic")
    planned = plan(Query("q"), door, BeamSettings(hops=3))
    third = dict.fromkeys(tuple(sorted(one.label)) for one in planned if one.hop == 3)
    assert list(third) == [(), ("clinic",), ("mail",), ("clinic", "mail")]  # as the beams come
    query = first_query("q", Asker("guest", frozenset({"wiki"})), Privacy.QUERY, TABLE)
    rows = plan(query, door.under(Privacy.QUERY), BeamSettings(hops=3))
    assert {one.hop for one in rows} == {1} and all(one.refused for one in rows)


def test_a_grant_is_foreseen() -> None:
    door, _ = _door("wiki", "mail")
    rule = standing(Asker(), ["mail"], "wiki", NOW)
    granted = door.under(Privacy.DOCUMENT, (rule,), NOW)
    (row,) = [one for one in plan(Query("q"), granted, BeamSettings()) if (one.enclave, one.label) == ("wiki", MAIL)]
    assert row.refused is None and rule.id in row.reason


def test_passages_to_hold_are_foreseen_and_what_is_searched_among_them() -> None:
    """Of news nothing can be fetched, since it has no index; and nothing is fetched for the last hop."""
    table, wiki = EnclaveTable([public("wiki"), public("news"), private("mail")]), MemoryEnclave("wiki", [], [])
    mail = MemoryEnclave("mail", [], [])
    door = Retriever(table, {"wiki": wiki, "mail": mail}, TinyEncoder(), settings=RetrieverSettings("lexical"))
    rows = {(one.hop, one.enclave, one.label): one for one in plan(Query("q"), door, BeamSettings(hops=2, ahead=5))}
    assert {key: one.ahead for key, one in rows.items() if one.ahead} == {
        (1, "wiki", PUBLIC): 5,
        (2, "wiki", PUBLIC): 5,
    }
    assert [key for key, one in rows.items() if one.held] == [(2, "wiki", MAIL)]
    assert rows[2, "news", MAIL].refused == "carries mail; news admits only public text"
    assert not any(one.ahead or one.held for one in plan(Query("q"), door, BeamSettings(hops=1, ahead=5)))


def test_names_are_told_when_they_are_linked() -> None:
    wiki = MemoryEnclave("wiki", [], [])
    door = Retriever(EnclaveTable([public("wiki")]), {"wiki": wiki}, HashedEncoder())
    question = "Who made the lamp of Bell Rock in 1909?"
    planned = plan(Query(question), door, BeamSettings(link=1))
    assert [(one.skill, one.text) for one in planned if one.hop == 1] == [
        (Skill.SINGLE, question),
        *((Skill.MENTION, name) for name in ("Bell Rock", "1909")),
    ]
    assert [one.skill for one in planned if one.hop == 2] == [Skill.EXPANDED, Skill.MENTION]


def test_whoever_may_not_read_an_enclave_is_told_nothing_of_it() -> None:
    guest = Asker("guest", frozenset({"wiki"}))
    door, _ = _door("wiki", "mail")
    rows = records(plan(Query("q", guest), door, BeamSettings()), guest, TABLE)
    assert {row["enclave"] for row in rows} == {"wiki"}
    assert rows[0] == {
        "hop": 1,
        "skill": "single",
        "enclave": "wiki",
        "label": [],
        "text": "q",
        "refused": None,
        "reason": "carries only public text; wiki admits only public text",
        "ahead": 0,
        "held": False,
    }


@given(seed=st.integers(0, 2**32), privacy=st.sampled_from(list(Privacy)))
@settings(max_examples=60, deadline=None)
def test_what_is_done_was_foreseen(seed: int, privacy: Privacy) -> None:
    """Every hop of the ask is in the plan, with the same verdict; and all of its first hop is done, with parts."""
    rng = random.Random(seed)
    table, log = rng.choice(TABLES), []
    words = sorted(PUBLIC.union(*(enclave.label for enclave in table.values())))
    asker = Asker(label=frozenset(rng.sample(words, rng.randint(0, 1))))
    indexes = {name: MemoryEnclave(name, corpus(rng, name), log) for name in table if rng.random() < 0.9}
    retriever = Retriever(table, indexes, TinyEncoder(), privacy, RetrieverSettings(rng.choice(MODES)))
    door = retriever.under(privacy, some_grants(rng, table, asker), NOW)
    beam = BeamSettings(hops=3, k=2, width=2, link=rng.choice((0, 1)), ahead=rng.choice((0, 5)))
    query = first_query(some_text(rng, 2, 6), asker, privacy, table)
    parts = [replace(query, text=query.text.split()[0])] * rng.choice((0, 1))
    foreseen = plan(query, door, beam, parts)
    assert log == []
    done = gather(query, door, beam, parts).hops
    known = {replace(one, text=None) for one in foreseen}
    for hop in done:
        at, label = len(hop.query.because) + 1, hop.query.label
        (match,) = [
            one for one in known if (one.hop, one.skill, one.enclave, one.label) == (at, hop.skill, hop.enclave, label)
        ]
        assert (match.refused, match.reason) == (hop.refused, hop.reason)
        assert match.held or hop.held is None
        assert match.ahead or not hop.ahead
    first = sorted((one.enclave, one.skill, one.text) for one in foreseen if one.hop == 1)
    begun = [hop for hop in done if not hop.query.because]
    assert first == sorted((h.enclave, h.skill, search_text(h.query, h.skill)) for h in begun)
