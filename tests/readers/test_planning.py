"""A language model that plans: what it is asked, and what becomes of what it writes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from answerable.chains.beam import BeamSettings, gather
from answerable.errors import RemoteError
from answerable.privacy.enclaves import EnclaveTable, private, public
from answerable.readers.planning import AskedPlanner, schema, understood
from answerable.remote.host import LlmSettings
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import Privacy, Query, Skill
from tests.laws.worlds import MemoryEnclave, TinyEncoder, passage

TABLE = EnclaveTable([public("wiki"), private("mail")])
HERE, ELSEWHERE = (LlmSettings(f"{at}/v1", "m").enclave for at in ("http://127.0.0.1:1", "https://model.example"))


@dataclass
class Scripted:
    """Says one thing before anything was found, then what is under a word of the passages. `shown`: all it was sent."""

    first: tuple[str, ...] = ()
    then: dict[str, str] = field(default_factory=dict)
    fails: bool = False
    shown: list[dict[str, Any]] = field(default_factory=list)

    def reply(self, messages: Any, schema: Any, most: int) -> str:
        told = json.loads(messages[1]["content"])
        self.shown.append(told)
        if self.fails:
            raise RemoteError("the model at model.example cannot be asked: nothing answers")
        said = [{"text": text, "after": 0} for text in self.first if not told["passages"]]
        for one in told["passages"]:
            said += [{"text": text, "after": one["number"]} for word, text in self.then.items() if word in one["text"]]
        return json.dumps({"queries": said})


def door(privacy: Privacy = Privacy.DOCUMENT) -> Retriever:
    held = {
        "wiki": [passage("wiki", 0, "alpha beta"), passage("wiki", 1, "delta height"), passage("wiki", 2, "other")],
        "mail": [passage("mail", 0, "gamma alpha"), passage("mail", 1, "epsilon password")],
    }
    indexes = {name: MemoryEnclave(name, stored, []) for name, stored in held.items()}
    return Retriever(TABLE, indexes, TinyEncoder(), privacy, RetrieverSettings("lexical"))


def run(model: Scripted, host: Any = HERE, hops: int = 2) -> tuple[Any, AskedPlanner]:
    planner = AskedPlanner(model, host, "the model").begun()
    return gather(Query("who met alpha"), door(), BeamSettings(hops=hops), (), planner), planner


def names(evidence: Any) -> set[tuple[str, ...]]:
    return {chain.key for chain in evidence.chains}


def test_steps_are_looked_up_before_anything_was_read() -> None:
    model = Scripted(("delta", "delta", "  the   height "))
    found, _ = run(model, hops=1)
    assert ("wiki01",) in names(found) and [one["passages"] for one in model.shown] == [[]]
    texts = [hop.query.text for hop in found.hops if hop.enclave == "wiki"]
    assert texts == ["who met alpha", "delta", "the height"]


def test_what_is_missing_extends_the_chain_that_it_follows_from() -> None:
    found, _ = run(Scripted(then={"beta": "height"}))
    assert ("wiki00", "wiki01") in names(found)
    chain = next(one for one in found.chains if one.key == ("wiki00", "wiki01"))
    assert chain.label == frozenset()


def test_what_is_written_after_private_text_is_as_private_and_stays_here() -> None:
    model = Scripted(then={"gamma": "password"})
    found, _ = run(model)
    own = [hop for hop in found.hops if hop.query.text == "password"]
    assert own and all(hop.query.label == {"mail"} for hop in own)
    assert {hop.enclave: bool(hop.refused) for hop in own} == {"mail": False, "wiki": True}
    chain = next(one for one in found.chains if one.key == ("mail00", "mail01"))
    assert chain.label == {"mail"}


def test_a_model_elsewhere_is_shown_public_text_alone() -> None:
    model = Scripted(("alpha",), {"gamma": "password", "beta": "height"})
    found, _ = run(model, ELSEWHERE)
    assert "gamma" not in json.dumps(model.shown) and len(model.shown) == 2
    assert ("wiki00", "wiki01") in names(found) and all(hop.query.text != "password" for hop in found.hops)


def test_one_that_is_done_writes_what_it_wrote_and_asks_no_more() -> None:
    model = Scripted(("delta",))
    _, planner = run(model, hops=1)
    again = gather(Query("who met alpha"), door(), BeamSettings(hops=2), (), planner.done())
    assert len(model.shown) == 1 and ("wiki01",) in names(again)


def test_a_model_that_cannot_be_asked_is_a_sentence_and_the_beams_own_search() -> None:
    model = Scripted(fails=True)
    found, planner = run(model)
    plain = gather(Query("who met alpha"), door(), BeamSettings(hops=2))
    assert found.chains == plain.chains and len(model.shown) == 1  # nor is it asked after the next hop
    (note,) = planner.notes
    assert note == "the model at model.example cannot be asked: nothing answers; the search was not planned"


def test_a_failure_at_private_text_does_not_show_at_other_text() -> None:
    class Choking(Scripted):
        def reply(self, messages: Any, schema: Any, most: int) -> str:
            self.fails = "gamma" in messages[1]["content"]
            return super().reply(messages, schema, most)

    table = EnclaveTable([public("wiki"), private("mail"), private("notes")])
    model, plain = Choking(), door()
    held = {**plain.indexes, "notes": MemoryEnclave("notes", [passage("notes", 0, "zeta alpha")], [])}
    both = Retriever(table, held, TinyEncoder(), Privacy.DOCUMENT, RetrieverSettings("lexical"))
    planner = AskedPlanner(model, HERE, "the model").begun()
    gather(Query("who met alpha"), both, BeamSettings(hops=2), (), planner)
    shown = [{one["text"].split()[0] for one in told["passages"]} for told in model.shown]
    assert shown == [set(), {"alpha"}, {"alpha", "gamma"}, {"alpha", "zeta"}] and len(planner.notes) == 1


def test_its_words_are_searched_with_alone() -> None:
    """Not with the passages that they follow from: it was shown those."""
    found, _ = run(Scripted(then={"beta": "height"}))
    own = [hop for hop in found.hops if hop.query.text == "height"]
    assert own and all(hop.skill is Skill.SINGLE and hop.query.because for hop in own)


@pytest.mark.parametrize(
    ("reply", "queries"),
    [
        ('{"queries": [{"text": "a b", "after": 2}]}', [("a b", 2)]),
        ('Sure!\n{"queries": [{"text": "a\\nb"}]} Good luck', [("a b", 0)]),
        ('{"queries": [{"text": "?!", "after": 1}, {"text": "c", "after": true}, {"text": "d", "after": -1}]}', []),
        ('{"queries": []}', []),
        ("I cannot.", []),
        ('{"queries": 5}', []),
        ('{"queries": ["a"]}', []),
        ('{"queries": [{"after": 1}]}', []),
        ("{" * 5000 + "}" * 5000, []),
        ('{"queries": [' + ", ".join(f'{{"text": "q{n}", "after": 1}}' for n in range(9)) + "]}", None),
    ],
)
def test_replies_are_understood(reply: str, queries: list[tuple[str, int]] | None) -> None:
    found = understood(reply)
    assert found == queries if queries is not None else len(found) == 3


def test_a_query_is_cut() -> None:
    (said,) = understood(json.dumps({"queries": [{"text": "a " * 5000, "after": 1}]}))
    assert len(said[0]) <= 300


def test_the_form_asked_for_names_the_passages() -> None:
    one = schema(3)["properties"]["queries"]["items"]["properties"]["after"]["enum"]
    assert one == [1, 2, 3]
    assert schema(0)["properties"]["queries"]["items"]["properties"]["after"]["enum"] == [0]
