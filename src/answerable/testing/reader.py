"""What every reader must keep to; a test class inherits this and says which reader."""

from __future__ import annotations

from itertools import pairwise

from answerable.readers.reader import Reader
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill


def chain(*texts: str, title: str = "Skerryvore Lighthouse", start: int = 100) -> Chain:
    """A chain of made-up passages, each beginning at character `start` of its document."""
    hits = []
    for i, text in enumerate(texts):
        passage = Passage(f"p{i}-{text[:12]}", f"d{i}", "public", title, text, start, start + len(text))
        hits.append(Hit(passage, 1.0, PUBLIC, Skill.SINGLE))
    return Chain(tuple(hits), 1.0, PUBLIC)


LIGHT = "Skerryvore Lighthouse stands west of Tiree. It was designed by Alan Stevenson and first lit in 1844."
OTHER = "The Chance Brothers made glass in Smethwick. Their works closed in 1981."


class ReaderContract:
    """Inherit and define `reader`; `polar` is False for one that leaves questions alone which ask yes or no."""

    reader: Reader
    polar = True

    def test_a_span_is_verbatim_in_its_passage(self) -> None:
        for candidate in self.reader.read("Who designed Skerryvore Lighthouse?", [chain(LIGHT), chain(OTHER, LIGHT)]):
            passage = candidate.chain.hits[candidate.hit].passage
            assert passage.text[candidate.start - passage.start : candidate.end - passage.start] == candidate.text

    def test_best_first_and_deterministic(self) -> None:
        question, chains = "When was Skerryvore Lighthouse first lit?", [chain(LIGHT), chain(OTHER)]
        once, again = self.reader.read(question, chains), self.reader.read(question, chains)
        assert once == again
        assert all(a.score >= b.score for a, b in pairwise(once))

    def test_the_order_of_chains_does_not_matter(self) -> None:
        question, chains = "When was Skerryvore Lighthouse first lit?", [chain(LIGHT), chain(OTHER)]
        best, other = self.reader.read(question, chains), self.reader.read(question, chains[::-1])
        assert best[0].text == other[0].text

    def test_nothing_to_read_is_ordinary(self) -> None:
        assert self.reader.read("Who?", []) == []
        assert self.reader.read("Who designed it?", [Chain((), 0.0, PUBLIC)]) == []
        assert self.reader.read("   ", [chain(LIGHT)]) == []

    def test_a_polar_question_is_answered_yes_or_no(self) -> None:
        found = self.reader.read("Was Skerryvore Lighthouse first lit in 1844?", [chain(LIGHT)])
        assert {c.text for c in found} <= {"yes", "no"}
        assert found or not self.polar

    def test_odd_text_is_read_without_fuss(self) -> None:
        for text in ("", " ", "🗼" * 50, "x" * 20_000, "a\x00b\n\n\tc", "ÅØǼ ﬁ " * 40):
            odd = self.reader.read("Who designed Skerryvore Lighthouse?", [chain(text)])
            assert all(c.text in text for c in odd)
            assert all(c.text in LIGHT for c in self.reader.read(text, [chain(LIGHT)]))
