"""Learning from questions of one's own: a file of questions with the passages that answer them, and the passages."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from answerable.corpora.lines import labels_in
from answerable.datasets.parts import share
from answerable.datasets.records import lines, open_text
from answerable.errors import FormatError
from answerable.training.corpora import Corpus
from answerable.training.skills.example import SkillExample, Text
from answerable.types import Label, Skill

NAME = "own"
DEVELOPMENT = 0.1
"""The share of the questions kept for development, when there are enough to spare some."""
_ENOUGH = 50


def read_corpus(path: Path) -> Corpus:
    """Passages by id from CSV or JSONL with `_id` or `id`, `text` and, optionally, `title`; .gz too.

    Raises `FormatError` naming the line when a record has no id or no text.
    """
    corpus: Corpus = {}
    for number, row in _rows(path):
        id_, text = str(row.get("_id") or row.get("id") or ""), row.get("text")
        if not id_ or not isinstance(text, str) or not text.strip():
            raise FormatError(f"{path}, record {number}: a passage needs an id and a text")
        corpus[id_] = (str(row.get("title") or ""), text)
    if not corpus:
        raise FormatError(f"{path} holds no passages")
    return corpus


def label_of(paths: Iterable[Path]) -> Label:
    """The private enclaves whose text is in these files, as exports say on every line. Raises as `read_corpus`."""
    return frozenset(word for path in paths for _, row in _rows(path) for word in labels_in(row))


def read_questions(path: Path, corpus: Corpus) -> list[SkillExample]:
    """Questions from CSV or JSONL with `question` and `positive`: the id of a passage of `corpus`, or its text.

    `positives` and `negatives`, lists in JSONL, may say more of them, and `answers` keep passages with an answer from
    being taken for negatives. Raises `FormatError` naming the record that cannot be used.
    """
    texts = {text.strip(): (title, text) for title, text in corpus.values()}
    made = []
    for number, row in _rows(path):
        question = str(row.get("question") or "").strip()
        positives = tuple(
            _passage(one, corpus, texts) for one in (*_listed(row, "positive"), *_listed(row, "positives"))
        )
        if not question or not positives:
            raise FormatError(f"{path}, record {number}: needs a question and a positive")
        if corpus and any(passage is None for passage in positives):
            raise FormatError(
                f"{path}, record {number}: a positive is neither the id nor the text of a passage of the corpus"
            )
        negatives = tuple(found for one in _listed(row, "negatives") if (found := _passage(one, corpus, texts)))
        right = tuple(passage for passage in positives if passage)
        example = SkillExample(NAME, Skill.SINGLE, question, right, answers=tuple(_listed(row, "answers")), corpus=NAME)
        made.append(replace(example, negatives=tuple(text for text in negatives if text not in right)))
    if not made:
        raise FormatError(f"{path} holds no questions")
    return made


def part_of(examples: list[SkillExample], skill: Skill, part: str) -> list[SkillExample]:
    """Those for `train` or `development`, by a hash of the question, to learn `skill` with; a few are all `train`."""
    spare = len(examples) >= _ENOUGH
    of = ["development" if spare and share(one.query) < DEVELOPMENT else "train" for one in examples]
    return [replace(one, skill=skill) for one, which in zip(examples, of, strict=True) if which == part]


def _passage(given: str, corpus: Corpus, texts: dict[str, Text]) -> Text | None:
    return corpus.get(given) or texts.get(given.strip())


def _listed(row: dict[str, Any], name: str) -> list[str]:
    value = row.get(name)
    values = value if isinstance(value, list) else [value]
    return [str(one) for one in values if one not in (None, "")]


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Records with their numbers, from 1. Raises as `datasets.records.lines`."""
    if not path.name.removesuffix(".gz").endswith(".csv"):
        yield from ((row.number, row.fields) for row in lines(path))
        return
    with open_text(path) as stream:
        try:
            yield from enumerate(csv.DictReader(stream), start=1)
        except csv.Error as error:
            raise FormatError(f"{path} cannot be read as CSV") from error
