"""Test questions with the passages that answer them, as the reader alone is asked."""

from __future__ import annotations

import json
from pathlib import Path

import mixed_corpora
from answerable.datasets.load import load


def test_gold_passages_are_given_with_each_test_question(tmp_path: Path) -> None:
    def write(name: str, *rows: dict[str, object]) -> None:
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    write("private.jsonl", {"_id": "m1", "title": "Re: boats", "text": "Ann works for Norvik."})
    write("public.jsonl", {"_id": "w1", "title": "Norvik", "text": "Norvik is a bank in Riga."}, {"_id": "w2"})
    asked = {"_id": "q", "question": "Where is Ann's bank?", "answer": "Riga", "slice": "PG", "gold": ["m1", "w1"]}
    write("test.jsonl", asked)
    mixed_corpora.main(["gold", "--data", str(tmp_path), "--benchmark", str(tmp_path), "--out", str(tmp_path / "out")])
    (example,) = load(tmp_path / "out/questions.jsonl")
    assert example.kind == "PG" and example.answers == ("Riga",)
    assert [title for title, _ in example.passages] == ["Re: boats", "Norvik"]
    assert "Riga" in example.passages[1][1]
