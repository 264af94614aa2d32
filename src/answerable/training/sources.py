"""What a reader learns from, source by source, and which part of each is kept for development and for the report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from answerable.corpora.tables import row_line, split_header
from answerable.datasets.parts import share, squad_part
from answerable.datasets.records import elements
from answerable.training.corpora import Corpora
from answerable.training.negatives import swapped
from answerable.training.reading import (
    MULTI_HOP,
    NO,
    NONE,
    SPAN,
    YES,
    PoolPassage,
    Reading,
    boolq,
    claim,
    fever,
    lines_of,
    multihop,
    squad,
)
from answerable.training.written import FILES, written


def load_source(name: str, data: Path, pool: dict[str, PoolPassage], part: str) -> list[Reading]:
    """The readings of one source, `part` being `train`, `development` or `report`; parts never share an article."""
    learned = part == "train"
    if name in ("squad1", "squad2"):
        if name == "squad1" and learned:
            return _squad1_train(data)
        dev = data / "squad" / ("squad1.1.json.gz" if name == "squad1" else "squad2.0.json.gz")
        rows = [r for title, r in squad(dev, "squad") if squad_part(title) == part]
        # the answerable questions of the second are those of the first
        return [r for r in rows if r.kind == NONE] if name == "squad2" and learned else rows
    if name in _FILES:
        return [r for _, r in squad(data / _FILES[name][0 if learned else 1], name)]
    if name == "boolq":
        return list(boolq(data / f"boolq/{'train' if learned else 'dev'}.jsonl"))
    if name in MULTI_HOP:
        return [r for r, _ in multihop(data / name / f"{'train' if learned else 'dev'}.jsonl", pool, name)]
    if name == "distractors":
        return _unrelated(data, pool)
    if name == "swapped":
        return list(swapped(_squad1_train(data) + load_source("nq", data, pool, "train"), seed=1))
    found = _parted(written(data, FILES[name]), HELD) if name in FILES else READERS[name](data)
    return [reading for held, reading in found if held != learned]


_FILES = {
    "nq": ("nq/nq-train.json.gz", "nq/nq-dev.json.gz"),
    "policyqa": ("policyqa/dev.json.gz", "policyqa/test.json.gz"),
}
"""The files of sources in the form of SQuAD: to learn from, and the others."""


def _squad1_train(data: Path) -> list[Reading]:
    """All SQuAD 1.1 questions to train on."""
    rows = [r for title, r in squad(data / "squad/squad1.1.json.gz", "squad") if squad_part(title) == "train"]
    return rows + [r for _, r in squad(data / "squad/squad-train-part.json.gz", "squad")]


def _unrelated(data: Path, pool: dict[str, PoolPassage]) -> list[Reading]:
    """Multi-hop questions over two passages given with them that hold neither the evidence nor the answer."""
    rows = []
    for name in ("hotpotqa", "2wikimultihopqa"):
        for reading, others in multihop(data / name / "train.jsonl", pool, name):
            answer = reading.answers[0].lower()
            wrong = [o for o in others if reading.kind == SPAN and answer not in pool[o].text.lower()]
            for a, b in zip(wrong[0::2], wrong[1::2], strict=False):
                passages = tuple((pool[p].title, pool[p].text) for p in (a, b))
                rows.append(replace(reading, passages=passages, kind=NONE, answer=None, source="distractors"))
    return rows


Parted = Iterator[tuple[bool, Reading]]
"""Readings, each with whether it is kept for development and for the report."""
HELD = 0.1
"""The share of passages or pages that is kept, where a set has no part of its own for that."""
_MATCHED = 0.5
"""The least score of a question that was placed on a passage by answer and words."""
_COUNTING = re.compile(r"\bhow many|\baverage|\btotal|\bdifference|\bnumber of|\bcombined|\bsum\b")
"""What asks for a number that may be worked out from several cells."""
_KINDS = {"YES": YES, "NO": NO, "DON'T KNOW": NONE}


def squad_more(data: Path) -> Parted:
    """SQuAD's further training paragraphs, without titles, and the questions placed on passages of the pool.

    Passages that a development question of MuSiQue needs are left out.
    """
    for _, reading in squad(data / "squad/squad-train-more.json.gz", ""):
        yield False, replace(reading, passages=(("", reading.passages[0][1]),), source="squad")
    matched = data / "squad/squad-train-matched.json.gz"
    articles = elements(matched, under="data")
    paragraphs = [one for article in articles for one in article.fields["paragraphs"] if not one["dev_gold"]]
    sure = {str(item["id"]) for one in paragraphs for item in one["qas"] if item["score"] >= _MATCHED}
    yield from ((False, reading) for _, reading in squad(matched, "squad") if reading.id in sure)


def squad_sentences(data: Path) -> Parted:
    """SQuAD questions over the one sentence that answers them (ReQA)."""
    for number, row in enumerate(lines_of(data / "squad/squad-train-sentences.jsonl.gz")):
        if row.get("answer"):
            start, wanted, sentence = int(row["answer"]["answer_start"]), str(row["answer"]["text"]), row["sentence"]
            span = (0, start, start + len(wanted))
            if sentence[start : start + len(wanted)] == wanted:
                asked = Reading(f"sentence-{number}", row["question"], (("", sentence),), SPAN, span, (wanted,))
                yield False, replace(asked, source="sentence")


def condaqa(data: Path) -> Parted:
    """Questions on negation (Ravichander et al. 2022); some of the passages are kept."""
    for number, row in enumerate(lines_of(data / "condaqa/condaqa.jsonl.gz")):
        text, answer = row["passage"], str(row["answer"]).strip()
        held = share(f"condaqa-{row['passage_id']}") < HELD
        base = Reading(f"condaqa-{number}", row["question"], (("", text),), NONE, None, (answer,), "condaqa")
        if answer.upper() in _KINDS:
            kind = _KINDS[answer.upper()]
            yield held, replace(base, kind=kind, answers=() if kind == NONE else (answer.lower(),))
        elif answer and (at := text.find(answer)) >= 0:
            yield held, replace(base, kind=SPAN, answer=(0, at, at + len(answer)))


def fm2(data: Path) -> Parted:
    """Claims that people wrote to be hard (Eisenschlos et al. 2021); some of the pages are kept."""
    for row in lines_of(data / "fool-me-twice/fm2.jsonl.gz"):
        yield share(f"fm2-{row['page']}") < HELD, claim(row, row["page"], "fm2")


def lookups(data: Path) -> Parted:
    """Questions that one cell answers: WikiTableQuestions, questions of SQA that begin a sequence, and HiTab.

    Their test questions are kept.
    """
    tables = {row["_id"]: row for row in lines_of(data / "wikitablequestions/tables.jsonl.gz")}
    for name in ("wikitablequestions", "sqa"):
        for row in lines_of(data / name / "questions.jsonl.gz"):
            table = tables.get(row["table"])
            if table and not row.get("position"):
                header = [one.replace("\n", " ") for one in table["header"]]
                yield from _cell(row, table["title"], header, table["rows"], 0, name)
    tables = {row["_id"]: row for row in lines_of(data / "hitab/tables.jsonl.gz")}
    for row in lines_of(data / "hitab/questions.jsonl.gz"):
        table = tables.get(row["table"])
        if table and row["aggregation"] in (["none"], []):
            header, rows = split_header([list(map(str, cells)) for cells in table["rows"]])
            yield from _cell(row, table["title"], header, rows, len(table["rows"]) - len(rows), "hitab")


def _cell(
    row: Mapping[str, Any], title: str, header: Sequence[str], rows: Sequence[Sequence[str]], above: int, source: str
) -> Parted:
    """A question whose answer stands in one cell, over the whole table, a line a row; `above` rows are its header."""
    asked = row["question"].strip()
    if len(row["answer_cells"]) != 1 or len(row["answers"]) != 1 or _COUNTING.search(asked.lower()):
        return
    line, column = row["answer_cells"][0]
    written = [row_line(header, cells) for cells in rows]
    spans = written[line - above][1] if 0 <= line - above < len(written) else []
    start, end = spans[column] if column < len(spans) else (0, 0)
    before = sum(len(text) + 1 for text, _ in written[: line - above])
    text, answer = "\n".join(one for one, _ in written), row["answers"][0]
    wanted = str(answer).removesuffix(".0") if isinstance(answer, float) else str(answer)
    at = text.find(wanted, before + start, before + end) if wanted and end else -1
    if at >= 0:
        question, held = asked if asked.endswith("?") else f"{asked}?", row.get("split") == "test"
        span = (0, at, at + len(wanted))
        yield held, Reading(row["_id"], question, ((title, text),), SPAN, span, (wanted,), source)


def ottqa(data: Path) -> Parted:
    """OTT-QA's questions with one place where the answer stands: a row, or a row and the passage its cell links to."""
    corpora = Corpora(data)
    wiki = corpora.corpus("wiki")
    for row in lines_of(data / "ottqa/collection.jsonl.gz"):
        table = corpora.tables.get(row["table"])
        if row["dev_table"] or row["n_evidence"] != 1 or table is None or table.part != "train":
            continue
        found, answer = row["evidence"][0], row["answer"]
        (heading, line), spans = table.row(found["row"])
        passages, start = [(heading, line)], spans[found["column"]][0]
        end = spans[found["column"]][1]
        if found["where"] != "table":
            if found["passage"] not in wiki or found["passage"] in corpora.withheld:
                continue
            passages, start, end = [*passages, wiki[found["passage"]]], 0, len(wiki[found["passage"]][1])
        at = passages[-1][1].find(answer, start, end)
        if at >= 0:
            span = (len(passages) - 1, at, at + len(answer))
            yield False, Reading(row["_id"], row["question"], tuple(passages), SPAN, span, (answer,), "ottqa")


def _parted(rows: Iterable[Reading], kept: float) -> Parted:
    """Readings of which those of a share of the passages are kept."""
    return ((share(reading.passages[0][1]) < kept, reading) for reading in rows)


def _fever(data: Path) -> Parted:
    for reading in fever(data / "fever/claims.jsonl.gz"):
        title, text = reading.passages[0]
        yield share(title or text) < HELD, reading


READERS: Mapping[str, Callable[[Path], Parted]] = {
    "covidqa": lambda data: _parted((r for _, r in squad(data / "covidqa/covidqa.json.gz", "covidqa")), 0.3),
    "subjqa": lambda data: _parted((r for _, r in squad(data / "subjqa/subjqa.json.gz", "subjqa")), HELD),
    "fever": _fever,
    "squad-more": squad_more,
    "squad-sentences": squad_sentences,
    "condaqa": condaqa,
    "fm2": fm2,
    "lookups": lookups,
    "ottqa": ottqa,
}
"""What reads each of these sources, by the names of recipes."""
SOURCES = frozenset(("squad1", "squad2", *_FILES, "boolq", *MULTI_HOP, "distractors", "swapped", *FILES, *READERS))
"""The names `load_source` knows."""
