from __future__ import annotations

import random
from pathlib import Path

import pytest

from answerable.training.paths.draw import MULTI_HOP, SOURCES, Asked, DrawnPath, DrawSettings, Part, draw, encode, load
from answerable.training.reading import NO, NONE, SPAN, YES, load_pool
from tests.training.paths.worlds import layout, write_bert, write_data

FIRST = Part("Ross", "Ross is on Mull. It has a pier.", True, None, ((0, 16), (17, 31)), frozenset({0}))
LAST = Part("Mull", "Mull is an island. Its lamp was lit in 1848.", True, (39, 43), ((0, 18), (19, 44)), frozenset({1}))
WRONG = tuple(Part(f"Tower {n}", f"Tower {n} is of stone. A bell is on it.") for n in range(4))
ASKED = Asked("q", "When was the lamp of the island of Ross lit?", (FIRST, LAST), WRONG, SPAN, ("1848",), "hotpotqa")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paths")
    write_data(folder / "data")
    write_bert(folder / "bert")
    return folder


def drawn(asked: Asked, count: int = 400, **settings: float) -> list[DrawnPath]:
    rng = random.Random(1)
    return [draw(asked, DrawSettings(**settings), rng) for _ in range(count)]  # type: ignore[arg-type]


def test_paths_are_drawn_as_the_paper_says() -> None:
    made = drawn(ASKED)
    sizes = {(sum(part.right for part in one.parts), sum(not part.right for part in one.parts)) for one in made}
    assert sizes == {(2, 0), (1, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 1)}  # at most two of each, three in all
    assert all(len(set(one.parts)) == len(one.parts) for one in made)
    assert {one.parts[0].right for one in made if len(one.parts) == 2} == {True, False}
    whole = drawn(ASKED, whole=1.0)
    assert {frozenset(one.parts) for one in whole} == {frozenset(ASKED.right)}
    assert {one.parts for one in whole} == {(FIRST, LAST), (LAST, FIRST)}


def test_what_is_to_be_answered_follows_what_is_shown() -> None:
    for one in drawn(ASKED):
        assert one.kind == (SPAN if LAST in one.parts else NONE)
    judged = Asked("q", "Is it?", (FIRST, Part("Mull", "Mull is an island.", True)), WRONG, YES, ("yes",), "hotpotqa")
    for path in drawn(judged):
        assert path.kind == (YES if set(judged.right) <= set(path.parts) else NONE)
    nothing = Asked("q", "Who?", (), WRONG[:1], NONE, (), "squad2")
    assert {(one.parts, one.kind) for one in drawn(nothing, 20)} == {(WRONG[:1], NONE)}


def test_labels_stand_at_their_tokens(folder: Path) -> None:
    lay = layout(folder / "bert")
    made = [DrawnPath(ASKED.question, parts, SPAN) for parts in ((FIRST, LAST), (LAST, WRONG[0]))]
    made += [DrawnPath(ASKED.question, (FIRST, WRONG[0]), kind) for kind in (YES, NO, NONE)]
    found = list(encode(lay, made, "1"))
    words = [[lay.tokenizer.id_to_token(i) for i in one.ids] for one in found]
    assert [
        "".join(w[a : b + 1]).replace("##", "") for w, (a, b) in zip(words, (o.answer for o in found), strict=True)
    ] == [
        "1848",
        "1848",
        "yes",
        "no",
        "[CLS]",
    ]
    assert [one.right for one in found] == [(True, True), (True, False), *[(True, False)] * 3]
    assert [v for *_, v in found[0].sentences] == [True, False, False, True]
    assert [v for *_, v in found[1].sentences] == [False, True, False, False]  # those of a wrong passage never support
    for one, shown in zip(found, words, strict=True):
        assert all(shown[place] == "[unused0]" for place in one.marks)
        assert "".join(shown[slice(*one.texts[0])]).startswith(("ross", "mull"))
        assert all(shown[end - 1] == "." for _, end, _ in one.sentences)


def test_a_long_passage_is_cut_around_its_answer(folder: Path) -> None:
    filler = "The keeper of the tower is on the wall. " * 30
    long = Part("Mull", f"{filler}{LAST.text} {filler}", True, (len(filler) + 39, len(filler) + 43))
    lay = layout(folder / "bert")
    found = list(encode(lay, [DrawnPath(ASKED.question, (long,), SPAN)] * 20, "1"))
    assert len(found) == 20 and len({one.answer for one in found}) > 3
    for one in found:
        assert len(one.ids) <= 128
        assert one.ids[one.answer[0] : one.answer[1] + 1].tolist() == lay.tokens(["1848"])[0].ids
    again = list(encode(lay, [DrawnPath(ASKED.question, (long,), SPAN)] * 20, "1"))
    assert [one.answer for one in again] == [one.answer for one in found]


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_questions_and_keeps_its_parts_apart(folder: Path, source: str) -> None:
    pool = load_pool(folder / "data/multihop/passages.jsonl.gz")
    parts = {part: load(source, folder / "data", pool, part) for part in ("train", "development")}
    assert parts["train"]
    assert not {one.id for one in parts["train"]} & {one.id for one in parts["development"]}
    for one in parts["train"] + parts["development"]:
        assert all(part.right for part in one.right) and not any(part.right for part in one.wrong)
        assert one.right or one.kind == NONE
        if one.kind == SPAN:
            said = [part.text[slice(*part.answer)] for part in one.right if part.answer]
            assert len(said) == 1 and said[0] in one.answers
            assert not any(one.answers[0] in part.text for part in one.wrong)
        assert source not in ("neighbours", "swapped", "squad2") or one.kind == NONE


def test_multi_hop_questions_know_what_supports_them(folder: Path) -> None:
    pool = load_pool(folder / "data/multihop/passages.jsonl.gz")
    for source in MULTI_HOP:
        made = load(source, folder / "data", pool, "train")
        assert {one.kind for one in made} >= {SPAN}
        for one in made:
            assert len(one.right) == 2 and len(one.wrong) >= 3
            assert all(part.supporting for part in one.right)
            assert all(part.text[a:b].endswith(".") for part in one.right for a, b in part.sentences)
    (known,) = [part for part in load("nq", folder / "data", pool, "train")[0].right if part.answer]
    (number,) = known.supporting or ()
    assert known.sentences[number][0] <= (known.answer or (0, 0))[0] < known.sentences[number][1]
