"""A small world of questions, in the form of the data sets that lessons are drawn from."""

from __future__ import annotations

from pathlib import Path

from tests.training.files import write_lines
from tests.training.qapairs.worlds import BUILT, KEPT, write_questions


def write_data(data: Path) -> None:
    """All files that `draw` reads."""
    write_questions(data)
    part, more = (data / f"squad/squad-train-{name}.json.gz" for name in ("part", "more"))
    more.write_bytes(part.read_bytes())
    sentence = "Anna kept the lamp of Alma from 1811 on."
    asked = (
        ("Who kept the lamp of Alma?", "Anna"),
        ("Who kept the Alma lamp?", "Anna"),
        ("What did Anna keep?", "the lamp"),
    )
    qas = [{"question": q, "answers": [{"text": a, "answer_start": 0}]} for q, a in asked]
    write_lines(data / "qamr/qamr.jsonl.gz", [{"sentence": sentence, "qas": qas}])
    searched = [(f"when was the tower of {name} built", year) for name, year in BUILT.items()]
    searched += [(f"who built the tower of {name}", KEPT[name]) for name in BUILT]
    searched += [("when was the old tower of Alma built", "1811")]
    for name, rows in (("nq/nq-open-more", searched), ("webquestions/webquestions", []), ("triviaqa/triviaqa", [])):
        write_lines(data / f"{name}.jsonl.gz", [{"question": q, "answers": [a]} for q, a in rows])
    dated = [
        {"question": "who kept alma", "edited_question": f"who kept alma in {y}", "date": y} for y in ("1811", "1812")
    ]
    write_lines(data / "situatedqa/situatedqa.jsonl.gz", dated)
    popular = [f"What is {name} Lamp's occupation?" for name in KEPT.values()]
    popular += [f"What is the capital of {name}?" for name in BUILT] + [
        f"Who is the author of {name}?" for name in BUILT
    ]
    write_lines(data / "popqa/popqa.jsonl.gz", [{"question": one} for one in popular])


def write_groups(path: Path) -> None:
    """Groups of questions, enough for some to be for development."""
    rows = [
        {
            "q": f"Who kept the lamp of {name} in {year}?",
            "same": [
                f"By whom was the lamp of {name} kept in {year}?",
                f"{name} lamp keeper {year}",
                f"keeper of {name} in {year}",
            ],
            "other": [["type", f"When was the lamp of {name} kept?"], ["name", f"Who kept the lamp of Ost in {year}?"]],
        }
        for name, year in BUILT.items()
    ]
    write_lines(path, rows)
