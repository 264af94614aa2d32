"""A document of rules and facts for the tests, walked by words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from answerable.corpora.outline import markdown_sections
from answerable.documents.reader import Guide, ReadSettings, Shelved
from answerable.documents.weights import DECISIONS, plain_weights
from answerable.encoders.hashed import HashedNavigator
from answerable.readers.overlap import OverlapReader
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


def guide(decision: str = "More", threshold: float = 0.15) -> Guide:
    """A guide by words whose turns are all decided alike."""
    bias = np.array([4.0 * (one == decision) for one in DECISIONS], np.float32)
    weights = replace(PLAIN, classes_bias=bias, confidence=np.array([2.0, 1.0, 0.0], np.float32))
    return Guide(NAVIGATOR, weights, OverlapReader(), ReadSettings(threshold=threshold))


def shelf(text: str = TEXT, by: Guide | None = None) -> Shelved:
    """The document, ready to be read."""
    document = Document("grant", "office", "Apprentice grant", text, "grant.md", sections=markdown_sections(text))
    return (by or guide()).open(document)
