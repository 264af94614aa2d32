"""Text as it was before it was taken apart into words for a data set, so that its spacing does not tell its source."""

from __future__ import annotations

import re

_STEPS = (
    (re.compile(r"``\s?|\s?''"), '"'),
    (re.compile(r" -- "), " – "),
    (re.compile(r"-LRB-\s?"), "("),
    (re.compile(r"\s?-RRB-"), ")"),
    (re.compile(r"(?<=\w) (-|–|/) (?=\w)"), r"\1"),
    (re.compile(r" ([,.;:!?%)\]}])"), r"\1"),
    (re.compile(r"([(\[{$£€]) "), r"\1"),
    (re.compile(r" ('(?:s|t|re|ve|ll|d|m)?\b|n't\b)"), r"\1"),
    (re.compile(r"  +"), " "),
)


def joined(text: str) -> str:
    """`text` with the blanks around punctuation as people set them; text that has them already stays as it is."""
    for pattern, by in _STEPS:
        text = pattern.sub(by, text)
    return text.strip()
