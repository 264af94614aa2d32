"""Expanded queries for what was not trained on them, words and plain encoders: the question and the names found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from answerable.text import asked_about, words
from answerable.types import Query, Skill

_NAMES = re.compile(r"[A-Z][\w'\u2019-]*(?: [A-Z][\w'\u2019-]*)*|\b\d{3,}\b")
_OPENERS = frozenset(
    words(
        "a an and as at after although before but by during for from he her his i if in it its many most of on one or "
        "other she since some such that the their there these they this those to two under we when where which while "
        "who with you"
    )
)
"""Words that are capitalised because a sentence opens with them."""


def expanded_text(question: str, passages: Sequence[tuple[str, str]]) -> str:
    """The question, then the title of each (title, text) passage and the names in it, each once.

    Xiong et al. (2021, section 2.2) append the whole passage; an encoder that was not trained on such queries then
    finds more of the same, and its words drown those of the question (`docs/models.md` has the measurement). The next
    hop is mostly about a name.
    """
    names: dict[str, None] = {}
    for title, text in passages:
        names.setdefault(title)
        for start, end in named_spans(text):
            names.setdefault(text[start:end])
    return " ".join([question, *(name for name in names if name)])


def search_text(query: Query, skill: Skill) -> str:
    """The words to search with: what the question is about, when expanded with the names in what was read; or a mention
    alone.

    A pure function of the query: what it quotes is in `because`, so its label covers it.
    """
    if skill is Skill.MENTION and query.span is not None:
        return query.text[slice(*query.span)]
    asked = asked_about(query.text)
    return expanded_text(asked, read_texts(query)) if skill is Skill.EXPANDED else asked


def read_texts(query: Query) -> tuple[tuple[str, str], ...]:
    """(title, text) of each passage that shaped a query, titled as it is where it is indexed."""
    return tuple((passage.heading, passage.text) for passage in query.because)


def named_spans(text: str) -> list[tuple[int, int]]:
    """Characters [start, end) of the names in a text, in order: runs of capitalised words, and figures."""
    spans = []
    for run in _NAMES.finditer(text):
        start, end = run.span()
        for part in run.group().split(" "):
            if part.lower() not in _OPENERS:
                break
            start += len(part) + 1
        if start < end:
            spans.append((start, end))
    return spans
