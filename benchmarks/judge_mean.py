"""A judge between the one a run began from and the one it came to: weights so far along the way (Wortsman et al. 2022).

    python benchmarks/judge_mean.py --first RUN --last RUN --share 0.6 --out RUN

What was learned last weighs less then, and what was known before is kept. The folder that it writes is a run like the
others: `answerable train recipes/constraints-more.toml --out RUN --export FOLDER` puts it into an encoder.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import torch

from answerable.training.start import MODEL, TOKENIZER, WEIGHTS, weights


def main(words: list[str] | None = None) -> None:
    """Write the judge in between, and say how many of its tensors differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("first", "last", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--share", type=float, default=0.6, help="how far from the first to the last (0.6)")
    given = parser.parse_args(words)
    first, last = weights(given.first), weights(given.last)
    made = {name: torch.lerp(first[name], one, given.share) for name, one in last.items()}
    given.out.mkdir(parents=True, exist_ok=True)
    torch.save({"model": made}, given.out / WEIGHTS[0])
    for name in (MODEL, TOKENIZER):
        shutil.copyfile(given.last / name, given.out / name)
    print(f"{sum(not torch.equal(first[name], one) for name, one in made.items())} of {len(made)} tensors differ")


if __name__ == "__main__":
    main()
