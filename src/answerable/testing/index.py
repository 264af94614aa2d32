"""What every index must keep to; a test class inherits this and says how one is made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from answerable.indexes.index import Ranking

TEXTS = {
    "lamp": "The lamp of the lighthouse burned colza oil before petroleum.",
    "lens": "A lens of glass gathers the light of the lamp.",
    "keeper": "The keeper wound the clockwork every four hours of the night.",
    "horn": "In fog the horn was blown by compressed air.",
    "ship": "The tender ship brought oil, coal and letters to the rock.",
}


class RankingContract:
    """What ranks passages. Inherit and define `make` and `ask`."""

    def make(self, folder: Path, texts: Mapping[str, str]) -> Any:
        """An index of passages by id, which may keep files in `folder`."""
        raise NotImplementedError

    def ask(self, index: Any, text: str, k: int) -> Ranking:
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


class SearchableEnclaveContract(RankingContract):
    """What `Workspace.attach` takes. Inherit and define `make`, and `ask` for one that is searched by vectors."""

    def ask(self, index: Any, text: str, k: int) -> Ranking:
        """Search by a text alone."""
        found: Ranking = index.search(text, None, "lexical", k)
        return found

    def test_passages_come_as_they_were_asked_for(self, tmp_path: Path) -> None:
        index = self.make(tmp_path, TEXTS)
        found = index.passages(["ship", "gone", "lamp"])
        assert [(one.id, one.text) for one in found] == [(id, TEXTS[id]) for id in ("ship", "lamp")]
        assert all(one.end - one.start == len(one.text) for one in found)
        assert len({one.enclave for one in found}) == 1
        assert index.passages([]) == []

    def test_fetching_finds_what_searching_does(self, tmp_path: Path) -> None:
        index = self.make(tmp_path, TEXTS)
        ranking, vectors = index.fetch("oil for the lamp", None, "lexical", 3)
        assert ranking == index.search("oil for the lamp", None, "lexical", 3)
        assert set(vectors) <= {id for id, _ in ranking}
