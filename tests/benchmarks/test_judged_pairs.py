"""What judged questions are fitted by, and what is told of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import judged_pairs as judged
from answerable.readers.overlap import OverlapReader
from tests.training.files import write_lines

TEXT = "Bell Rock was lit in 1811. Hook was lit in 1207."


def test_what_is_read_with_a_higher_score_is_right_more_probably():
    ones = [judged.Read("a", float(score), "g" if score > 3 else "w") for score in range(8)]
    by = judged.fitted([*ones, judged.Read("b", None, "w")], "reader-1")
    chances = [by.confidence((float(score),)) for score in range(8)]
    assert chances == sorted(chances) and chances[0] < 0.5 < chances[-1]
    assert (by.matcher, by.threshold, by.fitted_on) == ("reader-1", 0.5, "8 judged questions")


def test_all_is_read_fitted_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    rows = []
    for number in range(12):
        asked = [["When was Bell Rock lit?", 21, 25, "g"], ["When was Hook lit?", 21, 25, "w"], ["Hook?", 43, 47, "a"]]
        rows.append({"title": f"Lights {number}", "text": TEXT, "judged": asked})
    write_lines(tmp_path / "pairs.jsonl.gz", rows)
    passed = [{"by": by, "title": "x", "question": "?", "answer": "", "verdict": v} for by, v in ("ag", "aw", "bf")]
    write_lines(tmp_path / "nq.jsonl.gz", passed)
    monkeypatch.setattr(judged, "JUDGED", tmp_path / "pairs.jsonl.gz")
    monkeypatch.setattr(judged, "KEPT", tmp_path / "nq.jsonl.gz")
    monkeypatch.setattr(judged, "reader_of", lambda settings: (OverlapReader(), None))
    monkeypatch.setattr(judged, "FILE", tmp_path / "filter.json")
    judged.main(["--data", str(tmp_path), "--write", "--json", str(tmp_path / "out.json")])
    told = json.loads((tmp_path / "out.json").read_text("utf8"))["figures"]
    assert told["made"]["questions"] == 3 * sum(judged.Read(f"Lights {n}", 0, "g").held for n in range(12)) > 0
    assert 0 < told["found"]["questions"] <= told["made"]["questions"]
    assert told["made"]["right"]["share"] == pytest.approx(100 / 3, abs=0.1)
    assert (told["nq, a"]["questions"], told["nq, a"]["g"], told["nq, b"]["f"]) == (2, 50.0, 100.0)
    assert (tmp_path / "filter.json").is_file()
