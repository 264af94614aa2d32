"""Tasks from the question to the measures: what is asked, kept and scored; resumed, sampled, in little memory."""

import json
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from answerable.datasets.examples import Example
from answerable.errors import UsageError
from answerable.evaluation.report import Report, as_record
from answerable.evaluation.runs import records, writing
from answerable.evaluation.tasks import task as data_module
from answerable.evaluation.tasks.asking import TOGETHER, Asking, Calibration, Reading, chains_of
from answerable.evaluation.tasks.retrieval import Retrieval
from answerable.evaluation.tasks.task import Data, Measures, Survey, Task, cuts, fill, header, measure
from answerable.readers.overlap import OverlapReader
from answerable.types import Privacy
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from tests.evaluation.tasks.conftest import STAND_INS, write_lines


def evaluated(task: Task, survey: Survey, path: Path, **more: Any) -> Measures:
    with writing(path, header(task, survey)) as run:
        fill(task, survey, run)
    return measure(task, survey, path, **more)


def test_a_sample_is_fixed_and_keeps_the_order(tmp_path: Path):
    rows = [{"question": f"Who is {i}?", "answer": [str(i)]} for i in range(50)]
    path = write_lines(tmp_path / "open.jsonl", rows)
    ids = [example.id for example in Data(path, limit=7, seed=3).survey().examples()]
    assert len(ids) == 7 and sorted(ids, key=int) == ids
    again = Data(path, limit=7, seed=3).survey()
    assert [example.id for example in again.examples()] == ids
    other = Data(path, limit=7, seed=4).survey()
    assert other.about["digest"] != again.about["digest"]
    assert Data(path, limit=99).survey().about == Data(path).survey().about


def test_the_digest_covers_the_gold(questions: Path):
    before = Data(questions).survey().about["digest"]
    questions.write_text(questions.read_text("utf8").replace('"1146"', '"1147"'), "utf8")
    assert Data(questions).survey().about["digest"] != before


def test_asking(workspace: Workspace, questions: Path, tmp_path: Path):
    survey = Data(questions).survey()
    task = Asking(workspace)
    measures = evaluated(task, survey, tmp_path / "run", at=(1, 10))
    kept = list(records(tmp_path / "run"))
    assert [row["id"] for row in kept] == ["q1", "q2", "q3", "q4"]
    first = kept[0]
    assert first["ranking"] and all({"kopu", "hook", "marshal", "m1"} >= {id} for id, _ in first["ranking"])
    assert first["answer"] == "1531" and first["scores"]["EM"] == 1.0 and first["answer_rank"]
    assert "answer_rank" not in kept[3]
    assert set(measures.spread) == {"one", "bridge"} and set(measures.spread["bridge"]) == {1, 2}
    assert all(len(row["scores_by_hop"][0]) == 2 for row in kept) and any(measures.spread["one"][1].values())
    assert measures.leaks == 0 and len(measures.seconds) == 4 and len(measures.confidences) == 4
    assert set(measures.slices) == {"one", "bridge"} and measures.slices["one"].questions == 2
    means = measures.overall.means()
    assert measures.overall.counts["answer recall@10"] == 3 and measures.overall.counts["path recall@1"] == 2
    assert means["EM"] == sum(row["scores"]["EM"] for row in kept) / 4
    texts = [row["text"] for row in map(json.loads, (tmp_path / "wiki.jsonl").read_text("utf8").splitlines())]
    assert not any(text in (tmp_path / "run").read_text("utf8") for text in texts)


