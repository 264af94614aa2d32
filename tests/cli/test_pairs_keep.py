"""`pairs stats`, `export`, `import`, `index` and `remove`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.indexes.samples import occurs

LINES = [
    {"question": f"which keeper kept lamp {n}", "answer": [f"Keeper {n}", "a keeper"], "score": n / 20}
    for n in range(20)
]


@pytest.fixture
def brought(indexed: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Twenty pairs of the wiki, with their index."""
    monkeypatch.setenv("ANSWERABLE_MODELS_MATCHER", "hashed")
    Path("keepers.jsonl").write_text("\n".join(json.dumps(line) for line in LINES))
    assert indexed("pairs", "stats").code == 3
    ran = indexed("pairs", "import", "keepers.jsonl", "-e", "wiki", "--json")
    assert ran.record == {"enclave": "wiki", "source": "keepers.jsonl", "pairs": 20, "placed": 0, "removed": 0}
    (made,) = indexed("pairs", "index", "--json").record["enclaves"]
    assert (made["pairs"], made["of"], made["encoded"]) == (20, 20, 20)
    return indexed


def test_stats(brought: Command):
    shown = brought("pairs", "stats")
    assert shown.code == 0 and "20 pairs, 0 with a passage; 40 answers" in shown.out and "index of 20" in shown.out
    (wiki,) = brought("pairs", "stats", "-e", "wiki", "--json").record["enclaves"]
    assert wiki["origins"] == [{"name": "keepers.jsonl", "imported": True, "pairs": 20, "worked": 0}]
    assert wiki["probabilities"][0] == 0 and wiki["probabilities"][-1] == 0.95
    folder = next(Path(".answerable/indexes/wiki").glob("pairs-*"))
    assert wiki["index"]["bytes"] == sum(path.stat().st_size for path in folder.iterdir())
    assert wiki["index"]["current"] and wiki["index"]["words"].startswith("flat")
    assert brought("pairs", "stats", "-e", "nowhere").code == 2


def test_pairs_leave_with_their_label_and_come_back(brought: Command):
    assert brought("pairs", "export", "out.jsonl", "-e", "wiki", "--json").record["pairs"] == 20
    lines = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert lines[3]["question"] == LINES[3]["question"] and (lines[3]["enclave"], lines[3]["label"]) == ("wiki", [])
    assert [one["text"] for one in lines[3]["answers"]] == LINES[3]["answer"]
    assert "Kept 20 pairs from copy" in brought("pairs", "import", "out.jsonl", "-e", "mail", "--source", "copy").out
    ran = brought("pairs", "export", "private.jsonl", "-e", "mail")
    assert ran.code == 0 and "private text of: mail" in ran.err
    refused = brought("pairs", "import", "private.jsonl", "-e", "wiki", "--json")
    assert refused.code == 2 and "line 1 holds private text of mail" in refused.record["error"]["message"]
    assert brought("pairs", "export", "private.tsv", "-e", "mail").code == 2
    Path("wrong.jsonl").write_text('{"question": "a secret"}')
    refused = brought("pairs", "import", "wrong.jsonl", "-e", "wiki")
    assert refused.code == 1 and "wrong.jsonl, line 1: it has no answer" in refused.err and "secret" not in refused.err


def test_a_budget_is_kept_or_refused_in_a_sentence(brought: Command):
    (made,) = brought("pairs", "index", "--budget", "10kB", "--json").record["enclaves"]
    assert 0 < made["pairs"] < 20 and made["bytes"] <= 10_000 and "most probable" in made["why"]
    for budget, what in (("1kB", "at least"), ("lots", "500MB")):
        refused = brought("pairs", "index", "--budget", budget)
        assert refused.code == 2 and what in refused.err
    assert brought("pairs", "stats", "--json").record["enclaves"][0]["index"]["pairs"] == made["pairs"]


def test_a_budget_of_the_settings_holds_until_another_is_given(brought: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANSWERABLE_PAIRS_BUDGET", "10kB")
    (made,) = brought("pairs", "index", "--json").record["enclaves"]
    assert 0 < made["pairs"] < 20 and made["bytes"] <= 10_000
    assert brought("pairs", "index", "--budget", "1MB", "--json").record["enclaves"][0]["pairs"] == 20
    monkeypatch.setenv("ANSWERABLE_PAIRS_BUDGET", "lots")
    refused = brought("pairs", "index")
    assert refused.code == 2 and "'lots' is no amount of memory" in refused.err


def test_what_is_removed_is_nowhere(brought: Command):
    place = Path(".answerable")
    assert occurs(place, b"which keeper kept lamp 7")
    assert brought("pairs", "remove", "--source", "nothing", "-e", "wiki").code == 2
    assert "Removed 20 pairs" in brought("pairs", "remove", "--source", "keepers.jsonl", "-e", "wiki").out
    assert occurs(place, b"which keeper kept lamp 7") == [] == occurs(place, b"keepers.jsonl")
    assert list(place.rglob("pairs-*")) == []
    assert brought("pairs", "index").code == 3
