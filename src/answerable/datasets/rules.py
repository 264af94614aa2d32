"""Questions about rules and public services, with a scenario or a conversation: ShARC and ConditionalQA."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from answerable.datasets.examples import Example
from answerable.datasets.records import Record, any_objects, content_id, unique

_DECISIONS = ("Yes", "No", "Irrelevant")


def sharc(path: Path) -> Iterator[Example]:
    """ShARC (Saeidi et al. 2018) and OR-ShARC (Gao et al. 2021), a JSON array or JSONL.

    https://sharc-data.github.io/, CC BY-SA 3.0; https://github.com/Yifan-Gao/open_retrieval_conversational_machine_reading.
    The answer is `Yes`, `No`, `Irrelevant` or the follow-up question to ask; `kind` the decision, which is `More` for
    a follow-up. `supporting` is the snippet's id (made of its content where it has none) and `passages` the snippet.
    meta: `scenario`; `history` and `evidence`, (question, answer) pairs, oldest first; `source_url`; `tree`.
    """
    for row in any_objects(path):
        answer = row.text("answer")
        yield Example(
            id=row.name("utterance_id", "_id"),
            question=row.text("question"),
            answers=(answer,),
            supporting=(snippet_id(row),),
            kind=answer if answer in _DECISIONS else "More",
            passages=(("", row.text("snippet")),),
            meta={
                "scenario": row.words("scenario"),
                "history": _turns(row, "history"),
                "evidence": _turns(row, "evidence"),
                "source_url": row.words("source_url"),
                "tree": row.words("tree_id"),
            },
        )


def snippet_id(row: Record) -> str:
    """The id of the snippet of a record of ShARC: its own, or one made of its content."""
    for name in ("snippet_id", "gold_snippet_id"):
        if name in row:
            return row.name(name)
    return content_id("", row.text("snippet"))


def _turns(row: Record, name: str) -> tuple[tuple[str, str], ...]:
    """Question and answer of each turn; one published record spells its fields `followup_...`."""
    return tuple(
        (
            turn.text("follow_up_question", "question", "followup_question"),
            turn.text("follow_up_answer", "answer", "followup_answer"),
        )
        for turn in row.records(name)
    )


def conditionalqa(path: Path) -> Iterator[Example]:
    """ConditionalQA (Sun et al. 2022), a JSON array (`v1_0/train.json`, `dev.json`) or JSONL.

    https://github.com/haitian-sun/ConditionalQA, for research only; the pages are of gov.uk, Open Government Licence.
    All `answers` are wanted together, each under its conditions: meta `conditions` are (answer, conditions) pairs and
    `set` is true; further meta: `scenario`, and `evidence`, the HTML elements that support them. `supporting` is the
    page's address; `kind` is `yesno`, `extractive` or `unanswerable`.
    """
    for row in any_objects(path):
        pairs = () if row.field("not_answerable", bool) else tuple(_conditional(row))
        answers = unique([answer for answer, _ in pairs])
        polar = any(answer in ("yes", "no") for answer in answers)
        evidence = row.texts("evidences", "evidence") if {"evidences", "evidence"} & set(row.fields) else ()
        yield Example(
            id=row.name("id", "_id"),
            question=row.text("question"),
            answers=answers,
            supporting=(row.text("url"),),
            kind="unanswerable" if not answers else "yesno" if polar else "extractive",
            meta={"set": True, "conditions": pairs, "scenario": row.words("scenario"), "evidence": evidence},
        )


def _conditional(row: Record) -> Iterator[tuple[str, tuple[str, ...]]]:
    for value in row.field("answers", list):
        match value:
            case [str(answer), [*conditions]] | {"answer": str(answer), "conditions": [*conditions]} if all(
                isinstance(condition, str) for condition in conditions
            ):
                yield answer, tuple(conditions)
            case _:
                raise row.broken("answers", "is not a list of answers with conditions")
