"""benchmarks/fuzzing.py: of each format a few inputs come inside and end well."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "fuzzing.py"


def test_a_few_inputs_of_each_format_end_well(tmp_path: Path) -> None:
    result = tmp_path / "f.json"
    command = [sys.executable, PROGRAM, "--inputs", "4", "--seconds", "20", "--json", result]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    formats = json.loads(result.read_text("utf-8"))["figures"]["formats"]
    assert set(formats) == set("text markdown html pdf docx table json jsonl mbox mail".split())
    assert all(one["inputs"] == 4 and one["inside"] >= 3 for one in formats.values())
