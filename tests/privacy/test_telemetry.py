"""What other packages would tell their makers is switched off before they are imported, also in processes started."""

import json
import os
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path

import pytest

from answerable.privacy import telemetry

WANTED = {name: value for name, (value, _) in telemetry.OFF.items()}
SRC = Path(telemetry.__file__).parents[2]


def _python(program: str, home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SRC), "HOME": str(home), **more}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=120)


def _seen(connection) -> None:
    connection.send({name: os.environ.get(name) for name in WANTED})


def test_importing_switches_everything_off_whatever_was_set(tmp_path: Path):
    program = f"import json, os, answerable; print(json.dumps({{n: os.environ.get(n) for n in {list(WANTED)!r}}}))"
    ran = _python(program, tmp_path, **dict.fromkeys(WANTED, "no"))
    assert json.loads(ran.stdout) == WANTED and not ran.stderr


def test_processes_that_are_started_have_it_too():
    here, there = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=_seen, args=(there,))
    process.start()
    assert here.poll(60) and here.recv() == WANTED
    process.join()


LATE = "import onnxruntime, answerable; from answerable.privacy.telemetry import problem; print(problem())"


def test_onnxruntime_imported_before_is_warned_of(tmp_path: Path):
    ran = _python(LATE, tmp_path, CI="true")  # by which onnxruntime itself is silent: nothing is sent here
    assert "imported before answerable" in ran.stdout and "RuntimeWarning" in ran.stderr
    assert "import answerable first, or set ORT_DISABLE_TELEMETRY=1" in ran.stderr


@pytest.mark.parametrize("told", ["1", "True"])
def test_nothing_is_said_where_it_was_told_before(told: str, tmp_path: Path):
    ran = _python(LATE, tmp_path, ORT_DISABLE_TELEMETRY=told)
    assert ran.stdout.strip() == "None" and not ran.stderr and not [*tmp_path.iterdir()]


def test_the_page_on_privacy_names_every_variable():
    page = (SRC.parent / "docs" / "privacy.md").read_text("utf-8")
    for name, value in WANTED.items():
        assert f"| `{name}={value}` |" in page
