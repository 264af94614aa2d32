"""BM25 over titles and texts: the contract, the formula, and queries nobody checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.corpora.store import Row
from answerable.errors import IndexMismatch
from answerable.indexes.index import Ranking, Statistics
from answerable.indexes.lexical import Bm25Index, build_bm25, extend_bm25
from answerable.indexes.postings import MAX_TERMS
from tests.contracts.index import TEXTS, IndexContract
from tests.indexes.samples import texts


def silent(*_: object) -> None:
    pass


def rows(given: Mapping[str, str], first: int = 1) -> list[Row]:
    return [Row(key, id, "", "", given[id]) for key, id in enumerate(sorted(given), start=first)]


def opened(folder: Path, *parts: list[Row]) -> Bm25Index:
    names = {row.key: row.id for part in parts for row in part}
    return Bm25Index(folder, lambda keys: {key: names[key] for key in keys if key in names})


def built(folder: Path, given: Mapping[str, str]) -> Bm25Index:
    folder.mkdir(exist_ok=True)
    build_bm25(rows(given), folder, silent, len(given))
    return opened(folder, rows(given))


class TestBm25Index(IndexContract):
    def make(self, folder: Path, texts: Mapping[str, str]) -> Bm25Index:
        return built(folder, texts)

    def reopen(self, folder: Path, texts: Mapping[str, str]) -> Bm25Index:
        return opened(folder, rows(texts))

    def ask(self, index: Bm25Index, text: str, k: int) -> Ranking:
        return index.search(text, k)


def test_scores_are_bm25(tmp_path: Path) -> None:
    given = {"a": "lamp lamp reef", "b": "lamp tower", "c": "rock tower harbour pilot"}
    (id, score), *_ = built(tmp_path, given).search("lamp", 1)
    average = sum(len(text.split()) for text in given.values()) / 3
    assert id == "a"
    assert score == pytest.approx(2 / (2 + 1.2 * (1 - 0.75 + 0.75 * 3 / average)), rel=1e-4)
    idf = [math.log(1 + (3 - having + 0.5) / (having + 0.5)) for having in (2, 0)]
    (_, less), *_ = built(tmp_path / "again", given).search("lamp quincunx", 1)
    assert less == pytest.approx(score * idf[0] / sum(idf), rel=1e-4)


def test_titles_count(tmp_path: Path) -> None:
    build_bm25([Row(1, "x", "Bell Rock", "", "a tower"), Row(2, "y", "", "", "a rock")], tmp_path, silent, 2)
    index = Bm25Index(tmp_path, lambda keys: {key: "xy"[key - 1] for key in keys})
    assert [id for id, _ in index.search("bell", 5)] == ["x"]
    assert {id for id, _ in index.search("rock", 5)} == {"x", "y"}


def test_headings_count(tmp_path: Path) -> None:
    build_bm25([Row(1, "x", "Handbook", "Travel > Hotels", "up to 90 a night")], tmp_path, silent, 1)
    assert Bm25Index(tmp_path, lambda _: {1: "x"}).search("hotel", 1)


@pytest.mark.parametrize("query", ["hopital", "HÔPITAL", "hôpitaux hôpital", "the running of", "ran? run!"])
def test_words_are_found_in_their_forms(tmp_path: Path, query: str) -> None:
    index = built(tmp_path, {"a": "L'Hôpital was running", "b": "nothing of the kind"})
    assert index.search(query, 5)[0][0] == "a"


def test_stop_words_count_only_when_there_is_nothing_else(tmp_path: Path) -> None:
    index = built(tmp_path, {"a": "The Who played", "b": "a lamp on the rock"})
    assert [id for id, _ in index.search("the lamp", 5)] == ["b"]
    assert index.search("Who is the", 5)[0][0] == "a"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        '"',
        'title:"lamp',
        "lamp AND (",
        "text:[a TO z]",
        "+lamp -lamp",
        "lamp*~^3",
        "\x00",
        "🗼",
        "x" * 50_000,
    ],
)
def test_no_character_is_an_operator(tmp_path: Path, query: str) -> None:
    ranking = built(tmp_path, TEXTS).search(query, 5)
    assert ("lamp" in query) == any(id == "lamp" for id, _ in ranking)


@settings(max_examples=60, deadline=None)
@given(query=st.lists(st.sampled_from(["lamp", "keeper"]) | st.text(max_size=20), max_size=6).map(" ".join))
def test_any_text_is_a_query(tmp_path_factory: pytest.TempPathFactory, query: str) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    index = opened(folder, rows(TEXTS)) if folder.exists() else built(folder, TEXTS)
    for _, score in index.search(query, 3):
        assert math.isfinite(score)


def test_a_word_that_no_passage_has_makes_every_share_smaller(tmp_path: Path) -> None:
    index = built(tmp_path, {"a": "keepers", "b": "lamps", "c": "a rock"})
    plain, further = dict(index.search("keeper lamp", 5)), dict(index.search("keeper lamp quincunx", 5))
    assert plain.keys() == further.keys() == {"a", "b"}
    assert all(0 < further[id] < plain[id] <= 1 for id in plain)


@pytest.mark.parametrize(
    ("typed", "found"),
    [("Transwestrn", ["a"]), ("gotenburg", ["d"]), ("lmap", ["b"]), ("Transwestern", ["a"]), ("zzz", []), ("1986", [])],
)
def test_a_word_that_nobody_writes_finds_what_is_spelt_nearly_so(tmp_path: Path, typed: str, found: list[str]) -> None:
    texts = {"a": "Transwestern Pipeline", "b": "lamps on the rock", "c": "built in 1987", "d": "Gothenburg"}
    ranking = built(tmp_path, texts).search(typed, 5)
    assert [id for id, _ in ranking] == found
    assert all(0 < share < 0.6 for _, share in ranking)


def test_a_long_query_is_cut_to_its_rare_words(tmp_path: Path) -> None:
    common = [f"common{n}" for n in range(2 * MAX_TERMS)]
    given = {f"d{n}": " ".join(common) for n in range(30)} | {"rare": "quincunx"}
    index = built(tmp_path, given)
    ranking = index.search(" ".join([*common, "nowhere", "quincunx"]), 40)
    assert ranking[0][0] == "rare"
    assert len(ranking) == 31


def test_adding_gives_the_scores_of_building_at_once_and_leaves_the_base_alone(tmp_path: Path) -> None:
    old, new = texts(300), {f"new{n}": text for n, text in enumerate(texts(40, seed=5).values())}
    base = built(tmp_path / "base", old)
    before = base.search("lamp keeper storm", 20)
    (tmp_path / "more").mkdir()
    extend_bm25(tmp_path / "base", rows(new, first=1001), tmp_path / "more", silent, len(new))
    more = opened(tmp_path / "more", rows(old), rows(new, first=1001))
    whole = built(tmp_path / "whole", old | new)
    assert len(more) == 340
    for query in ("lamp keeper storm", "granite mason", "island night signal flash"):
        a, b = more.search(query, 340), whole.search(query, 340)
        assert {id: pytest.approx(score, rel=1e-4) for id, score in a} == dict(b)
    assert built_again(tmp_path / "base", old).search("lamp keeper storm", 20) == before


def built_again(folder: Path, given: Mapping[str, str]) -> Bm25Index:
    return opened(folder, rows(given))


def test_passages_that_are_gone_are_left_out(tmp_path: Path) -> None:
    built(tmp_path, TEXTS)
    names = {row.key: row.id for row in rows(TEXTS) if row.id != "lamp"}
    index = Bm25Index(tmp_path, lambda keys: {key: names[key] for key in keys if key in names})
    found = [id for id, _ in index.search("lamp oil", 5)]
    assert found
    assert "lamp" not in found


def test_a_damaged_index_is_refused_with_the_way_out(tmp_path: Path) -> None:
    built(tmp_path, TEXTS)
    (tmp_path / "meta.json").write_text("{", encoding="utf-8")
    with pytest.raises(IndexMismatch, match="answerable index"):
        opened(tmp_path)


def test_no_text_is_kept(tmp_path: Path) -> None:
    built(tmp_path, TEXTS)
    assert not any(b"burned colza oil" in path.read_bytes() for path in tmp_path.iterdir())


def test_several_threads_find_the_same(tmp_path: Path) -> None:
    index = built(tmp_path, texts(500))
    queries = [f"{a} {b}" for a in ("lamp", "rock", "storm") for b in ("keeper", "glass", "gale")]
    alone = [index.search(query, 10) for query in queries]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda query: index.search(query, 10), queries * 8)) == alone * 8


def test_an_index_on_a_read_only_disk_is_searched_by_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "index"
    expected = built(folder, TEXTS).search("lamp", 3)
    locks = [file for file in folder.iterdir() if file.suffix == ".lock"]
    for file in locks:
        file.unlink()
    monkeypatch.setattr("answerable.indexes.lexical.os.access", lambda *_: False)
    assert opened(folder, rows(TEXTS)).search("lamp", 3) == expected
    assert not [file for file in folder.iterdir() if file.suffix == ".lock"]


def test_words_of_passages_that_are_elsewhere_count_by_the_statistics_of_all(tmp_path: Path) -> None:
    """A word that stands elsewhere alone is no slip here, and what is rare among all counts as rare."""
    every = {"a": "lamp lamps horn", "b": "the lamp of the harbour", "c": "horn harbour keeper"}
    one = built(tmp_path / "one", every)
    part, other = (built(tmp_path / ids, {id: every[id] for id in ids}) for ids in ("ab", "c"))
    words = ["keeper", "harbour", "horn"]
    shared = Statistics.of([part.statistics(words), other.statistics(words)])
    assert shared == one.statistics(words) and shared.having == {"keeper": 1, "harbour": 2, "horn": 2}
    whole = dict(one.search("keeper harbour horn", 3))
    assert dict(part.search("keeper harbour horn", 3, shared)) == pytest.approx(
        {id: whole[id] for id in "ab"}, rel=1e-4
    )
    assert dict(part.search("keeper harbour horn", 3)) != pytest.approx({id: whole[id] for id in "ab"}, rel=1e-2)
