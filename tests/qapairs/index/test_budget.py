"""A budget is never exceeded, and more of it never holds fewer pairs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.corpora.store import Store
from answerable.errors import UsageError
from answerable.qapairs.index.budget import Sizes, choose, in_words, parse_bytes, shape_of
from answerable.qapairs.index.build import build_pair_index
from answerable.qapairs.index.listing import dictionary, listing, sizes
from answerable.qapairs.index.opened import open_pair_index
from answerable.qapairs.pair_settings import PairSettings
from tests.qapairs.samples import WordMatcher, bring, made, opened


@pytest.mark.parametrize(
    ("text", "size"),
    [("500MB", 500_000_000), ("2 GB", 2 * 10**9), ("1.5GiB", 3 * 2**29), ("64k", 64_000), ("10", 10), ("1Mib", 2**20)],
)
def test_budgets_are_read(text: str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1MB", "1TB", "0", "0.0001kB", "1,5GB", "1e9", "٣MB", "1 2MB"])
def test_what_is_no_budget_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(UsageError, match=r"memory.*500MB or 2GB"):
        parse_bytes(text)


def test_bytes_in_words() -> None:
    assert [in_words(n) for n in (999, 1500, 2_000_000, 1_234_000_000)] == ["999 B", "1.5 kB", "2.0 MB", "1.2 GB"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory):
    """What 1,200 pairs take, a third of them with questions that others have too."""
    pairs = made(1200)
    pairs[800:] = [replace(one, question=pairs[n].question) for n, one in enumerate(pairs[800:])]
    with opened(tmp_path_factory.mktemp("w")) as store:
        bring(store, pairs)
        listed = listing(store, "public")
        yield sizes(store, listed, dictionary(store, listed))[0]


def choose_or_none(measured, how: PairSettings, budget: int, model: int = 0) -> int:
    try:
        return choose(how, 384, measured, budget, model).pairs
    except UsageError:
        return 0


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1000, 2_000_000),
    st.integers(0, 200_000),
    st.sampled_from(
        [PairSettings(), PairSettings(index="flat"), PairSettings(index="graph"), PairSettings(numbers="i8")]
    ),
    st.integers(0, 50_000),
)
def test_more_never_holds_fewer(measured, budget: int, more: int, how: PairSettings, model: int) -> None:
    assert choose_or_none(measured, how, budget, model) <= choose_or_none(measured, how, budget + more, model)


@pytest.mark.parametrize("how", [PairSettings(), PairSettings(index="graph"), PairSettings(numbers="i8")])
def test_the_least_budget_that_is_named_holds_a_pair_and_less_does_not(measured, how: PairSettings) -> None:
    with pytest.raises(UsageError, match="cannot hold the model and one pair") as caught:
        choose(how, 384, measured, 100, 50)
    least = int(str(caught.value).rsplit(" ", 2)[-2])
    assert choose(how, 384, measured, least, 50).pairs >= 1
    with pytest.raises(UsageError):
        choose(how, 384, measured, least - 1, 50)


def test_whole_vectors_come_first_then_fewer_bytes_then_fewer_pairs(measured) -> None:
    choices = [choose(PairSettings(), 384, measured, size, 0) for size in range(2_000_000, 60_000, -20_000)]
    words = list(dict.fromkeys(choice.shape.words for choice in choices))
    assert words[:2] == ["flat, 384 f16 numbers", "flat, 384 i8 numbers"]
    assert choices[0].pairs == 1200 and "all pairs fit" in choices[0].why
    assert choices[-1].pairs < 1200 and "most probable" in choices[-1].why


def test_without_a_budget_the_settings_decide() -> None:
    assert shape_of(PairSettings(), 384, 10).words == "flat, 384 f16 numbers"
    assert shape_of(PairSettings(), 384, 60_000).words == "graph, 384 f16 numbers"
    assert shape_of(PairSettings(index="flat", numbers="i8"), 384, 60_000).words == "flat, 384 i8 numbers"
    assert shape_of(PairSettings(numbers="i8"), 7, 10).words == "flat, 7 i8 numbers"


def test_a_graph_gives_way_where_it_takes_too_much_but_not_where_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answerable.qapairs.index.budget.EXACT_LIMIT", 1000)
    numbers = Sizes(200_000, np.arange(0, 40) * 5000, lambda *_: 5000, np.arange(1201), 0)
    fitting = [choose(PairSettings(), 384, numbers, size, 0) for size in range(2_500_000, 400_000, -20_000)]
    words = list(dict.fromkeys(one.shape.words for one in fitting if one.pairs == 1200))
    assert words[0] == "graph, 384 f16 numbers" and words[-1] == "flat, 128 i8 numbers"
    named = choose(PairSettings(index="graph"), 384, numbers, 600_000, 0)
    assert named.shape.searched == "graph" and named.pairs < 1200


def test_without_the_library_of_graphs_many_are_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shape_of(PairSettings(), 384, 10**6).searched == "graph"
    monkeypatch.setattr("answerable.qapairs.index.budget.find_spec", lambda name: None)
    assert shape_of(PairSettings(), 384, 10**6).searched == "flat"


@pytest.mark.parametrize("index", ["flat", "graph", "auto"])
def test_what_is_written_is_within_and_holds_the_most_probable(tmp_path: Path, index: str) -> None:
    pairs = made(700)
    pairs[400:] = [replace(one, question=pairs[n].question) for n, one in enumerate(pairs[400:])]
    ranked = sorted(pairs, key=lambda pair: (-pair.score, pair.id))
    how, matcher, held = PairSettings(index=index), WordMatcher(), []  # type: ignore[arg-type]
    with Store(Path(":memory:")) as store:
        bring(store, pairs)
        for budget in (30_000, 45_000, 60_000, 80_000, 140_000, 400_000):
            built = build_pair_index(store, tmp_path, "public", matcher, how, budget, model=5000, threads=1)
            folder = next((tmp_path / "public").glob("pairs-*"))
            real = sum(path.stat().st_size for path in folder.iterdir())
            assert built.bytes == real and real + 5000 <= budget
            opened_now = open_pair_index(store, tmp_path, "public", "words", threads=1)
            assert opened_now.count == built.pairs and built.of == 700
            kept = list(opened_now.texts)
            assert sorted(pair.id for pair in kept) == sorted(pair.id for pair in ranked[: built.pairs])
            vectors = matcher.encode_questions([pair.question for pair in kept[:20]])
            for pair, matched in zip(kept, opened_now.search(vectors, 3), strict=False):
                assert pair in [one for one, _ in matched]
            held.append(built.pairs)
    assert held == sorted(held) and held[0] < held[2] and held[-1] == 700
    assert json.loads((folder / "pairs.json").read_text())["asked"]["budget"] == 400_000


def test_a_budget_too_small_is_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    with Store(Path(":memory:")) as store:
        bring(store, made(30))
        with pytest.raises(UsageError, match=r"1.0 kB cannot hold.*at least \d+ bytes"):
            build_pair_index(store, tmp_path, "public", WordMatcher(), PairSettings(), 1000)
        assert not (tmp_path / "public").exists()
