"""Cases to judge, and the shares of what was judged."""

import csv
from pathlib import Path

import pytest

from answerable.datasets.examples import Example
from answerable.errors import FormatError, UsageError
from answerable.evaluation.qapairs.review import drawn, read_judged, sentence_of, write_made, write_matched
from answerable.types import Passage, QAPair

TEXT = "Rollo came in 911. He led the Normans, who settled."
PASSAGE = Passage("d@0-51", "d", "wiki", "Normandy", TEXT, 0, len(TEXT))
PAIRS = [
    QAPair("1", "who came in 911", ("Rollo",), "d@0-51", "wiki", 0.9, 0, 5),
    QAPair("2", "whom did he\nlead", ("the Normans",), "d@0-51", "wiki", 0.4, 26, 37),
    QAPair("3", "when was it", ("911",), "", "wiki", 0.1),
]


def judge(path: Path, verdicts: list[str]) -> None:
    rows = list(csv.reader(path.read_text("utf8").splitlines()))
    for row, verdict in zip(rows[1:], verdicts, strict=True):
        row[-1] = verdict
    with path.open("w", encoding="utf8", newline="") as file:
        csv.writer(file).writerows(rows)


def test_pairs_are_written_with_their_sentence_and_judged(tmp_path: Path):
    path = write_made(PAIRS, {PASSAGE.id: PASSAGE}, tmp_path / "made.csv")
    rows = list(csv.DictReader(path.read_text("utf8").splitlines()))
    assert [row["sentence"] for row in rows] == ["Rollo came in 911.", "He led the Normans, who settled.", ""]
    assert rows[1]["question"] == "whom did he lead" and rows[0]["one of"] == "correct | grammar | ambiguous | wrong"
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(UsageError, match="is judged yet"):
        read_judged(path)
    judge(path, ["Correct", " grammar ", ""])
    found = read_judged(path)
    assert (found["of"], found["judged"], found["unjudged"]) == ("made", 2, 1)
    assert [one["share"] for one in found["verdicts"]] == [0.5, 0.5, 0.0, 0.0]
    assert found["whole"]["share"] == 1.0 and found["whole"]["low"] == pytest.approx(0.342, abs=1e-3)


def test_questions_are_judged_beside_their_pair(tmp_path: Path):
    asked = [(Example(str(n), f"q{n}", ("a", "b")), said(right)) for n, right in enumerate((1.0, 1.0, 0.0))]
    path = write_matched(asked, tmp_path / "matched.csv")
    judge(path, ["paraphrase", "related", "paraphrase"])
    found = read_judged(path)
    assert found["whole"]["share"] == 0.5 and found["verdicts"][0]["count"] == 2


def said(right: float) -> dict:
    return {"guess": "a", "confidence": 0.5, "pair": {"question": "p"}, "scores": {"EM": right}}


def test_what_is_no_verdict_is_named_by_its_row(tmp_path: Path):
    path = write_made(PAIRS, {}, tmp_path / "made.csv")
    judge(path, ["correct", "fine", ""])
    with pytest.raises(FormatError, match="'fine' is no verdict"):
        read_judged(path)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="no table of cases"):
        read_judged(tmp_path / "other.csv")


def test_a_sample_is_drawn_in_order_and_again_the_same():
    assert drawn(range(100), 5) == drawn(range(100), 5) == sorted(drawn(range(100), 5))
    assert drawn([1, 2], 5) == [1, 2]


def test_an_answer_across_sentences_has_the_whole_passage():
    assert sentence_of(QAPair("4", "q", ("x",), "d@0-51", "wiki", 0.1, 14, 20), PASSAGE) == TEXT


def test_no_cell_of_a_table_runs_as_a_formula(tmp_path: Path):
    path = write_made([QAPair("1", "＝1+1 of what?", ("@x",), "", "wiki", 0.1)], {}, tmp_path / "made.csv")
    (row,) = csv.DictReader(path.read_text("utf8").splitlines())
    assert (row["question"], row["answer"]) == ("'＝1+1 of what?", "'@x")
