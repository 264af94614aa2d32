"""What a memory of good answers gives again."""

from __future__ import annotations

import json
from pathlib import Path

import remembering


def test_a_memory_is_asked_in_three_ways(tmp_path: Path) -> None:
    rows = [
        {"question": "Who lit the lamp?", "answers": ["Jaan", "Jaan Tamm"], "again": "Who lit the lamp then?",
         "near": "Which captain anchored beside Marlpit?"},
        {"question": "When was the tower built?", "answers": ["1531"], "again": "What year is the masonry from?",
         "near": "When was the tower built?"},
    ]  # fmt: skip
    file, record = tmp_path / "repeats.jsonl", tmp_path / "record.json"
    file.write_text("\n".join(map(json.dumps, rows)))
    remembering.main(["--file", str(file), "--model", "hashed", "--json", str(record)])
    made = json.loads(record.read_text("utf-8"))
    told = {name: one["share"] for name, one in made["figures"].items()}
    assert made["about"]["n"] == 2 and all(one["n"] == 2 for one in made["figures"].values())
    assert told["repeats answered rightly"] == 100.0
    assert told["paraphrases answered from another"] == 0.0
    assert told["near misses answered"] == 50.0, "any answer counts"
