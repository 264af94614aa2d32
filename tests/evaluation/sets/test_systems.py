"""The retrievers and the classifier over one workspace."""

from collections.abc import Iterator

import pytest

from answerable.errors import UsageError
from answerable.evaluation.sets.classifying import Classifying
from answerable.evaluation.sets.systems import Candidates, Retrieving
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from tests.evaluation.sets.worlds import SHAPES, STAND_INS, WordJudge, documents, write_lines


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("sets")
    long = " ".join(["The keeper wrote a letter about the weather and the sea."] * 400)
    with open_workspace(folder / "space", create=True, settings=STAND_INS) as opened:
        opened.index([documents(folder / "things.jsonl")], "things", "public")
        rows = [{"_id": f"log{i}", "title": f"Log {i}", "text": f"{long} A red ball came ashore."} for i in range(2)]
        opened.index([write_lines(folder / "logs.jsonl", [dict(row) for row in rows])], "logs", "public")
        yield opened


@pytest.fixture
def candidates(workspace: Workspace) -> Candidates:
    return Candidates(workspace)


@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid"])
def test_documents_are_ranked_each_once_however_many_passages_they_have(candidates: Candidates, mode: str):
    found = Retrieving(mode, candidates, mode, most=14).find("a letter about the weather")  # type: ignore[arg-type]
    assert len(found.ranking) == len(set(found.ranking)) == (2 if mode == "lexical" else 14)
    assert {"logs.jsonl#log0", "logs.jsonl#log1"} <= set(found.ranking)
    assert found.chosen is None and found.seconds > 0


def test_a_ranking_is_the_beginning_of_a_longer_one(candidates: Candidates):
    short, long = (candidates.ranked("red things", "lexical", most).hits for most in (2, 6))
    assert long[:2] == short and len(long) == 6
    assert {hit.passage.document_id for hit in long} >= {f"things.jsonl#red-{shape}" for shape in SHAPES}


def test_the_last_query_is_remembered_and_no_other(workspace: Workspace):
    candidates = Candidates(workspace)
    first = candidates.ranked("red", "lexical", 5)
    assert candidates.ranked("red", "lexical", 5) is first
    candidates.ranked("blue", "lexical", 5)
    assert candidates.ranked("red", "lexical", 5) is not first


def test_a_classifier_keeps_what_reaches_its_threshold(candidates: Candidates):
    judge = WordJudge()
    found = Classifying(candidates, judge, threshold=0.9).find("red ball")
    assert found.chosen == ("things.jsonl#red-ball",)  # a log has it too, beyond its first 512 tokens
    assert {"logs.jsonl#log0", "logs.jsonl#log1"} <= set(found.ranking)
    assert len(found.judged) == len(found.ranking) == judge.asked
    probabilities = [p for _, p in found.judged]
    assert probabilities == sorted(probabilities, reverse=True)
    assert set(found.parts) == {"search", "judge"}
    assert Classifying(candidates, judge).find("red ball").chosen is None


def test_nothing_found_is_an_empty_set(candidates: Candidates):
    found = Classifying(candidates, WordJudge(), threshold=0.5).find("xyzzy")
    assert found.ranking == () == found.chosen


def test_a_query_that_cannot_be_asked(candidates: Candidates):
    with pytest.raises(UsageError):
        candidates.ranked(" ", "lexical", 5)
