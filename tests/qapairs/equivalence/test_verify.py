"""Questions that look alike: which of them ask the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from answerable.qapairs.equivalence.verify import verify

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "benchmarks" / "polarity" / "cases.jsonl").read_text("utf8").splitlines()
]
QUESTIONS = sorted({case[key] for case in CASES for key in ("asked", "question")})


@pytest.mark.parametrize(
    ("asked", "question", "kind"),
    [
        ("Who was elected in 1951?", "Who was elected in 1961?", "number"),
        ("Who was elected in the 1950s?", "Who was elected in 1950?", "number"),
        ("Who came second?", "Who came third?", "ordinal"),
        ("How far is it in miles?", "How far is it in kilometres?", "unit"),
        ("Who is the mayor of Alba?", "Who is the mayor of Orsa?", "name"),
        ("What happened before the flood?", "What happened after the flood?", "order"),
        ("What is the oldest inn?", "What is the highest inn?", "superlative"),
        ("When was the inn built?", "Who built the inn?", "type"),
        ("Who beat Ann Moor?", "Who was beaten by Ann Moor?", "role"),
        ("Whom did Ann Moor beat?", "Who beat Ann Moor?", "role"),
        ("Who did not sign the deed?", "Who signed the deed?", "polarity"),
        ("Who refused to sign the deed?", "Who signed the deed?", "polarity"),
        ("Which doors were unlocked?", "Which doors were locked?", "word"),
        ("Who owns the barge?", "Who owns the mill?", "word"),
        ("Since when is the inn open?", "When is the inn open?", "order"),
        ("who beat ann moor", "Who was beaten by Ann Moor?", "role"),  # typed without capitals
    ],
)
def test_each_kind_of_difference(asked, question, kind):
    found = verify(asked, question)
    assert not found.same and found.kind == kind
    assert not verify(question, asked).same


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        ("Who built the inn?", "By whom was the inn built?"),
        ("How many bells are there, five?", "How many bells are there, 5?"),
        ("When did the UN meet?", "When did the United Nations meet?"),
        ("Who didn't sign the deed?", "Who refused to sign the deed?"),
        ("In what year was the inn opened?", "When did the inn open?"),
        ("Who is Ann Moor's father?", "Who is the father of Ann Moor?"),
        ("Where is the town centre?", "Where is the town center?"),
        ("what year did the inn open", "What year did the inn open?"),
        ("What is the least depth?", "What is the minimum depth?"),
        ("How many years after the flood was it?", "How long after the flood was it?"),
        ("Can you tell me who built the inn?", "Who built the inn?"),
        ("Who did Ann Moor marry?", "Who was the husband of Ann Moor?"),
        ("What does the word inn mean?", "What is the meaning of the word inn?"),
        ("What are the colours of the Danish flag?", "Which colours are on the flag of Denmark?"),
    ],
)
def test_what_asks_the_same_in_other_words(asked, question):
    assert verify(asked, question).same and verify(question, asked).same


def test_a_number_that_is_wanted_must_be_the_answer():
    assert not verify("How many bells has the tower?", "How many bells does the tower have?", "Saint Olaf").same
    assert verify("How many bells has the tower?", "How many bells does the tower have?", "seven").same


@given(st.text(max_size=60))
def test_a_question_is_the_same_as_itself(question):
    assert verify(question, question).same


@given(st.sampled_from(QUESTIONS), st.sampled_from(QUESTIONS))
def test_it_makes_no_difference_which_was_asked(one, other):
    assert verify(one, other).same == verify(other, one).same


def test_initials_count_alike_whichever_was_asked():
    one, other = "who was ufo's brave captain", "Who was brave captain under United Ferries of Orsa?"
    assert verify(one, other).same == verify(other, one).same


@given(st.text(max_size=60), st.text(max_size=60))
@example("00", "N'T")
@example("% ’s who", "é who")
def test_any_two_texts_get_a_verdict(one, other):
    found = verify(one, other)
    assert found.same == (found.kind == "") and found.same == verify(other, one).same


@given(st.sampled_from(QUESTIONS))
def test_marks_and_blanks_change_nothing(question):
    assert verify(f"  {question.rstrip('?')}  ", question).same


def test_most_opposites_are_refused_and_most_paraphrases_kept():
    kept, let_through = (
        [verify(case["asked"], case["question"], case["answer"]).same for case in CASES if case["same"] is same]
        for same in (True, False)
    )
    assert sum(let_through) / len(let_through) < 0.08 and sum(kept) / len(kept) > 0.84
