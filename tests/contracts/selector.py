"""What every selector of passages must keep to; a test class inherits this and says which selector."""

from __future__ import annotations

from answerable.qapairs.generation.parts import Selector
from answerable.types import Passage

TEXTS = (
    "Skerryvore Lighthouse stands west of Tiree. It was designed by Alan Stevenson and first lit in 1844.",
    "The Chance Brothers made glass in Smethwick. Their works closed in 1981.",
    "See also the list of references below.",
)


def passage(text: str, title: str = "Skerryvore Lighthouse", start: int = 100) -> Passage:
    """A made-up passage that begins at character `start` of its document."""
    return Passage(f"p-{text[:12]}", "d", "public", title, text, start, start + len(text))


class SelectorContract:
    """Inherit and define `selector`."""

    selector: Selector

    def test_gives_a_probability_for_each_passage(self) -> None:
        found = self.selector.score([passage(text) for text in TEXTS])
        assert len(found) == len(TEXTS) and all(0 <= score <= 1 for score in found)

    def test_no_other_passage_changes_it(self) -> None:
        found = self.selector.score([passage(text) for text in TEXTS])
        assert [self.selector.score([passage(text)])[0] for text in TEXTS] == found
        assert self.selector.score([passage(text) for text in reversed(TEXTS)]) == found[::-1]

    def test_nothing_to_score_is_ordinary(self) -> None:
        assert self.selector.score([]) == []

    def test_odd_and_very_long_text_is_scored_without_fuss(self) -> None:
        odd = ["", "  \n", "🗼" * 50, "x" * 20_000, "a\x00b\n\n\tc", (TEXTS[0] + " ") * 60]
        assert all(0 <= score <= 1 for score in self.selector.score([passage(text, title="") for text in odd]))

    def test_has_a_name(self) -> None:
        assert self.selector.name
