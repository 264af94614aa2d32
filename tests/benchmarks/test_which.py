"""Which questions a corpus can answer."""

import json
from pathlib import Path

from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.evaluation.qapairs.matching import evenly
from answerable.workspace.opening import open_workspace
from tests.cli.conftest import STAND_INS
from which import articles, as_rows, by_words, standing, within

ASKED = [
    Example("1", "who came?", ("Rollo",), ("a",)),
    Example("2", "when?", ("911",), ("a", "b")),
    Example("3", "where?", ("France",), ()),
    Example("4", "why?", (), ("a",)),
]


def test_questions_are_kept_whose_passages_are_all_there():
    assert [one.id for one in within(ASKED, {"a"})] == ["1"]
    assert [one.id for one in within(ASKED, {"a", "b"})] == ["1", "2"]


def test_questions_without_passages_are_kept_where_an_answer_is_found():
    asked = []

    def search(question: str, k: int) -> list[str]:
        asked.append((question, k))
        return ["In 9110 they came", "to France, it is said"]

    assert [one.id for one in standing(ASKED, search, 7)] == ["3"]
    assert asked == [("who came?", 7), ("when?", 7), ("where?", 7)]  # that without an answer is not looked for


def test_a_search_by_words_gives_the_best_passages_first(tmp_path: Path, monkeypatch):
    for name, value in STAND_INS.items():
        if value:
            monkeypatch.setenv(name, value)
    rows = [{"_id": str(n), "title": "", "text": text} for n, text in enumerate(("a lamp burns", "a lamp and a lens"))]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with open_workspace(tmp_path / "ws", create=True) as opened:
        opened.index([tmp_path / "p.jsonl"], "text", "public")
        search = by_words(opened)
        assert search("which lens has a lamp?", 2) == ["a lamp and a lens", "a lamp burns"]
        assert search("which lens has a lamp?", 1) == ["a lamp and a lens"]


def test_articles_are_taken_whole_in_the_order_of_the_file(tmp_path: Path):
    pages = {"Oxygen": ["gas", "air"], "Rhine": ["river"], "Kenya": ["land"]}
    data = [{"title": t, "paragraphs": [{"context": c, "qas": []} for c in texts]} for t, texts in pages.items()]
    path = tmp_path / "q.json"
    path.write_text(json.dumps({"data": data}))
    found = articles(path, lambda title: title != "Rhine", 2)
    assert {title: [row["text"] for row in rows] for title, rows in found.items()} == {
        "Oxygen": ["gas", "air"], "Kenya": ["land"],
    }  # fmt: skip
    assert found["Oxygen"][1]["_id"] == "Oxygen#1.2" and list(articles(path, lambda _: True, 1)) == ["Oxygen"]


def test_a_part_is_drawn_evenly():
    assert evenly([*range(10)], 4) == [0, 2, 5, 7] and evenly([1, 2], 5) == [1, 2] and evenly([1, 2], None) == [1, 2]


def test_rows_are_read_back_as_they_were(tmp_path: Path):
    path = tmp_path / "q.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in as_rows(ASKED[:3])))
    assert list(load(path, "nq-open")) == ASKED[:3]
