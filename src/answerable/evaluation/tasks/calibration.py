"""`calibration`: whether confidences mean what they say, from a run of `asking` or `reading` that is there already."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.errors import UsageError
from answerable.evaluation.runs import Header, header_of
from answerable.evaluation.tasks import asking, reading
from answerable.evaluation.tasks.data import Survey
from answerable.evaluation.tasks.task import Scores

_SCORES: Mapping[str, Callable[[Example, Mapping[str, Any], Sequence[int]], Scores]] = {
    "asking": asking.scores,
    "reading": reading.scores,
}


@dataclass(frozen=True, slots=True)
class Calibration:
    """Scores the best guesses of a run, as its own task does, and nothing else."""

    header: Header
    """That of the run, as `calibration`."""
    task: str
    correct: str = "guess right"

    @staticmethod
    def of(path: Path, survey: Survey) -> Calibration:
        """Raises `UsageError` when the file is no run of questions with confidences, or one of other data."""
        header = header_of(path)
        if header.task not in _SCORES or "predictions" in header.settings:
            raise UsageError(
                f"{path} is a run of {header.task}",
                hint=f"give one of {' or '.join(_SCORES)}, not scored from predictions",
            )
        if header.data.get("digest") != survey.about["digest"]:
            raise UsageError(
                f"{path} is a run over other questions than these", hint="give the same --data, --limit and --seed"
            )
        return Calibration(replace(header, task="calibration"), header.task)

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
        """What was answered and how right the best guess was."""
        found = _SCORES[self.task](example, record, at)
        return {
            name: value for name, value in found.items() if name in ("answered", "guess right", "guess EM", "guess F1")
        }
