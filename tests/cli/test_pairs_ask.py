"""`pairs ask`: answers worked out before, what is shown of them, the way back to the engine, files of questions."""

import json
from pathlib import Path

import pytest

from answerable.encoders.hashed import HashedMatcher
from answerable.qapairs.index.build import build_pair_index
from answerable.types import QAPair
from answerable.workspace.opening import open_workspace
from tests.cli.conftest import STAND_INS, Command

TOWER = "When was Kõpu Lighthouse completed?"
JOB = "What is the job at Kõpu Lighthouse called?"


@pytest.fixture
def paired(indexed: Command, notes: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The notes with a pair of each enclave."""
    for name, value in STAND_INS.items():
        if value is not None:
            monkeypatch.setenv(name, value)
    with open_workspace(notes / ".answerable") as opened:
        for enclave, question, answer in (("wiki", TOWER, "1531"), ("mail", JOB, "KESTREL")):
            store = opened._store
            found = store.passages(enclave, [row.id for row in store.rows(enclave)])
            passage = next(one for one in found if answer in one.text)
            start = passage.text.index(answer)
            pair = QAPair(enclave, question, (answer,), passage.id, enclave, 0.9, start, start + len(answer))
            with opened._writing() as builder:
                with store.write() as transaction:
                    transaction.put_pairs(enclave, passage.id, "tests", [pair])
                build_pair_index(store, builder.folder, enclave, HashedMatcher(), opened.settings.pairs)
    return indexed


def test_an_answer_with_its_question_and_its_source(paired: Command):
    ran = paired("pairs", "ask", "When was the Kõpu Lighthouse completed?")
    assert ran.code == 0 and ran.err == ""
    first, second, *rest = ran.out.splitlines()
    assert first.startswith("1531  confidence ") and second.strip() == f"worked out before: {TOWER}"
    assert any(line.strip() == "Kõpu Lighthouse was completed in 1531." for line in rest)
    assert any("kopu.md:" in line for line in rest)

    record = paired("pairs", "ask", TOWER, "--json", "--explain").record
    assert record["answer"] == "1531" and record["reason"] is None and record["label"] == ["mail"]
    assert (
        record["via"] == "pair" and record["pair"]["question"] == TOWER and record["matched"][0]["answers"] == ["1531"]
    )
    assert record["citations"][0]["enclave"] == "wiki" and {hop["skill"] for hop in record["hops"]} == {"match"}
    guarded = paired("pairs", "ask", TOWER, "--json", "--privacy", "query").record
    assert guarded["answer"] is None and "wiki could not be asked" in guarded["reason"]


def test_what_no_pair_asks_ends_with_3(paired: Command):
    ran = paired("pairs", "ask", "Who built Hook Lighthouse?", "--explain")
    assert ran.code == 3 and ran.out.startswith("I am not sure: ") and "Nearest pairs" in ran.out


def test_a_file_of_questions(paired: Command, notes: Path):
    asked = [TOWER, "How deep\u2028is the sea?", JOB]
    (notes / "asked.txt").write_text("\n\n".join(asked), encoding="utf8")
    (notes / "asked.jsonl").write_text(
        "\n".join(json.dumps({"question": one}, ensure_ascii=False) for one in asked), encoding="utf8"
    )
    runs = [paired("pairs", "ask", "--questions", notes / name) for name in ("asked.txt", "asked.jsonl")]
    rows = [[json.loads(line) for line in ran.out.splitlines()] for ran in runs]
    assert "2 of 3 questions answered" in runs[0].err
    assert rows[0] == rows[1] and [row["answer"] for row in rows[0]] == ["1531", None, "KESTREL"]
    assert [row["question"] for row in rows[0]] == [" ".join(one.split()) for one in asked] and rows[0][0]["citations"]
    quick = paired("pairs", "ask", "--questions", notes / "asked.txt", "--no-cite")
    assert not json.loads(quick.out.splitlines()[0])["citations"]

    assert paired("pairs", "ask").code == 2 and paired("pairs", "ask", TOWER, "--questions", "x").code == 2
    for bad in ("{}\n", "[" * 100_000):
        (notes / "bad.jsonl").write_text(bad, encoding="utf8")
        ran = paired("pairs", "ask", "--questions", notes / "bad.jsonl")
        assert ran.code == 1 and "line 1 of bad.jsonl holds no question" in ran.err
    assert paired("pairs", "ask", "--questions", notes / "bad.jsonl", "--explain").code == 2


def test_without_pairs_it_says_so(indexed: Command):
    ran = indexed("pairs", "ask", TOWER)
    assert ran.code == 2 and "no pairs" in ran.err and "answerable pairs build" in ran.err


def test_ask_answers_from_a_pair_first_shows_it_and_writes_it_down(paired: Command):
    ran = paired("ask", TOWER, "--explain")
    assert ran.code == 0 and "  public" in ran.out and f"worked out before: {TOWER}" in ran.out
    assert "wiki was asked for pairs that ask the same" in ran.out and "mail was asked" not in ran.out
    record = paired("ask", TOWER, "--json").record
    assert record["pair"]["answers"] == ["1531"] and record["label"] == []
    private = paired("ask", JOB, "--json").record
    assert private["answer"] == "KESTREL" and private["pair"]["enclave"] == "mail" and private["label"] == ["mail"]

    paired("ask", TOWER)
    entries = paired("journal", "--json").record["records"]
    assert entries[-1]["skill"] == "match" and entries[-1]["hits"] == 1 and entries[-1]["allowed"]


def test_quotes_may_be_left_out(paired: Command):
    record = paired("pairs", "ask", "--json", *TOWER.split()).record
    assert record["answer"] == "1531" and record["pair"]["question"] == TOWER
