"""A PDF of hundreds of pages, read for answers: seconds to make it ready, milliseconds a question, memory, and EM.

    python benchmarks/read_pdf.py [--pages 500] [--limit 50] [--json FILE]

The PDF is that of `long_pdf.py`, whose sentences say who did what to what, where, and in which year; a question asks
for the year of one of them, and is asked only if no other sentence says the same. The walk is asked, BM25, and the same
reader over every paragraph, which is asked few of them: `EM of the first` is of these. Vectors are made once, before
anything is timed; a peak is of all until then.
"""

from __future__ import annotations

import random
import re
import resource
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import common
from answerable.corpora.formats import find_files, read_documents
from answerable.corpora.sources import Limits
from answerable.encoders.choose import SKILLS
from answerable.evaluation.long.open import navigating, open_guide
from answerable.evaluation.metrics.answers import exact
from answerable.types import Document
from long_pdf import write_pdf

SAID = re.compile(r"In (\d{4}) ([A-Z]\w+ [A-Z]\w+) (\w+) the (\w+) of ([A-Z]\w+) ")
SYSTEMS = ("walk", "bm25", "sequential")


def questions_of(text: str, count: int) -> list[tuple[str, str]]:
    """(question, year) of sentences that are alone in what they say, drawn with a fixed seed."""
    said = [match.groups() for match in SAID.finditer(" ".join(text.split()))]
    times = Counter(one[1:] for one in said)
    alone = [one for one in said if times[one[1:]] == 1]
    chosen = random.Random(5).sample(alone, min(count, len(alone)))
    return [
        (f"In which year was it that {who} {deed} the {thing} of {place}?", year)
        for year, who, deed, thing, place in chosen
    ]


def read(path: Path) -> Document:
    """The one document of a file."""
    found = next(iter(find_files([path], print)))
    return next(iter(read_documents(found, "bench", Limits(), print)))


def main(words: list[str] | None = None) -> None:
    """Run and print the figures."""
    parser = common.parser(__doc__, limit=50)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--sequential", type=int, default=5, help="questions that every paragraph is read for")
    given = parser.parse_args(words)
    guide, _ = open_guide(SKILLS, "span")
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "long.pdf"
        write_pdf(path, given.pages)
        began = time.perf_counter()
        document = read(path)
        figures["parse seconds"] = time.perf_counter() - began
        began = time.perf_counter()
        shelf = guide.open(document)
        figures["index seconds"] = time.perf_counter() - began
    book = shelf.book
    figures |= {"pages": given.pages, "paragraphs": len(book.paragraphs), "sentences": len(book.sentences)}
    figures["MB of vectors"] = (book.sentences.nbytes + book.wholes.nbytes) / 1e6
    figures["MB of text"] = len(document.text.encode()) / 1e6
    asked = questions_of(document.text, given.limit)
    for system in navigating(guide, SYSTEMS, False):
        opened = system.open(shelf, 0.0)
        some = asked[: given.sequential] if system.name == "sequential" else asked
        seconds, said = [], []
        for question, _ in some:
            began = time.perf_counter()
            found = system.answer(opened, question)
            seconds.append(time.perf_counter() - began)
            said.append(found.candidates[0].text if found.candidates else "")
        right = [exact(a, [year]) for a, (_, year) in zip(said, some, strict=True)]
        figures[system.name] = {
            "questions": len(some),
            "ms": 1000 * statistics.median(seconds),
            "EM": common.mean(right, 100),
            "EM of the first": common.mean(right[: given.sequential], 100),
            "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        }
    figures["times faster"] = figures["sequential"]["ms"] / figures["walk"]["ms"]
    common.tell(given.json, figures)


if __name__ == "__main__":
    main()
