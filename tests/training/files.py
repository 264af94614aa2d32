"""Files in the forms of the real data sets."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def write_lines(path: Path, rows: Iterable[Any]) -> Path:
    """A record a line, in a folder that is made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with (gzip.open if path.suffix == ".gz" else open)(path, "wt", encoding="utf8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def article(title: str, *paragraphs: tuple[str, Iterable[tuple[str, str | None]]]) -> dict[str, Any]:
    """An article in SQuAD's form: texts, each with its questions and their answers, None for none."""
    made = []
    for number, (text, asked) in enumerate(paragraphs):
        qas = []
        for place, (question, answer) in enumerate(asked):
            answers = [] if answer is None else [{"text": answer, "answer_start": text.index(answer)}]
            qas.append({"id": f"{title}-{number}-{place}", "question": question, "answers": answers})
        made.append({"context": text, "qas": qas})
    return {"title": title, "paragraphs": made}


def write_squad(path: Path, articles: Iterable[dict[str, Any]]) -> Path:
    """A file of articles in SQuAD's form."""
    return write_lines(path, [{"data": list(articles)}])
