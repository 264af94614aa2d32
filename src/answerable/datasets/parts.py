"""Which part of each data set is learned from, tuned on and reported: fixed by a name, the same for every model."""

from __future__ import annotations

import hashlib

PARTS = ("train", "development", "report")
SQUAD_REPORT, SQUAD_DEVELOPMENT = 0.25, 0.37
"""Shares of the SQuAD development articles kept for the report, and up to which they are kept for tuning."""
TABLE_REPORT, TABLE_DEVELOPMENT = 0.15, 0.30
"""Shares of the pages with tables kept for the report, and up to which they are kept for tuning."""
QUESTION_DEVELOPMENT = 0.05
"""The share of the training articles and questions kept for tuning."""


def share(name: str) -> float:
    """A number in [0, 1) fixed by the name: how the splits by article are drawn."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) / 0x100000000


def part_of(name: str, report: float, development: float) -> str:
    """`report`, `development` or `train`: the first below the share `report`, the second below `development`."""
    drawn = share(name)
    return "report" if drawn < report else "development" if drawn < development else "train"


def squad_part(name: str) -> str:
    """`report`, `development` or `train`: which part a SQuAD development article belongs to, by its name."""
    return part_of(name, SQUAD_REPORT, SQUAD_DEVELOPMENT)


def question_part(name: str) -> str:
    """`train` or `development`: which part of a training file an article or a question belongs to, by its name."""
    return "development" if share(name) < QUESTION_DEVELOPMENT else "train"


def table_part(title: str) -> str:
    """`report`, `development` or `train`: which part a table belongs to, by the title of the page it stands on.

    All tables of a page, and all questions of OTT-QA and HybridQA over them, are in one part.
    """
    return part_of(title, TABLE_REPORT, TABLE_DEVELOPMENT)
