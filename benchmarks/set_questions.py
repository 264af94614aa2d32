"""Questions to train a retriever of sets with: each query of some benchmarks with a document that fits, and the rest.

    python benchmarks/set_questions.py OUT DIR=MOST [DIR=MOST ...]

A DIR holds `train.jsonl` and `documents.jsonl.gz`: QUEST's data, or what `answerable-bench sets build` writes.
Of each query up to MOST documents are taken. OUT gets `questions.jsonl` and `corpus.jsonl`, which
`recipes/sets-retriever.toml` names. Source: Malaviya et al. 2023, section 4.3.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import common


def main(words: list[str] | None = None) -> None:
    """Write the two files."""
    parser = common.parser(__doc__, record=False)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", nargs="+", metavar="DIR=MOST")
    given = parser.parse_args(words)
    given.out.mkdir(parents=True, exist_ok=True)
    count = 0
    with (given.out / "corpus.jsonl").open("w") as corpus, (given.out / "questions.jsonl").open("w") as questions:
        for number, one in enumerate(given.folders):
            name, _, most = one.rpartition("=")
            folder, rng = Path(name), random.Random(number)
            held = set()
            for row in common.rows(folder / "documents.jsonl.gz"):
                held.add(row["_id"])
                text = {"id": f"{number}:{row['_id']}", "title": row.get("title") or "", "text": row["text"]}
                corpus.write(json.dumps(text) + "\n")
            for row in common.rows(folder / "train.jsonl"):
                fits = [id_ for id_ in row["docs"] if id_ in held]
                for chosen in rng.sample(fits, min(int(most), len(fits))):
                    rest = [f"{number}:{id_}" for id_ in fits if id_ != chosen][:60]
                    line = {"question": row["query"], "positive": f"{number}:{chosen}", "positives": rest}
                    questions.write(json.dumps(line) + "\n")
                    count += 1
    print(f"{count:,} questions in {given.out}")


if __name__ == "__main__":
    main()
