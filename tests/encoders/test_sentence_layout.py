from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from answerable.encoders.choose import SHIPPED
from answerable.encoders.sentences import HEADING, LONGEST, NOWHERE, WINDOW, Role, SentenceLayout, feeding
from answerable.errors import ModelError

LAYOUT = SentenceLayout(SHIPPED / "tokenizer.json")
SENTENCE = st.lists(st.sampled_from(["tide", "harbour", "keeper", "1871", "unwalled"]), max_size=120).map(" ".join)


@given(st.lists(st.tuples(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=6)), min_size=1, max_size=3))
def test_every_sentence_is_in_one_window(paragraphs: list[tuple[str, list[str]]]) -> None:
    for (_, sentences), windows in zip(paragraphs, LAYOUT.paragraphs(paragraphs), strict=True):
        roles = [role for window in windows for role in window.roles[:-1]]
        assert roles == [Role.SENTENCE] * len(sentences)
        for window in windows:
            assert window.roles[-1] is Role.WHOLE and len(window.ids) == len(window.belongs) <= WINDOW
            held = [one for one in window.belongs if one != NOWHERE]
            assert held == sorted(held) and set(held) <= set(range(len(window.roles) - 1))
            assert window.belongs[0] == window.belongs[-1] == NOWHERE


def test_headings_stand_before_every_window_and_belong_to_no_sentence() -> None:
    long = ["tide " * 150, "harbour " * 150]
    first, second = LAYOUT.paragraphs([("Chapter one . " * 30, long)])[0]
    assert first.ids[: HEADING + 1] == second.ids[: HEADING + 1]
    assert set(first.belongs[: HEADING + 1]) == {NOWHERE}
    assert first.belongs.count(0) == second.belongs.count(0) == 150
    assert LAYOUT.paragraphs([("", ["tide " * 400])])[0][0].belongs.count(0) == LONGEST


def test_a_question_has_its_dummies_after_its_sentences() -> None:
    one, long = LAYOUT.asked([(["Who kept it?", "I sail."], 3), (["tide " * 400, "harbour " * 400], 0)])
    assert one.roles == (Role.ASKED, Role.ASKED, Role.SECOND, Role.THIRD, Role.FOURTH)
    assert long.roles == (Role.ASKED, Role.ASKED) and len(long.ids) <= WINDOW
    assert long.belongs.count(0) == long.belongs.count(1) == (WINDOW - 2) // 2


def test_a_batch_is_padded_with_what_means_nothing() -> None:
    rows = LAYOUT.asked([(["Who kept the harbour?"], 1), (["Who?"], 3)])
    fed = feeding(rows)
    assert fed["ids"].shape == fed["mask"].shape == fed["belongs"].shape and fed["roles"].shape == (2, 4)
    assert fed["mask"].sum(1).tolist() == [len(row.ids) for row in rows]
    assert set(fed["belongs"][1][fed["mask"][1] == 0]) == {NOWHERE} and fed["roles"][0, 2:].tolist() == [0, 0]


def test_another_tokenizer_is_refused(tmp_path: Path) -> None:
    Tokenizer(models.BPE()).save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(ModelError, match="BERT"):
        SentenceLayout(tmp_path / "tokenizer.json")
