"""What the journal costs: processor time and bytes for each search written down, and time to verify a line.

    python benchmarks/journal.py [--searches N] [--json FILE]

Writes N searches of 64 characters and a vector of 384 numbers, each with its hits, to a journal in a temporary folder
of the current directory; then verifies it. Processor time, so that a busy machine counts little. An ask of two hops
makes some twenty searches.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import common
from answerable.privacy.audit_log import AuditLog, JournalSettings
from answerable.privacy.audit_records import Sent
from answerable.privacy.enclaves import public
from answerable.privacy.flow import decide
from answerable.types import Privacy, Query, Skill

QUESTION = "Which society did the man help to found after whom it is called?"
SENT = Sent(QUESTION, bytes(4 * 384), "hybrid", 10)


def write(path: Path, searches: int, keep: bool) -> float:
    """Seconds of processor time for each search."""
    journal, wiki = AuditLog(path, JournalSettings(keep=keep)), public("wiki")
    query = Query(QUESTION)
    decision = decide(query, wiki, Privacy.DOCUMENT)
    started = time.process_time()
    for _ in range(searches):
        journal.found(journal.searches("00000000", Skill.SINGLE, wiki, [(query, decision, SENT)])[0], 10)
    journal.flush()
    return (time.process_time() - started) / searches


def main(words: list[str] | None = None) -> int:
    """Measure and print a table."""
    parser = common.parser(__doc__)
    parser.add_argument("--searches", type=int, default=5000)
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        path = Path(folder) / "journal.jsonl"
        figures = {"microseconds a search": 1e6 * write(path, given.searches, keep=True)}
        figures["turned off"] = 1e6 * write(Path(folder) / "none.jsonl", given.searches, keep=False)
        figures["bytes a search"] = path.stat().st_size / given.searches
        started = time.process_time()
        verdict = AuditLog(path).verified()
        figures["microseconds to verify a line"] = 1e6 * (time.process_time() - started) / verdict.lines
    common.tell(given.json, figures, given.searches)
    return 0 if verdict.broken is None and verdict.lines == 2 * given.searches else 1


if __name__ == "__main__":
    sys.exit(main())
