"""Calibrate a judge over what finds look at: Platt scaling of what `set_members.py` judged of development queries.

    python benchmarks/judge_calibration.py --model FOLDER --judged FILE... --atoms FILE... [--write]

`--judged` are files that `set_members.py` kept of this model, each with the `--atoms` of its benchmark. Constraints
that the benchmark knows by these words count, every one of a query as much as any other. `--write` puts scale and
shift into the manifest of the model.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.constraints import FIT
from answerable.encoders.shipped import open_shipped
from answerable.evaluation.sets.meaning import read_atoms
from answerable.sets.expression import read_expression
from answerable.sets.taken import judged_as
from answerable.training.add_expert import resealed
from answerable.training.sets.tune import log_loss, platt

_SMALL = 1e-5
"""Probabilities are kept to as many places."""


def pooled(
    judged: Path, atoms: Path, scale: float, shift: float
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.bool_]]]:
    """The logits of each constraint of each query, before calibration, and what is true."""
    sets = read_atoms(atoms)
    logits, fits = [], []
    for line in map(json.loads, judged.open(encoding="utf8")):
        for said, words in judged_as(read_expression(line["e"])).items():
            if said in sets and words in line["cons"]:
                column = 1 + line["cons"].index(words)
                share = np.clip([row[column] for row in line["rows"]], _SMALL, 1 - _SMALL)
                logits.append((np.log(share / (1 - share)) - shift) / scale)
                fits.append(np.array([row[0] in sets[said] for row in line["rows"]]))
    return logits, fits


def main(words: list[str] | None = None) -> None:
    """Fit scale and shift, and print what they bring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--judged", type=Path, nargs="+", required=True)
    parser.add_argument("--atoms", type=Path, nargs="+", required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(words)
    shipped = open_shipped(given.model)
    about = shipped.about[FIT]
    was = float(about.get("scale", 1.0)), float(about.get("shift", 0.0))
    pools = [pooled(*files, *was) for files in zip(given.judged, given.atoms, strict=True)]
    logits = [one for pool in pools for one in pool[0]]
    fits = [one for pool in pools for one in pool[1]]
    scale, shift = platt(logits, fits)
    losses = f"log loss {log_loss(logits, fits, *was):.4f} before, {log_loss(logits, fits, scale, shift):.4f} after"
    answers = sum(one.size for one in fits)
    print(f"{len(logits)} constraints, {answers} answers; scale {scale:.4f}, shift {shift:.4f}; {losses}")
    if given.write:
        resealed(shipped, {FIT: {**about, "scale": scale, "shift": shift}})


if __name__ == "__main__":
    main()
