"""Questions that name the title of a page, with the page among others."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import named_pages
from answerable.datasets.load import load


def test_the_longest_title_is_what_a_question_asks_of() -> None:
    titles = {"paris": ["a"], "texas": ["b"], "paris texas": ["c"], "capital": ["d"]}
    assert named_pages.asks_of("Who directed Paris, Texas?", {named_pages.named("Paris, Texas (film)"): ["c"]}) == (
        "paris , texas"
    )
    assert named_pages.asks_of("What is Paris Texas about?", titles) == "paris texas"
    assert named_pages.asks_of("What is the capital of Paris?", titles) == "capital"
    assert named_pages.asks_of("Where is Paris?", titles) is None, "short single words are words of any question"


def test_questions_are_drawn_whose_page_answers_them(tmp_path: Path) -> None:
    def write(name: str, *rows: dict[str, object]) -> None:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))

    write(
        "wiki/passages.jsonl.gz",
        {"_id": "1", "title": "Rob Roy (film)", "text": "Rob Roy was directed by Michael Caton-Jones in Scotland ."},
        {"_id": "2", "title": "Gustavia", "text": "Gustavia lies in the Caribbean ."},
        {"_id": "3", "title": "Bread", "text": "Bread is baked ."},
    )
    write(
        "popqa/popqa.jsonl.gz",
        {"question": "Who directed Rob Roy?", "answers": ["in", "Michael Caton-Jones"]},
        {"question": "In what country is Gustavia?", "answers": ["FR", "in"]},
    )
    write("webquestions/webquestions.jsonl.gz", {"question": "where is gustavia?", "answers": ["Caribbean"]})
    named_pages.main(["--data", str(tmp_path), "--out", str(tmp_path / "out"), "--passages", "2"])
    (film,), (town,) = load(tmp_path / "out/popqa.jsonl"), load(tmp_path / "out/webquestions.jsonl")
    assert film.question == "Who directed Rob Roy?" and film.answers == ("Michael Caton-Jones",)
    assert town.question == "where is gustavia?" and town.answers == ("Caribbean",)
    kept = [json.loads(line)["_id"] for line in (tmp_path / "out/passages.jsonl").read_text().splitlines()]
    assert sorted(kept) == ["1", "2"], "the pages asked of come first"
