"""Every form: what an example of it holds, that it is recognised, and what is said when a field is missing."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from answerable.datasets.examples import Example
from answerable.datasets.load import LOADERS, load, recognise
from answerable.datasets.records import content_id
from answerable.errors import FormatError, UsageError

from . import samples as s

Lay = Callable[[Path, Any], Path]


def array(path: Path, record: Any) -> Path:
    return s.whole(path, [record])


def line(path: Path, record: Any) -> Path:
    return s.jsonl(path, [record])


def data(path: Path, record: Any) -> Path:
    return s.whole(path, {"version": "1", "data": [record], "more": {}})


FORMS: list[tuple[str, Lay, dict[str, Any], list[str]]] = [
    ("squad", data, s.ARTICLE, ["paragraphs"]),
    ("boolq", line, s.BOOLQ, ["question", "passage", "answer"]),
    ("nq-open", line, {"question": s.SECRET, "answer": ["1851", "in 1851"]}, ["question", "answer"]),
    ("hotpotqa", array, s.HOTPOT, ["_id", "question", "answer", "supporting_facts", "context"]),
    ("2wikimultihopqa", array, s.HOTPOT | {"evidences": [["a", "b", "c"]]}, ["answer", "supporting_facts"]),
    ("hotpotqa", line, s.POOLED, ["_id", "question", "answer", "supporting", "covered", "context"]),
    ("musique", line, s.MUSIQUE, ["id", "question", "answer", "answer_aliases", "answerable", "paragraphs"]),
    ("concurrentqa", line, s.CONCURRENT, ["_id", "question", "answer", "sp"]),
    ("concurrentqa", line, s.RETRIEVER, ["_id", "question", "answers"]),
    ("hybridqa", array, s.HYBRID, ["question_id", "question", "table_id", "answer-text"]),
    ("hybridqa", line, s.TABLED, ["_id", "question", "table", "answer"]),
    ("sharc", array, s.SHARC, ["utterance_id", "question", "snippet", "answer", "history", "evidence"]),
    ("conditionalqa", array, s.CONDITIONAL, ["id", "question", "url", "not_answerable", "answers"]),
    ("quest", line, s.QUEST, ["query", "docs"]),
]
IDS = [f"{name}-{number}" for number, (name, *_) in enumerate(FORMS)]


def one(tmp_path: Path, name: str, lay: Lay, record: Any) -> Example:
    return next(load(lay(tmp_path / "file", record), name))


@pytest.mark.parametrize(("name", "lay", "record", "needed"), FORMS, ids=IDS)
def test_a_form_is_recognised_and_read_alike_when_packed(
    tmp_path: Path, name: str, lay: Lay, record: dict[str, Any], needed: list[str]
) -> None:
    path = lay(tmp_path / "file.json", record)
    assert recognise(path) == name
    found = list(load(path))
    assert found
    assert s.SECRET in found[0].question
    assert found == list(load(s.packed(path), name))


@pytest.mark.parametrize(("name", "lay", "record", "needed"), FORMS, ids=IDS)
def test_a_missing_or_wrong_field_is_one_sentence_without_text(
    tmp_path: Path, name: str, lay: Lay, record: dict[str, Any], needed: list[str]
) -> None:
    assert set(needed) <= set(record)
    for field in needed:
        for broken in ({k: v for k, v in record.items() if k != field}, record | {field: {"odd": [s.SECRET]}}):
            if isinstance(record[field], dict) and field in broken:
                continue
            path = lay(tmp_path / "broken.json", broken)
            with pytest.raises(FormatError) as raised:
                list(load(path, name))
            message = str(raised.value)
            assert "broken.json: record 1" in message
            assert f"`{field}`" in message
            assert s.SECRET not in message
            assert "check that" in message


def test_every_form_is_tried_here_or_in_a_test_of_its_own() -> None:
    assert {name for name, *_ in FORMS} | {"beir", "dpr", "ottqa"} == set(LOADERS)


def test_an_error_says_where_within_a_record(tmp_path: Path) -> None:
    article = copy.deepcopy(s.ARTICLE)
    del article["paragraphs"][0]["qas"][1]["question"]
    with pytest.raises(FormatError, match=r"record 1 \(paragraphs 1, qas 2\): the field `question` is missing"):
        list(load(data(tmp_path / "f", article), "squad"))


def test_squad(tmp_path: Path) -> None:
    first, second, third = load(data(tmp_path / "f", s.ARTICLE))
    assert first == Example(
        "q1", s.SECRET, ("1851",), ("Skerry Light#1.1",),
        passages=(("Skerry Light", "It was lit in 1851 and again in 1901."),),
    )  # fmt: skip
    assert (second.answers, second.supporting) == ((), ("Skerry Light#1.1",))
    assert (third.id, third.supporting) == ("q1~2", ("z",))


def test_hotpotqa_keeps_facts_in_order_and_names_pages_once(tmp_path: Path) -> None:
    found = one(tmp_path, "hotpotqa", array, s.HOTPOT)
    assert found.facts == (("Marta Kvist", 1), ("Skerry Light", 0), ("Marta Kvist", 0))
    assert found.supporting == ("Marta Kvist", "Skerry Light")
    assert found.passages == (("Skerry Light", "A light. It is red."), ("Marta Kvist", "A painter. She lived in Oban."))
    assert found.meta["sentences"]["Skerry Light"] == ("A light.", " It is red.")
    assert found.meta["level"] == "hard"


def test_a_pooled_question_has_gold_only_where_all_of_it_is_known(tmp_path: Path) -> None:
    found = one(tmp_path, "hotpotqa", line, s.POOLED)
    assert (found.supporting, found.facts) == (("b", "a"), (("Marta Kvist", 0), ("Skerry Light", 2)))
    half = one(tmp_path, "hotpotqa", line, s.POOLED | {"covered": False, "supporting": [["A", 0], ["B", None]]})
    assert (half.supporting, half.facts, half.meta["covered"]) == ((), (), False)


def test_musique_orders_the_paragraphs_by_hop(tmp_path: Path) -> None:
    found = one(tmp_path, "musique", line, s.MUSIQUE)
    assert found.supporting == (content_id("Marta Kvist", "A painter."), content_id("Skerry Light", "A light."))
    assert (found.answers, found.kind) == (("Skerry Light", "Skerry"), "2hop")
    contrast = one(tmp_path, "musique", line, s.MUSIQUE | {"answerable": False})
    assert (contrast.answers, contrast.supporting) == ((), ())


@pytest.mark.parametrize("record", [s.CONCURRENT, s.RETRIEVER])
def test_concurrentqa_tells_mail_from_wikipedia_by_the_title(tmp_path: Path, record: dict[str, Any]) -> None:
    found = one(tmp_path, "concurrentqa", line, record)
    domains = dict(zip(found.supporting, found.meta["domains"], strict=True))
    assert domains == {"e12_p3": "private", "Skerry Light": "public"}
    assert found.answers == ("30 minutes",)
    bridge_last = record is s.RETRIEVER
    assert found.supporting[-1] == ("e12_p3" if bridge_last else "Skerry Light")
    assert found.facts == (() if bridge_last else (("e12_p3", 1), ("Skerry Light", 0)))


def test_questions_of_ones_own_may_name_their_evidence(tmp_path: Path) -> None:
    quotes = [
        {"document": "mail#2", "quote": "Lit."},
        {"document": "light.md", "quote": "1851."},
        {"document": "mail#2"},
    ]
    own = {"id": "a", "question": "When?", "answers": [], "kind": "none", "evidence": quotes}
    assert one(tmp_path, "nq-open", line, own) == Example("a", "When?", (), ("mail#2", "light.md"), kind="none")
    listed = {"question": "When?", "answer": "1851", "supporting": ["light.md"]}
    assert one(tmp_path, "nq-open", line, listed) == Example("1", "When?", ("1851",), ("light.md",))


def test_dpr_reads_lists_as_python_writes_them_and_runs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "nq-test.qa.csv"
    path.write_text("who lit it\t['Ann \"Lamp\" Oy', \"O'Neil\"]\nwhen\t['1851']\n")
    assert recognise(path) == "dpr"
    assert [found.answers for found in load(path)] == [('Ann "Lamp" Oy', "O'Neil"), ("1851",)]
    path.write_text("who\t[print('x')]\n")
    with pytest.raises(FormatError, match="record 1: the field `answers`"):
        list(load(path))


def test_tables_in_both_shapes(tmp_path: Path) -> None:
    official = one(tmp_path, "hybridqa", array, s.HYBRID)
    assert official.supporting == ("Lights_0", "/wiki/Skerry_Light")
    assert official.kind == "passage"
    assert official.meta["evidence"][1] == ("red", 2, 1, None, "table")
    ours = one(tmp_path, "ottqa", line, s.TABLED)
    assert (ours.supporting, ours.kind, ours.answers) == (("Lights_0",), "table", ("red",))
    untraced = {k: v for k, v in s.HYBRID.items() if k not in ("answer-node", "where")}
    assert one(tmp_path, "ottqa", array, untraced).meta["evidence"] == ()
    with pytest.raises(FormatError, match="answer-node"):
        one(tmp_path, "hybridqa", array, s.HYBRID | {"answer-node": [["red", 2, None]]})


def test_sharc(tmp_path: Path) -> None:
    found = one(tmp_path, "sharc", array, s.SHARC)
    assert (found.kind, found.answers) == ("More", ("Are you over 16?",))
    assert found.supporting == (content_id("", "You may paint."),)
    assert found.meta["history"] == (("Is it yours?", "Yes"),)
    assert found.meta["evidence"] == (("Do you paint?", "Yes"),)
    assert one(tmp_path, "sharc", array, s.SHARC | {"answer": "Irrelevant", "snippet_id": 7}).supporting == ("7",)


def test_conditionalqa(tmp_path: Path) -> None:
    found = one(tmp_path, "conditionalqa", array, s.CONDITIONAL)
    assert (found.answers, found.kind) == (("yes", "no"), "yesno")
    assert found.meta["conditions"] == (("yes", ("<p>if dry</p>",)), ("no", ()))
    listed = s.CONDITIONAL | {"answers": [{"answer": "a week", "conditions": []}]}
    assert one(tmp_path, "conditionalqa", array, listed).kind == "extractive"
    assert one(tmp_path, "conditionalqa", array, s.CONDITIONAL | {"not_answerable": True}).answers == ()


def test_quest_is_a_set(tmp_path: Path) -> None:
    found = one(tmp_path, "quest", line, s.QUEST)
    assert (found.answers, found.supporting, found.meta["set"]) == (("Lamp", "Oil"), ("Lamp", "Oil"), True)
    assert (found.kind, found.meta["domain"]) == ("_ that are also _", "films")
    flat = {"_id": "q", "query": "x", "docs": ["Lamp"], "template": "_", "domain": "books", "covered": False}
    half = one(tmp_path, "quest", line, flat)
    assert (half.answers, half.supporting, half.kind) == (("Lamp",), (), "_")


def test_unknown_forms_names_and_paths_are_refused_at_once(tmp_path: Path) -> None:
    path = line(tmp_path / "odd.jsonl", {"colour": s.SECRET})
    with pytest.raises(UsageError, match=r"cannot tell what data set .*odd\.jsonl is of .*squad") as raised:
        load(path)
    assert s.SECRET not in str(raised.value)
    with pytest.raises(UsageError, match=r"there is no data set form `squid` .*squad"):
        load(path, "squid")
    with pytest.raises(UsageError, match="check the path"):
        load(tmp_path / "none.json", "squad")
    (tmp_path / "test.jsonl").touch()
    with pytest.raises(UsageError, match=r"test\.jsonl is empty"):
        load(tmp_path / "test.jsonl")
    with pytest.raises(UsageError, match="cannot tell"):
        load(tmp_path)
