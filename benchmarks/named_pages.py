"""Questions about a thing that a page is named after, and pages to search for them.

    python benchmarks/named_pages.py --data DATA --out DIR [--passages 12000] [--limit 500]

PopQA and WebQuestions have answers and no passages. Of each, questions are drawn that name the title of a page (its
longest run of up to eight words) in whose passages an answer of three letters or more stands. Writes `popqa.jsonl`,
`webquestions.jsonl`, and `passages.jsonl`: those passages, then passages of pages that other questions name, then any,
up to `--passages`.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import common
from answerable.evaluation.metrics.found import answer_rank, tokens

SETS = ("popqa", "webquestions")
LONGEST = 8
"""Words of a title."""
SHORTEST = 7
"""Letters of a title of one word: shorter ones are too often words of the question (`who`, `Italy`, `played`)."""


def named(title: str) -> str:
    """A title as a question would say it, without what tells it from its namesakes."""
    return " ".join(tokens(re.sub(r"\s*\(.*\)$", "", title)))


def asks_of(question: str, titles: dict[str, list[str]]) -> str | None:
    """The longest title that stands in a question, the first of the longest."""
    words = tokens(question)
    for length in range(min(len(words), LONGEST), 0, -1):
        for start in range(len(words) - length + 1):
            run = " ".join(words[start : start + length])
            if run in titles and (length > 1 or len(run) >= SHORTEST):
                return run
    return None


def main(words: list[str] | None = None) -> None:
    """Draw questions, write them and the passages, and say how many there are."""
    parser = common.parser(__doc__, "data", limit=500, record=False)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--passages", type=int, default=12000)
    given = parser.parse_args(words)
    rng = random.Random(8)
    pages: list[dict[str, Any]] = list(common.rows(given.data / "wiki/passages.jsonl.gz"))
    titles: dict[str, list[str]] = {}
    for page in pages:
        titles.setdefault(named(page["title"]), []).append(page["text"])
    asked, beside = set(), set()
    for name in SETS:
        held = [(row, asks_of(row["question"], titles)) for row in common.rows(given.data / name / f"{name}.jsonl.gz")]
        beside |= {title for _, title in held if title}
        for row, _ in held:  # "IN" for India stands everywhere
            row["answers"] = [answer for answer in row["answers"] if len(answer) > 2]
        told = [(row, title) for row, title in held if title and answer_rank(titles[title], row["answers"])]
        drawn = rng.sample(told, min(given.limit, len(told)))
        asked |= {title for _, title in drawn}
        kept = ({"question": row["question"], "answers": row["answers"]} for row, _ in drawn)
        print(name, common.write_rows(given.out / f"{name}.jsonl", kept), "questions of", len(told))
    rng.shuffle(pages)
    pages.sort(key=lambda page: (named(page["title"]) not in asked, named(page["title"]) not in beside))
    rows = ({key: page[key] for key in ("_id", "title", "text")} for page in pages[: given.passages])
    print(common.write_rows(given.out / "passages.jsonl", rows), "passages")


if __name__ == "__main__":
    main()
