"""A build of pairs in a process of its own that kills itself: killable.py FOLDER PROCESSES AT.

It dies at its AT-th step, before a file gets its name or before a block is put into the store; 0: not at all.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from answerable.corpora.store import Store
from answerable.qapairs.build import Recipe, build_pairs
from answerable.qapairs.generation import stages
from answerable.qapairs.generation.stages import Stages
from answerable.work.spread import WorkSettings, workers
from tests.qapairs.generation.plain import PLAIN, slow_generator

RECIPE = Recipe("by length", ("numbers", "words"), "before it", "even", share=0.8, per_answer=2)


def main(folder: Path, processes: int, at: int) -> None:
    """Build in small blocks, dying at the step that is named."""
    steps = count(1)

    def dying(work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any) -> Any:
            if next(steps) == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return work(*given)

        return run

    stages.BLOCK = 4
    stages.os.replace = dying(os.replace)
    Stages.pairs = dying(Stages.pairs)
    with Store(folder / "store.sqlite") as store:
        parts = replace(PLAIN, generator=slow_generator)
        with workers(WorkSettings(processes=processes)) as those:
            build_pairs(store, "public", RECIPE, parts, those, keep=True)
    print("done", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
