"""Tables asked through a workspace."""

from __future__ import annotations

from pathlib import Path

from answerable.workspace.workspace import Workspace
from tests.tables.made import SALARIES

QUESTION = "average salary of engineers"


def test_an_answer_is_worked_out_over_a_whole_table_and_cites_its_rows(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "team-salaries.csv").write_text(SALARIES, encoding="utf8")
    workspace.index([tmp_path / "team-salaries.csv"], "office")
    answer = workspace.ask(QUESTION)
    assert (answer.text, answer.via) == ("$62,500", "table")
    assert "office" in answer.label
    assert [one.place for one in answer.citations] == ["row 1", "row 2", "row 5"]
    assert any("the mean of Salary, over 3 of 5 rows" in note for note in answer.notes)


def test_it_is_worked_out_anew_where_a_row_has_changed(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "team-salaries.csv"
    file.write_text(SALARIES, encoding="utf8")
    workspace.index([file], "office")
    workspace.good(workspace.ask(QUESTION))
    file.write_text(SALARIES.replace("$58,000", "$61,000"), encoding="utf8")
    workspace.index([file], "office")
    assert workspace.ask(QUESTION).text == "$63,500"


def test_what_was_called_bad_is_not_worked_out_again(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "team-salaries.csv").write_text(SALARIES, encoding="utf8")
    workspace.index([tmp_path / "team-salaries.csv"], "office")
    workspace.bad(workspace.ask(QUESTION))
    assert workspace.ask(QUESTION).text != "$62,500"
