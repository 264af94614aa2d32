"""What every index must keep to; a test class inherits this and says how one is made and asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from answerable.indexes.index import Ranking

TEXTS = {
    "lamp": "The lamp of the lighthouse burned colza oil before petroleum.",
    "lens": "A lens of glass gathers the light of the lamp.",
    "keeper": "The keeper wound the clockwork every four hours of the night.",
    "horn": "In fog the horn was blown by compressed air.",
    "ship": "The tender ship brought oil, coal and letters to the rock.",
}


class IndexContract:
    """Inherit and define `make` and `ask`."""

    def make(self, folder: Path, texts: Mapping[str, str]) -> object:
        """An index of passages by id, kept in `folder`."""
        raise NotImplementedError

    def reopen(self, folder: Path, texts: Mapping[str, str]) -> object:
        """The index that `make` left in `folder`."""
        raise NotImplementedError

    def ask(self, index: object, text: str, k: int) -> Ranking:
        """Search by a text."""
        raise NotImplementedError

    def test_a_passage_is_found_by_its_own_text(self, tmp_path: Path) -> None:
        index = self.make(tmp_path, TEXTS)
        for id, text in TEXTS.items():
            assert self.ask(index, text, 3)[0][0] == id

    def test_scores_are_finite_best_first_and_at_most_k(self, tmp_path: Path) -> None:
        index = self.make(tmp_path, TEXTS)
        for k in (1, 2, 5, 50):
            ranking = self.ask(index, "oil for the lamp of the rock", k)
            assert 0 < len(ranking) <= min(k, len(TEXTS))
            assert all(math.isfinite(score) for _, score in ranking)
            assert all(a[1] >= b[1] for a, b in pairwise(ranking))

    def test_fewer_are_the_first_of_more(self, tmp_path: Path) -> None:
        index = self.make(tmp_path, TEXTS)
        everything = self.ask(index, "the lamp and the horn", len(TEXTS))
        for k in range(len(everything) + 1):
            assert self.ask(index, "the lamp and the horn", k) == everything[:k]

    def test_ties_break_by_id(self, tmp_path: Path) -> None:
        same = {f"copy{n:03d}": "a petroleum lamp" for n in reversed(range(120))} | {"other": "a tender ship"}
        ranking = self.ask(self.make(tmp_path, same), "petroleum lamp", 7)
        assert [id for id, _ in ranking] == [f"copy{n:03d}" for n in range(7)]
        assert len({score for _, score in ranking}) == 1

    def test_an_empty_index_finds_nothing(self, tmp_path: Path) -> None:
        assert self.ask(self.make(tmp_path, {}), "lamp", 5) == []

    def test_none_are_asked_for(self, tmp_path: Path) -> None:
        index = self.make(tmp_path, TEXTS)
        assert self.ask(index, "lamp", 0) == []
        assert self.ask(index, "lamp", -3) == []

    def test_opening_gives_what_was_saved(self, tmp_path: Path) -> None:
        made = self.ask(self.make(tmp_path, TEXTS), "oil for the lamp", 5)
        assert self.ask(self.reopen(tmp_path, TEXTS), "oil for the lamp", 5) == made

    def test_equal_passages_give_equal_indexes(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()
        first, second = self.make(tmp_path / "a", TEXTS), self.make(tmp_path / "b", dict(reversed(TEXTS.items())))
        for text in TEXTS.values():
            assert self.ask(first, text, 5) == self.ask(second, text, 5)
