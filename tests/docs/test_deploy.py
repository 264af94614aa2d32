"""What the files for running it name is there."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import typer

from answerable.cli.main import app
from answerable.workspace.settings import keys

ROOT = Path(__file__).parents[2]
FILES = [ROOT / name for name in ("Dockerfile", "compose.yaml", "deploy/answerable.service", "deploy/kubernetes.yaml")]
COMMAND = re.compile(r"(?:run --rm answerable|bin/answerable|CMD \[|command: \[|args: \[)[ \"]*([a-z]+)")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_run_and_set_is_known(path: Path) -> None:
    text = path.read_text("utf-8")
    commands = set(COMMAND.findall(text)) - {"python"}
    assert commands and commands <= set(typer.main.get_group(app).commands)
    for name in re.findall(r"ANSWERABLE_(?!WORKSPACE)(\w+)", text):
        assert name.lower().replace("_", ".", 1) in keys(), name
    assert not re.search(r"privileged|:latest\b(?<!answerable:latest)|USER root", text)


def test_the_image_is_small_in_what_it_may() -> None:
    image, compose = (path.read_text("utf-8") for path in FILES[:2])
    assert re.search(r"^USER 10001$", image, re.MULTILINE) and "HEALTHCHECK" in image and "--require-hashes" in image
    assert "read_only: true" in compose and "cap_drop: [ALL]" in compose and "127.0.0.1:8642" in compose


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_the_unit_is_one(tmp_path: Path) -> None:
    unit = tmp_path / "answerable.service"
    unit.write_text(FILES[2].read_text("utf-8").replace("/opt/answerable/bin/answerable", "/bin/true"), "utf-8")
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, timeout=60)
    assert "answerable.service" not in done.stderr, done.stderr
