"""Pairs in the store: they live and die with what they belong to, and counts and fingerprints follow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.corpora.store import Store
from answerable.errors import FormatError, UsageError
from answerable.types import Document, QAPair
from tests.indexes.samples import occurs, put, remove, texts


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "store.sqlite") as opened:
        put(opened, {"a": "first text", "b": "second text"})
        yield opened


def pair(id: str, passage: str = "a@0-10", question: str = "", **more: object) -> QAPair:
    made = QAPair(id, question or f"what is {id}", ("text", "a text"), passage, "public", 0.5, 6 if passage else 0)
    return replace(made, **{"end": 10 if passage else 0} | more)


def keep(store: Store, pairs: list[QAPair], passage: str = "a@0-10", made_by: str = "maker") -> bool:
    with store.write() as transaction:
        return transaction.put_pairs("public", passage, made_by, pairs)


def bring(store: Store, pairs: list[QAPair], source: str = "paq") -> int:
    with store.write() as transaction:
        return transaction.put_imported("public", source, pairs)


def kept(store: Store, enclave: str = "public") -> list[QAPair]:
    return [one for _, one in store.pairs(enclave)]


def test_pairs_come_back_whole_in_the_order_of_keys(store: Store) -> None:
    first, second = pair("1", answers=("Türme", "a \0 b")), pair("2", score=0.25)
    assert keep(store, [first, second])
    assert bring(store, [pair("3", ""), pair("4", "b@0-11")]) == 2
    assert kept(store) == [first, second, pair("3", ""), pair("4", "b@0-11")]
    assert store.pair_count("public") == 4
    keys = [key for key, _ in store.pairs("public")]
    assert keys == sorted(keys)
    assert [one.id for _, one in store.pairs("public", keys[1])] == ["3", "4"]
    assert kept(store, "elsewhere") == [] and store.pair_count("elsewhere") == 0
    assert store.pair_enclaves() == ["public"]


def test_pairs_of_a_document_are_those_of_its_passages_and_those_that_name_it(store: Store) -> None:
    keep(store, [pair("p", score=0.2), pair("q", score=0.9)])
    keep(store, [pair("r", "b@0-11")], "b@0-11")
    assert [one.id for one in store.pairs_of("public", "a", 9)] == ["q", "p"]
    assert [one.id for one in store.pairs_of("public", "a", 1)] == ["q"]
    assert store.pairs_of("public", "nothing", 9) == [] == store.pairs_of("mail", "a", 9)


def test_pairs_of_a_passage_take_the_place_of_those_generated_before_but_not_of_imported_ones(store: Store) -> None:
    keep(store, [pair("1"), pair("2")], made_by="older")
    bring(store, [pair("3")])
    keep(store, [pair("1", question="another")])
    assert kept(store) == [pair("3"), pair("1", question="another")]
    assert store.pair_origins("public") == [("maker", False, 1, 1), ("paq", True, 1, 0)]
    keep(store, [])
    assert kept(store) == [pair("3")]
    assert store.unpurged() == ["public"]


def test_passages_are_worked_on_once_by_each_maker_pairs_or_none(store: Store) -> None:
    assert [row.id for row in store.unpaired("public", "maker")] == ["a@0-10", "b@0-11"]
    keep(store, [])
    bring(store, [pair("1", "b@0-11")])
    assert [row.id for row in store.unpaired("public", "maker")] == ["b@0-11"]
    assert [row.id for row in store.unpaired("public", "other", most=1)] == ["a@0-10"]
    last = store.last_key("public")
    assert store.unpaired("public", "other", after=last) == []
    assert store.unpaired("elsewhere", "maker") == []
    keep(store, [], made_by="other")
    assert [row.id for row in store.unpaired("public", "maker")] == ["a@0-10", "b@0-11"]


def test_pairs_of_a_passage_that_is_gone_are_not_kept(store: Store) -> None:
    assert not keep(store, [pair("1", "gone@0-3")], "gone@0-3")
    assert store.pair_count("public") == 0 and store.pair_origins("public") == []


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_pairs_die_with_their_document_in_the_same_transaction(store: Store, how: str) -> None:
    keep(store, [pair("1")])
    bring(store, [pair("2"), pair("3", ""), pair("4", "b@0-11")])

    def change() -> None:
        with store.write() as transaction:
            if how == "removed":
                transaction.remove("public", ["a"])
            else:
                transaction.put(Document("a", "public", "", "another text", "a"), [], edition=2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        change()
    assert store.pair_count("public") == 4 == len(kept(store))
    with store.write() as transaction:
        transaction.remove("public", ["a"])
    assert [one.id for one in kept(store)] == ["3", "4"]
    assert store.pair_count("public") == 2
    assert store.pair_origins("public") == [("paq", True, 2, 0)]
    put(store, {"a": "first text"}, edition=2)
    assert [row.id for row in store.unpaired("public", "maker")] == ["b@0-11", "a@0-10"]


def test_a_document_that_stays_keeps_its_pairs(store: Store) -> None:
    keep(store, [pair("1")])
    put(store, {"a": "first text"}, edition=2)
    assert kept(store) == [pair("1")]


def test_a_source_is_removed_whole_and_alone(store: Store) -> None:
    keep(store, [pair("1")], made_by="paq")
    bring(store, [pair(f"p{n}", "") for n in range(1200)])
    bring(store, [pair("q", "")], "other")
    with store.write() as transaction:
        assert transaction.remove_pairs("public", "paq") == 1200
        assert transaction.remove_pairs("public", "nothing") == 0
    assert [one.id for one in kept(store)] == ["1", "q"]
    assert store.unpurged() == ["public"]


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (pair("1", "b@0-11"), "not of the passage"),
        (pair("1", enclave="private"), "'private'"),
        (pair("1", question="  "), "lacks"),
        (pair("1", answers=()), "lacks"),
        (pair("1", answers=("x", " ")), "lacks"),
        (pair("", question="who"), "lacks"),
        (pair("1", score=1.5), "1.5"),
        (pair("1", score=float("nan")), "nan"),
        (pair("1", start=11), "11 to 10"),
    ],
)
def test_what_is_no_pair_of_the_passage_is_refused_whole(store: Store, wrong: QAPair, what: str) -> None:
    keep(store, [pair("0")])
    with pytest.raises(UsageError, match=what):
        keep(store, [pair("2"), wrong])
    assert kept(store) == [pair("0")]


def test_what_cannot_be_imported_is_refused_whole(store: Store) -> None:
    keep(store, [pair("0")])
    for wrong in (pair("0"), pair("2", "gone@0-3"), pair("2", "", start=3, end=4)):
        with pytest.raises(UsageError):
            bring(store, [pair("1", ""), wrong])
    with pytest.raises(FormatError, match="no Unicode"):
        bring(store, [pair("1", "", question="\ud800")])
    with pytest.raises(UsageError, match="name"):
        bring(store, [pair("1", "")], "")
    assert kept(store) == [pair("0")]
    assert store.pair_origins("public") == [("maker", False, 1, 1)]


def test_what_is_deleted_is_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    with Store(folder / "store.sqlite") as store:
        put(store, texts(200))
        rows = list(store.rows("public"))
        with store.write() as transaction:
            for n, row in enumerate(rows):
                made = [pair(f"{row.id}?{i}", row.id, f"what is {n} of {i}") for i in range(5)]
                transaction.put_pairs("public", row.id, "maker", made)
            secret = [
                pair("s1", rows[7].id, "who keeps the quincunx"),
                pair("s2", rows[7].id, answers=("zeugma " * 900,)),
            ]
            transaction.put_pairs("public", rows[7].id, "maker", secret)
            transaction.put_pairs("public", rows[9].id, "maker", [pair("s3", rows[9].id, "is it a quincunx")])
            transaction.put_imported(
                "public", "cabinet", [pair("s4", "", "where is the quincunx", answers=("zeugma",))]
            )
        assert occurs(folder, b"quincunx") and occurs(folder, b"zeugma") and occurs(folder, b"cabinet")
        remove(store, ["doc00007"])
        keep(store, [pair("n", rows[9].id)], rows[9].id)
        with store.write() as transaction:
            assert transaction.remove_pairs("public", "cabinet") == 1
        assert store.unpurged() == ["public"]
        store.purge("public")
        for needle in (b"quincunx", b"zeugma", b"cabinet"):
            assert occurs(folder, needle) == []
        assert store.pair_count("public") == 198 * 5 + 1 == len(kept(store))


operations = st.lists(
    st.tuples(st.sampled_from(["make", "bring", "drop", "remove"]), st.integers(0, 3), st.integers(0, 3)), max_size=12
)


@settings(max_examples=40, deadline=None)
@given(operations)
def test_counts_and_fingerprints_are_those_of_what_is_there(steps: list[tuple[str, int, int]]) -> None:
    with Store(Path(":memory:")) as store, Store(Path(":memory:")) as fresh:
        documents = {f"d{n}": f"text {n}" for n in range(4)}
        put(store, documents)
        for edition, (what, which, count) in enumerate(steps):
            passage = f"d{which}@0-6"
            made = [pair(f"{what}{edition}.{i}", passage, start=0, end=4) for i in range(count)]
            with store.write() as transaction:
                there = bool(store.passages("public", [passage]))
                if what == "make":
                    assert transaction.put_pairs("public", passage, "maker", made) is there
                elif what == "bring" and there:
                    transaction.put_imported("public", f"from {which}", made)
                elif what == "drop":
                    transaction.remove_pairs("public", f"from {which}")
                elif what == "remove":
                    transaction.remove("public", [f"d{which}"])
        left = kept(store)
        assert store.pair_count("public") == len(left)
        put(fresh, documents)
        bring(fresh, left[::-1])
        assert fresh.pair_fingerprint("public") == store.pair_fingerprint("public")
        if left:
            bring(fresh, [pair("another", "")])
            assert fresh.pair_fingerprint("public") != store.pair_fingerprint("public")


def test_a_pair_without_a_passage_goes_with_any_document_it_names(store: Store) -> None:
    owned = [pair("1", ""), pair("2", ""), pair("3", ""), pair("4", "b@0-11")]
    with store.write() as transaction:
        transaction.put_imported("public", "paq", owned, {"1": ["a", "later"], "2": ["b"], "3": []})
    assert [store.pair_owners(key) for key, _ in store.pairs("public")] == [["a", "later"], ["b"], [], []]
    remove(store, ["b"])
    assert [one.id for one in kept(store)] == ["1", "3"]
    put(store, {"later": "came after its pair"})
    remove(store, ["later"])
    assert [one.id for one in kept(store)] == ["3"]
    with store.write() as transaction:
        assert transaction.remove_all_pairs("public") == 1
    assert store.pair_count("public") == 0 and store.unpurged() == ["public"]
    assert store._all("SELECT * FROM pair_owners") == []
