import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from answerable.errors import FormatError, UsageError
from answerable_bench.build import build
from answerable_bench.pairs import WRITER, read_pairs
from answerable_bench.plan import Sources
from answerable_bench.propose import REFUSED, read_proposals
from answerable_bench.review import ACCEPTED, EDITED, judged, take_in
from answerable_bench.review import export as table
from answerable_bench.stages import Done, read_jsonl
from answerable_bench.written import Written, export
from bench_tests.conftest import PLAN, make, quiet

ASKED = "In which year was the yard founded that took on the overhaul of the Petrel for Agnete Voll?"
Line = dict[str, object]


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """A build of its own, beside its sources."""
    shutil.copytree(built.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / "out"


def given_out(folder: Path) -> list[Line]:
    export(folder, folder.parent / "pairs.jsonl")
    return list(read_jsonl(folder.parent / "pairs.jsonl"))


def taken(tmp_path: Path, rows: list[Line]) -> tuple[dict[str, Done], list[str]]:
    """The stages of a build with these lines, and what was reported."""
    path, told = tmp_path / "lines.jsonl", list[str]()
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    sources = Sources((tmp_path / "pages.jsonl",), (tmp_path / "box.mbox",), (path,))
    done = build(sources, tmp_path / "out", PLAN, told.append, quiet)
    return {one.name: one for one in done}, told


def yard(row: Line) -> bool:
    return (row["slice"], row["kind"], row["hint"]) == ("PG", "bridge", "Halvorsen Shipyard")


def on(row: Line, **said: object) -> Line:
    """A line that somebody wrote a good question on, or changed."""
    numbers = {"sentences_1": [5], "sentences_2": [1]}
    return row | {"question": ASKED, "answer": "1921", **numbers} | said


def test_pairs_are_given_out_with_numbered_sentences_and_the_hint(folder: Path):
    rows = given_out(folder)
    assert [row["pair"] for row in rows] == [pair.id for pair in read_pairs(folder)]
    row = next(filter(yard, rows))
    first, second = row["passage_1"], row["passage_2"]
    assert isinstance(first, list) and "[5] Halvorsen Shipyard signed a contract" in first[6]
    assert isinstance(second, list) and second[0] == "Halvorsen Shipyard" and "[1] It was founded in 1921" in second[2]
    assert (folder.parent / "pairs.jsonl").stat().st_mode & 0o077 == 0
    with pytest.raises(UsageError, match="no pairs"):
        export(folder.parent / "none", folder.parent / "none.jsonl")


def test_what_was_written_on_the_pairs_comes_back(tmp_path: Path):
    make(tmp_path)
    folder = tmp_path / "out"
    rows = [on(row) if yard(row) else row for row in given_out(folder)]
    stages, told = taken(tmp_path, rows)
    assert {name for name, done in stages.items() if not done.resumed} == {"questions", "splits"} and not told
    (one,) = read_proposals(folder)
    assert (one.question, one.answer, one.by) == (ASKED, "1921", WRITER)
    assert (stages["questions"].counts["questions"], stages["questions"].counts["kept"]) == (1, 1)
    assert all(done.resumed for done in taken(tmp_path, rows)[0].values())


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ({"question": "When was the Halvorsen Shipyard that took on the Petrel founded?"}, "bridge_is_hidden"),
        ({"answer": "1922"}, "answer_is_a_span"),
        ({"sentences_2": [9]}, "sentences_support"),
    ],
)
def test_a_written_question_is_held_to_the_rules_and_what_refused_it_is_told(
    folder: Path, tmp_path: Path, said: Line, rule: str
):
    row = next(filter(yard, given_out(folder)))
    stages, _ = taken(tmp_path, [on(row, **said), on(row)])
    (refused,) = read_jsonl(folder / REFUSED)
    assert (refused["pair"], refused["rule"], refused["by"]) == (row["pair"], rule, WRITER)
    assert stages["questions"].counts[f"not {rule}"] == 1
    assert [one.question for one in read_proposals(folder)] == [ASKED]  # of two on one pair that which stands


def test_a_line_of_no_pair_is_named_and_counted(folder: Path, tmp_path: Path):
    row = next(filter(yard, given_out(folder)))
    stages, told = taken(tmp_path, [{"pair": "PG-2", "skip": "another thing"}, on(row), on(row, pair="PG-1")])
    assert stages["questions"].counts["written of other builds"] == 1
    assert [line.rpartition("/")[2] for line in told] == ["lines.jsonl: record 3 names no pair of this build"]


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda row: row.pop("question"), "`question` is missing"),
        (lambda row: row.pop("pair"), "`pair` is missing"),
        (lambda row: row.update(answer=1921), "`answer` is not text"),
        (lambda row: row.update(sentences_1="5"), "`sentences_1` is not a list"),
        (lambda row: row.update(sentences_2=[True]), "`sentences_2` is not a list of whole numbers"),
    ],
)
def test_a_line_of_another_form_is_named_with_its_field(
    tmp_path: Path, break_it: Callable[[Line], object], message: str
):
    row = on({"pair": "PG-1"})
    break_it(row)
    path = tmp_path / "lines.jsonl"
    path.write_text('{"pair": "PG-0", "skip": "no"}\n' + json.dumps(row), "utf-8")
    with pytest.raises(FormatError, match=f"record 2: the field {message}") as raised:
        Written([path])
    assert "Petrel" not in str(raised.value)


def test_a_written_question_is_reviewed_as_any_other(folder: Path, tmp_path: Path):
    taken(tmp_path, [on(row) for row in given_out(folder) if yard(row)])
    out, path = folder, tmp_path / "table.csv"
    assert table(out, path) == 1
    (one,) = read_proposals(out)
    better = ASKED.replace("took on", "agreed to")
    path.write_text(f'id,verdict,question\n{one.id},{EDITED},"{better}"\n', "utf-8")
    assert take_in(out, path)[EDITED] == 1 and take_in(out, path)[ACCEPTED] == 0
    assert [(one.question, done) for one, done in judged(out)] == [(better, True)]
