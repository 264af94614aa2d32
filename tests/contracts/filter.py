"""What every filter of questions must keep to; a test class inherits this and says which filter."""

from __future__ import annotations

from answerable.qapairs.generation.parts import Extracted, Filter, Generated
from answerable.types import Passage

LIGHT = "Skerryvore Lighthouse stands west of Tiree. It was designed by Alan Stevenson and first lit in 1844."
GLASS = "The Chance Brothers made glass in Smethwick. Their works closed in 1981."


def passage(text: str, enclave: str = "public", title: str = "Skerryvore Lighthouse") -> Passage:
    """A whole document of one passage."""
    return Passage(f"{enclave}-{text[:10]}", f"{enclave}-{text[:10]}", enclave, title, text, 0, len(text))


def made(question: str, answer: str, text: str) -> Generated:
    """A question made of a text for characters of it."""
    start = text.index(answer)
    return Generated(question, Extracted(start, start + len(answer), answer, 0.5, "test"), 0.5, "test")


ASKED = [
    [made("Who designed what was first lit?", "Alan Stevenson", LIGHT), made("When was it lit?", "1844", LIGHT)],
    [made("Where did the Chance Brothers make glass?", "Smethwick", GLASS)],
    [],
]
PASSAGES = [passage(LIGHT), passage(GLASS), passage("Nothing.")]


class FilterContract:
    """Inherit and define `filter`, over a corpus that has `PASSAGES`."""

    filter: Filter

    def test_one_verdict_for_each_question(self) -> None:
        found = self.filter.consistent(PASSAGES, ASKED)
        assert [len(row) for row in found] == [2, 1, 0]
        assert self.filter.consistent([], []) == []

    def test_what_is_beside_a_question_does_not_matter(self) -> None:
        whole = self.filter.consistent(PASSAGES, ASKED)
        assert self.filter.consistent(PASSAGES[::-1], ASKED[::-1]) == whole[::-1]
        for passage, row, verdicts in zip(PASSAGES, ASKED, whole, strict=True):
            assert [self.filter.consistent([passage], [[one]])[0][0] for one in row] == verdicts

    def test_a_question_that_finds_its_answer_stays_and_one_that_does_not_goes(self) -> None:
        right = made("Who designed what was first lit?", "Alan Stevenson", LIGHT)
        wrong = made("Who designed what was first lit?", "Tiree", LIGHT)
        [[stays, goes]] = self.filter.consistent(PASSAGES[:1], [[right, wrong]])
        assert 0 < stays <= 1 and goes == 0

    def test_odd_questions_are_judged_without_fuss(self) -> None:
        odd = [made(question, "Tiree", LIGHT) for question in ("?", " x ", "a\x00b", "was it lit " * 50)]
        assert len(self.filter.consistent(PASSAGES[:1], [odd])[0]) == 4
