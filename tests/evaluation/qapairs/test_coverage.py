"""Answer coverage, on cases small enough to count by hand."""

from answerable.datasets.examples import Example
from answerable.evaluation.qapairs.outcomes import coverage
from answerable.types import QAPair


def pair(answer: str, passage: str = "") -> QAPair:
    return QAPair(f"{answer}|{passage}", "q?", (answer,), passage, "wiki", 0.5)


ASKED = (
    Example("1", "who?", ("The Normans", "Normans"), ("norm",)),
    Example("2", "when?", ("1066",), ("norm",)),
    Example("3", "where?", ("France",), ("franks",)),
    Example("4", "which?", ("Rollo",)),
    Example("5", "nobody knows?", ()),
)


def test_answers_are_compared_as_exact_match_compares_them():
    found = coverage(ASKED, [pair("normans!", "wiki.jsonl#norm@0-9"), pair("a 1066"), pair("Rollo of Normandy")])
    assert (found["questions"], found["covered"]) == (4, 2)
    assert found["coverage"] == 0.5


def test_a_pair_of_another_passage_covers_the_corpus_only():
    made = [pair("Normans", "wiki.jsonl#norm@0-9"), pair("1066", "wiki.jsonl#franks@3-8"), pair("Rollo", "x@0-1")]
    found = coverage(ASKED, made)
    assert (found["covered"], found["placed"]) == (3, 3)
    assert found["of the passage"] == 1 / 3


def test_any_answer_of_a_pair_counts_and_empty_ones_do_not():
    two = QAPair("x", "q?", ("...", "France"), "", "wiki", 0.1)
    assert coverage(ASKED, [two])["covered"] == 1
    assert coverage([Example("1", "q?", ("the",))], [pair("a")])["coverage"] is None
