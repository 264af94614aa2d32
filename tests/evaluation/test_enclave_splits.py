from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from answerable.cli import evaluate_split
from answerable.cli.options import command
from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.errors import FormatError, UsageError
from answerable.evaluation.enclave_splits import FILES, PRIVATE, PUBLIC, Plan, draw, labels, split


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


TABLE = {
    "_id": "mills_0",
    "title": "Mills of the Lenn",
    "header": ["Mill", "Founder"],
    "rows": [[{"text": "Otter Mill", "links": ["/p/otter"]}, {"text": "Ada Brandt", "links": ["/p/brandt"]}]],
}
PASSAGES = [
    {"_id": "/p/otter", "title": "Otter Mill", "text": "Otter Mill makes paper."},
    {"_id": "/p/brandt", "title": "Ada Brandt", "text": "Ada Brandt was born in Selwick."},
]
BORN = Example(
    "q1", "Where was the founder of Otter Mill born?", ("Selwick",), ("mills_0", "/p/brandt"), kind="passage",
    meta={"table": "mills_0"},
)  # fmt: skip
WHICH = Example(
    "q2", "Which mill was founded by a woman from Selwick?", ("Otter Mill",), ("mills_0", "/p/brandt"), kind="table",
    meta={"table": "mills_0"},
)  # fmt: skip
LOST = Example("q3", "Who dug the canal?", ("Nobody",), ("mills_0", "/p/canal"))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return write(tmp_path / "tables.jsonl", [TABLE]), write(tmp_path / "passages.jsonl.gz", PASSAGES)


def test_tables_private_and_passages_public(files: tuple[Path, Path], tmp_path: Path) -> None:
    tables, passages = files
    done = split([passages], [BORN, WHICH, LOST], tmp_path / "s", Plan(private=(tables,)))
    assert read(tmp_path / "s" / FILES[PRIVATE]) == [TABLE]
    assert read(tmp_path / "s" / FILES[PUBLIC]) == PASSAGES
    assert (done.documents, done.slices, done.left_out) == ({PRIVATE: 1, PUBLIC: 2}, {"PG": 1, "GP": 1}, 1)
    assert labels(tmp_path / "s") == {"q1": "PG", "q2": "GP"}
    manifest = json.loads((tmp_path / "s" / "split.json").read_text())
    assert manifest["split"] == "by source" and "seed" not in manifest


def test_the_questions_can_be_loaded_again(files: tuple[Path, Path], tmp_path: Path) -> None:
    split([files[1]], [BORN, WHICH], tmp_path / "s", Plan(private=(files[0],)))
    first, second = load(tmp_path / "s" / "questions.jsonl")
    assert (first.id, first.question, first.answers, first.kind) == ("q1", BORN.question, BORN.answers, "passage")
    assert first.supporting == ("mills_0", "/p/brandt")
    assert second.supporting == ("/p/brandt", "mills_0")


def test_answers_and_facts_survive(files: tuple[Path, Path], tmp_path: Path) -> None:
    facts = (("Otter Mill", 0), ("Ada Brandt", 0))
    asked = Example("q", "Where?", ("Selwick", "near Selwick"), ("/p/otter", "/p/brandt"), facts, "bridge")
    split([files[1]], [asked], tmp_path / "s", Plan())
    (again,) = load(tmp_path / "s" / "questions.jsonl")
    assert (again.answers, again.facts, again.supporting) == (asked.answers, facts, asked.supporting)


def test_gold_may_be_named_by_title(files: tuple[Path, Path], tmp_path: Path) -> None:
    asked = Example("q", "Where was the founder born?", ("Selwick",), ("Ada Brandt", "Otter Mill"), kind="bridge")
    done = split([files[1]], [asked], tmp_path / "s", Plan(share=0))
    assert done.slices == {"GG": 1}
    assert read(tmp_path / "s" / "questions.jsonl")[0]["gold"] == ["Otter Mill", "Ada Brandt"]


