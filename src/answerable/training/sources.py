"""What a reader learns from, source by source, and which part of each is kept for development and for the report."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from answerable.corpora.tables import row_line, split_header
from answerable.datasets.parts import share, squad_part
from answerable.training.corpora import Corpora, Lexical
from answerable.training.negatives import cloze, neighbours, swapped
from answerable.training.reading import (
    NO,
    NONE,
    SPAN,
    YES,
    PoolPassage,
    Reading,
    boolq,
    claim,
    fever,
    json_of,
    lines_of,
    multihop,
    squad,
)
from answerable.training.written import FILES, written


def load_source(name: str, data: Path, pool: dict[str, PoolPassage], part: str) -> list[Reading]:
    """The readings of one source, `part` being `train`, `development` or `report`; parts never share an article."""
    if name in ("squad1", "squad2"):
        if name == "squad1" and part == "train":
            return [r for _, r in _squad1_train(data)]
        dev = data / "squad" / ("squad1.1.json.gz" if name == "squad1" else "squad2.0.json.gz")
        rows = [r for title, r in squad(dev, "squad") if squad_part(title) == part]
        if name == "squad2" and part == "train":
            rows = [r for r in rows if r.kind == NONE]  # its answerable questions are squad1's
        return rows
    if name == "nq":
        return [r for _, r in squad(data / f"nq/nq-{'train' if part == 'train' else 'dev'}.json.gz", "nq")]
    if name == "policyqa":
        return [r for _, r in squad(data / f"policyqa/{'dev' if part == 'train' else 'test'}.json.gz", "policyqa")]
    if name in ("covidqa", "subjqa"):
        rows = [r for _, r in squad(data / f"{name}/{name}.json.gz", name)]
        held = {"covidqa": 0.3, "subjqa": 0.1}[name]
        return [r for r in rows if (share(r.passages[0][1]) < held) == (part != "train")]
    if name == "boolq":
        return list(boolq(data / f"boolq/{'train' if part == 'train' else 'dev'}.jsonl"))
    if name in ("hotpotqa", "2wikimultihopqa", "musique"):
        split = "train" if part == "train" else "dev"
        return [r for r, _ in multihop(data / name / f"{split}.jsonl", pool, name)]
    if name == "distractors":
        return _unrelated(data, pool)
    if name == "fever":
        rows = list(fever(data / "fever/claims.jsonl.gz"))
        return [r for r in rows if (share(r.passages[0][0] or r.passages[0][1]) < 0.1) == (part != "train")]
    if name == "neighbours":
        return list(neighbours(_squad1_train(data), seed=1))
    if name == "swapped":
        asked = [r for _, r in _squad1_train(data)] + load_source("nq", data, pool, "train")
        return list(swapped(asked, seed=1))
    if name == "cloze":
        return list(cloze(pool, 40000, seed=1))
    if name in FILES:
        return [r for r in written(data, FILES[name]) if (share(r.passages[0][1]) < HELD) == (part != "train")]
    return [reading for held, reading in READERS[name](data) if held == (part != "train")]


def _squad1_train(data: Path) -> list[tuple[str, Reading]]:
    """(article, reading) of all SQuAD 1.1 questions to train on."""
    rows = [pair for pair in squad(data / "squad/squad1.1.json.gz", "squad") if squad_part(pair[0]) == "train"]
    return rows + list(squad(data / "squad/squad-train-part.json.gz", "squad"))


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


def widen(rows: list[Reading], seed: int) -> list[Reading]:
    """Some readings become chains (another passage beside the right one), some get the wrong passage and no answer."""
    rng = random.Random(seed)
    out = []
    for row in rows:
        drawn = rng.random()
        alone = len(row.passages) == 1 and row.source in ("squad", "nq", "cloze", "written")
        if alone and row.kind == SPAN and drawn < 0.34:
            other = rows[rng.randrange(len(rows))].passages[0]
            if drawn < 0.24 and len(other[1]) < 1200:
                _, start, end = row.answer or (0, 0, 0)
                after = rng.random() < 0.5
                passages = (row.passages[0], other) if after else (other, row.passages[0])
                out.append(replace(row, passages=passages, answer=(0 if after else 1, start, end)))
                continue
            if (
                drawn > 0.28
                and row.source not in ("cloze", "written")
                and row.answers[0].lower() not in other[1].lower()
            ):
                out.append(replace(row, passages=(other,), kind=NONE, answer=None))
                continue
        if len(row.passages) == 2 and row.kind == SPAN and row.answer and rng.random() < 0.5:
            which, start, end = row.answer
            row = replace(row, passages=row.passages[::-1], answer=(1 - which, start, end))
        out.append(row)
    return out


Parted = Iterator[tuple[bool, Reading]]
"""Readings, each with whether it is kept for development and for the report."""
HELD = 0.1
"""The share of passages or pages that is kept, where a set has no part of its own for that."""
FOUND = 5
"""Of how many passages found for a question one may hold its answer."""
_SEED = 1
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
    articles = json_of(matched)["data"]
    paragraphs = [one for article in articles for one in article["paragraphs"] if not one["dev_gold"]]
    sure = {str(item["id"]) for one in paragraphs for item in one["qas"] if item["score"] >= _MATCHED}
    yield from ((False, reading) for _, reading in squad(matched, "squad") if reading.id in sure)


def squad_sentences(data: Path) -> Parted:
    """SQuAD questions over the one sentence that answers them (ReQA)."""
    for number, row in enumerate(lines_of(data / "squad/squad-train-sentences.jsonl.gz")):
        if row.get("answer"):
            yield from _sentence(f"sentence-{number}", row["question"], row["sentence"], row["answer"], "sentence")


def qamr(data: Path) -> Parted:
    """Simple questions on single sentences (Michael et al. 2018)."""
    for row in lines_of(data / "qamr/qamr.jsonl.gz"):
        for number, item in enumerate(row["qas"]):
            name, answer = f"{row['_id']}-{number}", item["answers"][0]
            yield from _sentence(name, item["question"], row["sentence"], answer, "qamr")


def _sentence(id: str, question: str, sentence: str, answer: Mapping[str, Any], source: str) -> Parted:
    start, wanted = int(answer["answer_start"]), str(answer["text"])
    if sentence[start : start + len(wanted)] == wanted:
        span = (0, start, start + len(wanted))
        yield False, Reading(id, question, (("", sentence),), SPAN, span, (wanted,), source)


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


def distant(data: Path) -> Parted:
    """Questions without a text, over the first passage that words find for them and that holds an answer.

    (Chen et al. 2017, section 4.2.) Of every fourth question the first passage is read too, unless it holds an answer.
    """
    corpora = Corpora(data)
    held = corpora.withheld
    passages = [*corpora.corpus("pool").values(), *corpora.corpus("nq").values()]
    passages += [text for id_, text in corpora.corpus("wiki").items() if id_ not in held]
    asked = [
        (row["question"], [str(one) for one in row["answers"] if len(str(one)) > 2])
        for name in ("nq/nq-open-more", "triviaqa/triviaqa", "webquestions/webquestions")
        for row in lines_of(data / f"{name}.jsonl.gz")
    ]
    random.Random(_SEED).shuffle(asked)
    with TemporaryDirectory() as folder:
        index = Lexical({str(number): text for number, text in enumerate(passages)}, Path(folder))
        for number, (question, answers) in enumerate(asked):
            found = [passages[int(id_)] for id_ in index.best(question, FOUND)]
            pattern = re.compile("|".join(rf"(?<!\w){re.escape(answer)}(?!\w)" for answer in answers) or r"(?!)")
            for passage in found:
                if match := pattern.search(passage[1]):
                    name, span = f"distant-{number}", (0, *match.span())
                    yield False, Reading(name, question, (passage,), SPAN, span, tuple(answers), "distant")
                    break
            first = "\n".join(found[0]).lower() if found and number % 4 == 0 else ""
            if first and not any(answer.lower() in first for answer in answers):
                yield False, Reading(f"absent-{number}", question, (found[0],), NONE, None, (), "distant")


READERS: Mapping[str, Callable[[Path], Parted]] = {
    "squad-more": squad_more,
    "squad-sentences": squad_sentences,
    "qamr": qamr,
    "condaqa": condaqa,
    "fm2": fm2,
    "lookups": lookups,
    "ottqa": ottqa,
    "distant": distant,
}
"""What reads each of these sources, by the names of recipes."""
SOURCES = (
    READERS.keys()
    | FILES.keys()
    | frozenset(
        """
    squad1 squad2 nq policyqa covidqa subjqa boolq fever hotpotqa 2wikimultihopqa musique distractors neighbours swapped
    cloze
    """.split()
    )
)
"""The names `load_source` knows."""
