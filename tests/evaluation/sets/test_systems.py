"""The retrievers and the classifier over one workspace."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.encoders.choose import SHIPPED
from answerable.errors import UsageError
from answerable.evaluation.names import Part
from answerable.evaluation.sets.classifying import ClassifierSettings, Classifying, Pieces, best_piece
from answerable.evaluation.sets.systems import Candidates, Retrieving
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from tests.evaluation.sets.worlds import SHAPES, STAND_INS, WordJudge, documents, write_lines

PIECES = Pieces(SHIPPED / "tokenizer.json")


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
    how = ClassifierSettings(candidates=6)
    found = Classifying(candidates, judge, PIECES, how, 0.9).find("red ball")
    assert found.chosen == ("things.jsonl#red-ball",)  # a log has it too, beyond its first 512 tokens
    assert len(found.judged) == len(found.ranking) == judge.asked == 6
    probabilities = [p for _, p in found.judged]
    assert probabilities == sorted(probabilities, reverse=True)
    assert set(found.parts) == {"search", "judge"}
    assert Classifying(candidates, judge, PIECES, how).find("red ball").chosen is None


def test_in_pieces_all_of_a_document_is_read(candidates: Candidates):
    for part, wanted in ((Part.FIRST, set()), (Part.ALL, {"logs.jsonl#log0", "logs.jsonl#log1"})):
        how = ClassifierSettings(candidates=14, part=part, tokens=64)
        found = Classifying(candidates, WordJudge(), PIECES, how, 0.9).find("red ball ashore")
        assert set(found.chosen or ()) == wanted


def test_nothing_found_is_an_empty_set(candidates: Candidates):
    found = Classifying(candidates, WordJudge(), PIECES, ClassifierSettings(), 0.5).find("xyzzy")
    assert found.ranking == () == found.chosen


@given(st.text(alphabet="abc xyz é\n.", max_size=300), st.integers(2, 12))
def test_pieces_overlap_and_hold_every_word(text: str, tokens: int):
    spans = PIECES.spans(text, tokens, Part.ALL)
    assert all(start <= end <= len(text) for start, end in spans)
    assert all(before[0] < after[0] <= before[1] for before, after in pairwise(spans)) or tokens < 4
    covered = {place for start, end in spans for place in range(start, end)}
    assert all(place in covered for place, character in enumerate(text) if character.isalnum())
    assert PIECES.spans(text, tokens, Part.FIRST)[0][0] == 0 and len(PIECES.of(text, tokens, Part.FIRST)) == 1


def test_the_best_piece_counts():
    fits = np.array([0.1, 0.9, 0.4], np.float32)
    assert best_piece(fits, [0, 0, 1]).tolist() == pytest.approx([0.9, 0.4])
    assert best_piece(np.zeros(0, np.float32), []).shape == (0,)


def test_a_query_that_cannot_be_asked(candidates: Candidates):
    with pytest.raises(UsageError):
        candidates.ranked(" ", "lexical", 5)
    with pytest.raises(UsageError):
        ClassifierSettings(candidates=0)