def exported(path: Path, source: str, rows: list[dict[str, Any]]) -> Path:
    """These records as an export of one file has them: each document, then its passage."""
    owner = {"enclave": "e", "label": []}
    documents = [{"type": "document", **owner, **row, "_id": f"{source}#{row['_id']}"} for row in rows]
    passages = [
        {"type": "passage", **owner, "_id": f"{row['_id']}:0", "document": row["_id"], "text": row["text"],
         "start": 0, "end": len(row["text"])}
        for row in documents
    ]  # fmt: skip
    return write(path, [*documents, *passages])


def test_an_export_holds_each_document_once_and_the_questions_find_theirs(tmp_path: Path) -> None:
    corpus = exported(tmp_path / "all.jsonl", "passages.jsonl", PASSAGES)
    asked = Example("q", "Where?", ("Selwick",), ("/p/otter", "/p/brandt"), (("Otter Mill", 0),), "bridge")
    done = split([corpus], [asked], tmp_path / "s", Plan(share=0))
    assert (done.documents, done.slices, done.left_out) == ({PRIVATE: 0, PUBLIC: 2}, {"GG": 1}, 0)
    assert {row["type"] for row in read(tmp_path / "s" / FILES[PUBLIC])} == {"document"}


def test_no_document_comes_twice(files: tuple[Path, Path], tmp_path: Path) -> None:
    tables, passages = files
    again = exported(tmp_path / "again.jsonl", "passages.jsonl", PASSAGES)
    plain = write(tmp_path / "plain.jsonl", PASSAGES)
    for plan, corpus in ((Plan(), [passages, again]), (Plan(private=(plain,)), [passages]), (Plan(), [plain, again])):
        with pytest.raises(FormatError, match=r"line 1 of .*jsonl.* is a document that was there before"):
            split(corpus, [], tmp_path / "s", plan)
    other = exported(tmp_path / "other.jsonl", "b.jsonl", [{**PASSAGES[0], "text": "Another mill."}])
    assert split([passages, other], [], tmp_path / "s", Plan()).documents.keys() == {PRIVATE, PUBLIC}
    with pytest.raises(FormatError, match="is called as one before it"):
        split([tables, passages, other], [Example("q", "?", ("x",), ("/p/otter",))], tmp_path / "s", Plan())


