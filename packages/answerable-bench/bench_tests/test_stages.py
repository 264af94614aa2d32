import json
from pathlib import Path

import pytest

from answerable.errors import WorkspaceError
from answerable_bench.stages import Stages, read_jsonl, write_jsonl


class Work:
    """A stage that counts its runs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.runs = folder, 0

    def __call__(self) -> dict[str, int]:
        self.runs += 1
        (self.folder / "made").write_text("x", "utf-8")
        return {"runs": self.runs}


def test_a_stage_that_is_done_is_not_run_again(tmp_path: Path):
    work = Work(tmp_path)
    for resumed in (False, True):
        done = Stages(tmp_path).run("one", {"seed": 1}, ["made"], work)
        assert (done.counts, done.resumed) == ({"runs": 1}, resumed)


def test_other_settings_a_lost_file_or_a_torn_record_run_it_again(tmp_path: Path):
    work = Work(tmp_path)
    Stages(tmp_path).run("one", {"seed": 1}, ["made"], work)
    Stages(tmp_path).run("one", {"seed": 2}, ["made"], work)
    (tmp_path / "made").unlink()
    Stages(tmp_path).run("one", {"seed": 2}, ["made"], work)
    (tmp_path / "stages" / "one.json").write_text('{"key": ', "utf-8")
    assert Stages(tmp_path).run("one", {"seed": 2}, ["made"], work).counts == {"runs": 4}


def test_a_change_before_runs_what_follows(tmp_path: Path):
    first, second = Work(tmp_path), Work(tmp_path)
    for seed in (1, 2):
        stages = Stages(tmp_path)
        stages.run("one", {"seed": seed}, ["made"], first)
        stages.run("two", {}, ["made"], second)
    assert (first.runs, second.runs) == (2, 2)
    (tmp_path / "stages" / "one.json").unlink()
    stages = Stages(tmp_path)
    stages.run("one", {"seed": 2}, ["made"], first)
    assert not stages.run("two", {}, ["made"], second).resumed


def test_a_stage_that_fails_is_not_done(tmp_path: Path):
    def broken() -> dict[str, int]:
        raise OSError(28, "No space left on device", "private name")

    with pytest.raises(WorkspaceError, match="No space left") as raised:
        Stages(tmp_path).run("one", {}, [], broken)
    assert "private name" not in str(raised.value)
    assert not Stages(tmp_path).run("one", {}, [], Work(tmp_path)).resumed


def test_records_come_back_and_nobody_else_reads_them(tmp_path: Path):
    rows = [{"_id": "å", "text": "one\ntwo"}, {"_id": "b"}]
    assert write_jsonl(tmp_path / "rows.jsonl", rows) == 2
    assert list(read_jsonl(tmp_path / "rows.jsonl")) == rows
    assert (tmp_path / "rows.jsonl").stat().st_mode & 0o777 == 0o600
    assert json.loads((tmp_path / "rows.jsonl").read_text("utf-8").splitlines()[0])["_id"] == "å"
