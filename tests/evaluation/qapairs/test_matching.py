"""Systems answer in blocks, are kept in runs, and their scores are SQuAD's."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from answerable.datasets.examples import Example
from answerable.encoders.hashed import HashedMatcher
from answerable.evaluation.qapairs.matching import Matching, rate
from answerable.evaluation.qapairs.outcomes import outcomes
from answerable.evaluation.qapairs.systems import NOTHING, ByVectors, ByWords, Nearest, PairSystem, Said
from answerable.evaluation.runs import records, writing
from answerable.evaluation.tasks.task import fill, header
from answerable.types import QAPair

PAIRS = [
    QAPair("b", "who led the Normans", ("Rollo", "Hrólfr"), "", "wiki", 0.5),
    QAPair("a", "who led the Normans", ("William",), "", "wiki", 0.5),
    QAPair("c", "when did the lighthouse open", ("1811",), "", "wiki", 0.5),
]


class Told(PairSystem):
    """Says the question's last word back, three at a time; stops when it was told to."""

    name, at_once, settings, models = "told", 3, {}, {}

    def __init__(self, most: int = 99) -> None:
        self.most, self.blocks = most, []

    def say(self, questions: Sequence[str]) -> list[Said]:
        self.blocks.append(len(questions))
        if sum(self.blocks) > self.most:
            raise KeyboardInterrupt
        return [Said(one.split()[-1], 0.5, PAIRS[2], one != "who is 3") for one in questions]


class Asked:
    questions = 7

    @property
    def about(self) -> dict:
        return {"name": "told", "questions": 7}

    def examples(self):
        for n in range(7):
            yield Example(str(n), f"who is {n}", (str(n % 5),))


def test_a_run_is_filled_in_blocks_and_goes_on(tmp_path: Path):
    task = Matching(Told(5), {"pairs": 3})
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "run.jsonl", header(task, Asked())) as run:
        fill(task, Asked(), run)
    task = Matching(Told(), {"pairs": 3})
    with writing(tmp_path / "run.jsonl", header(task, Asked())) as run:
        fill(task, Asked(), run)
    assert task.system.blocks == [3, 1]
    found = outcomes(Asked(), tmp_path / "run.jsonl")
    assert found.right == (1.0,) * 5 + (0.0, 0.0) and found.ids == tuple("0123456")
    assert found.given == (True, True, True, False, True, True, True) and found.rate > 0
    kept = list(records(tmp_path / "run.jsonl"))
    assert kept[3]["answer"] is None and kept[3]["guess"] == "3" and kept[0]["pair"]["question"] == PAIRS[2].question
    assert kept[0]["scores"] == {"EM": 1.0, "F1": 1.0, "given": 1.0, "EM of given": 1.0, "verbatim": 0.0}


def test_the_nearest_question_answers_and_ties_go_by_id():
    by_words, by_vectors = Nearest(ByWords(PAIRS)), Nearest(ByVectors(PAIRS, HashedMatcher()))
    for system in (by_words, by_vectors):
        led, opened = system.say(["who led the Normans then?", "when did it open?"])
        assert opened.answer == "1811" and 0 < opened.confidence < 1 and led.pair in PAIRS[:2]
    assert by_vectors.say(["who led the Normans"])[0].pair == PAIRS[1]
    assert by_words.say(["zebra"]) == [NOTHING] and Nearest(ByVectors([], HashedMatcher())).say(["x"]) == [NOTHING]
    assert by_words.say([]) == [] and by_vectors.say([]) == []


def test_a_rate_counts_all_questions_in_blocks_three_times():
    system = Told()
    assert rate(system, [f"who is {n}" for n in range(4)]) > 0
    assert system.blocks == [3, 1] * 3
