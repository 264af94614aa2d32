from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.training.corpora import Corpora  # noqa: E402
from answerable.training.fusion.batch import collate, plan  # noqa: E402
from answerable.training.fusion.draw import Drawn, DrawSettings, draw, encode, with_near  # noqa: E402
from answerable.training.paths.draw import Part  # noqa: E402
from answerable.training.paths.sources import load  # noqa: E402
from answerable.training.reading import NO, NONE, SPAN, YES, load_pool  # noqa: E402
from answerable.training.skills.mine import LexicalSearches  # noqa: E402
from tests.training.fusion.worlds import write_data  # noqa: E402
from tests.training.paths.test_draw import ASKED, FIRST, LAST, WRONG  # noqa: E402
from tests.training.paths.worlds import layout, write_bert  # noqa: E402

POLAR = replace(ASKED, kind=YES, answers=("yes",), right=(FIRST, replace(LAST, answer=None)))
NOTHING = replace(ASKED, kind=NONE, answers=(), right=(), wrong=WRONG)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fusion")
    write_data(folder / "data")
    write_bert(folder / "bert")
    return folder


def test_questions_are_read_with_what_is_right_and_some_that_is_wrong() -> None:
    rng, settings = random.Random(1), DrawSettings(2, 5, 0.25)
    drawn = [draw(ASKED, settings, rng) for _ in range(400)]
    without = [one for one in drawn if LAST not in one.parts]
    assert 60 < len(without) < 140 and all(FIRST in one.parts for one in drawn)  # which does not hold the answer
    assert {len(one.parts) for one in drawn} == {2, 3, 4, 5}
    assert all(len(set(one.parts)) == len(one.parts) for one in drawn)
    assert {one.parts.index(FIRST) for one in drawn} == {0, 1, 2, 3, 4}
    polar = [draw(POLAR, settings, rng) for _ in range(200)]
    assert {len(set(POLAR.right) & set(one.parts)) for one in polar} == {1, 2}
    assert all(WRONG[0] in draw(NOTHING, settings, rng).parts for _ in range(50))
    alone = draw(replace(ASKED, wrong=()), settings, rng)
    assert set(alone.parts) == set(ASKED.right)  # a question is never left without passages


def said(folder: Path, drawn: Drawn) -> list[set[str]]:
    """The words of the spans that answer, for each passage."""
    lay = layout(folder / "bert")
    (rows,) = encode(lay, [drawn], "1")
    words = [[lay.tokenizer.id_to_token(i) for i in row.ids] for row in rows]
    return [
        {" ".join(shown[first : first + extra + 1]).replace(" ##", "") for first, extra in row.right}
        for shown, row in zip(words, rows, strict=True)
    ]


def test_every_span_that_says_the_answer_in_a_right_passage_is_marked(folder: Path) -> None:
    twice = replace(LAST, text=f"{LAST.text} In 1848.")
    parts = (Part("Tower", "A wrong one of 1848.", False), FIRST, twice)
    assert said(folder, Drawn(replace(ASKED, right=(FIRST, twice)), parts)) == [set(), set(), {"1848", "1848 ."}]
    (rows,) = encode(layout(folder / "bert"), [Drawn(replace(ASKED, right=(FIRST, twice)), parts)], "1")
    assert len(rows[2].right) == 4
    assert said(folder, Drawn(ASKED, (FIRST, WRONG[0]))) == [set(), set()]
    assert said(folder, Drawn(NOTHING, WRONG[:2])) == [set(), set()]


def test_yes_and_no_are_said_by_all_right_passages_where_all_are_read(folder: Path) -> None:
    parts = (POLAR.right[0], WRONG[0], POLAR.right[1])
    assert said(folder, Drawn(POLAR, parts)) == [{"yes"}, set(), {"yes"}]
    assert said(folder, Drawn(replace(POLAR, kind=NO), parts)) == [{"no"}, set(), {"no"}]
    assert said(folder, Drawn(POLAR, parts[:2])) == [set(), set()]


def test_a_long_passage_is_cut_around_its_answer_and_one_too_long_is_left_out(folder: Path) -> None:
    filler = "The keeper of the tower is on the wall. " * 30
    long = Part("Mull", f"{filler}{LAST.text} {filler}", True, (len(filler) + 39, len(filler) + 43))
    lay, one = layout(folder / "bert"), Drawn(replace(ASKED, right=(long,)), (long, WRONG[0]))
    found = list(encode(lay, [one] * 20, "1"))
    assert len(found) == 20 and all(len(rows[0].ids) <= 128 and rows[0].right for rows in found)
    assert len({rows[0].right for rows in found}) > 3
    assert [rows[0].right for rows in encode(lay, [one] * 20, "1")] == [rows[0].right for rows in found]
    whole = replace(LAST, text=f"{LAST.text} {LAST.text}", answer=(0, 2 * len(LAST.text) + 1))
    lost = replace(ASKED, right=(whole,), answers=(whole.text,))
    assert not list(encode(lay, [Drawn(lost, (whole, WRONG[0]))], "1"))


def test_single_passages_get_others_that_words_find(folder: Path, tmp_path: Path) -> None:
    corpora, pool = Corpora(folder / "data"), load_pool(folder / "data/multihop/passages.jsonl.gz")
    for source in ("nq", "squad1", "squad2", "boolq"):
        asked = load(source, folder / "data", pool, "train")[:6]
        found = with_near(asked, corpora, tmp_path / "near.jsonl", LexicalSearches(corpora, tmp_path), 4)
        for before, after in zip(asked, found, strict=True):
            new = after.wrong[len(before.wrong) :]
            assert after.wrong[: len(before.wrong)] == before.wrong and 0 < len(new) <= 4
            held = {part.text for part in (*before.right, *before.wrong)}
            assert not held & {part.text for part in new} and not any(part.right for part in new)
            assert before.kind != SPAN or not any(before.answers[0] in part.text for part in new)
    hops = load("hotpotqa", folder / "data", pool, "train")
    assert with_near(hops, corpora, tmp_path / "near.jsonl", LexicalSearches(corpora, tmp_path), 4) == hops


def test_batches_have_equally_many_passages_and_all_labels(folder: Path) -> None:
    rng, lay = random.Random(2), layout(folder / "bert")
    drawn = [draw(one, DrawSettings(1, 5), rng) for one in (ASKED, POLAR, NOTHING) for _ in range(20)]
    examples = list(encode(lay, drawn, "1"))
    batches = plan(examples, 600, 3)
    assert sorted(i for batch in batches for i in batch) == list(range(60))
    assert batches == plan(examples, 600, 3) != plan(examples, 600, 4)
    for batch in batches:
        rows = [examples[i] for i in batch]
        made = collate(rows)
        assert made.ids.shape[:2] == (len(rows), len(rows[0])) and made.right.shape == (*made.ids.shape, 15)
        assert len(rows) == 1 or made.ids.numel() <= 600
        assert int(made.right.sum()) == sum(len(row.right) for one in rows for row in one)
        where = made.right.any(-1)
        assert not (where & ~made.pointable).any() and not (made.pointable & ~made.mask.bool()).any()
