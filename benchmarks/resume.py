"""Training that is killed and resumed, beside training that is not: the same losses, the same weights.

    python benchmarks/resume.py --data DATA --workspace DIR [--batches 12] [--kills 2]
        [--json FILE]

A recipe is cut to a few batches and run twice as a process: once whole, once killed (SIGKILL) after a checkpoint and
started again, `--kills` times. Checkpoints are written after every step here. Reported: the losses by step, the largest
difference between those of the two runs, and that of any weight in the end.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import common


def command(recipe: Path, data: Path, out: Path) -> list[str]:
    """The command line of one training run."""
    return [sys.executable, "-m", "answerable", "train", str(recipe), "--data", str(data), "--workspace", str(out)]


def losses(folder: Path) -> dict[int, float]:
    """The mean loss since the line before, by step; of lines that a killed run wrote twice, the last."""
    return {row["step"]: row["loss"] for row in common.kept(folder / "log.jsonl")}


def killed_after(run: list[str], folder: Path, step: int) -> None:
    """Start a run and kill it once it has written that step."""
    process = subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while process.poll() is None and max(losses(folder), default=0) < step:
        time.sleep(0.02)
    if process.poll() is not None:
        raise SystemExit(f"the run ended by itself before step {step}, with code {process.returncode}")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def weights(folder: Path) -> dict[str, Any]:
    """The weights that a run ended with."""
    import torch

    found: dict[str, Any] = torch.load(folder / "checkpoint.pt", weights_only=True)["model"]
    return found


def main(words: list[str] | None = None) -> None:
    """Run both and compare them."""
    parser = common.parser(__doc__, "data", "workspace")
    parser.add_argument("--batches", type=int, default=12)
    parser.add_argument("--kills", type=int, default=2)
    given = parser.parse_args(words)
    text = re.sub(
        r"(?m)^(most|evaluate_steps|checkpoint_seconds) = .*\n", "", Path("recipes/names.toml").read_text("utf8")
    )
    cut = f"[loop]\nmost = {given.batches}\nevaluate_steps = 0\ncheckpoint_seconds = 0.0"
    given.workspace.mkdir(parents=True, exist_ok=True)
    recipe = given.workspace / "recipe.toml"
    recipe.write_text(text.replace("[loop]", cut, 1), encoding="utf8")
    whole, resumed = given.workspace / "whole", given.workspace / "resumed"
    subprocess.run(command(recipe, given.data, whole), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for number in range(1, given.kills + 1):
        killed_after(command(recipe, given.data, resumed), resumed, number * given.batches // (given.kills + 1))
    subprocess.run(
        command(recipe, given.data, resumed), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    one, other = losses(whole), losses(resumed)
    if set(one) != set(other):
        raise SystemExit("the two runs wrote different steps")
    ours, theirs = weights(whole), weights(resumed)
    result = {
        "batches": given.batches,
        "kills": given.kills,
        "losses": [one[step] for step in sorted(one)],
        "largest difference of a loss": max(abs(one[step] - other[step]) for step in one),
        "largest difference of a weight": max(float((ours[name] - theirs[name]).abs().max()) for name in ours),
    }
    common.tell(given.json, result)


if __name__ == "__main__":
    main()
