"""The page stands alone, holds its tasks whatever they contain, and gives back what can be taken in."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from answerable_bench.sets import label, validate
from answerable_bench.sets.queries import read_queries
from answerable_bench.sets.rounds import give_out, page, take_in
from answerable_bench.sets.write import judgements

STUB = Path(__file__).with_name("browser.js")


def data_of(text: str) -> dict:
    return json.loads(re.search(r"^const DATA = (.*);$", text, re.M)[1])


def test_nothing_in_a_task_ends_the_script_and_nothing_is_fetched():
    hostile = "</script><script>alert(1)</script><!-- \u2028 & "
    task = {"id": "s", "original": hostile, "query": hostile, "annotator": "1"}
    text = page(validate.VALIDATION, [task], "1")
    assert data_of(text)["tasks"][0]["query"] == hostile
    assert text.count("<script>") == text.count("</script>") == 1
    assert "default-src 'none'" in text and not re.search(r"(src|href)=\"|https?:|fetch\(|XMLHttp|import ", text)


def test_a_page_has_the_tasks_and_their_sentences(own: Path):
    queries = read_queries(own)[:2]
    count = give_out(label.LABELLING, own, label.tasks(own, queries), own / "l.html", "Ada")
    told = data_of((own / "l.html").read_text("utf-8"))
    assert count == len(told["tasks"]) == sum(len(one.docs) for one in queries) and told["annotator"] == "Ada"
    assert len(told["tasks"][0]["cut"]) == 2 and "plain text" not in told["tasks"][0]
    assert (own / "l.html").stat().st_mode & 0o077 == 0


@pytest.mark.skipif(shutil.which("node") is None, reason="the script of the page needs something to run it")
def test_what_is_clicked_is_saved_kept_and_taken_in(own: Path):
    query = read_queries(own)[0]
    give_out(label.LABELLING, own, label.tasks(own, [query]), own / "l.html", "Ada")
    ran = subprocess.run(["node", STUB, own / "l.html"], capture_output=True, text=True, timeout=30, check=False)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["again"] == told["json"]  # another visit to the page has what was answered
    for name in ("json", "csv"):
        (own / "back").write_text(told[name], "utf-8")
        counts = take_in(label.LABELLING, own, label.tasks(own, [query]), own / "back", label.read)
        assert counts["answers"] == 1 and counts["open"] == len(query.docs) - 1
        ((_, said),) = judgements(own).labels.items()
        assert said.ratings == (3,) and said.evidence == ("complete",)
        assert [(one["phrase"], one["sentence"]) for one in said.attributions] == [(query.text, 0), (query.text, 1)]
        (own / "labels.jsonl").unlink()
