"""Whether a matched question asks the same as the one that was asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two questions ask the same; where not, the kind of difference in a word that quotes nothing."""

    same: bool
    kind: str = ""


Verifier = Callable[[str, str, str], Verdict]
"""The question asked, a pair's question and its answer."""


def verify(asked: str, question: str, answer: str = "") -> Verdict:
    """Whether a pair's question asks the same as `asked`."""
    return Verdict(True)
