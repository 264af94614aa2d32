from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.evaluation.metrics.found import (
    answer_rank,
    average_passage_recall,
    met,
    passage_em,
    path_recall,
    tokens,
)
from tests.evaluation.metrics.cases import load

IDS = st.sampled_from("abcdef")
CHAINS = st.lists(st.lists(IDS, min_size=1, max_size=3), max_size=6)
GOLD = st.sets(IDS, min_size=1, max_size=3)


def test_the_official_script() -> None:
    cases = load("paths")
    assert len(cases) >= 200
    for chains, gold, k, some, every, path in cases:
        assert passage_em(met(chains, k), gold) == every
        assert path_recall(chains, gold, k) == path
        assert average_passage_recall(chains, gold, k) == (some + every) / 2  # with two gold passages


def test_a_path_is_the_gold_passages_and_no_others() -> None:
    assert path_recall([["a", "b", "c"]], ["a", "b"], 1) == 0.0
    assert path_recall([["c", "a"], ["b", "a"]], ["a", "b"], 1) == 0.0
    assert path_recall([["c", "a"], ["b", "a"]], ["a", "b"], 2) == 1.0
    assert passage_em(["c", "a", "b"], ["a", "b"]) == 1.0


@given(CHAINS, GOLD, st.integers(1, 6))
def test_measures_grow_with_k_and_keep_their_order(chains: list[list[str]], gold: set[str], k: int) -> None:
    measures = (path_recall, average_passage_recall)
    for measure in measures:
        assert 0 <= measure(chains, gold, k) <= measure(chains, gold, k + 1) <= 1
        assert measure([chain[::-1] for chain in chains], gold, k) == measure(chains, gold, k)
    path, average = (measure(chains, gold, k) for measure in measures)
    assert path <= passage_em(met(chains, k), gold) <= average


@given(GOLD)
def test_perfect_and_empty_runs(gold: set[str]) -> None:
    for measure in (path_recall, average_passage_recall):
        assert measure([sorted(gold)], gold, 1) == 1.0
        assert measure([], gold, 1) == 0.0


def holds(text: str, answers: list[str]) -> bool:
    return answer_rank([text], answers) == 1


TEXTS = st.lists(st.text(max_size=12), max_size=6)
ANSWERS = st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=3)


def test_the_official_script_of_answers() -> None:
    stored = load("recall")
    assert len(stored["cases"]) >= 200 and len({case[2] for case in stored["cases"]}) == 2
    for text, answers, official in stored["cases"]:
        assert holds(stored["texts"][text], answers) is official, (stored["texts"][text], answers)


def test_the_official_recall_of_rankings() -> None:
    stored = load("recall")
    assert len(stored["rankings"]) >= 200
    for ranking, answers, official in stored["rankings"]:
        texts = [stored["texts"][n] for n in ranking]
        assert [float((answer_rank(texts, answers) or 99) <= k) for k in (1, 3, 5, 20)] == list(map(float, official))


@pytest.mark.parametrize(
    ("text", "answer", "stands"),
    [
        ("Born in NEW YORK-city", "new york", True),
        ("a party of four", "art", False),
        ("caf\u00e9", "cafe\u0301", True),
        ("cafe", "caf\u00e9", False),
        ("the O'Neill report", "o ' neill", True),
        ("x ≠ y", "=", True),  # in form NFD, ≠ is an equals sign with a stroke
        ("1,204 sheep", "1204", False),
        ("co\u200bop", "co op", True),
        ("anything", "", True),
        ("", "anything", False),
    ],
)
def test_tokens_decide(text: str, answer: str, stands: bool) -> None:
    assert holds(text, [answer]) is stands


def test_without_answers_nothing_stands_and_without_texts_there_is_no_rank() -> None:
    assert not holds("anything", [])
    assert answer_rank([], ["x"]) is None


@given(TEXTS, ANSWERS)
def test_the_rank_does_not_depend_on_the_order_of_answers(texts: list[str], answers: list[str]) -> None:
    assert answer_rank(texts, answers[::-1] * 2) == answer_rank(texts, answers)


@given(st.text(max_size=20), st.text(max_size=20), st.text(min_size=1, max_size=8))
def test_a_text_holds_its_own_pieces_whatever_their_form(before: str, after: str, answer: str) -> None:
    text = f"{before} {answer} {after}"
    assert holds(text, [answer])
    assert holds(text, [unicodedata.normalize("NFC", answer)])
    assert tokens(text) == tokens(before) + tokens(answer) + tokens(after)
