"""Learning from questions over tables and the passages their cells link to: OTT-QA and HybridQA.

A table is its rows, each a passage under the table's heading. Both data sets have one file here, split by the page that
a table stands on (`datasets.parts.table_part`); no passage that is evidence for a question of the report is ever a
positive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from answerable.training.corpora import Corpora, Table
from answerable.training.skills.example import SkillExample, Text
from answerable.training.skills.unsupervised import linked
from answerable.types import Skill

SOURCES = ("ottqa", "hybridqa")


def over_tables(source: str, skill: Skill, corpora: Corpora, part: str) -> list[SkillExample]:
    """The examples of one source and skill in one part.

    Single and reranking: the question to a row with evidence; other rows of the table are negatives of reranking
    alone, since they are found together. Expanded: the question and that row to a passage the row links to that holds
    the answer. Linking: the cells of rows with evidence to their pages.
    """
    made: dict[str, SkillExample] = {}
    for question in corpora.questions(source, part):
        table = corpora.tables[question["table"]]
        for one in _of_question(source, skill, corpora, table, question, part):
            made.setdefault(one.key, one)
    return list(made.values())


def _of_question(
    source: str, skill: Skill, corpora: Corpora, table: Table, question: dict[str, Any], part: str
) -> Iterator[SkillExample]:
    numbers = list(dict.fromkeys(item["row"] for item in question["evidence"] if item["row"] < len(table.rows)))
    rows = [table.row(number)[0] for number in numbers]
    asked, answers = question["question"], (str(question["answer"]),)
    if not rows:
        return
    if skill in (Skill.SINGLE, Skill.RERANK):
        others = [table.row(number)[0] for number in range(len(table.rows)) if number not in numbers]
        negatives = tuple(text for text in others if text[1] and text not in rows) if skill is Skill.RERANK else ()
        for row in rows[:3]:  # a cell that recurs down the table would fill the training with one question
            positives = (row, *(text for text in rows if text != row))
            yield SkillExample(source, skill, asked, positives, negatives=negatives, answers=answers, corpus="rows")
    elif skill is Skill.EXPANDED:
        for row, passages in _second_hops(corpora, table, question, part).items():
            yield SkillExample(source, skill, asked, passages, evidence=(row,), answers=answers, corpus="wiki")
    elif skill is Skill.MENTION:
        for number in numbers[:3]:
            yield from _row_links(source, corpora, table, number)


def _second_hops(corpora: Corpora, table: Table, question: dict[str, Any], part: str) -> dict[Text, tuple[Text, ...]]:
    """Rows that link to passages with the answer, and those passages."""
    wiki = corpora.corpus("wiki")
    found: dict[Text, dict[Text, None]] = {}
    for item in question["evidence"]:
        id_ = item["passage"]
        if id_ in wiki and item["row"] < len(table.rows) and (part == "report" or id_ not in corpora.withheld):
            found.setdefault(table.row(item["row"])[0], {}).setdefault(wiki[id_])
    return {row: tuple(passages) for row, passages in list(found.items())[:3]}


def _row_links(source: str, corpora: Corpora, table: Table, number: int) -> Iterator[SkillExample]:
    wiki = corpora.corpus("wiki")
    (_, line), spans = table.row(number)
    cells = [c for c, (_, links) in enumerate(table.rows[number]) if links and spans[c] != (0, 0)]
    names = tuple(spans[c] for c in cells)
    for c in cells:
        target = linked(table, number, c, corpora)
        if target:
            yield SkillExample(source, Skill.MENTION, line, (wiki[target],), span=spans[c], names=names, corpus="wiki")
