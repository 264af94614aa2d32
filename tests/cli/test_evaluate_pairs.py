"""`evaluate pairs`: every system over the pairs of a workspace, resumed."""

import json
from pathlib import Path

import pytest

from answerable.corpora.store import Store
from answerable.evaluation.names import PairSystemName
from answerable.types import QAPair
from tests.cli.conftest import Command

ASKED = (
    {"id": "1", "question": "When was Kõpu Lighthouse completed?", "answers": ["1531"], "supporting": ["wiki/kopu.md"]},
    {
        "id": "2",
        "question": "Who built Hook Lighthouse?",
        "answers": ["William Marshal"],
        "supporting": ["wiki/hook.md"],
    },
    {"id": "3", "question": "Where is Hook Lighthouse?", "answers": ["Ireland"], "supporting": ["wiki/kopu.md"]},
    {"id": "4", "question": "How high is Hook Lighthouse?", "answers": ["36 m"]},
    {"id": "5", "question": "What does the keeper of Hook Lighthouse earn?", "answers": []},  # nobody can tell
)
MADE = (
    ("kopu.md", "When was Kõpu Lighthouse completed?", "1531"),
    ("hook.md", "Who built the tower at Hook?", "William Marshal"),
    ("hook.md", "Where does Hook Lighthouse stand?", "Ireland"),
)
PAIRS = ("evaluate", "pairs", "--data", "q.jsonl")


@pytest.fixture
def paired(indexed: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The notes with three pairs, and four questions."""
    monkeypatch.setenv("ANSWERABLE_MODELS_MATCHER", "hashed")
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ASKED), encoding="utf8")
    with Store(tmp_path / ".answerable" / "store.sqlite") as store, store.write() as writing:
        passages = list(store.rows("wiki"))
        for number, (name, question, answer) in enumerate(MADE):
            passage = next(one for one in passages if name in one.id and answer in one.text)
            start = passage.text.index(answer)
            pair = QAPair(str(number), question, (answer,), passage.id, "wiki", 0.5, start, start + len(answer))
            writing.put_imported("wiki", "by hand", [pair])
    assert indexed("pairs", "index").code == 0
    return indexed


def test_every_system_is_measured_over_the_same_questions(paired: Command):
    found = paired(*PAIRS, "--json").record
    assert found["pairs"] == 3
    assert found["coverage"] == {"questions": 4, "covered": 3, "coverage": 0.75, "placed": 3, "of the passage": 2 / 3}
    assert list(found["systems"]) == ["words", "vectors", "retrieve", "rerank", "engine"]
    for name, one in found["systems"].items():
        assert one["questions"] == 5 and one["counts"]["EM"] == 4 and one["questions per second"] > 0
        assert one["measures"]["EM"] == 0.75 or name == "engine"  # nobody knows how high it is
        assert one["measures"].get("verbatim", 0.25) == 0.25
    assert found["against"] == "engine" and set(found["differences"]) == {
        "words",
        "vectors",
        "retrieve",
        "rerank",
        "backoff",
    }
    assert "engine by rerank" in found["selective"]
    everything = paired(*PAIRS, "--json", "--threshold", "0").record
    assert everything["backoff"]["share"] == 1.0 and everything["backoff"]["EM"] == 0.75


def test_a_run_goes_on_and_writes_tables(paired: Command):
    given = (*PAIRS, "--system", "words", "--system", "retrieve", "--report", "out")
    ran = paired(*given)
    assert "| words | 75.0 |" in ran.out and ran.code == 0
    run = next(Path("out").glob("pairs-words-*.jsonl"))
    whole = run.read_bytes()
    run.write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    again = paired(*given, "--json").record
    assert [line["id"] for line in map(json.loads, run.read_text("utf8").splitlines()[1:])] == ["1", "2", "3", "4", "5"]
    assert again["systems"]["words"]["measures"]["EM"] == 0.75
    assert json.loads(Path("out/pairs.json").read_text("utf8")) == again


def test_training_questions_stand_in_for_pairs(paired: Command, tmp_path: Path):
    rows = [{"id": "t", "question": "How high is the Hook Lighthouse?", "answers": ["36 m"]}]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf8")
    found = paired(*PAIRS, "--system", "training", "--training", "t.jsonl", "--json").record
    assert found["systems"]["training"]["measures"]["EM"] == 0.25 and "backoff" not in found
    assert paired(*PAIRS, "--system", "training").code == 2


def test_without_pairs_it_says_what_to_do(indexed: Command, tmp_path: Path):
    (tmp_path / "q.jsonl").write_text(json.dumps(ASKED[0]) + "\n", encoding="utf8")
    ran = indexed(*PAIRS, "--system", "words")
    assert ran.code == 2 and "no pairs" in ran.err and "pairs build" in ran.err


def test_one_system_alone(paired: Command):
    found = paired(*PAIRS, "--system", "rerank", "--json").record
    assert list(found["systems"]) == ["rerank"] and found["systems"]["rerank"]["measures"]["EM"] == 0.75


def test_every_name_the_help_tells_opens_or_says_what_it_needs(paired: Command):
    for name in PairSystemName:
        ran = paired(*PAIRS, "--system", name.value, "--json")
        assert ran.code == 0 or '"UsageError"' in ran.out, name
    assert paired(*PAIRS, "--system", "near").code == 2
