"""What the measuring of tests rests on; making the bugs themselves needs a package that is no requirement."""

from __future__ import annotations

import pytest

import common
import mutation
from mutants import SOURCE, Mutant, differing
from mutation import Tried


@pytest.mark.parametrize("row", mutation.equivalent(), ids=lambda row: f"{row[0]}:{row[1]}")
def test_what_is_said_to_change_nothing_is_said_of_code_that_is_there(row: tuple[str, str, str, str]) -> None:
    file, function, before, after = row
    text = (SOURCE / file).read_text(encoding="utf8")
    assert before in text and before != after and f"def {function.rpartition('.')[2]}(" in text
    assert len(mutation.equivalent()[row]) > 10


def test_each_room_has_its_files_and_tests() -> None:
    for sources, tests in mutation.ROOMS.values():
        assert all((SOURCE / one).exists() for one in sources)
        assert all((mutation.ROOT / "tests" / one).exists() for one in tests)


def test_an_interval_by_hand() -> None:
    """Wilson (1927): 8 of 10 lie between 49 and 94 %."""
    assert common.wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert common.wilson(0, 0) == (0.0, 1.0) and common.wilson(5, 5)[1] == pytest.approx(1.0)


def test_what_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(before: str, outcome: str) -> Tried:
        return Tried(Mutant("engine.py", "f", 1, 1, before, "b", "text"), outcome, 0.5)

    monkeypatch.setattr(mutation, "equivalent", lambda: {("engine.py", "f", "same", "b"): "why"})
    rows = [made("a", "killed"), made("a", "late"), made("same", "alive"), made("c", "alive"), made("d", "unrun")]
    found = mutation.summed(9, rows)
    assert (found["made"], found["tried"], found["killed"], found["equivalent"]) == (9, 5, 2, 1)
    assert found["share"] == 0.5 and [one["before"] for one in found["alive"]] == ["c", "d"]


def test_the_lines_in_which_texts_differ() -> None:
    assert differing("a\n b\nc", "a\n  d\n  e\nc") == ("b", "d\n  e")
    assert differing("a\na\nb", "a\nb") == ("a", "")
