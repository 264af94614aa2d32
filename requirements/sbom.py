"""The software bill of materials: what is installed and the weights that ship, as CycloneDX 1.6 (ECMA-424) in JSON.

Made from the files of this folder and the manifests of the models alone, so that the same commit gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

HERE = Path(__file__).parent
ROOT = HERE.parent
MODELS = ROOT / "src" / "answerable" / "models"
CORE = "core"
"""The file of what every install needs; the others are optional."""


def locked(file: str) -> Iterator[tuple[str, str, list[str]]]:
    """(name, version, SHA-256 of each of its files) of what one file of this folder locks."""
    text = (HERE / f"{file}.txt").read_text(encoding="utf-8")
    for entry in re.split(r"\n(?=\w)", text)[1:]:
        name, version = re.findall(r"^([\w.-]+)==(\S+)", entry)[0]
        yield name.lower().replace("_", "-"), version, re.findall(r"--hash=sha256:([0-9a-f]{64})", entry)


def packages() -> list[dict[str, Any]]:
    """A component for each package, by name."""
    found: dict[str, dict[str, Any]] = {}
    for file in (CORE, *sorted(path.stem for path in HERE.glob("*.txt") if path.stem != CORE)):
        for name, version, hashes in locked(file):
            purl = f"pkg:pypi/{name}@{version}"
            source: dict[str, Any] = {"type": "distribution", "url": f"https://pypi.org/project/{name}/{version}/"}
            if hashes:  # of any file of the release: which of them is installed depends on the machine
                source["hashes"] = [{"alg": "SHA-256", "content": one} for one in hashes]
            scope = "required" if file == CORE else "optional"
            made = {"type": "library", "bom-ref": purl, "name": name, "version": version, "scope": scope, "purl": purl}
            found.setdefault(purl, made | {"externalReferences": [source]})
    return [found[purl] for purl in sorted(found)]


def weights() -> list[dict[str, Any]]:
    """A component for each file of the models in the package, with the checksum that its manifest names."""
    found: dict[str, str] = {}
    for manifest in sorted(MODELS.rglob("manifest.json")):
        for listed, digest in json.loads(manifest.read_text(encoding="utf-8"))["files"].items():
            found[(manifest.parent / listed).resolve().relative_to(MODELS.resolve()).as_posix()] = digest
    return [
        {
            "type": "file" if name.endswith(".json") else "machine-learning-model",
            "bom-ref": f"models/{name}",
            "name": f"models/{name}",
            "scope": "required",
            "hashes": [{"alg": "SHA-256", "content": found[name]}],
        }
        for name in sorted(found)
    ]


def bill() -> dict[str, Any]:
    """The whole document."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    purl = f"pkg:pypi/{project['name']}@{project['version']}"
    subject = {"type": "application", "bom-ref": purl, "name": project["name"], "version": project["version"]}
    components = [*packages(), *weights()]
    required = sorted(one["bom-ref"] for one in components if one["scope"] == "required")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid5(NAMESPACE_URL, json.dumps(components)).urn,
        "version": 1,
        "metadata": {"component": subject | {"purl": purl, "licenses": [{"license": {"id": project["license"]}}]}},
        "components": components,
        "dependencies": [{"ref": purl, "dependsOn": required}],
    }


def main() -> None:
    """`python requirements/sbom.py FILE`: write it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("file", type=Path)
    file: Path = parser.parse_args().file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(bill(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
