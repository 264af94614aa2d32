"""What every index on disk must keep to; a test class inherits this and says how one is made and asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from answerable.testing.index import TEXTS, RankingContract


class IndexContract(RankingContract):
    """Inherit and define `make`, `reopen` and `ask`."""

    def reopen(self, folder: Path, texts: Mapping[str, str]) -> object:
        """The index that `make` left in `folder`."""
        raise NotImplementedError

    def test_opening_gives_what_was_saved(self, tmp_path: Path) -> None:
        made = self.ask(self.make(tmp_path, TEXTS), "oil for the lamp", 5)
        assert self.ask(self.reopen(tmp_path, TEXTS), "oil for the lamp", 5) == made

    def test_equal_passages_give_equal_indexes(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()
        first, second = self.make(tmp_path / "a", TEXTS), self.make(tmp_path / "b", dict(reversed(TEXTS.items())))
        for text in TEXTS.values():
            assert self.ask(first, text, 5) == self.ask(second, text, 5)
