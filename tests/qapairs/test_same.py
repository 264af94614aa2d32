"""Whether pairs ask the same: what two questions' judge and a reader say, weighed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from answerable.encoders.encoder import Vectors
from answerable.encoders.hashed import HashedMatcher
from answerable.errors import ModelError
from answerable.qapairs.same import (
    PROMISING,
    READ,
    SURE,
    UNREAD,
    Judge,
    SameTest,
    Weighing,
    gives,
    open_weighing,
    readings,
    write_weighing,
)
from answerable.selective.features import squash
from answerable.types import PUBLIC, Candidate, Chain, Hit, Passage, QAPair, Skill
from answerable.workspace.models import open_same

TEXT = "The bridge was opened in 1898 and closed in 1931."
PASSAGE = Passage("p", "d", "wiki", "Bridge", TEXT, 0, len(TEXT))
WEIGHED = Weighing((0.0, 1.0, 0.0), (-1.0, 1.0, 0.0, 2.0, 4.0, -3.0), "told", "found")


class Told:
    """A judge with a score for each question of a pair; `asked` is what it was handed together."""

    name = "told"

    def __init__(self, odds: dict[str, float]) -> None:
        self.odds = odds
        self.asked: list[list[tuple[str, str]]] = []

    def alike(self, question: str, pairs: Sequence[tuple[str, str]]) -> Vectors:
        self.asked.append(list(pairs))
        return np.array([self.odds[one] for one, _ in pairs], np.float32)


class Found:
    """A reader that finds these, with their scores."""

    name = "found"

    def __init__(self, *answers: tuple[str, float]) -> None:
        self.answers, self.read_for = answers, list[str]()

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        self.read_for.append(question)
        return [Candidate(text, score, chains[0], 0, 0, 1) for text, score in self.answers]


def hit(question: str, answer: str = "1898", passage: Passage = PASSAGE, label: frozenset[str] = PUBLIC) -> Hit:
    pair = QAPair(question, question, (answer,), passage.id, passage.enclave, 1.0)
    return Hit(passage, 0.9, label, Skill.MATCH, pair)


def test_each_pair_is_weighed_with_those_of_its_own_label_alone():
    judge = Told({"a?": 1.5, "b?": -2.0, "c?": 0.5})
    hits = [hit("a?"), hit("b?", label=frozenset({"mail"})), hit("c?")]
    test = SameTest(judge, None, Weighing((0.25, 2.0, 0.0)))
    assert test.odds("d?", hits) == pytest.approx([3.25, -3.75, 1.25])
    assert sorted(judge.asked) == [[("a?", "1898"), ("c?", "1898")], [("b?", "1898")]]
    assert test.odds("d?", [replace(hits[0], score=0.6)]) == [-SURE] and len(judge.asked) == 2  # too far off


def test_what_the_rules_find_is_weighed_and_decides_nothing_alone():
    test = SameTest(Told({"When was it opened?": 0.5}), None, Weighing((0.0, 1.0, 2.0)))
    near = [hit("When was it opened?")]
    assert test.odds("In what year was it opened?", near) == [2.5] and test.odds("When was it closed?", near) == [0.5]


def test_a_question_is_the_same_as_itself_whatever_is_said_of_it():
    reader = Found(("1931", 9.0))
    test = SameTest(Told({"When was it opened?": -5.0}), reader, WEIGHED)
    same = hit("When was it opened?")
    assert test.odds("when was it OPENED", [same]) == [SURE]
    assert test.read("when was it OPENED", same, SURE) == SURE and reader.read_for == []


def test_reading_is_the_judge_of_last_resort():
    asked, near = "When was it closed?", hit("When was it opened?")
    for found, more in (
        ([("1931", 3.0), ("1898", -1.0)], 2.0 * squash(-1.0) - 3.0 * squash(3.0)),
        ([("in 1898", 3.0), ("1931", 1.0)], 2.0 * squash(3.0) + 4.0 - 3.0 * squash(1.0)),
        ([], 0.0),
    ):
        test = SameTest(Told({"When was it opened?": 0.5}), Found(*found), WEIGHED)
        assert test.read(asked, near, 0.5) == pytest.approx(-0.5 + more, abs=1e-6)


def test_a_passage_is_read_only_where_it_is_there_and_the_pair_is_likely():
    asked, near = "When was it closed?", hit("When was it opened?")
    for reader, one, odds in (
        (None, near, 1.0),
        (Found(), near, PROMISING - 0.1),
        (Found(), hit("When was it opened?", passage=replace(PASSAGE, id="")), 1.0),
    ):
        assert SameTest(Told({}), reader, WEIGHED).read(asked, one, odds) == odds
        assert reader is None or reader.read_for == []


def test_an_answer_is_given_by_what_holds_it_or_is_a_part_of_it():
    assert gives("in 1898", "1898") and gives("Lighthouse", "kõpu lighthouse") and gives("The 1898", "1898")
    assert not gives("1", "1898") and not gives("", "1898") and not gives("1898", "")
    assert len(readings(Found(("1898", 1.0)), "When?", hit("x?"))) + len(UNREAD) == len(READ)


def test_what_was_fitted_is_found_by_the_judge(tmp_path: Path):
    path = tmp_path / "same.json"
    assert open_weighing("told", path) == Weighing()
    write_weighing(WEIGHED, path)
    write_weighing(replace(WEIGHED, judge="other"), path)
    assert open_weighing("told", path) == WEIGHED and len(json.loads(path.read_text())) == 2
    path.write_text("[{}]")
    with pytest.raises(ModelError, match=r"same\.json cannot be read"):
        open_weighing("told", path)
    with pytest.raises(ModelError, match="fit it again"):
        Weighing((1.0,), (1.0,))


def test_the_stand_in_says_what_share_of_the_words_is_the_same():
    judge = open_same("hashed").judge
    assert isinstance(judge, HashedMatcher) and isinstance(judge, Judge)
    far, near = judge.alike("Who built it?", [("How deep?", ""), ("Who built it there?", "")])
    assert far == pytest.approx(-16.0) and near == pytest.approx(-1.0)
