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
NAMES = (
    "Dockerfile",
    "compose.yaml",
    "deploy/answerable.service",
    "deploy/kubernetes.yaml",
    "deploy/kubernetes-fill.yaml",
)
FILES = [ROOT / name for name in NAMES]
COMMAND = re.compile(
    r"(?:run --rm answerable|bin/answerable|-- answerable|CMD \[|command: \[|args: \[)(?: -w \S+)?[ \"]*([a-z]+)"
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_run_and_set_is_known(path: Path) -> None:
    text = path.read_text("utf-8")
    commands = set(COMMAND.findall(text)) - {"python", "sleep"}
    assert (commands or "-fill" in path.name) and commands <= set(typer.main.get_group(app).commands)
    for name in re.findall(r"ANSWERABLE_(?!WORKSPACE)(\w+)", text):
        assert name.lower().replace("_", ".", 1) in keys(), name
    assert not re.search(r"privileged|:latest\b(?<!answerable:latest)|USER root", text)


def test_what_is_said_of_running_it_is_known() -> None:
    text = (ROOT / "docs" / "running.md").read_text("utf-8")
    assert {"index", "askers"} <= set(COMMAND.findall(text)) <= set(typer.main.get_group(app).commands)
    named = set(re.findall(r"deploy/[a-z.-]+", text)) | {name for name in NAMES if "/" in name}
    assert all((ROOT / name).is_file() for name in named) and named == set(re.findall(r"deploy/[a-z.-]+", text))


def test_both_pods_have_the_volume_and_may_do_as_little() -> None:
    served, filled = (path.read_text("utf-8") for path in FILES[3:])
    for line in ("runAsNonRoot: true", "readOnlyRootFilesystem: true", "claimName: answerable", "drop: [ALL]"):
        assert line in served and line in filled
    assert "replicas: 0" in served and "livenessProbe" in served  # a server without an asker would end at once


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
