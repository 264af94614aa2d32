"""What a plain install promises: no torch, no network, everything in the package."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from answerable.cli.doctor import EXTRAS
from requirements import sbom

ROOT = Path(__file__).parents[2]
HEAVY = ("torch", "tokenizers", "huggingface_hub", "pypdfium2", "numpy", "pydantic", "onnxruntime", "answerable.engine")


def test_importing_answerable_loads_nothing_heavy() -> None:
    """The help of a command must not wait for models; torch must never be needed."""
    code = f"import sys, answerable, answerable.cli.main; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


FILES = sorted(path.stem for path in (ROOT / "requirements").glob("*.txt"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_files_of_requirements() -> None:
    assert FILES == ["build", "core", "dev", "torch", "train", "weights"]


@pytest.mark.parametrize("file", FILES)
def test_the_locks_hold_exact_versions_hashes_and_no_addresses(file: str) -> None:
    text = (ROOT / "requirements" / f"{file}.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    named = [line for line in lines if not line.startswith(" ")]
    assert named and not any("/" in line or "--index" in line for line in lines)
    for line in named:
        assert re.fullmatch(r"[\w.-]+==[\w.]+( ; [^;]+)?( \\)?", line), line
    locked = [*sbom.locked(file)]
    assert len(locked) == len(named)
    for name, _, hashes in locked:
        assert bool(hashes) != (name == "torch"), name


def test_torch_alone_is_installed_without_a_hash() -> None:
    assert [name for name, _, _ in sbom.locked("torch")] == ["torch"]
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "LOCKED = $(PIP) --require-hashes" in made
    for line in made.splitlines():
        if "-r requirements/" in line:
            assert "$(LOCKED)" in line or line.endswith("$(PIP) -r requirements/torch.txt"), line


def test_the_lock_names_every_requirement() -> None:
    locked = {name: version for file in FILES for name, version, _ in sbom.locked(file)}
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *(line for extra in extras for line in extras[extra])]
    assert {re.split(r"[<>=\[;]", line)[0].lower() for line in wanted} - {"answerable"} <= set(locked)


def test_doctor_tells_of_every_extra() -> None:
    assert set(EXTRAS) == {name for name, needs in PROJECT["optional-dependencies"].items() if needs} - {"dev"}


def test_the_bill_of_materials_holds_what_is_locked_and_what_ships(tmp_path: Path) -> None:
    written = []
    for name in ("one.json", "two.json"):
        subprocess.run([sys.executable, ROOT / "requirements" / "sbom.py", tmp_path / name], check=True)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    bill = json.loads(written[0])
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", bill["serialNumber"])
    assert bill["metadata"]["component"]["version"] == PROJECT["version"]
    by_ref = {one["bom-ref"]: one for one in bill["components"]}
    assert len(by_ref) == len(bill["components"])
    locked = {f"pkg:pypi/{name}@{version}" for file in FILES for name, version, _ in sbom.locked(file)}
    assert locked == {ref for ref in by_ref if ref.startswith("pkg:")}
    core = {f"pkg:pypi/{name}@{version}" for name, version, _ in sbom.locked("core")}
    assert core == {ref for ref in locked if by_ref[ref]["scope"] == "required"}
    assert core < set(bill["dependencies"][0]["dependsOn"]) <= set(by_ref)
    model = by_ref["models/reader/model.onnx"]
    digest = hashlib.sha256((ROOT / "src/answerable/models/reader/model.onnx").read_bytes()).hexdigest()
    assert model["hashes"] == [{"alg": "SHA-256", "content": digest}]
