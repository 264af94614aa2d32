"""The questions that a corpus can answer: pairs can only be made of passages that are there.

Questions that come with their passages (SQuAD, NQ's development questions) are kept where these are in the corpus. Of
questions without passages (NQ-open, EfficientQA), those are kept one of whose answers stands in one of the first
passages that a search by words finds: a stand-in, since nobody has marked where they are answered.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.datasets.squad import paragraphs
from answerable.evaluation.metrics.found import answer_rank
from answerable.retriever import RetrieverSettings
from answerable.types import Query, Skill
from answerable.workspace.workspace import Workspace

LOOKED_AT = 20
"""Passages in which an answer is looked for, where a question comes without one."""
Search = Callable[[str, int], Sequence[str]]
"""The texts of the k best passages for a question."""


def within(examples: Iterable[Example], documents: Collection[str]) -> Iterator[Example]:
    """The questions with an answer, all of whose passages are there, by the data's own names."""
    for example in examples:
        if example.answers and example.supporting and all(one in documents for one in example.supporting):
            yield example


def standing(examples: Iterable[Example], search: Search, k: int = LOOKED_AT) -> Iterator[Example]:
    """The questions one of whose answers stands in one of the k best passages; see the module."""
    for example in examples:
        if example.answers and answer_rank(search(example.question, k), example.answers) is not None:
            yield example


def by_words(workspace: Workspace) -> Search:
    """The search by words of a workspace, over all its enclaves."""
    retriever = replace(workspace.engine().retriever, settings=RetrieverSettings(mode="lexical"), modes={})

    def search(question: str, k: int) -> list[str]:
        hops = retriever.search(Query(question), Skill.SINGLE, k)
        best = sorted((hit for hop in hops for hit in hop.hits), key=lambda hit: (-hit.score, hit.passage.id))
        return [hit.passage.text for hit in best[:k]]

    return search


def articles(path: Path, wanted: Callable[[str], bool], most: int | None = None) -> dict[str, list[dict[str, Any]]]:
    """The paragraphs of a SQuAD-format file by article, as records of a corpus; of those `wanted` by title.

    At most `most` articles, in the order of the file.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for id_, title, paragraph in paragraphs(path):
        if wanted(title) and (title in found or most is None or len(found) < most):
            found.setdefault(title, []).append({"_id": id_, "title": title, "text": paragraph.text("context")})
    return found


def as_rows(examples: Iterable[Example]) -> Iterator[dict[str, Any]]:
    """Questions as records of the form for questions of one's own (`datasets.open_questions`)."""
    for one in examples:
        yield {
            "id": one.id,
            "question": one.question,
            "answers": list(one.answers),
            "supporting": list(one.supporting),
            "kind": one.kind,
        }
