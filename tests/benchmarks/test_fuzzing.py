"""benchmarks/fuzzing.py: of each format a few inputs come inside and end well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fuzzing


def test_a_few_inputs_of_each_format_end_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = tmp_path / "f.json"
    ended = fuzzing.main(["--inputs", "4", "--seconds", "20", "--json", str(result)])
    assert ended == 0, capsys.readouterr()
    formats = json.loads(result.read_text("utf-8"))["figures"]["formats"]
    assert set(formats) == set("text markdown html pdf docx table json jsonl mbox mail".split())
    assert all(one["inputs"] == 4 and one["inside"] >= 3 for one in formats.values())
