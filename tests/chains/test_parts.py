"""Which parts of a question are proposed, and that sending one sends nothing else."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.chains.beam import BeamSettings, gather
from answerable.chains.plan import parts, plan
from answerable.privacy.enclaves import EnclaveTable, private, public
from answerable.privacy.flow import first_query
from answerable.privacy.grants import for_question
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import Asker, Privacy, Query
from tests.laws.worlds import MODES, NOW, WORDS, MemoryEnclave, Sent, TinyEncoder, corpus, passage, some_text

BRIDGE = "How far did the lighthouse travel whose move was a precedent for that of Rubjerg Knude Lighthouse?"
TABLE = EnclaveTable([public("wiki"), public("news"), private("mail")])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            BRIDGE,
            (
                "far did the lighthouse travel",
                "move was a precedent for that of Rubjerg Knude Lighthouse",
                "Rubjerg Knude Lighthouse",
            ),
        ),
        ("Which is taller, Hook Lighthouse or Kõpu Lighthouse?", ("Hook Lighthouse", "Kõpu Lighthouse")),
        ("Who built Bell Rock, and when did he die?", ("built Bell Rock", "did he die", "Bell Rock")),
        ("In which village was the man born whom Fergus met?", ("village was the man born", "Fergus met", "Fergus")),
        ("Is it Would or Could that Ada meant?", ("Is it Would or Could", "Ada meant", "Ada")),
        ("Bell Rock was lit by whom?", ("Bell Rock was lit", "Bell Rock")),
        ("Up to what wind may crates be lifted?", ()),
        ("Bell Rock", ()),
        ("Who was Rory?", ("Rory",)),
        ("", ()),
    ],
)
def test_clauses_and_names_are_proposed(question: str, expected: tuple[str, ...]) -> None:
    assert parts(question) == expected


@given(question=st.text(max_size=60))
def test_a_part_stands_in_the_question_and_is_not_all_of_it(question: str) -> None:
    found = parts(question)
    assert len(set(found)) == len(found)
    assert all(part in question and part != question for part in found)


def _sent(
    question: str, part: str, mode: int, mail: int, privacy: Privacy = Privacy.QUERY, seed: int = 1
) -> list[tuple[str, Sent]]:
    """What every enclave is sent when the part may go to wiki; `mail`: which mails there are."""
    rng, log = random.Random(seed), []
    stored = {"wiki": corpus(rng, "wiki"), "news": corpus(rng, "news"), "mail": corpus(random.Random(mail), "mail")}
    indexes = {name: MemoryEnclave(name, held, log) for name, held in stored.items()}
    asker = Asker()
    leave = for_question(asker, "wiki", NOW, text=part)
    door = Retriever(TABLE, indexes, TinyEncoder(), privacy, RetrieverSettings(MODES[mode]))
    query = first_query(question, asker, privacy, TABLE)
    beam = BeamSettings(hops=3, k=2, width=2, link=1)
    granted = door.under(privacy, (leave,), NOW)
    foreseen = plan(query, granted, beam, [Query(part, asker, query.label)])
    assert log == []
    gather(query, granted, beam, [Query(part, asker, query.label)])
    asked = {one.enclave for one in foreseen if one.refused is None and one.hop == 1}
    assert {name for name, _ in log} <= asked
    return log


@given(seed=st.integers(0, 2**32), mode=st.integers(0, 2))
@settings(max_examples=60, deadline=None)
def test_only_the_part_is_sent_and_it_tells_nothing_of_the_mails(seed: int, mode: int) -> None:
    rng = random.Random(seed)
    question = some_text(rng, 3, 8)
    part = " ".join(question.split()[:2])
    runs = [_sent(question, part, mode, mail, seed=seed) for mail in (1, 2)]
    for log in runs:
        assert [sent[0] for name, sent in log if name == "wiki"] == [part]
        assert not [sent for name, sent in log if name == "news"]
        assert any(name == "mail" for name, _ in log)
    outside = [[sent for name, sent in log if name != "mail"] for log in runs]
    assert outside[0] == outside[1]


@pytest.mark.parametrize(
    ("privacy", "asked"), [(Privacy.DOCUMENT, ["news", "wiki"]), (Privacy.NONE, ["news", "wiki", "mail"])]
)
def test_a_part_is_searched_with_where_it_adds_nothing_to_the_label(privacy: Privacy, asked: list[str]) -> None:
    log: list[tuple[str, Sent]] = []
    held = {name: MemoryEnclave(name, [passage(name, 0, "W1 W2")], log) for name in TABLE}
    door = Retriever(TABLE, held, TinyEncoder(), privacy, RetrieverSettings("lexical"))
    gather(Query("W8 W1"), door, BeamSettings(hops=2), [Query("W1")])
    assert [name for name, sent in log if sent[0] == "W1"] == asked


def test_what_a_part_finds_is_followed_within_private_text() -> None:
    log: list[tuple[str, Sent]] = []
    wiki = MemoryEnclave("wiki", [passage("wiki", 0, "W1 W2 W3")], log)
    mail = MemoryEnclave("mail", [passage("mail", 0, "W3 W9")], log)
    door = Retriever(TABLE, {"wiki": wiki, "mail": mail}, TinyEncoder(), Privacy.QUERY, RetrieverSettings("lexical"))
    granted = door.under(Privacy.QUERY, (for_question(Asker(), "wiki", NOW, text="W1"),), NOW)
    query = first_query("W8 W1", Asker(), Privacy.QUERY, TABLE)
    part = Query("W1", Asker(), query.label)
    found = gather(query, granted, BeamSettings(), [part, part])
    paths = [[hit.passage.enclave for hit in chain.hits] for chain in found.chains]
    assert paths == [["wiki", "mail"], ["wiki"]]
    assert all("question" in chain.label for chain in found.chains)
    assert gather(query, granted, BeamSettings()).chains == ()
    assert WORDS[1].upper() == "W1"
