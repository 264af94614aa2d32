"""Answers and sets as JSON, and sets as tables."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from answerable.serialize import ROOM, answer_record, count_record, found_record, table
from answerable.sets.finding import Finding
from answerable.sets.members import Found
from answerable.types import Answer, Asker, Barred, Chain, Evidence, Excerpt, Hit, Passage, QAPair, Skill
from tests.sets.world import NOTES, SOFTWARE, TABLE, World, sought


def _found() -> Found:
    asked = sought('"web browser" minus "reads mail"')
    return Finding(asked, World({"wiki": SOFTWARE, "mail": NOTES}).finder().find(asked)).found


def test_a_record_has_offsets_of_evidence_for_each_constraint() -> None:
    found = _found()
    record = json.loads(json.dumps(found_record(found, Asker(), TABLE, explain=True)))
    assert record["query"] == "web browser minus reads mail"
    assert record["expression"] == '"web browser" minus "reads mail"'
    assert record["count"] == len(record["items"]) == 3 and record["label"] == ["mail"]
    item = next(one for one in record["items"] if one["document"] == "falkon")
    assert item["shown"] == "complete" and item["label"] == [] and 0 < item["probability"] < 1
    shows, against = item["evidence"]
    assert (shows["constraint"], shows["negated"], against["negated"]) == ("web browser", False, True)
    [citation] = shows["citations"]
    assert SOFTWARE["falkon"][citation["start"] : citation["end"]] == citation["text"]
    assert against["citations"] == [] and [one["document"] for one in record["left_out"]] == ["konqueror"]
    assert {hop["enclave"] for hop in record["hops"]} == {"wiki", "mail"}
    guest = found_record(found, Asker("guest", frozenset({"wiki"})), TABLE, explain=True)
    assert {hop["enclave"] for hop in guest["hops"]} == {"wiki"}


def test_a_count_is_the_record_without_members() -> None:
    record = count_record(_found())
    assert record["count"] == 3 and record["interval"][0] <= 3 and record["considered"] == 6
    assert "items" not in record and "hops" not in record


def test_a_table_has_a_column_for_each_constraint_and_no_formula() -> None:
    found = _found()
    strange = replace(found.members[0], title='=HYPERLINK("x")', document="d,1")
    rows = list(csv.DictReader(io.StringIO(table(replace(found, members=(strange, *found.members[1:]))))))
    assert [*rows[0]][-2:] == ["web browser", "not: reads mail"]
    assert rows[0]["title"] == '\'=HYPERLINK("x")' and rows[0]["document"] == "d,1"
    assert rows[1]["web browser"] == "a plan for our own web browser for qt."
    assert {row["label"] for row in rows} == {"", "mail"}
    assert len(list(csv.reader(io.StringIO(table(replace(found, members=())))))) == 1


def test_passages_of_an_answer_are_few_and_bounded_in_bytes() -> None:
    hits = [
        Hit(Passage(f"p{n}", "d", "wiki", "t", "é" * 900, 100 * n, 100 * n + 900), 1.0, frozenset(), Skill.SINGLE)
        for n in range(9)
    ]
    chains = (Chain((hits[0], hits[1]), 1.0, frozenset()), *(Chain((hit,), 1.0, frozenset()) for hit in hits))
    given = (None, "no", 0.1, frozenset(), (), None, (("a\nb", 0.1),), Evidence(chains, ()), 0.5)
    shown = tuple(Excerpt(hit, hit.passage.start, hit.passage.end, "f") for hit in hits)
    record = answer_record(Answer(*given, passages=shown), Asker(), TABLE)
    shown = record["passages"]
    assert [one["start"] for one in shown] == [0, 100, 200]
    assert sum(len(one["text"].encode()) for one in shown) == ROOM
    assert all(one["end"] - one["start"] == len(one["text"]) for one in shown)
    assert record["guesses"] == [{"answer": "a b", "confidence": 0.1}] and "pair" not in record


def test_what_is_worth_telling_is_told() -> None:
    pair = QAPair("1", "Who?", ("Me.",), "", "wiki", 0.25)
    barred = Barred((("mail", "wiki"),), 0.123456789, True)
    given = ("Me.", None, 0.9, frozenset(), (), None, (), Evidence((), ()), 0.5)
    record = answer_record(Answer(*given, ("wiki could not be asked",), barred, pair=pair, via="pair"), Asker(), TABLE)
    assert record["via"] == "pair" and record["pair"]["passage"] is None and "start" not in record["pair"]
    assert record["unreachable"] == ["wiki could not be asked"]
    assert record["barred"] == {"steps": [{"from": "mail", "to": "wiki"}], "probability": 0.123457, "likely": True}