def test_what_is_read_is_never_replaced(files: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tmp_path / "s"
    split([files[1]], [], folder, Plan())
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for corpus, plan in (([folder / FILES[PUBLIC]], Plan()), ([files[1]], Plan(private=(folder / FILES[PRIVATE],)))):
        with pytest.raises(UsageError, match=r"is in .*s, where files are replaced"):
            split(corpus, [], tmp_path / "x" / ".." / "s", plan)
    with pytest.raises(UsageError, match="is a folder"):
        split([folder], [], tmp_path / "t", Plan())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_questions_keep_whatever_their_text_holds(files: tuple[Path, Path], tmp_path: Path) -> None:
    asked = Example("q\u2028", "Who\u2028 \x85 or \ud800?", ("é",), ("/p/otter",))
    split([files[1]], [asked], tmp_path / "s", Plan(share=0))
    assert labels(tmp_path / "s") == {"q\u2028": "G"}
    assert read(tmp_path / "s" / "questions.jsonl")[0]["question"] == asked.question


def test_no_line_is_lost_or_changed(tmp_path: Path) -> None:
    rows = [f'{{"_id": "{i}",  "title": "T{i % 40}", "text": "é {i}"}}' for i in range(200)]
    corpus = tmp_path / "c.jsonl"
    corpus.write_text("\n".join([*rows[:100], "", *rows[100:]]), "utf-8")
    done = split([corpus], [], tmp_path / "s", Plan(share=0.3, seed=5))
    sides = {d: (tmp_path / "s" / name).read_text("utf-8").splitlines() for d, name in FILES.items()}
    assert sorted(sides[PRIVATE] + sides[PUBLIC]) == sorted(rows)
    assert {d: len(lines) for d, lines in sides.items()} == done.documents
    assert 0 < done.documents[PRIVATE] < 100
    titles = {d: {json.loads(line)["title"] for line in lines} for d, lines in sides.items()}
    assert not titles[PRIVATE] & titles[PUBLIC]


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    corpus = write(tmp_path / "c.jsonl", [{"_id": str(i), "text": "x"} for i in range(300)])
    made = {}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        split([corpus], [], tmp_path / name, Plan(seed=seed))
        made[name] = (tmp_path / name / FILES[PRIVATE]).read_bytes()
    assert made["a"] == made["b"] != made["c"]


@given(st.text(max_size=12), st.integers(0, 99), st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_takes_nothing_back(article: str, seed: int, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert draw(article, seed, low) == PUBLIC or draw(article, seed, high) == PRIVATE
    assert draw(article, seed, 0) == PUBLIC and draw(article, seed, 1) == PRIVATE


def test_the_share_is_kept() -> None:
    for seed in (1, 2):
        assert 0.27 < sum(draw(str(i), seed, 0.3) == PRIVATE for i in range(4000)) / 4000 < 0.33


def test_an_earlier_split_is_replaced_and_nothing_else(files: tuple[Path, Path], tmp_path: Path) -> None:
    for share, count in ((0, 0), (1, 2)):
        done = split([files[1]], [], tmp_path / "s", Plan(share=share))
        assert done.documents[PRIVATE] == count == len(read(tmp_path / "s" / FILES[PRIVATE]))
    other = tmp_path / "other"
    other.mkdir()
    (other / "letters.txt").write_text("mine")
    with pytest.raises(UsageError, match="is no split"):
        split([files[1]], [], other, Plan())
    assert [path.name for path in other.iterdir()] == ["letters.txt"]


def test_a_broken_corpus_leaves_the_earlier_split_whole(files: tuple[Path, Path], tmp_path: Path) -> None:
    split([files[1]], [BORN], tmp_path / "s", Plan(private=(files[0],)))
    before = {path.name: path.read_bytes() for path in (tmp_path / "s").iterdir()}
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"_id": "1", "text": "fine"}\n{"_id": "2", "text": "secret')
    with pytest.raises(FormatError, match=r"line 2 of .*bad\.jsonl") as caught:
        split([bad], [BORN], tmp_path / "s", Plan())
    assert "secret" not in str(caught.value)
    assert {path.name: path.read_bytes() for path in (tmp_path / "s").iterdir()} == before
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_what_cannot_be_asked_for(files: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="share"):
        Plan(share=1.5)
    with pytest.raises(UsageError, match="twice"):
        split([files[0]], [], tmp_path / "s", Plan(private=(files[0],)))
    with pytest.raises(UsageError, match="is no split"):
        labels(tmp_path)


def test_the_command(files: tuple[Path, Path], tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command(evaluate_split.split))
    questions = write(
        tmp_path / "q.jsonl",
        [{"_id": "q1", "question": BORN.question, "answer": "Selwick", "table": "mills_0",
          "evidence": [{"cell": "Ada Brandt", "row": 0, "column": 1, "passage": "/p/brandt", "where": "passage"}]}],
    )  # fmt: skip
    given = [str(files[1]), "--questions", str(questions), "--private", str(files[0]), "--out", str(tmp_path / "s")]
    done = CliRunner().invoke(app, [*given, "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    assert json.loads(done.stdout)["questions"] == {"PG": 1}
    assert isinstance(CliRunner().invoke(app, [*given, "--seed", "3"]).exception, UsageError)
    given[2] = str(tmp_path / "s" / "questions.jsonl")
    assert isinstance(CliRunner().invoke(app, given).exception, UsageError)


def test_others_on_the_machine_cannot_read_a_split(files: tuple[Path, Path], tmp_path: Path) -> None:
    tables, passages = files
    split([passages], [BORN], tmp_path / "split", Plan(private=(tables,)))
    assert (tmp_path / "split").stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in (tmp_path / "split").iterdir())
