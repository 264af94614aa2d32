"""Questions without text, over a few passages."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from answerable.training.beside import ASKED, FILES, POPQA, WITH_TEXT, Found, distant, questions
from answerable.training.reading import NONE, SPAN
from tests.training.files import article, write_lines, write_squad

KEEPER = ("Skerry", "Ada Holm was keeper of the lighthouse. Ada Holm was the first.")
OTHERS = [(f"Ness {name}", f"The lighthouse {name} had another keeper.") for name in ("East", "West", "North")]
ASK = {"question": "who was keeper of the lighthouse", "answers": ["Ada Holm"], "source": "nq-train"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Passages, and no questions."""
    for name in FILES:
        write_lines(tmp_path / name, [])
    for name in ASKED:
        write_lines(tmp_path / f"{name}.jsonl", [])
    for name in WITH_TEXT:
        write_squad(tmp_path / f"{name}.json.gz", [])
    for name in ("ottqa/questions.jsonl", "hybridqa/questions.jsonl", "wiki/tables.jsonl.gz", "wiki/passages.jsonl.gz"):
        write_lines(tmp_path / name, [])
    rows = ({"_id": str(n), "title": title, "text": text} for n, (title, text) in enumerate([KEEPER, *OTHERS]))
    write_lines(tmp_path / "multihop/passages.jsonl.gz", rows)
    return tmp_path


def kept(data: Path, *rows: dict[str, Any], name: str = "nq/nq-open-more.jsonl.gz") -> list[Found]:
    write_lines(data / name, rows)
    return distant(data, data / "words")


def test_a_question_is_kept_with_what_holds_its_answer_and_what_does_not(data: Path) -> None:
    (one,) = kept(data, ASK)
    assert one.holding == (KEEPER,) and {*one.others} == {*OTHERS}
    for seed in range(30):
        windows = one.windows(3, random.Random(seed))
        assert [window.kind for window in windows] == [SPAN, NONE, NONE] and len({*windows}) == 3
        assert {window.question.rstrip("?") for window in windows} == {ASK["question"]}
        held = [windows[0].answer, *windows[0].further]
        texts = [windows[0].passages[where[0]][1][where[1] : where[2]] for where in held if where]
        assert texts == ["Ada Holm"] * 2 and {window.weight for window in windows} == {0.5}
        shown = [passage for window in windows for passage in window.passages]
        assert len({*shown}) == len(shown) <= 4
    assert len(one.windows(1, random.Random(1))) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"answers": ["Olaf Brand"]},  # nothing that is found holds it
        {"answers": ["keeper"]},  # the question does
        {"answers": ["yes"]},
        {"answers": []},
        {"source": "nq-dev"},
    ],
)
def test_what_teaches_nothing_or_is_of_another_part_is_left_out(data: Path, changed: dict[str, Any]) -> None:
    assert kept(data, {**ASK, **changed}) == []


def test_what_nearly_all_hold_tells_nothing(data: Path) -> None:
    assert kept(data, {**ASK, "question": "who kept the lighthouse", "answers": ["keeper"]}) == []


def test_what_is_asked_elsewhere_is_left_out(data: Path) -> None:
    write_lines(data / f"{ASKED[0]}.jsonl", [{"question": "Who was the keeper of the lighthouse?"}])
    assert kept(data, ASK) == []
    write_lines(data / f"{ASKED[0]}.jsonl", [])
    write_squad(data / f"{WITH_TEXT[0]}.json.gz", [article("A", (KEEPER[1], [(str(ASK["question"]), "Ada Holm")]))])
    assert kept(data, ASK) == []


def test_half_is_taken_of_what_has_few_forms(data: Path) -> None:
    write_lines(data / POPQA, ({**ASK, "question": f"Who kept lighthouse {n}?", "source": "popqa"} for n in range(60)))
    assert 15 < len(list(questions(data))) < 45
