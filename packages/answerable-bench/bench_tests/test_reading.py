from collections.abc import Sequence

from answerable.types import Candidate, Chain
from answerable_bench.pairs import Proposal
from answerable_bench.propose import Reads
from bench_tests.world import mail, page

PASSAGES = (mail("Fulmar Ropes took on the Petrel."), page("Fulmar Ropes", "It was founded in 1921."))
ASKED = Proposal("PG1", "PG", "bridge", ("e1_p0", "Q1"), ("Fulmar Ropes",) * 2, "When?", "1921", ((0,), (0,)))


class Sure:
    """A reader that is so sure of an answer, by the number of passages that it reads."""

    name = "sure"

    def __init__(self, answer: str, alone: float, both: float) -> None:
        self._answer, self._scores = answer, (alone, both)

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        (chain,) = chains
        return [Candidate(self._answer, self._scores[len(chain.hits) - 1], chain, len(chain.hits) - 1, 0, 4)]


def told(reader: Sure, one: Proposal) -> str | None:
    said = Reads(reader).objection(one, PASSAGES)
    return said[0] if said else None


def test_a_question_needs_both_passages_to_be_read():
    assert told(Sure("1921", 0.2, 0.9), ASKED) is None
    assert told(Sure("1921", 0.9, 0.9), ASKED) == "read alone"


def test_what_was_written_need_not_be_what_the_reader_can_do():
    assert told(Sure("Bodø", 0.2, 0.9), ASKED) is None
