"""The questions that nothing shipped was trained on or fitted to, where a file holds others too.

    python benchmarks/held_out.py --data DATA --workspace DIR

Writes squad1.json and squad2.json (the articles of SQuAD's development sets that are kept for the report), nq.json and
musique.jsonl (development questions that the calibration was not fitted on), and hotpotqa.jsonl (development questions
all of whose supporting passages are in the pool).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import common
from answerable.datasets.parts import share, squad_part
from answerable.training.selector import FITTED


def numbered(whole: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, dict[str, Any]]]:
    """Article, `article.paragraph` counted from 1, and paragraph: the names `datasets.squad` gives."""
    for first, article in enumerate(whole["data"], start=1):
        for second, paragraph in enumerate(article["paragraphs"], start=1):
            yield article, f"{first}.{second}", paragraph


def main(words: list[str] | None = None) -> None:
    """Write them and say how many questions there are."""
    given = common.parser(__doc__, "data", "workspace", record=False).parse_args(words)
    given.workspace.mkdir(parents=True, exist_ok=True)
    for name, file in (("squad1", "squad1.1.json.gz"), ("squad2", "squad2.0.json.gz")):
        with gzip.open(given.data / "squad" / file, "rt", encoding="utf8") as packed:
            whole = json.load(packed)
        for article, number, paragraph in numbered(whole):
            for one in paragraph["qas"]:  # the paragraph's name in the whole file, where all paragraphs are searched
                one["passage"] = f"{article['title'].replace('_', ' ')}#{number}"
        whole["data"] = [article for article in whole["data"] if squad_part(article["title"]) == "report"]
        (given.workspace / f"{name}.json").write_text(json.dumps(whole), encoding="utf8")
        print(name, sum(len(p["qas"]) for article in whole["data"] for p in article["paragraphs"]), "questions")
    with gzip.open(given.data / "nq/nq-dev.json.gz", "rt", encoding="utf8") as packed:
        whole = json.load(packed)
    for paragraph in (p for article in whole["data"] for p in article["paragraphs"]):
        paragraph["qas"] = [one for one in paragraph["qas"] if share(one["question"].strip()) >= FITTED]
    (given.workspace / "nq.json").write_text(json.dumps(whole), encoding="utf8")
    print("nq", sum(len(p["qas"]) for article in whole["data"] for p in article["paragraphs"]), "questions")
    for name in ("hotpotqa", "musique"):
        rows = (given.data / name / "dev.jsonl").read_text(encoding="utf8").splitlines(keepends=True)
        kept = [row for row in rows if json.loads(row)["covered"]]
        if name == "musique":
            kept = [row for row in kept if share(json.loads(row)["question"]) >= FITTED]
        (given.workspace / f"{name}.jsonl").write_text("".join(kept), encoding="utf8")
        print(name, len(kept), "questions")


if __name__ == "__main__":
    main()
