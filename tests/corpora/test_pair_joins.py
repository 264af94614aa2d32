"""Pairs that ask the same hold each other's answers, as long as those are there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answerable.corpora.pair_joins import ANSWERS, join_answers, pairs_folder, settle_pairs
from answerable.corpora.store import Store
from answerable.encoders.hashed import HashedEncoder
from answerable.indexes.build import IndexBuilder
from answerable.qapairs.generation.stages import pair_id
from answerable.text import normalise_answer, normalise_question
from answerable.types import QAPair
from tests.indexes.samples import occurs, put, remove

TEXTS = {name: f"text of {name}" for name in "abcdef"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as opened:
        put(opened, TEXTS)
        put(opened, TEXTS, "other")
        yield opened


def keep(store: Store, document: str, *asked: tuple[str, str], enclave: str = "public", score: float = 0.5) -> None:
    passage = f"{document}@0-{len(TEXTS[document])}"
    made = [
        QAPair(pair_id(enclave, passage, question), question, (answer,), passage, enclave, score)
        for question, answer in asked
    ]
    with store.write() as transaction:
        assert transaction.put_pairs(enclave, passage, "test", made)


def answers(store: Store, enclave: str = "public") -> dict[tuple[str, str], tuple[str, ...]]:
    return {(pair.passage_id[:1], pair.question): pair.answers for _, pair in store.pairs(enclave)}


def test_what_is_answered_differently_has_all_answers_the_own_one_first(store: Store) -> None:
    keep(store, "a", ("Who kept it?", "Ann"), ("Who left?", "Bo"), score=0.2)
    keep(store, "b", ("who kept it", "Cy"), score=0.9)
    keep(store, "c", ("Who kept it??", "the Ann."), score=0.3)
    keep(store, "a", ("Who kept it?", "Di"), enclave="other")
    assert join_answers(store, "public") == 3
    assert answers(store) == {
        ("a", "Who kept it?"): ("Ann", "Cy"),
        ("a", "Who left?"): ("Bo",),
        ("b", "who kept it"): ("Cy", "the Ann."),
        ("c", "Who kept it??"): ("the Ann.", "Cy"),
    }
    assert answers(store, "other") == {("a", "Who kept it?"): ("Di",)}
    assert join_answers(store, "public") == 0


def test_what_was_imported_keeps_its_own_answers(store: Store) -> None:
    imported = QAPair("x", "Who kept it?", ("Eve", "Evelyn"), "", "public", 0.5)
    with store.write() as transaction:
        transaction.put_imported("public", "elsewhere", [imported])
    keep(store, "a", ("Who kept it?", "Ann"))
    join_answers(store, "public")
    settle_pairs(store, "public")
    assert imported in [one for _, one in store.pairs("public")] and answers(store)["a", "Who kept it?"] == ("Ann",)


def test_a_deletion_takes_its_answers_from_the_others(store: Store) -> None:
    for name, answer in zip("abc", ("Ann", "Kestrel-Quark", "Cy"), strict=True):
        keep(store, name, ("Who kept it?", answer))
    join_answers(store, "public")
    assert all(len(told) == 3 for told in answers(store).values())
    builder = IndexBuilder(store, store.path.parent / "indexes", HashedEncoder(16))
    builder.delete("public", ["b"])
    assert {*answers(store).values()} == {("Ann", "Cy"), ("Cy", "Ann")}
    assert not occurs(store.path.parent, b"Kestrel-Quark")


def test_a_question_with_many_answers_holds_the_likeliest(store: Store) -> None:
    put(store, {f"n{number}": TEXTS["a"] for number in range(15)})
    for number in range(15):
        passage = f"n{number}@0-{len(TEXTS['a'])}"
        own = QAPair(pair_id("public", passage, "Who?"), "Who?", (f"N{number}",), passage, "public", number / 20)
        with store.write() as transaction:
            transaction.put_pairs("public", passage, "test", [own])
    join_answers(store, "public")
    told = {pair.answers[0]: pair.answers for _, pair in store.pairs("public")}
    assert all(len(one) == ANSWERS for one in told.values())
    assert told["N0"][1:] == tuple(f"N{number}" for number in range(14, 5, -1))


def test_unfinished_work_goes_with_a_deletion(store: Store) -> None:
    (pairs_folder(store) / "public" / "recipe").mkdir(parents=True)
    (pairs_folder(store) / "other").mkdir()
    settle_pairs(store, "public")
    assert [path.name for path in pairs_folder(store).iterdir()] == ["other"]


ASKED = st.lists(st.tuples(st.sampled_from(["Q one?", "q One", "Q two?"]), st.sampled_from(["x", "The X", "y", "z"])))


@given(st.dictionaries(st.sampled_from("abcdef"), ASKED), st.sets(st.sampled_from("abcdef")), st.booleans())
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_joining_is_the_same_after_a_deletion_as_without_what_was_deleted(
    tmp_path_factory: pytest.TempPathFactory, asked: dict[str, list[tuple[str, str]]], gone: set[str], twice: bool
) -> None:
    folder, found = tmp_path_factory.mktemp("joined"), []
    for name in ("deleted", "never"):
        with Store(folder / name) as store:
            put(store, {one: TEXTS[one] for one in "abcdef" if name == "deleted" or one not in gone})
            for document, questions in sorted(asked.items()):
                once = {normalise_question(question): (question, answer) for question, answer in questions}
                if name == "deleted" or document not in gone:
                    keep(store, document, *once.values())
            join_answers(store, "public")
            if name == "deleted":
                remove(store, gone & set(asked))
                settle_pairs(store, "public")
                if twice:
                    join_answers(store, "public")
            found.append((answers(store), store.pair_fingerprint("public")))
            for told in answers(store).values():
                words = [normalise_answer(one) for one in told]
                assert len(set(words)) == len(words)
    assert found[0] == found[1]
