"""An ONNX model on this machine's processors: one batch on each.

A batch spread over processors takes more of their time than it saves: threads wait for one another by spinning, and go
on spinning for a while when there is nothing more to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from answerable.encoders.encoder import Vectors
from answerable.encoders.shipped import Shipped, opening
from answerable.encoders.wordpieces import WordPieces, plan_batches
from answerable.errors import ModelError
from answerable.work.spread import cores

Feed = dict[str, Any]
"""Arrays by the names of the model's inputs."""

_SLOW = "SkipLayerNormFusion"
"""Sums and norms in one step take a tenth of the time of a model longer than one after another."""


class Session:
    """Runs one model on up to `threads` processors (0: all). Safe to use from several threads."""

    def __init__(self, model: Path | bytes, threads: int = 0) -> None:
        """Load `model`, a file or its bytes. Raises what onnxruntime raises (no common base) when it is damaged."""
        import onnxruntime

        self._threads = threads or cores()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(model) if isinstance(model, Path) else model,
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=[_SLOW],
        )
        if hasattr(self._session, "_model_bytes"):  # as much memory again, of no use once the model is loaded
            self._session._model_bytes = None

    def run(self, feed: Feed) -> list[Any]:
        """The model's outputs for one batch, computed on one processor."""
        outputs: list[Any] = self._session.run(None, feed)
        return outputs

    def run_all(self, feeds: Sequence[Feed]) -> list[list[Any]]:
        """Outputs of several batches, one on each processor."""
        if self._threads == 1 or len(feeds) == 1:
            return [self.run(feed) for feed in feeds]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(self.run, feeds))

    def names(self) -> tuple[list[str], list[str]]:
        """The names of the model's inputs and of its outputs, in order."""
        session = self._session
        return [one.name for one in session.get_inputs()], [one.name for one in session.get_outputs()]


class Expert:
    """An expert beside the skills, with a graph of its own, `key`.onnx. `name` identifies its weights.

    `about`: what the manifest of its folder says of it, under `key`. `lacking`: what a folder without it does not do.
    """

    key: ClassVar[str]
    lacking: ClassVar[str]

    def __init__(self, shipped: Shipped, threads: int = 0) -> None:
        """Open it on `threads` processors (0: all). Raises `ModelError` when it is damaged or not there."""
        if not self.within(shipped):
            raise ModelError(f"the model in {shipped.folder} {self.lacking}", hint="use skills, which ships")
        with opening(shipped):
            self.about: dict[str, Any] = shipped.about[self.key]
            self.name = str(self.about["name"])
            self._pieces = WordPieces(shipped.file("tokenizer.json"))
            self._session = Session(shipped.file(f"{self.key}.onnx"), threads)

    def _outputs(
        self, rows: Sequence[Any], feed: Callable[[list[Any]], Feed], tokens: int, width: int, place: int = 0
    ) -> Vectors:
        """(rows, width) float32: the output at a place of each row (with `ids`); up to so many tokens go together."""
        plan = plan_batches([len(row.ids) for row in rows], tokens)
        feeds = [feed([rows[i] for i in batch]) for batch in plan]
        found = np.empty((len(rows), width), np.float32)
        for batch, outputs in zip(plan, self._session.run_all(feeds), strict=True):
            found[batch] = outputs[place].reshape(len(batch), width)
        return found

    @classmethod
    def within(cls, shipped: Shipped) -> bool:
        """Whether a folder of weights has it."""
        return f"{cls.key}.onnx" in shipped.about["files"] and cls.key in shipped.about
