"""Asking over long documents with and without walking on inside those that a chain ends in (`read.inside`).

    python benchmarks/inside.py --data DATA --workspace DIR [--limit 100] [--json FILE]

The articles of SQuAD that are kept for the report are indexed whole, one document each, and made ready to be read; each
question is asked of all of them together. Nothing was learned from these articles.
"""

from __future__ import annotations

import random
import statistics
from pathlib import Path
from typing import Any

import common
from answerable.evaluation.long.articles import squad
from answerable.evaluation.metrics.answers import exact, f1
from answerable.workspace.opening import open_workspace


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


def main(words: list[str] | None = None) -> None:
    """Ask everything twice, and print EM, F1, the share answered and the median of seconds."""
    parser = common.parser(__doc__, "data", "workspace", limit=100)
    given = parser.parse_args(words)
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
            "EM": common.mean([exact(text, answers) for text, answers in said], 100),
            "F1": common.mean([f1(text, answers) for text, answers in said], 100),
            "seconds": statistics.median(answer.seconds for answer in found),
        }
        print(name, {key: round(value, 3) for key, value in table[name].items()}, flush=True)
    common.write(given.json, {"questions": len(asked), **table})


if __name__ == "__main__":
    main()
