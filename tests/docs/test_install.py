"""What a plain install promises: no torch, no network, everything in the package."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAVY = ("torch", "tokenizers", "huggingface_hub", "pypdfium2")


def test_importing_answerable_loads_nothing_heavy() -> None:
    """The help of a command must not wait for models; torch must never be needed."""
    code = f"import sys, answerable, answerable.cli.main; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_the_locks_hold_exact_versions_and_no_addresses() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        assert lines
        for line in lines:
            name, _, version = line.partition("==")
            assert name, path
            assert version, f"{line} in {path.name} is not exact"
            assert "/" not in line


def test_the_lock_names_every_requirement() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = {
        line.partition("==")[0].lower().replace("_", "-")
        for path in (ROOT / "requirements").glob("*.txt")
        for line in path.read_text(encoding="utf-8").splitlines()
    }
    wanted = [
        *project["dependencies"],
        *project["optional-dependencies"]["train"],
        *project["optional-dependencies"]["pdf"],
    ]
    assert {line.partition(">")[0] for line in wanted} <= locked
