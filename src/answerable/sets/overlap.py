"""The deterministic stand-in of a judge: no weights, so that whole sets are found in tests and where no model may."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answerable.indexes.terms import analyzer
from answerable.sets.judge import Floats

_HALF = 0.8
"""The share of a constraint's words at which a text is as likely to fit as not."""
_STEEP = 12.0


class OverlapJudge:
    """Takes a text to fit that has all of the constraint's content words, in any form, in its title or below."""

    name = "overlap"

    def judge(self, constraints: Sequence[str], texts: Sequence[tuple[str, str]]) -> Floats:
        """The share of the words in the text, through a logistic curve: 0.92 for all, 0.17 for two of three."""
        shares = shared_words(constraints, texts)
        likely: Floats = (1.0 / (1.0 + np.exp(-_STEEP * (shares - _HALF)))).astype(np.float32)
        return likely


def shared_words(constraints: Sequence[str], texts: Sequence[tuple[str, str]]) -> Floats:
    """(texts, constraints) float32: the share of each constraint's content words that each text has, stemmed.

    A constraint of stop words alone shares none.
    """
    content = analyzer(stop=True)
    wanted = [frozenset(content.analyze(constraint)) for constraint in constraints]
    said = [frozenset(content.analyze(f"{title}\n{text}")) for title, text in texts]
    shares = [[len(words & own) / max(len(words), 1) for words in wanted] for own in said]
    return np.array(shares, np.float32).reshape(len(texts), len(constraints))
