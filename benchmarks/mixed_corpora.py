"""Two corpora of two kinds each, and questions over both: mails beside pages, tables beside passages.

    python benchmarks/mixed_corpora.py mails --data DATA --benchmark DIR --out DIR [--passages 6000]
    python benchmarks/mixed_corpora.py tables --data DATA --out DIR [--passages 6000] [--tables 400] [--limit 150]
    python benchmarks/mixed_corpora.py pool --data DATA --benchmark SPLIT --out DIR [--passages 6000] [--limit 150]
    python benchmarks/mixed_corpora.py gold --data DATA --benchmark DIR --out DIR
    python benchmarks/mixed_corpora.py own --data DATA --benchmark DIR --out DIR

Writes a file of passages for each enclave, which is private where it is of mails or tables, and `questions.jsonl`:
`question`, `answers`, `slice`, `steps` (for each hop the documents of which one is gold) and `part`, "fitting" or
"report". Both parts are over the same corpus, as two askers would be; no question and no gold first passage is in both.

mails: what `answerable-bench build` made (DIR), and questions people asked of single mails (slice P), with other
mails and pages drawn with a fixed seed up to `--passages` of each, first those that are like the gold ones.
tables: questions of OTT-QA over tables that nothing was trained on (report) and over those that weights are chosen on
(fitting), their tables and others up to `--tables`, the passages these link to and others up to `--passages`. An
answer stands in the last hop: PG asks from a table to a passage, GP from a passage to a table, P of a table alone.
pool: of a split of HotpotQA (SPLIT), questions drawn evenly from its slices, what they need, the paragraphs that were
given with them, which are the hardest to tell from the gold ones, and others up to `--passages`; a smaller split.
gold: no corpus, but the test questions of what `answerable-bench build` made with their gold passages, in HotpotQA's
form, the slice as `type` (PAIR's oracle retrieval).
own: beside what mails wrote in DIR, its passages as one corpus and the training questions as `answerable train skills`
takes them: some, more, and all of them, each time those of before among them (PAIR, figure 5).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import common
from answerable.datasets.parts import share
from answerable.training.corpora import Corpora
from answerable.training.selector import FITTED

KINDS = {"mails": ("mails", "pages"), "tables": ("tables", "passages")}
"""The enclaves of each corpus, the private one first."""
PARTS = {"fitting": "development", "report": "report"}

SIZES = (112, 225, 451)
"""Training questions of ours: a quarter, half, and all there are."""

Row = dict[str, Any]


def gold(benchmark: Path, out: Path) -> None:
    """`questions.jsonl`, each test question with its gold passages."""
    texts = {row["_id"]: row for name in ("private", "public") for row in common.rows(benchmark / f"{name}.jsonl")}
    asked = []
    for row in common.rows(benchmark / "test.jsonl"):
        given = [(texts[one]["title"], [texts[one]["text"]]) for one in row["gold"]]
        told = {key: row[key] for key in ("_id", "question", "answer")} | {"type": row["slice"], "context": given}
        asked.append(told | {"supporting_facts": [(title, 0) for title, _ in given]})
    common.write_rows(out / "questions.jsonl", asked)


def own(benchmark: Path, out: Path) -> None:
    """`corpus.jsonl`, and a file of training questions for each of `SIZES`."""
    held = [row for name in KINDS["mails"] for row in common.rows(out / f"{name}.jsonl")]
    common.write_rows(
        out / "corpus.jsonl", ({"id": one["_id"], "title": one["title"], "text": one["text"]} for one in held)
    )
    asked = [
        {"question": row["question"], "positives": row["gold"], "answers": [row["answer"]]}
        for row in common.rows(benchmark / "train.jsonl")
    ]
    random.Random(5).shuffle(asked)
    for size in SIZES:
        common.write_rows(out / f"train-{size}.jsonl", asked[:size])


def part_of(name: str) -> str:
    """Questions of the part "fitting" may choose weights; the others are reported."""
    return "fitting" if share(name) < FITTED else "report"


def mails(data: Path, benchmark: Path, passages: int, out: Path) -> None:
    """`mails.jsonl`, `pages.jsonl` and `questions.jsonl` of a built benchmark and of the annotated mails."""
    rng = random.Random(8)
    asked = [_built(row) for row in common.rows(benchmark / "questions.jsonl")]
    annotated = list(_annotated(data))
    asked += [question for _, questions in annotated for question in questions]
    wanted = {id for question in asked for step in question["steps"] for id in step}
    near = json.loads((benchmark / "near.json").read_text("utf8"))
    kept = [
        *({"_id": mail["_id"], "title": mail["title"], "text": mail["text"]} for mail, _ in annotated),
        *_drawn(common.rows(benchmark / "private.jsonl"), wanted, passages, rng, near["P"]),
    ]
    common.write_rows(out / "mails.jsonl", kept)
    common.write_rows(
        out / "pages.jsonl", _drawn(common.rows(benchmark / "public.jsonl"), wanted, passages, rng, near["G"])
    )
    common.write_rows(out / "questions.jsonl", asked)


def _built(row: Row) -> Row:
    steps = [[id] for id in row["gold"]]
    slice_, answers = row["slice"], [row["answer"]]
    return {"_id": row["_id"], "question": row["question"], "answers": answers, "slice": slice_, "steps": steps,
            "part": part_of(row["gold"][0])}  # fmt: skip


def _annotated(data: Path) -> Iterator[tuple[Row, list[Row]]]:
    """Each mail with the questions that it answers."""
    for number, article in enumerate(json.loads((data / "enron/qa.json").read_text("utf8"))["data"]):
        id = f"asked-{number}"
        text = "\n\n".join(paragraph["context"] for paragraph in article["paragraphs"])
        items = [item for paragraph in article["paragraphs"] for item in paragraph["qas"] if item["answers"]]
        yield {"_id": id, "title": article["title"].partition(" [<")[0], "text": text}, [
            {"_id": item["id"], "question": item["question"], "answers": [one["text"] for one in item["answers"]],
             "slice": "P", "steps": [[id]], "part": part_of(id)}
            for item in items
        ]  # fmt: skip


def tables(data: Path, count: int, passages: int, questions: int, out: Path) -> None:
    """`tables.jsonl`, `passages.jsonl` and `questions.jsonl` of OTT-QA."""
    rng, corpora = random.Random(8), Corpora(data)
    asked = []
    for part, of in PARTS.items():
        rows = [row for row in corpora.questions("ottqa", of) if len({one["where"] for one in row["evidence"]}) == 1]
        asked += [_of_table(row, part) for row in rng.sample(rows, min(questions, len(rows)))]
    chosen = {id for question in asked for step in question["steps"] for id in step if id in corpora.tables}
    others = [table.id for table in corpora.tables.values() if table.part != "train" and table.id not in chosen]
    chosen.update(rng.sample(others, max(0, min(count - len(chosen), len(others)))))
    common.write_rows(
        out / "tables.jsonl", (row for row in common.rows(data / "wiki/tables.jsonl.gz") if row["_id"] in chosen)
    )
    gold = {id for question in asked for step in question["steps"] for id in step}
    wiki = list(corpora.lines("wiki/passages.jsonl.gz"))
    linked = {link for id in chosen for row in corpora.tables[id].rows for _, links in row for link in links}
    near = [row for row in wiki if row["_id"] in linked]
    common.write_rows(
        out / "passages.jsonl", _drawn(near if len(near) > passages else wiki, gold, passages, rng, linked)
    )
    common.write_rows(out / "questions.jsonl", asked)


def _of_table(row: Row, part: str) -> Row:
    table, linked = [row["table"]], sorted({one["passage"] for one in row["evidence"] if one["passage"]})
    if row["evidence"][0]["where"] == "passage":
        slice_, steps = "PG", [table, linked]
    else:
        slice_, steps = ("GP", [linked, table]) if linked else ("P", [table])
    return {"_id": row["_id"], "question": row["question"], "answers": [str(row["answer"])], "slice": slice_,
            "steps": steps, "part": part}  # fmt: skip


def pool(data: Path, split: Path, passages: int, questions: int, out: Path) -> None:
    """`private.jsonl`, `public.jsonl`, `questions.jsonl` and `split.json` of part of a split."""
    rng = random.Random(8)
    given = {row["_id"]: row["context"] for row in common.rows(data / "hotpotqa/dev.jsonl")}
    slices: dict[str, list[Row]] = {}
    for row in common.rows(split / "questions.jsonl"):
        slices.setdefault(row["slice"], []).append(row)
    drawn = [rng.sample(rows, len(rows)) for _, rows in sorted(slices.items())]
    asked = [row for turn in zip_longest(*drawn) for row in turn if row is not None][:questions]
    gold = {id for row in asked for id in row["gold"]}
    near = {id for row in asked for id in given[row["_id"]]}
    for name in ("private", "public"):
        common.write_rows(
            out / f"{name}.jsonl", _drawn(common.rows(split / f"{name}.jsonl"), gold, passages // 2, rng, near)
        )
    common.write_rows(out / "questions.jsonl", asked)
    (out / "split.json").write_bytes((split / "split.json").read_bytes())


def _drawn(rows: Iterable[Row], gold: set[str], most: int, rng: random.Random, before: Iterable[str] = ()) -> list[Row]:
    """The gold rows, then those `before` others, then others, up to `most`, in the order of the file."""
    every, first = list(rows), set(before)
    order = sorted(rng.sample(range(len(every)), len(every)), key=lambda at: every[at]["_id"] not in first)
    held = sum(row["_id"] in gold for row in every)
    others = [at for at in order if every[at]["_id"] not in gold][: max(0, most - held)]
    kept = set(others) | {at for at, row in enumerate(every) if row["_id"] in gold}
    return [{key: every[at][key] for key in ("_id", "title", "text")} for at in sorted(kept)]


def main(words: list[str] | None = None) -> None:
    """Write one of the corpora."""
    parser = common.parser(__doc__, "data", limit=150, record=False)
    parser.add_argument("kind", choices=[*KINDS, "pool", "gold", "own"])
    parser.add_argument("--benchmark", type=Path, help="what `answerable-bench build` wrote")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--passages", type=int, default=6000)
    parser.add_argument("--tables", type=int, default=400)
    given = parser.parse_args(words)
    if given.kind == "tables":
        tables(given.data, given.tables, given.passages, given.limit, given.out)
    elif given.kind == "pool" and given.benchmark:
        pool(given.data, given.benchmark, given.passages, given.limit, given.out)
    elif given.kind == "gold" and given.benchmark:
        gold(given.benchmark, given.out)
    elif given.kind == "own" and given.benchmark:
        own(given.benchmark, given.out)
    elif given.benchmark:
        mails(given.data, given.benchmark, given.passages, given.out)
    else:
        parser.error(f"{given.kind} needs --benchmark")


if __name__ == "__main__":
    main()
