"""What decisions are learned from: each source's lessons, and their parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.encoders.deciding import DECISIONS
from answerable.errors import FormatError
from answerable.training.deciding.lessons import WRITTEN, Lesson, conversations, situations, written
from tests.evaluation.long import worlds
from tests.training.files import write_lines


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data sets of rules."""
    folder = tmp_path_factory.mktemp("rules")
    worlds.write(folder)
    return folder


def test_what_was_written_is_in_two_parts_that_share_no_passage() -> None:
    parts = {part: list(written(part)) for part in ("train", "development")}
    assert len(parts["train"]) > 8 * len(parts["development"]) > 0
    texts = {part: {one.passage[1] for one in found} for part, found in parts.items()}
    assert not texts["train"] & texts["development"]
    for one in [lesson for found in parts.values() for lesson in found]:
        assert one.question.strip() and one.passage[1].strip() and DECISIONS[one.number] == one.decision
    assert {one.decision for one in parts["development"]} == {*DECISIONS}


def test_lessons_are_read_as_they_were_written(tmp_path: Path) -> None:
    case = {"question": "May I?", "scenario": "I am 12.", "history": [["Is it yours?", "no"]], "decision": "none"}
    row = {"title": "Bikes", "text": "No bike is lent.", "cases": [case]}
    path = write_lines(tmp_path / "lessons.jsonl.gz", [row])
    both = [*written("train", path), *written("development", path)]
    assert both == [Lesson("May I?", "I am 12. Is it yours? no", ("Bikes", "No bike is lent."), "Irrelevant")]
    with pytest.raises(FormatError):
        list(written("train", tmp_path / "none.jsonl.gz"))
    assert WRITTEN.is_file()


def test_turns_are_asked_of_their_snippet_and_now_and_then_of_another(data: Path) -> None:
    every = [one for part in ("train", "development", "report") for one in conversations(data, part)]
    others = [one for one in every if one.decision == "Irrelevant"]
    assert others and all("allotment" not in one.passage[1] and "allotment" in one.question for one in others)
    own = [one for one in conversations(data, "train") if one.decision != "Irrelevant"]
    assert [one.decision for one in own] == ["More", "Yes"]
    assert own[1].told == "I am 40. Do you live in the town? Yes" and "allotment" in own[1].passage[1]


def test_situations_are_told_with_their_evidence_and_none_of_a_page_that_is_held_back(data: Path) -> None:
    (only,) = situations(data, "train")
    assert only == Lesson("Can we?", "We are two.", ("", "You can get a grant."), "Yes")
    assert list(situations(data, "development")) == []
