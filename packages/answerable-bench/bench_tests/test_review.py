import csv
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from answerable.errors import FormatError, UsageError
from answerable_bench.propose import read_proposals
from answerable_bench.review import COLUMNS, export, judged, take_in

Rows = list[dict[str, str]]


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "out"))


def read(path: Path) -> Rows:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def change(folder: Path, edit: Callable[[Rows], None]) -> Path:
    """The exported table after somebody worked on it."""
    path = folder.parent / "table.csv"
    export(folder, path)
    rows = read(path)
    edit(rows)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_table_shows_questions_with_both_passages_and_the_hint(folder: Path):
    path = folder.parent / "table.csv"
    assert export(folder, path) == len(read_proposals(folder))
    row = next(row for row in read(path) if (row["slice"], row["hint"]) == ("PG", "Halvorsen Shipyard"))
    assert row["answer"] == "1921" and row["verdict"] == ""
    assert "[5] Halvorsen Shipyard signed" in row["passage 1"] and "was founded in 1921" in row["passage 2"]
    assert path.stat().st_mode & 0o077 == 0


def test_verdicts_come_back(folder: Path):
    def edit(rows: Rows) -> None:
        rows[0] |= {"verdict": "Accepted", "passage 1": "scribbles are not read"}
        rows[1] |= {"verdict": "rejected", "reason": "clumsy"}

    before = read_proposals(folder)
    counts = take_in(folder, change(folder, edit))
    assert counts == {"accepted": 1, "edited": 0, "rejected": 1, "open": len(before) - 2, "of other builds": 0}
    after = list(judged(folder))
    assert after[0] == (before[0], True) and [one for one, _ in after] == [before[0], *before[2:]]
    path = folder.parent / "again.csv"
    export(folder, path)
    assert [row["verdict"] for row in read(path)[:3]] == ["accepted", "rejected", ""] and read(path)[1][
        "reason"
    ] == "clumsy"
    assert take_in(folder, path) == counts


def test_an_edited_question_replaces_the_proposed_one(folder: Path):
    asked = "In which year was the yard that took on the overhaul of the Petrel founded?"

    def edit(rows: Rows) -> None:
        next(row for row in rows if (row["slice"], row["hint"]) == ("PG", "Halvorsen Shipyard")).update(
            {"verdict": "edited", "question": asked}
        )

    assert take_in(folder, change(folder, edit))["edited"] == 1
    (one,) = [one for one, done in judged(folder) if done]
    assert one.question == asked and one.answer == "1921"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"verdict": "maybe"}, "has no verdict"),
        ({"verdict": "rejected"}, "without a reason"),
        ({"verdict": "accepted", "answer": "1922"}, "is called accepted"),
        ({"verdict": "edited", "answer": "1922"}, "no span of the second passage"),
        ({"verdict": "edited", "question": "When was Halvorsen Shipyard of Mandal founded?"}, "names the bridge"),
        ({"verdict": "edited", "sentences 2": "last"}, "sentence numbers"),
    ],
)
def test_what_may_not_stand_is_refused_with_its_row_and_nothing_is_kept(
    folder: Path, cells: dict[str, str], message: str
):
    place = [(one.slice, one.names[0]) for one in read_proposals(folder)].index(("PG", "Halvorsen Shipyard"))

    def edit(rows: Rows) -> None:
        rows[place - 1 if place else place + 1]["verdict"] = "accepted"
        rows[place] |= cells

    with pytest.raises(FormatError, match=message) as raised:
        take_in(folder, change(folder, edit))
    assert f"row {place + 2} " in str(raised.value) and "Petrel" not in str(raised.value)
    assert not any(done for _, done in judged(folder))


def test_cells_that_look_like_formulas_are_made_harmless_and_come_back(folder: Path):
    reason = "=HYPERLINK(1)"

    def edit(rows: Rows) -> None:
        rows[0] |= {"verdict": "rejected", "reason": reason}

    take_in(folder, change(folder, edit))
    path = folder.parent / "again.csv"
    export(folder, path)
    assert read(path)[0]["reason"] == f"'{reason}"
    take_in(folder, path)
    export(folder, path)
    assert read(path)[0]["reason"] == f"'{reason}"


def test_a_table_that_is_none_is_refused(folder: Path):
    path = folder.parent / "other.csv"
    path.write_text("id,question\n1,2\n", "utf-8")
    with pytest.raises(FormatError, match="has no column"):
        take_in(folder, path)
    path.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(FormatError, match="no CSV"):
        take_in(folder, path)
    with pytest.raises(UsageError, match="cannot be read"):
        take_in(folder, folder / "nowhere.csv")


def test_verdicts_kept_without_text_leave_what_they_do_not_say(folder: Path):
    first, second, *_ = read_proposals(folder)
    path = folder.parent / "verdicts.csv"
    asked = f"And {first.question[:1].lower()}{first.question[1:]}"
    path.write_text(
        f'id,verdict,reason,question\n{first.id},edited,,"{asked}"\n{second.id},accepted,,\nZZ9,accepted,,\n', "utf-8"
    )
    counts = take_in(folder, path)
    assert (counts["accepted"], counts["of other builds"]) == (1, 1)
    found = {one.id: one for one, done in judged(folder) if done}
    assert (found[first.id].question, found[first.id].answer) == (asked, first.answer) and found[second.id] == second
