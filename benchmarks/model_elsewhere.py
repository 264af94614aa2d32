"""Two-run trials of asks with a language model elsewhere, over real HTTP: can it tell private corpora apart?

    python benchmarks/model_elsewhere.py [--trials 2000] [--seed N] [--json FILE]

A trial asks a question of a small random world twice (tests/laws/models.py); only text differs that the model may not
be sent. Drawn are the table of enclaves, the privacy, the mode, the beam, grants to enclaves and to the model, how many
chains are read, how much the model takes, and whether hidden enclaves fail in the second run. The model is behind a
real server on loopback that is declared to be elsewhere; it answers by what it is sent alone: with quotes, with false
ones, with nothing, with nonsense, and every third model's server refuses to be held to a schema, so that it is asked
twice. A trial fails where one byte of the requests, heads and all, or their number or order differs. The planted leaks
of tests/laws/models.py run beside it, on a twentieth of the trials, to show that it can fail.
Expected: 0 of all trials, and some of each leak; exit code 1 otherwise. `written`: first runs that were answered by the
model; `left out`: those in which something was kept from it.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence
from typing import Any

import common
from answerable.remote.chat import Chat
from tests.laws.models import LEAKS, Patch, differ, draw_asked, reply
from tests.remote.openai import Model, asked, serving


def trials(count: int, seed: int, model: Model, leak: Sequence[Patch]) -> dict[str, Any]:
    """How many trials differ, and what they were."""
    rng, started = random.Random(seed), time.perf_counter()
    found: dict[str, Any] = dict.fromkeys(("trials", "failed", "requests", "written", "left out"), 0)
    for number in range(count):
        model.schemas = bool(number % 3)
        model.raw.clear()
        told, sent, answer = differ(draw_asked(rng), leak, lambda: (Chat(model.address, "m"), model.raw))
        found["trials"] += 1
        found["failed"] += told
        found["requests"] += sent
        found["written"] += answer is not None and answer.via == "model"
        found["left out"] += answer is not None and any("was left out" in note for note in answer.notes)
    return {**found, "seconds": round(time.perf_counter() - started, 1)}


def main(argv: list[str] | None = None) -> int:
    """Run all of it, print a table and write the record."""
    parser = common.parser(__doc__, seed=7)
    parser.add_argument("--trials", type=int, default=2000)
    given = parser.parse_args(argv)
    figures: dict[str, Any] = {}
    with serving(Model(lambda body: reply(body["messages"]))) as model:
        for name, leak in {"shipped": (), **LEAKS}.items():
            figures[name] = trials(given.trials if not leak else max(1, given.trials // 20), given.seed, model, leak)
            print(f"{name:12}" + "".join(f"{key} {value}  " for key, value in figures[name].items()), flush=True)
        assert all(asked(body)["question"] for body in model.bodies[:10])
    common.write(given.json, figures, given.trials)
    return int(bool(figures["shipped"]["failed"]) or not all(figures[name]["failed"] for name in LEAKS))


if __name__ == "__main__":
    sys.exit(main())
