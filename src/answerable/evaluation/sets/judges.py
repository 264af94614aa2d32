"""Judges of whole queries by name: those a workspace uses, and T5 models of the paper's form."""

from __future__ import annotations

from answerable.chosen import open_judge
from answerable.encoders.t5 import is_t5
from answerable.sets.judge import Judge


def open_set_judge(name: str, threads: int = 0) -> Judge:
    """The judge called `name`, as in the settings, or a T5 by its folder or, after `t5:`, its name on the Hub.

    Raises `UsageError` for an unknown name, `MissingExtraError` for a T5 without the extra `transformers`, and
    `ModelError` when the weights are missing or damaged.
    """
    if is_t5(name):
        from answerable.encoders.t5_judge import T5Judge

        return T5Judge(name, threads)
    return open_judge(name, threads)
