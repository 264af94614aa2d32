"""What every extractor of answers must keep to; a test class inherits this and says which extractor."""

from __future__ import annotations

from answerable.qapairs.generation.parts import Extractor
from answerable.types import Passage

LIGHT = "Skerryvore Lighthouse stands west of Tiree. It was designed by Alan Stevenson and first lit in 1844."
GLASS = "The Chance Brothers made glass in Smethwick. Their works closed in 1981."


def passage(text: str, title: str = "Skerryvore Lighthouse", start: int = 100) -> Passage:
    """A made-up passage that begins at character `start` of its document."""
    return Passage(f"p-{text[:12]}", "d", "public", title, text, start, start + len(text))


class ExtractorContract:
    """Inherit and define `extractor`."""

    extractor: Extractor

    def test_answers_are_verbatim_by_place_and_bear_its_name(self) -> None:
        for one, found in zip((LIGHT, GLASS), self.extractor.extract([passage(LIGHT), passage(GLASS)]), strict=True):
            assert found and [(e.start, e.end) for e in found] == sorted((e.start, e.end) for e in found)
            for extracted in found:
                assert extracted.text == one[extracted.start : extracted.end] and extracted.text.strip()
                assert 0 <= extracted.score <= 1 and extracted.extractor == self.extractor.name != ""

    def test_no_other_passage_changes_it(self) -> None:
        alone = self.extractor.extract([passage(LIGHT)])[0]
        assert self.extractor.extract([passage(GLASS), passage(LIGHT)])[1] == alone
        assert self.extractor.extract([passage(LIGHT), passage("x " * 300)])[0] == alone

    def test_nothing_to_read_is_ordinary(self) -> None:
        assert self.extractor.extract([]) == []
        assert self.extractor.extract([passage(""), passage("  \n ")]) == [[], []]

    def test_odd_and_very_long_text_is_read_without_fuss(self) -> None:
        odd = ["🗼" * 50, "x" * 20_000, "a\x00b\n\n\tc", "ÅØǼ ﬁ " * 40, (LIGHT + " ") * 60]
        for text, found in zip(odd, self.extractor.extract([passage(text) for text in odd]), strict=True):
            assert all(e.text == text[e.start : e.end] for e in found)
