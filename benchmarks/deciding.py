"""Questions for yes or no: the reader, the walk's classifier and rules, each alone; and definitions found by words.

    python benchmarks/deciding.py --data DATA [--limit 200] [--json FILE]

On questions that no figure of a report is of: BoolQ's development questions, each over its passage, and
ConditionalQA's training and development pages. `reader` takes the likelier of yes and no; `sure` where that has the
confidence that `documents.deciding` asks for; `classifier` is the walk's (DocHopper, section 4.3), forced to yes or
no, and `decided` where it says so itself; `rule` is what "yes, if" or "no, unless" begins with. `defined`: of the
questions of COVID-QA, SQuAD and Natural Questions that `documents.defining` answers, those in which that holds the
answer or lies where it stands.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import common
from answerable.documents.deciding import PLAIN, polar
from answerable.documents.defining import defined
from answerable.documents.reader import Guide, Shelved
from answerable.documents.settle import settle_by_rule
from answerable.documents.walk import WalkSettings
from answerable.encoders.choose import SKILLS
from answerable.evaluation.long.load import load
from answerable.evaluation.long.open import open_guide
from answerable.text import is_polar
from answerable.types import Document

Asked = tuple[str, Shelved, str, str, str]
"""The set, the document, the question, the scenario and what is right."""
DEFINING = (("covidqa", "train"), ("covidqa", "development"), ("squad", "train"), ("squad", "development"),
            ("nq", "train"), ("nq", "development"))  # fmt: skip


def asked(guide: Guide, data: Path, limit: int) -> Iterator[Asked]:
    """ConditionalQA's questions for yes or no, and `limit` of BoolQ's, drawn evenly."""
    for part in ("train", "development"):
        for one in load(data, "conditionalqa", part):
            wanted = [each for each in one.questions if is_polar(each.text) and each.kind in ("yes", "no")]
            shelf = guide.open(one.document, one.paragraphs) if wanted else None
            for each in wanted:
                assert shelf is not None
                yield "conditionalqa", shelf, each.text, each.scenario, each.kind
    rows = [*common.rows(data / "boolq/dev.jsonl")]
    for number in range(0, len(rows), max(1, len(rows) // limit)):
        row = rows[number]
        document = Document(f"boolq-{number}", "", row["title"], row["passage"], "boolq")
        question = f"{row['question'].rstrip('?')}?"
        yield "boolq", guide.open(document), question, "", "yes" if row["answer"] else "no"


def answered(guide: Guide, one: Asked) -> dict[str, Any]:
    """Whether each is right on one question; None where it says nothing."""
    _, shelf, question, scenario, gold = one
    turned = guide.converse(shelf, [part for part in (question, scenario) if part.strip()])
    assert turned is not None
    said = polar(guide.read(shelf, question, 1).candidates)
    classes = turned.probabilities
    forced = ("yes" if classes[0] > classes[1] else "no") == gold
    rule = settle_by_rule(shelf.book, turned.steps[0], question, scenario, ())
    reader = said is not None and said.text == gold
    return {
        "reader": reader,
        "sure": reader if said and said.sure >= PLAIN.sure else None,
        "classifier": forced,
        "decided": forced if int(np.argmax(classes)) < 2 else None,
        "rule": rule.text.startswith(gold) if rule else None,
    }


def definitions(data: Path) -> list[bool]:
    """Of the questions that a definition is found for, whether it is the right one."""
    found = []
    for name, part in DEFINING:
        for one in load(data, name, part):
            book: Any = SimpleNamespace(document=one.document)
            for each in one.questions:
                if span := defined(book, each.text):
                    text = one.document.text[slice(*span)].lower()
                    there = any(start < span[1] and span[0] < end for hop in each.hops for start, end in hop)
                    found.append(there or any(answer.lower().strip(" .") in text for answer in each.answers))
    return found


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    return common.parser(__doc__, "data", limit=200)


def main(words: list[str] | None = None) -> None:
    """Print and write the shares that are right."""
    given = arguments().parse_args(words)
    guide = replace(open_guide(SKILLS, "span", 1)[0], walking=WalkSettings(update=False))
    told: dict[str, list[dict[str, Any]]] = {}
    for one in asked(guide, given.data, given.limit):
        told.setdefault(one[0], []).append(answered(guide, one))
    table: dict[str, Any] = {}
    for name, rows in told.items():
        table[name] = {"questions": len(rows)}
        for system in rows[0]:
            held = [row[system] for row in rows if row[system] is not None]
            table[name] |= {system: {"right": common.mean(held, 100), "of": len(held)} if held else None}
    found = definitions(given.data)
    table["defined"] = {"questions": len(found), "right": common.mean(found, 100)}
    print(json.dumps(table, indent=1))
    common.write(given.json, table)


if __name__ == "__main__":
    main()
