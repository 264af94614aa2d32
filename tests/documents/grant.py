"""A document of rules and facts for the tests, walked by words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from answerable.corpora.outline import nest
from answerable.documents.reader import Guide, ReadSettings, Shelved
from answerable.documents.weights import plain_weights
from answerable.encoders.deciding import DECISIONS
from answerable.encoders.encoder import Passages, Vectors
from answerable.encoders.hashed import HashedNavigator
from answerable.readers.overlap import OverlapReader
from answerable.text import words
from answerable.types import Document

TEXT = """# Apprentice grant

## Who can get it

You can apply if you are under 25, and you live in Scotland.

## How much

The grant is 1,200 pounds a year. It is paid on 4 May.

## Appeals

Write to the office in Dundee within 30 days.

## Offices

The office of Dundee opens on Monday. The office of Oban opens on Friday. The office of Wick opens on Sunday.
"""
NAVIGATOR = HashedNavigator()
PLAIN = plain_weights(NAVIGATOR.dimension)


@dataclass(frozen=True, slots=True)
class Deciding:
    """Decides all questions alike, surest where the passage has most of the question's words."""

    decision: str

    def decide(self, question: str, told: str, passages: Passages) -> Vectors:
        """As `Decides.decide`."""
        wanted = {*words(question)}
        sure = np.array([[0.91 + 0.06 * len(wanted & {*words(text)}) / len(wanted)] for _, text in passages])
        own = np.array([one == self.decision for one in DECISIONS])
        found: Vectors = np.where(own, sure, (1 - sure) / 3).astype(np.float32)
        return found


def guide(decision: str | None = "More", threshold: float = 0.15) -> Guide:
    """A guide by words whose questions for yes or no are all decided alike; None: by rules alone."""
    weights = replace(PLAIN, confidence=np.array([2.0, 1.0, 0.0], np.float32))
    decider = Deciding(decision) if decision else None
    return Guide(NAVIGATOR, weights, OverlapReader(), ReadSettings(threshold=threshold), decider=decider)


def shelf(text: str = TEXT, by: Guide | None = None) -> Shelved:
    """The document, ready to be read."""
    heads = ((found.start(), len(found[1]), found[2]) for found in re.finditer(r"^(#+) (.+)$", text, re.MULTILINE))
    document = Document("grant", "office", "Apprentice grant", text, "grant.md", sections=nest(heads, len(text)))
    return (by or guide()).open(document)
