"""What a memory of good answers gives again: to the same question, to it in other words, and to one that is nearly it.

    python benchmarks/remembering.py [--file FILE] [--model NAME]

FILE is JSONL: `question`, its `answers`, `again` (the same in other words) and `near` (another question). The first
answer to each question is remembered as good, all of them in one memory; then each is asked again word for word, put
otherwise, and its near miss is asked. A near miss answered at all is counted, and so is another question's answer to a
paraphrase. In per cent, with what holds 95 % (Wilson 1927).

Nothing of what is reported was chosen on these questions. What is said of a memory is said of the last step alone:
whether the answers stand in their sources is taken for granted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import common
from answerable.encoders.hashed import HashedEncoder
from answerable.evaluation.metrics.answers import exact
from answerable.privacy.enclaves import EnclaveTable
from answerable.qapairs.answering import PairEngine
from answerable.qapairs.calibration import open_calibration
from answerable.qapairs.lookup import Matcher, PairReranker
from answerable.qapairs.remembered import Judged, Remembered
from answerable.qapairs.verify import Verifier
from answerable.retriever import Retriever
from answerable.types import PUBLIC, Answer, Query
from answerable.workspace.models import open_matcher, open_verifier
from same_question import share

REPEATS = Path(__file__).parent / "same" / "repeats.jsonl"


@dataclass(frozen=True, slots=True)
class Repeat:
    """A question with its answers, the same put otherwise, and a near miss."""

    question: str
    answers: tuple[str, ...]
    again: str
    near: str


def read_repeats(path: Path) -> list[Repeat]:
    """All of a file, in order."""
    return [Repeat(row["question"], tuple(row["answers"]), row["again"], row["near"]) for row in common.rows(path)]


def memory(repeats: Sequence[Repeat], matcher: Matcher, reranker: PairReranker | None, verify: Verifier) -> Remembered:
    """One in which the first answer to each was called good, and all of them stand; weighed as a workspace does."""
    door = Retriever(EnclaveTable([]), {}, HashedEncoder(), matcher=matcher)
    calibration = open_calibration(matcher.name, reranker.name if reranker else "")
    rows = np.asarray(matcher.encode_questions([one.question for one in repeats]), np.float16)
    held = [
        Judged(one.question, one.answers[0], PUBLIC, (), (), "", True, matcher.name, row.tobytes())
        for one, row in zip(repeats, rows, strict=True)
    ]
    return Remembered(PairEngine(door, reranker, verify, calibration), lambda: held, lambda _: (None, ()))


def figures(repeats: Sequence[Repeat], held: Remembered) -> dict[str, Any]:
    """What the memory gives."""

    def given(question: str) -> Answer | None:
        return held.recall(Query(question), True).answer

    def own(found: Answer | None, one: Repeat) -> bool:
        return found is not None and found.pair is not None and found.pair.question == one.question

    word_for_word = [(given(one.question), one) for one in repeats]
    again = [(given(one.again), one) for one in repeats]
    return {
        "repeats answered rightly": share(
            [found is not None and exact(found.text or "", one.answers) == 1.0 for found, one in word_for_word]
        ),
        "paraphrases answered from their own": share([own(found, one) for found, one in again]),
        "paraphrases answered from another": share([found is not None and not own(found, one) for found, one in again]),
        "near misses answered": share([given(one.near) is not None for one in repeats]),
    }


def main(words: list[str] | None = None) -> None:
    """Print the figures, one a line, and write the record."""
    parser = common.parser(__doc__)
    parser.add_argument("--file", type=Path, default=REPEATS, help="JSONL of question, answers, again and near")
    parser.add_argument("--model", default="skills", help="as models.matcher")
    given = parser.parse_args(words)
    repeats = read_repeats(given.file)
    report = figures(repeats, memory(repeats, *open_matcher(given.model), open_verifier(given.model)))
    common.tell(given.json, report, len(repeats))


if __name__ == "__main__":
    main()
