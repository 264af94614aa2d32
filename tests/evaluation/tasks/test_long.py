"""`navigating` and `conversing`: what is drawn, what a question scores, and several systems in one report."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from answerable.datasets.examples import Example
from answerable.errors import UsageError
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.conversations import conversants
from answerable.evaluation.long.open import Walking
from answerable.evaluation.long.systems import Bm25
from answerable.evaluation.runs import records, writing
from answerable.evaluation.tasks import conversing, navigating
from answerable.evaluation.tasks import long as several
from answerable.evaluation.tasks.conversing import Conversing
from answerable.evaluation.tasks.long import LongSurvey, Shelves, survey
from answerable.evaluation.tasks.navigating import Navigating
from answerable.evaluation.tasks.task import Task, fill_together, header
from answerable.readers.overlap import OverlapReader

from ..long import worlds
from ..long.stand_ins import WordNavigator, guide, harbour, span

KEPT = LongQuestion(
    "kept", "Who was the first keeper of the harbour?", ("Ada Moor",), ((span("Its first keeper was Ada Moor."),),)
)
BORN = LongQuestion(
    "born",
    "Where was the first keeper of the harbour born?",
    ("Kelby",),
    ((span("Its first keeper was Ada Moor."),), (span("Ada Moor was born in Kelby."),)),
)
ELM = harbour(KEPT, BORN)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return worlds.write(tmp_path_factory.mktemp("data"))


def drawn(document: LongDocument) -> LongSurvey:
    about = {"name": "made", "part": "report", "digest": "0", "questions": len(document.questions), "of": 2}
    return LongSurvey(((document, document.questions),), about)


def example(question: LongQuestion, document: LongDocument = ELM) -> Example:
    meta = {"document": document, "asked": question}
    return Example(question.id, question.text, question.answers, kind=question.kind, meta=meta)


def test_a_limit_draws_the_same_questions_in_order(data: Path) -> None:
    every = survey(data, "squad", "train", navigating.wanted)
    assert every.questions == every.about["of"] == len(list(every.examples()))
    some = survey(data, "squad", "train", navigating.wanted, 2, seed=3)
    ids = [(one.supporting, one.id) for one in every.examples()]
    kept = [(one.supporting, one.id) for one in some.examples()]
    assert len(kept) == 2
    assert kept == [id_ for id_ in ids if id_ in kept]
    assert some.about == survey(data, "squad", "train", navigating.wanted, 2, seed=3).about
    assert some.about["digest"] != every.about["digest"]


def test_conversations_and_questions_are_told_apart(data: Path) -> None:
    with pytest.raises(UsageError, match="no question for this task"):
        survey(data, "sharc", "train", navigating.wanted)
    with pytest.raises(UsageError, match="no question for this task"):
        survey(data, "squad", "train", conversing.wanted)


def test_a_question_is_scored_by_its_answer_and_its_evidence() -> None:
    first, second = span("Its first keeper was Ada Moor."), span("Ada Moor was born in Kelby.")
    other = span("Trains stop here on Sundays.")
    paragraph = [ELM.paragraphs[2].start, ELM.paragraphs[2].end]
    record = {"answer": "kelby", "evidence": [second, other], "pair": [second, first], "paragraph": paragraph}
    assert Navigating.scores(example(BORN), record) == {
        "EM": 1.0,
        "F1": 1.0,
        "hits@1": 1.0,
        "paragraph hits@1": 1.0,
        "both": 1.0,
        "support EM": 1.0,
        "support F1": 1.0,
    }
    half = Navigating.scores(example(BORN), {**record, "answer": None, "evidence": [first], "pair": [first, other]})
    assert (half["EM"], half["hits@1"], half["both"], half["support EM"], half["support F1"]) == (0, 0, 0, 0, 0.5)
    twice = Navigating.scores(example(BORN), {**record, "pair": [second, second]})
    assert twice["both"] == twice["support EM"] == 0.0
    nothing = {"answer": None, "evidence": [], "pair": None, "paragraph": None}
    assert set(Navigating.scores(example(BORN), nothing).values()) == {0.0}
    assert "both" not in Navigating.scores(example(KEPT), nothing)
    assert Navigating.scores(example(replace(KEPT, hops=())), nothing) == {"EM": 0.0, "F1": 0.0}
    assert "F1" not in Navigating.scores(example(replace(KEPT, kind="unanswerable")), nothing)


def test_a_turn_is_strictly_right_with_all_its_evidence() -> None:
    snippet, needed = ELM.paragraphs[0], span("Boats wait for it behind the wall.")
    turn = LongQuestion("t", "?", ("No",), (snippet.sentences, (needed,)), kind="No")
    task = Conversing(conversants(guide(), [])[2], Shelves(WordNavigator()), {})
    there = [[snippet.start, snippet.end], [ELM.paragraphs[1].start, ELM.paragraphs[1].end]]
    record = {"answer": "No", "paragraphs": there, "evidence": [list(snippet.sentences[1]), list(needed)]}
    assert task.scores(example(turn), record, ()) == {"Easy": 1.0, "evidence": 1.0, "Strict": 1.0}
    assert task.scores(example(turn), {**record, "answer": "Yes"}, ()) == {"Easy": 0.0, "evidence": 1.0, "Strict": 0.0}
    for lacking in ({"paragraphs": there[::-1]}, {"evidence": record["evidence"][:1]}, {"paragraphs": []}):
        assert task.scores(example(turn), {**record, **lacking}, ())["Strict"] == 0.0


def run(tasks: list[tuple[str, Task]], found: LongSurvey, folder: Path) -> list[several.Outcome]:
    with ExitStack() as stack:
        opened = []
        for name, task in tasks:
            head = header(task, found)
            opened.append((name, task, head, stack.enter_context(writing(folder / f"{name}.jsonl", head))))
        fill_together([(task, kept) for _, task, _, kept in opened], found)
    return [several.Outcome.of(name, task, head, found, folder / f"{name}.jsonl") for name, task, head, _ in opened]


def test_systems_side_by_side_resume_and_open_documents_once(tmp_path: Path) -> None:
    class Counting(WordNavigator):
        opened = 0

        def encode_paragraphs(self, paragraphs):  # type: ignore[no-untyped-def]
            Counting.opened += 1
            return super().encode_paragraphs(paragraphs)

    def tasks() -> list[tuple[str, Task]]:
        shelves = Shelves(Counting())
        walking = Navigating(Walking("walk", guide()), shelves, 2, {})
        return [("walk", walking), ("bm25", Navigating(Bm25(OverlapReader()), shelves, 2, {}))]

    found = drawn(ELM)
    outcomes = run(tasks(), found, tmp_path)
    assert Counting.opened == 1
    before = [list(records(one.run)) for one in outcomes]
    lines = outcomes[1].run.read_bytes().splitlines(keepends=True)
    outcomes[1].run.write_bytes(b"".join(lines[:-1]))
    outcomes = run(tasks(), found, tmp_path)
    after = [list(records(one.run)) for one in outcomes]
    assert after[0] == before[0]
    assert [one["evidence"] for one in after[1]] == [one["evidence"] for one in before[1]]

    record = json.loads(json.dumps(several.told(outcomes)))
    assert record["data"] == found.about
    walk = record["systems"]["walk"]
    assert walk["questions"] == 2
    assert walk["counts"]["both"] == 1
    low, high = walk["intervals"]["F1"]
    assert 0 <= low <= walk["measures"]["F1"] <= high <= 1
    assert walk["documents"]["bytes"] > record["systems"]["bm25"]["documents"]["bytes"] == 0
    difference = record["systems"]["bm25"]["measures"]["F1"] - walk["measures"]["F1"]
    assert record["differences"]["bm25"]["F1"]["mean"] == pytest.approx(difference)
    text = several.markdown(record)
    assert "| walk |" in text
    assert "hits@1" in text


def test_conversations_side_by_side(data: Path, tmp_path: Path) -> None:
    found = survey(data, "sharc", "train", conversing.wanted)
    shelves = Shelves(WordNavigator())
    tasks = [
        (one.name, Conversing(one, shelves, {})) for one in conversants(guide(), []) if one.name in ("walk", "majority")
    ]
    record = several.told(run(tasks, found, tmp_path))
    more = [one for one in found.examples() if one.kind == "More"]
    assert record["systems"]["majority"]["measures"]["Easy"] == pytest.approx(len(more) / found.questions)
    assert {"macro accuracy", "BLEU 1", "BLEU 4", "Strict"} <= set(record["systems"]["walk"]["measures"])
    assert "macro accuracy" in several.markdown(record)