def test_the_engine_is_sent_the_question_and_nothing_else(
    workspace: Workspace, questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    asked: list[tuple[Any, ...]] = []
    ask = workspace.ask
    monkeypatch.setattr(workspace, "ask", lambda *given, **named: asked.append((given, named)) or ask(*given, **named))
    survey = Data(questions).survey()
    evaluated(Asking(workspace), survey, tmp_path / "run")
    assert asked == [((example.question,), {}) for example in survey.examples()]


def test_leaks_are_seen_where_the_rule_is_lifted(workspace: Workspace, questions: Path, tmp_path: Path):
    survey = Data(questions).survey()
    counts = {}
    for privacy in Privacy:
        with open_workspace(workspace.folder, settings={**STAND_INS, "ask.privacy": privacy.value}) as opened:
            for task in (Asking(opened), Retrieval(opened)):
                found = evaluated(task, survey, tmp_path / f"{task.name}-{privacy}")
                counts[task.name, privacy] = found.leaks
    assert {count for (_, privacy), count in counts.items() if privacy is not Privacy.NONE} == {0}
    assert counts["asking", Privacy.NONE] and counts["retrieval", Privacy.NONE]


def test_a_question_that_cannot_be_asked_is_one_without_an_answer(workspace: Workspace, tmp_path: Path):
    rows = [{"question": "x" * 3000, "answer": ["y"]}, {"question": "When was Kõpu completed?", "answer": ["1531"]}]
    survey = Data(write_lines(tmp_path / "open.jsonl", rows)).survey()
    for task in (Asking(workspace), Retrieval(workspace)):
        evaluated(task, survey, tmp_path / task.name)
        first, second = records(tmp_path / task.name)
        assert "3,000" in first["reason"] and second["ranking"]


def test_retrieval(workspace: Workspace, questions: Path, tmp_path: Path):
    survey = Data(questions).survey()
    with open_workspace(workspace.folder, settings={**STAND_INS, "beam.hops": 1, "search.mode": "lexical"}) as opened:
        task = Retrieval(opened, k=2)
        measures = evaluated(task, survey, tmp_path / "run")
    assert task.settings["mode"] == "lexical" and task.settings["k"] == 2 and "read" not in task.settings
    means = measures.overall.means()
    assert {"nDCG@10", "MAP", "MRR", "recall@1", "recall@2", "MRecall@2", "passage EM"} <= set(means)
    assert "recall@5" not in means
    with open_workspace(workspace.folder, settings={**STAND_INS, "beam.hops": 1}) as opened:
        assert Retrieval(opened, k=5_000).settings["k"] == 5_000  # deeper than an ask
        for k in (0, 20_001):
            with pytest.raises(UsageError):
                Retrieval(opened, k=k)
    with pytest.raises(UsageError, match=r"beam\.k"):
        Retrieval(workspace, k=5_000)  # each of its chains would be extended by so many
    assert means["recall@2"] == sum(row["scores"]["recall@2"] for row in records(tmp_path / "run")) / 4
    two = evaluated(Retrieval(workspace), survey, tmp_path / "two").overall.means()
    assert "path recall@10" in two


def test_graded_judgements(workspace: Workspace, tmp_path: Path):
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    write_lines(folder / "queries.jsonl", [{"_id": "1", "text": "Kõpu Lighthouse Hiiumaa completed"}])
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\tkopu\t2\n1\thook\t1\n")
    survey = Data(folder).survey()
    Retrieval.require(survey)
    with pytest.raises(UsageError, match="no answers"):
        Asking.require(survey)
    means = evaluated(Retrieval(workspace), survey, tmp_path / "run").overall.means()
    assert means["recall@100"] == 1.0 and means["MRR"] == 1.0


def test_reading(squad: Path, tmp_path: Path):
    survey = Data(squad).survey()
    task = Reading(OverlapReader(), "overlap", survey)
    assert task.settings["threshold"] == 0.5
    measures = evaluated(task, survey, tmp_path / "run")
    first, second, third = records(tmp_path / "run")
    assert (first["answer"], third["answer"]) == ("1531", None)
    assert third["scores"]["EM"] == third["scores"]["EM without answer"] == 1.0
    assert second["scores"]["guess right"] == second["scores"]["guess EM"] and "guess EM" not in third["scores"]
    assert third["guess"] and third["scores"]["guess right"] == 0.0
    assert len(measures.losses) == 3 and measures.leaks is None
    forced = Reading(OverlapReader(), "overlap", survey, threshold=0.0)
    assert forced.record(next(survey.examples()))["answer"] == "1531"


def test_many_passages_are_read_one_by_one():
    given = [(f"t{i}", "text") for i in range(TOGETHER + 1)]
    assert [len(chain.hits) for chain in chains_of(given)] == [1] * (TOGETHER + 1)
    assert [len(chain.hits) for chain in chains_of(given[:TOGETHER])] == [TOGETHER]
    assert chains_of([]) == []


def test_reading_needs_passages(questions: Path):
    with pytest.raises(UsageError, match="no passages"):
        Reading(OverlapReader(), "overlap", Data(questions).survey())


def test_an_interrupted_run_is_the_same_when_resumed(squad: Path, tmp_path: Path):
    survey = Data(squad).survey()
    task = Reading(OverlapReader(), "overlap", survey)

    def stop(stage: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    whole = evaluated(task, survey, tmp_path / "whole")
    path = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt), writing(path, header(task, survey)) as run:
        fill(task, survey, run, stop)
    with pytest.raises(UsageError, match="not a finished run"):
        measure(task, survey, path)
    with path.open("ab") as file:
        file.write(b'{"id":"c","ques')
    seen: list[int] = []
    with writing(path, header(task, survey)) as run:
        fill(task, survey, run, lambda stage, done, total: seen.append(done))
    assert seen == [2, 3]
    resumed = measure(task, survey, path)
    assert resumed.overall == whole.overall and resumed.confidences == whole.confidences


def test_measures_can_be_cut_and_sliced_anew(workspace: Workspace, questions: Path, tmp_path: Path):
    survey = Data(questions).survey()
    task = Asking(workspace)
    evaluated(task, survey, tmp_path / "run")
    again = measure(task, survey, tmp_path / "run", at=(3,), slice_of=lambda example: example.answers[0])
    assert "answer recall@3" in again.overall.means() and set(again.slices) == {"1531", "1146", "yes"}
    assert cuts([5, 1, 5]) == (1, 5)
    for bad in ([], [0, 3]):
        with pytest.raises(UsageError):
            cuts(bad)


def test_calibration_measures_a_run_that_is_there(squad: Path, tmp_path: Path):
    survey = Data(squad).survey()
    task = Reading(OverlapReader(), "overlap", survey)
    whole = evaluated(task, survey, tmp_path / "run")
    scorer = Calibration(tmp_path / "run", survey)
    measures = measure(scorer, survey, tmp_path / "run")
    assert scorer.header.task == "calibration" and measures.losses == whole.losses
    record = as_record(Report.of(scorer.header, tmp_path / "run", measures))
    assert record["risk"]["risk at coverage"]["1"] == pytest.approx(sum(whole.losses) / 3)
    with pytest.raises(UsageError, match="other questions"):
        Calibration(tmp_path / "run", Data(squad, limit=1).survey())
    with writing(tmp_path / "other", replace(header(task, survey), task="retrieval")):
        pass
    with pytest.raises(UsageError, match="a run of retrieval"):
        Calibration(tmp_path / "other", survey)


def test_a_run_of_asking_keeps_each_method_and_what_was_barred(
    questions: Path, workspace: Workspace, tmp_path: Path
) -> None:
    survey = Data(questions).survey()
    evaluated(Asking(workspace), survey, tmp_path / "run")
    kept = list(records(tmp_path / "run"))
    assert all(list(one["confidences"]) == ["softmax", "grouped", "learned"] for one in kept if one["guess"])
    assert all(one["confidences"]["learned"] == one["confidence"] for one in kept if one["guess"])
    assert all(one["barred"] is None for one in kept)  # the stand-in predicts nothing


def test_memory_does_not_grow_with_the_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    text = "The keeper wrote a letter. " * 100

    def generated(path: Path, form: str | None) -> Iterator[Example]:
        for i in range(int(path.name)):
            yield Example(str(i), f"Who wrote letter {i}?", ("Mart",), passages=((f"t{i}", f"{text} {i}"),))

    monkeypatch.setattr(data_module, "load", generated)

    def peak(count: int) -> int:
        tracemalloc.start()
        try:
            survey = Data(Path(str(count))).survey()
            evaluated(Silent(), survey, tmp_path / f"run{count}")
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)
    grown = peak(1000) - peak(100)
    assert grown < 900 * 100, "a question may leave some numbers behind, never its text"


class Silent(Task):
    """A task that says nothing and keeps what a record may hold."""

    name, correct = "asking", "guess right"
    settings: ClassVar[dict[str, Any]] = {}
    models: ClassVar[dict[str, str]] = {}

    def record(self, example: Example) -> dict[str, Any]:
        return {"answer": None, "confidence": 0.5, "seconds": 0.1, "chains": [["a" * 50] * 2] * 10}

    def scores(self, example: Example, record: Any, at: Any) -> dict[str, float]:
        return {"guess right": 0.0}


def test_data_without_questions_is_refused(tmp_path: Path):
    path = tmp_path / "empty.json"
    path.write_text('{"data": []}')
    with pytest.raises(UsageError, match="no question"):
        Data(path, "squad").survey()
