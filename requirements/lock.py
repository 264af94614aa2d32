"""Write core.txt, dev.txt and train.txt: exact versions of what pyproject.toml asks for, found by pip.

Each file holds what it adds to the one before, so that the core can be installed alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
PINNED = ["torch==2.13.0"]
"""What the shipped weights were trained and exported with; newer releases are allowed, not locked."""
HEAD = "# Written by `make lock` from pyproject.toml. Install with: pip install -r {files}\n"


def resolve(wanted: list[str]) -> dict[str, str]:
    """Names and versions that pip would install for these requirements in an empty environment."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    done = subprocess.run([*command, *wanted], check=True, capture_output=True, text=True)
    packages = [item["metadata"] for item in json.loads(done.stdout)["install"]]
    return {package["name"]: package["version"].partition("+")[0] for package in packages}


def main() -> None:
    """Resolve the core, then the core with tools, then all of it with what training needs."""
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = list(project["dependencies"])
    known: dict[str, str] = {}
    files: list[str] = []
    tools = [*extras["dev"], *extras["evaluate"], *extras["pdf"], *extras["serve"]]
    for name, more in (
        ("core", []),
        ("dev", tools),
        ("train", [*extras["train"], *extras["transformers"], *extras["pairs"], *extras["cluster"], *PINNED]),
    ):
        wanted += [line for line in more if not line.startswith("answerable")]
        fixed = [f"{package}=={version}" for package, version in known.items()]
        found = resolve([*wanted, *fixed])
        files.append(f"requirements/{name}.txt")
        lines = sorted((f"{p}=={v}" for p, v in found.items() if p not in known), key=str.lower)
        text = HEAD.format(files=" -r ".join(files)) + "\n".join(lines) + "\n"
        (HERE / f"{name}.txt").write_text(text, encoding="utf-8")
        known |= found


if __name__ == "__main__":
    main()
