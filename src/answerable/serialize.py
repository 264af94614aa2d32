"""What is answered, read, found, linked and granted as plain records: the one JSON shape of each.

`start` and `end` count characters of the stored document, and floats have six decimals. Where an answer has a short
record and a long one, `explain` asks for the long. Hops are redacted for the viewer (`privacy.trace`); the rest was
read with the asker's own clearance.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from answerable.printing import clean, safe_cell
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.grants import Grant, grant_record
from answerable.privacy.trace import records
from answerable.sets.expression import printed, signed
from answerable.sets.members import Found, Member, Support
from answerable.types import Answer, Asker, Barred, Chain, Hit, QAPair, Reading

if TYPE_CHECKING:
    from answerable.chains.linking import Linked
    from answerable.qapairs.answering import PairAnswer
    from answerable.qapairs.remembered import Judged

ROOM = 5_000
"""Bytes of the text of all passages of an answer; the last one is cut short to fit."""
SHORT = ("document", "enclave", "start", "end", "title", "text", "score")
"""What is told of each of them."""
MATCHED = 5
"""Pairs shown of those that were found."""
MOST_CELL = 32_767
"""Characters that a cell of a workbook holds."""


def plain(value: Any) -> Any:
    """A value of ours for JSON, field by field: tuples as lists, sets in order, floats with six decimals; without
    fields that are None unless there is something to tell."""
    if is_dataclass(value):
        told = ((one, getattr(value, one.name)) for one in fields(value))
        return {one.name: plain(own) for one, own in told if own is not None or one.default is not None}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return round(value, 6) if isinstance(value, float) else value


def answer_record(answer: Answer, viewer: Asker, enclaves: EnclaveTable, explain: bool = False) -> dict[str, Any]:
    """`ask --json`: answer (or null), reason, confidence, via, label, citations, passages, guesses and seconds; pair,
    unreachable, notes and barred where there is such a thing; to `explain` it, hops and chains.

    `passages`: the best that were found, each with the `sentence` in it that bears most on the question. `guesses`: the
    best answers that were not given.
    """
    besides = {
        "pair": answer.pair and pair_record(answer.pair),
        "unreachable": list(answer.unreachable),
        "notes": list(answer.notes),
        "barred": answer.barred and barred_record(answer.barred),
    }
    record = {
        **_said(answer),
        "passages": list(_passages(answer)),
        "guesses": _guesses(answer),
        "seconds": plain(answer.seconds),
        **{name: value for name, value in besides.items() if value},
    }
    if explain:
        record["hops"] = records(answer.evidence.hops, viewer, enclaves)
        record["chains"] = [chain_record(chain) for chain in answer.evidence.chains]
    return record


def searched_record(answer: Answer, viewer: Asker, enclaves: EnclaveTable, explain: bool = False) -> dict[str, Any]:
    """What one search finds: all its passages, best first, as `ask` gives them; to `explain` it, hops."""
    told = {"label": plain(answer.label), "passages": list(_passages(answer, None)), "seconds": plain(answer.seconds)}
    told["unreachable"] = list(answer.unreachable)
    return told | ({"hops": records(answer.evidence.hops, viewer, enclaves)} if explain else {})


def chain_record(chain: Chain) -> dict[str, Any]:
    """A chain with its passages in the order they were found."""
    hits = [_hit(hit) for hit in chain.hits]
    return {"score": plain(chain.score), "label": plain(chain.label), "passages": hits}


def reading_record(reading: Reading) -> dict[str, Any]:
    """`read --json`: what `ask` gives; the path, conditions and what to ask next.

    Of the document its id, title and enclave (null: in none), and what is kept to walk it by: `bytes` for all its
    sentences and paragraphs.
    """
    steps = [plain(stop) for stop in reading.path]
    return {
        **_said(reading),
        "passages": list(_passages(reading)),
        "guesses": _guesses(reading),
        "seconds": plain(reading.seconds),
        "path": [step | {"what": "sentence" if step.pop("sentence") else "paragraph"} for step in steps],
        "conditions": plain(reading.conditions),
        "ask": reading.ask,
        "document": reading.document,
        "title": reading.title,
        "enclave": reading.enclave or None,
        "sentences": reading.sentences,
        "paragraphs": reading.paragraphs,
        "bytes": reading.bytes,
        **({"notes": list(reading.notes)} if reading.notes else {}),
    }


def paired_record(answer: PairAnswer) -> dict[str, Any]:
    """One line of `pairs ask --questions`: the question, what `ask` says of an answer, and the pair.

    `pair`: the one whose question asks the same, answered from or not.
    """
    return {"question": answer.question, **_said(answer), "pair": answer.pair and pair_record(answer.pair)}


def matched_record(answer: PairAnswer, viewer: Asker, enclaves: EnclaveTable, explain: bool = False) -> dict[str, Any]:
    """`pairs ask --json`: also the best pairs that were found (`matched`) and seconds; to `explain` it, hops."""
    matched = [{**pair_record(pair), "match": plain(score)} for pair, score in answer.matched[:MATCHED]]
    record = {**paired_record(answer), "matched": matched, "seconds": plain(answer.seconds)}
    return record | ({"hops": records(answer.hops, viewer, enclaves)} if explain else {})


def pair_record(pair: QAPair) -> dict[str, Any]:
    """A pair worked out before it was asked; its passage is null where it was imported without one."""
    told = plain(pair)
    told["passage"] = told["passage_id"] or None
    return {name: told[name] for name in ("id", "question", "answers", "passage", "enclave", "score")}


def judged_record(one: Judged) -> dict[str, Any]:
    """`remembered --json`: what was asked and answered, what was said of it, and what it rests on."""
    told = {"id": one.id, **plain(one)}
    return {name: told[name] for name in ("id", "question", "answer", "good", "label", "citations")}


def barred_record(barred: Barred) -> dict[str, Any]:
    """The steps that were refused, as pairs of names, and how likely it is that one of them is what was missing."""
    told: dict[str, Any] = plain(barred)
    return told | {"steps": [{"from": told, "to": enclave} for told, enclave in barred.steps]}


def rule_record(grant: Grant, at: datetime) -> dict[str, Any]:
    """`grants --json`: one standing grant, and whether it is in force at that moment."""
    told = grant_record(grant)
    return {key: told[key] for key in told if key != "before_reading"} | {"in_force": grant.in_force(at)}


def linked_record(linked: Linked) -> dict[str, Any]:
    """`link --json`: text, spans and seconds. `start` and `end` count characters of the text; pages are best first."""
    return {"text": linked.text, "spans": plain(linked.mentions), "seconds": plain(linked.seconds)}


def found_record(found: Found, viewer: Asker, enclaves: EnclaveTable, explain: bool = False) -> dict[str, Any]:
    """`find --json`: what `count_record` gives, alternatives and items; to `explain` it, left_out and hops."""
    record = {
        **count_record(found),
        "alternatives": [
            {"expression": printed(expression), "probability": plain(probability)}
            for expression, probability in found.alternatives
        ],
        "items": [member_record(member) for member in found.members],
    }
    if explain:
        record["left_out"] = [member_record(member) for member in found.left_out]
        record["hops"] = records(found.hops, viewer, enclaves)
    return record


def count_record(found: Found) -> dict[str, Any]:
    """`find --count --json`: how many there are, how many are to be expected, and of how many that is said."""
    counts = ("count", "expected", "interval", "considered", "possible", "label", "unreachable", "seconds")
    told = {name: plain(getattr(found, name)) for name in (*counts, "enclaves", "folders", "kinds")}
    return {"query": found.query, "expression": printed(found.expression), **told}


def member_record(member: Member) -> dict[str, Any]:
    """A member with its evidence, constraint by constraint, and how much of it is shown."""
    told: dict[str, Any] = plain(member)
    return told | {"shown": told["evidence"], "evidence": told.pop("supports")}


def table(found: Found) -> str:
    """The members as CSV with a line of names: what each is, and for every constraint the sentences that show it.

    No cell begins as a formula does: an apostrophe stands before what would.
    """
    file = io.StringIO(newline="")
    rows = ([f"{cell:.4f}" if isinstance(cell, float) else cell for cell in row] for row in _rows(found))
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def workbook(found: Found) -> bytes:
    """The same as a workbook (.xlsx), by the extra `xlsx`: cells are text and numbers, never formulas or links."""
    from xlsxwriter import Workbook

    file = io.BytesIO()
    with Workbook(file, {"in_memory": True}) as book:
        sheet = book.add_worksheet("members")
        for at, row in enumerate(_rows(found)):
            for column, cell in enumerate(row):
                if isinstance(cell, float):
                    sheet.write_number(at, column, round(cell, 4))
                else:
                    sheet.write_string(at, column, clean(cell)[:MOST_CELL])
        sheet.freeze_panes(1, 1)
        sheet.autofilter(0, 0, len(found.members), column)
    return file.getvalue()


def _rows(found: Found) -> Iterator[list[str | float]]:
    """The lines of a table, the names first, each cell safe."""
    told = dict.fromkeys(signed(found.expression))
    heads = [f"not: {text}" if taken else text for text, taken in told]
    yield ["title", "document", "enclave", "source", "label", "probability", "shown", "row", *map(safe_cell, heads)]
    for one in found.members:
        names = (one.title, one.document, one.enclave, one.source, " ".join(sorted(one.label)))
        said = {(own.constraint, own.negated): own.field or _cited(own) for own in one.supports}
        cells = [safe_cell(cell) for cell in (one.row.text if one.row else "", *(said.get(it, "") for it in told))]
        yield [*map(safe_cell, names), one.probability, one.evidence.value, *cells]


def _cited(told: Support) -> str:
    return " … ".join(" ".join(cited.text.split()) for cited in told.citations)


def _said(told: Answer | Reading | PairAnswer) -> dict[str, Any]:
    """What every answer says, or why there is none."""
    names = ("reason", "confidence", "via", "label", "citations")
    return {"answer": told.text, **{name: plain(getattr(told, name)) for name in names}}


def _guesses(told: Answer | Reading) -> list[dict[str, Any]]:
    return [{"answer": " ".join(text.split()), "confidence": plain(sure)} for text, sure in told.others]


def _passages(answer: Answer | Reading, room: float | None = ROOM) -> Iterator[dict[str, Any]]:
    """The passages that come with an answer, while there is room; None: all of them, whole."""
    room = math.inf if room is None else room
    for one in answer.passages:
        hit = one.hit
        record, text = _hit(hit), hit.passage.text
        size = len(raw := text.encode("utf8", "surrogatepass"))
        text = text if size <= room else raw[: int(room)].decode("utf8", "ignore")
        room -= min(size, room)
        if text:
            end, sentence = hit.passage.start + len(text), {"start": one.start, "end": one.end}
            told = {name: record[name] for name in SHORT} | {"source": one.source, "sentence": sentence}
            fields = {"fields": plain(one.fields)} if one.fields else {}
            yield told | {"end": end, "text": text} | fields


def _hit(hit: Hit) -> dict[str, Any]:
    told = plain(hit.passage)
    return {
        "id": told["id"],
        "document": told["document_id"],
        **{name: told[name] for name in ("enclave", "start", "end", "title", "section", "text")},
        "score": plain(hit.score),
        "skill": hit.skill.value,
    }
