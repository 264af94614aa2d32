"""Asking over long documents with and without walking on inside those that a chain ends in (`read.inside`).

    python benchmarks/inside.py --data DATA --workspace DIR [--limit 100] [--json FILE]

The articles of SQuAD that are kept for the report are indexed whole, one document each, and made ready to be read; each
question is asked of all of them together. Nothing was learned from these articles.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from pathlib import Path
from typing import Any

from answerable.evaluation.long.squad import squad
from answerable.evaluation.metrics.answers import exact, f1
from answerable.workspace import open_workspace


def prepared(data: Path, folder: Path) -> list[tuple[str, tuple[str, ...]]]:
    """The questions with their answers; the articles as files of `folder`, in an enclave of a workspace beside them."""
    files, asked = folder / "articles", []
    files.mkdir(parents=True, exist_ok=True)
    for document in squad(data, "report"):
        text = f"# {document.document.title}\n\n{document.document.text}\n"
        (files / f"{document.document.title.replace('/', '-')}.md").write_text(text, encoding="utf8")
        asked += [(one.text, one.answers) for one in document.questions]
    with open_workspace(folder / "work", create=True, settings={"read.ahead": True}) as made:
        made.index([files], "articles", "public")
    return asked


def main() -> None:
    """Ask everything twice, and print EM, F1, the share answered and the median of seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    asked = prepared(given.data, given.workspace / "inside")
    asked = random.Random(3).sample(asked, min(given.limit, len(asked)))
    table: dict[str, Any] = {}
    for inside in (False, True):
        settings = {"read.inside": inside, "ask.threshold": 0.0}
        with open_workspace(given.workspace / "inside" / "work", settings=settings) as opened:
            found = [opened.ask(question) for question, _ in asked]
        said = [(answer.text or "", answers) for answer, (_, answers) in zip(found, asked, strict=True)]
        name = "inside" if inside else "passages alone"
        table[name] = {
            "EM": 100 * statistics.mean(float(exact(text, answers)) for text, answers in said),
            "F1": 100 * statistics.mean(f1(text, answers) for text, answers in said),
            "seconds": statistics.median(answer.seconds for answer in found),
        }
        print(name, {key: round(value, 3) for key, value in table[name].items()}, flush=True)
    if given.json:
        given.json.write_text(json.dumps({"questions": len(asked), **table}, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
