"""Questions for yes or no: what decides, the reader, the walk's classifier and rules; definitions found by words.

    python benchmarks/deciding.py --data DATA [--limit 200] [--json FILE]

On questions that no figure of a report is of: BoolQ's development questions, each over its passage, and
ConditionalQA's training and development pages (what decides has learned from questions of the former). `decider`,
`reader` and the walk's `classifier` (DocHopper, section 4.3) are forced to yes or no; `sure` is the reader where it is
as sure as `documents.deciding` asks for; `said` is where
what decides says one of them by itself; `rule` is what "yes, if" or "no, unless" begins with. `defined`: of the
questions of COVID-QA, SQuAD and Natural Questions that `documents.defining` answers, those in which that holds the
answer or lies where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import common
from answerable.documents.deciding import PLAIN, Ruling, polar, ruling
from answerable.documents.defining import defined
from answerable.documents.reader import Guide, Shelved
from answerable.documents.settle import settle_by_rule
from answerable.documents.walk import WalkSettings, converse
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
    walked = guide.walk(shelf, f"{question} {scenario}".strip(), 1)
    assert walked is not None and guide.decider is not None
    rows = [row for row, _ in walked.first.best(2 * guide.settings.windows)]
    ruled = ruling(guide.decider, shelf, question, scenario, rows)
    found = guide.read(shelf, question, 1).candidates
    said_by = polar(found)
    best = {text: max((one.score for one in found if one.text == text), default=-99.0) for text in ("yes", "no")}
    said = [part for part in (question, scenario) if part.strip()]
    turned = converse(shelf.book, guide.navigator.encode_asked(said, 0), guide.weights, guide.walking.update)
    classes = turned.probabilities
    rule = settle_by_rule(shelf.book, turned.steps[0], question, scenario, ())
    decision = ruled.decision.lower()
    return {
        "decider": forced(ruled) == gold,
        "reader": ("yes" if best["yes"] > best["no"] else "no") == gold,
        "sure": said_by.text == gold if said_by and said_by.sure >= PLAIN.sure else None,
        "said": decision == gold if decision in ("yes", "no") else None,
        "classifier": ("yes" if classes[0] > classes[1] else "no") == gold,
        "rule": rule.text.startswith(gold) if rule else None,
    }


def forced(ruled: Ruling) -> str:
    """The likelier of yes and no."""
    return "yes" if ruled.likely["Yes"] > ruled.likely["No"] else "no"


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


def main(words: list[str] | None = None) -> None:
    """Print and write the shares that are right."""
    given = common.parser(__doc__, "data", limit=200).parse_args(words)
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
    common.tell(given.json, table)


if __name__ == "__main__":
    main()
