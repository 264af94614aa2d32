"""`benchmarks/crash.py` runs: one kill and one full disk of the least work there is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "benchmarks" / "crash.py"
LIT = "William Marshal built Hook Lighthouse in 190{0}. Lamp {0} was bought in Oslo by Maria Berg for 1{0} crowns."
STAND_INS = {"ENCODER": "hashed", "READER": "overlap", "MATCHER": "hashed"}


def run(*args: str | Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {f"ANSWERABLE_MODELS_{name}": value for name, value in STAND_INS.items()}
    environment["PYTHONPATH"] = str(ROOT / "src")
    line = [sys.executable, PROGRAM, *args]
    return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.skipif(sys.platform != "linux", reason="it looks at processes and mounts as Linux has them")
def test_it_finds_no_fault_in_a_tiny_run(tmp_path: Path) -> None:
    mails = [
        f"From a@b Mon Jan  1 00:00:0{n} 2001\nMessage-ID: <{n}@b>\nSubject: Lamp\n\n{LIT.format(n)}" for n in range(6)
    ]
    (tmp_path / "m.mbox").write_text("\n\n".join(mails) + "\n")
    ran = run("--data", tmp_path / "m.mbox", "--kills", "1", "--disks", "0", "--json", tmp_path / "r.json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    told = json.loads((tmp_path / "r.json").read_text())["figures"]
    assert (told["kills"], told["faults"]) == (1, 0) and told["workspaces"] >= 1
