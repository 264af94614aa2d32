from __future__ import annotations

import json
from pathlib import Path

from answerable.readers.layout import Layout
from answerable.training.beside import widen
from answerable.training.reading import NO, NONE, SPAN, YES, PoolPassage, Reading, boolq, encode, fever, multihop, squad
from tests.readers.test_layout import layout  # noqa: F401


def write(path: Path, rows: object) -> Path:
    text = "\n".join(map(json.dumps, rows)) if isinstance(rows, list) else json.dumps(rows)
    path.write_text(text)
    return path


def test_squad_keeps_exact_spans_and_unanswerable_questions(tmp_path: Path) -> None:
    answers = [{"text": "Alan Stevenson", "answer_start": 8}]
    paragraph = {
        "context": "It was  Alan Stevenson.",
        "qas": [
            {"id": "a", "question": " Who? ", "answers": answers},
            {"id": "b", "question": "When?", "answers": []},
            {"id": "c", "question": "Lost?", "answers": [{"text": "not there", "answer_start": 0}]},
        ],
    }
    rows = list(squad(write(tmp_path / "s.json", {"data": [{"title": "A_B", "paragraphs": [paragraph]}]}), "squad"))
    assert [(name, r.id, r.kind) for name, r in rows] == [("A_B", "a", SPAN), ("A_B", "b", NONE)]
    _, start, end = rows[0][1].answer or (0, 0, 0)
    assert rows[0][1].passages[0] == ("A B", paragraph["context"])
    assert paragraph["context"][start:end] == "Alan Stevenson"


def test_multihop_points_into_the_supporting_sentence(tmp_path: Path) -> None:
    pool = {
        "x": PoolPassage("X", "Leith is a port. X works there.", ("Leith is a port.", "X works there.")),
        "y": PoolPassage("Y", "In Leith rain falls. X moved to Leith.", ("In Leith rain falls.", "X moved to Leith.")),
        "z": PoolPassage("Z", "Nothing.", ("Nothing.",)),
    }
    row = {
        "_id": "1", "question": "Where?", "answer": "Leith", "supporting": [["Y", 1]],
        "context": ["x", "y", "z"], "gold": ["x", "y"], "covered": True,
    }  # fmt: skip
    polar = row | {"_id": "2", "answer": "no"}
    path = write(tmp_path / "m.jsonl", [row, polar, row | {"covered": False}, row | {"answer": "nowhere"}])
    (first, others), (second, _) = multihop(path, pool, "hotpotqa")
    assert first.answer == (1, 32, 37)
    assert others == ("z",)
    assert (second.kind, second.answer) == (NO, None)


def test_boolq_is_yes_and_no(tmp_path: Path) -> None:
    row = {"_id": "1", "question": "is it", "title": "T", "passage": "P", "answer": True}
    rows = list(boolq(write(tmp_path / "b.jsonl", [row, row | {"answer": False}])))
    assert [(r.kind, r.answers) for r in rows] == [(YES, ("yes",)), (NO, ("no",))]


def test_claims_are_yes_and_no(tmp_path: Path) -> None:
    row = {
        "_id": "1",
        "claim": "It burns.",
        "label": "SUPPORTS",
        "evidence": ["It is lit .", "It burns ."],
        "titles": [],
    }
    rows = list(fever(write(tmp_path / "f.jsonl", [row, row | {"label": "REFUTES", "titles": ["Light"]}])))
    assert [(r.kind, r.question) for r in rows] == [(k, "Is it true that It burns?") for k in (YES, NO)]
    assert [r.passages for r in rows] == [((t, "It is lit . It burns ."),) for t in ("", "Light")]


def test_the_answer_survives_encoding_wherever_the_window_falls(layout: Layout) -> None:  # noqa: F811
    text = " ".join(f"w{i}" for i in range(900))
    begin = text.index("w500 ")
    long = Reading("1", "w1 w2", (("", text),), SPAN, (0, begin, begin + len("w500 w501")))
    for seed in range(20):
        (one,) = encode(layout, [long], seed)
        ids = [layout.tokenizer.token_to_id(w) for w in ("w500", "w501")]
        assert one.ids[one.start : one.end + 1] == ids


def test_widening_never_moves_the_answer() -> None:
    rows = [
        Reading(str(i), "q", ((f"T{i}", f"text number {i} here"),), SPAN, (0, 5, 11), ("number",), "squad")
        for i in range(300)
    ]
    two = (("T", "another text here"), ("U", "text number 7 here"))
    rows += [Reading(f"b{i}", "q", two, SPAN, (1, 5, 11), ("number",), "written") for i in range(300)]
    made = widen(rows, seed=1)
    chains = [r for r in made if len(r.passages) == 2]
    assert len(chains) > 300
    for row in made:
        if row.kind == SPAN:
            which, start, end = row.answer or (0, 0, 0)
            assert row.passages[which][1][start:end] == "number"
