"""What people are asked and what they say: out and back, and what it does to the benchmark."""

import csv
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.datasets.load import load
from answerable.errors import FormatError
from answerable_bench.sets import label, paraphrase, validate
from answerable_bench.sets.queries import read_queries
from answerable_bench.sets.rounds import Round, fleiss_kappa, give_out, most, page, take_in, unanimous
from answerable_bench.sets.write import judgements, write_benchmark
from answerable_bench.stages import read_jsonl
from bench_tests.sets.world import PLAN, SMALL, make

VALID = {"fluency": "fluent", "meaning": "same", "naturalness": "yes"}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(one: Round, path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, one.columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def validated(own: Path, said: dict[str, list[dict[str, str]]]) -> None:
    """Take in the verdicts by query, one annotator after another."""
    tasks = validate.tasks(read_queries(own))
    for number in range(3):
        rows = [
            {"id": id, "annotator": f"p{number}", **VALID, **ones[number]}
            for id, ones in said.items()
            if number < len(ones)
        ]
        path = write_rows(validate.VALIDATION, own / "v.csv", rows)
        take_in(validate.VALIDATION, own, tasks, path, validate.read)


def test_what_most_speak_against_leaves(own: Path):
    short = json.loads((own / "statistics.json").read_text("utf-8"))["short"]
    a, b, c, d, e = (one.id for one in read_queries(own)[:5])
    validated(
        own,
        {
            a: [{"fluency": "not"}, {"fluency": "not"}, {}],
            b: [{"meaning": "different"}, {"meaning": "ambiguous"}, {}],
            c: [{"naturalness": "no"}, {"fluency": "not"}, {"meaning": "d"}],  # no majority against any one thing
            d: [{"fluency": "mostly"}, {"naturalness": "maybe"}, {}],
            e: [{"naturalness": "no"}],
        },
    )
    said = judgements(own)
    left = {one.id for one in said.asked} - {one.id for one in said.valid}
    assert left == {a, b, e}
    assert write_benchmark(own, PLAN)["left out"] == 3
    every = json.loads((own / "statistics.json").read_text("utf-8"))
    assert every["short"] == short  # what people took away is not for want of categories
    told = every["validated"]
    assert (told["queries"], told["by three or more"], told["left out"]) == (5, 4, 3)
    assert -1 < told["kappa"]["fluency"] < 1
    records = {row["_id"]: row["metadata"] for row in read_jsonl(own / "train.jsonl")}
    assert records[c]["fluency"] == [True, False, True] and records[c]["meaning"] == [True, True, False]
    assert not {a, b, e} & set(records)


def test_verdicts_on_other_words_do_not_count(own: Path):
    first = read_queries(own)[0]
    validated(own, {first.id: [{"fluency": "not"}] * 3})
    path = write_rows(
        paraphrase.PARAPHRASING,
        own / "p.csv",
        [{"id": first.id, "annotator": "p", "new query": "Old  boats", "skip": ""}],
    )
    tasks = paraphrase.tasks(read_queries(own))
    assert take_in(paraphrase.PARAPHRASING, own, tasks, path, paraphrase.read)["open"] == len(tasks) - 1
    said = judgements(own)
    assert next(one for one in said.valid if one.id == first.id).text == "Old boats" and not said.verdicts


def test_a_query_that_makes_no_sense_is_skipped(own: Path):
    queries = read_queries(own)
    path = own / "p.csv"
    give_out(paraphrase.PARAPHRASING, own, paraphrase.tasks(queries), path, "p")
    rows = rows_of(path)
    assert rows[0]["query"] == queries[0].original
    rows[0]["skip"] = "yes"
    take_in(
        paraphrase.PARAPHRASING, own, paraphrase.tasks(queries), write_rows(paraphrase.PARAPHRASING, path, rows),
        paraphrase.read,
    )  # fmt: skip
    assert {one.id for one in queries} - {one.id for one in judgements(own).asked} == {queries[0].id}
    for wrong, reason in (("<mark>x</mark>", "no query"), ("w " * 61, "no query")):
        rows[1]["new query"] = wrong
        with pytest.raises(FormatError, match=reason):
            take_in(
                paraphrase.PARAPHRASING, own, paraphrase.tasks(queries),
                write_rows(paraphrase.PARAPHRASING, path, rows), paraphrase.read,
            )  # fmt: skip


def labelled(own: Path, rows: list[dict[str, str]]) -> None:
    tasks = label.tasks(own, judgements(own).valid)
    take_in(label.LABELLING, own, tasks, write_rows(label.LABELLING, own / "l.csv", rows), label.read)


def test_documents_that_do_not_fit_leave_and_evidence_has_its_place(own: Path):
    query = next(one for one in read_queries(own) if len(one.docs) > 3)
    a, b, c, *_ = query.docs
    word = query.text.split()[0]
    base = {"id": query.id, "evidence": "partial", "attribution": ""}
    labelled(
        own,
        [
            base | {"document": a, "annotator": "1", "rating": "1"},
            base | {"document": b, "annotator": "1", "rating": "3", "attribution": f"{word}: 0; {query.text}: 0 1"},
            base | {"document": b, "annotator": "2", "rating": "1"},
            base | {"document": b, "annotator": "3", "rating": "2", "evidence": "complete"},
            base | {"document": c, "annotator": "1", "rating": "0", "evidence": "none"},
            base | {"document": c, "annotator": "2", "rating": "3"},
        ],
    )
    write_benchmark(own, PLAN)
    (found,) = (one for one in load(own / f"{query.split}.jsonl") if one.id == query.id)
    assert set(found.answers) == set(query.docs) - {a}  # of c as many speak for it as against
    (row,) = (row for row in read_jsonl(own / f"{query.split}.jsonl") if row["_id"] == query.id)
    about = row["metadata"]
    assert about["relevance_ratings"][b] == ["Definitely relevant", "Likely not relevant", "Likely relevant"]
    assert about["evidence_ratings"][c] == ["none", "partial"]
    texts = {task["document"]: task["plain text"] for task in label.tasks(own, [query])}
    for shown, place in zip(about["attributions"][b], about["attribution_places"][b], strict=True):
        ((phrase, sentence),) = shown.items()
        assert texts[b][place["start"] : place["end"]] == sentence
        assert query.text[place["phrase start"] : place["phrase end"]] == phrase
    assert len(about["attributions"][b]) == 3 and found.meta["attributions"]
    told = json.loads((own / "statistics.json").read_text("utf-8"))["labelled"]
    assert (told["documents"], told["left out"]) == (3, 1) and told["all say the same side"] == 0
    assert told["evidence"] == {"complete": 0.2, "partial": 0.6, "none": 0.2}
    assert told["words attributed at most"] == len(texts[b].split())
    assert "labelled documents" in (own / "statistics.md").read_text("utf-8")


def test_a_query_without_an_answer_left_leaves(own: Path):
    query = min(read_queries(own), key=lambda one: len(one.docs))
    row = {"id": query.id, "annotator": "1", "rating": "0", "evidence": "none", "attribution": ""}
    labelled(own, [row | {"document": id} for id in query.docs])
    assert query.id not in {one.id for one in judgements(own).kept}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"rating": "4"}, "row 2 .* has no rating of 3, 2, 1, 0"),
        ({"evidence": ""}, "has no evidence"),
        ({"annotator": " "}, "has no annotator"),
        ({"document": "b-1"}, "of no task"),
        ({"attribution": "no such words: 0"}, "no phrase of the query"),
        ({"attribution": "{query}: 99"}, "a sentence that is not there"),
        ({"attribution": "{query}"}, "no phrase of the query"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_kept(own: Path, changed: dict[str, str], reason: str):
    query = read_queries(own)[0]
    row = {
        "id": query.id,
        "document": query.docs[0],
        "annotator": "1",
        "rating": "3",
        "evidence": "c",
        "attribution": "",
    }
    row |= {name: value.replace("{query}", query.text) for name, value in changed.items()}
    with pytest.raises(FormatError, match=reason):
        labelled(own, [row])
    assert not (own / "labels.jsonl").exists()


def test_what_is_not_of_the_round_is_refused(own: Path):
    tasks = validate.tasks(read_queries(own))
    path = own / "x"
    for text, reason in (
        ("id,annotator\n", "has no column"),
        ('{"round": "label", "answers": []}', "another round"),
        ('{"round": "validate"}', "not what a page"),
        ("{", "not what a page"),
    ):
        path.write_text(text, "utf-8")
        with pytest.raises(FormatError, match=reason):
            take_in(validate.VALIDATION, own, tasks, path, validate.read)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match="UTF-8"):
        take_in(validate.VALIDATION, own, tasks, path, validate.read)


def test_a_later_answer_replaces_the_earlier_and_is_given_out_again(own: Path):
    query = read_queries(own)[0]
    for rating in ("0", "3"):
        row = {"id": query.id, "document": query.docs[0], "annotator": "Ada", "rating": rating, "evidence": "complete"}
        labelled(own, [row | {"attribution": f"{query.text}: 0"}])
    (kept,) = judgements(own).labels.values()
    assert kept.ratings == (3,)
    tasks = label.tasks(own, [query])
    for annotator, wanted in (("Ada", ("3", "complete", f"{query.text}: 0")), ("Bea", ("", "", ""))):
        give_out(label.LABELLING, own, tasks, own / "again.csv", annotator)
        first = rows_of(own / "again.csv")[0]
        assert (first["rating"], first["evidence"], first["attribution"]) == wanted


def test_odd_line_ends_within_a_cell_are_no_end_of_a_row(own: Path):
    query = read_queries(own)[0]
    task = {"id": query.id, "query": query.original}
    for written in ("one\u2028two", "one\x0ctwo", "one\r\ntwo"):
        row = {"id": query.id, "annotator": "p", "new query": written, "skip": ""}
        path = write_rows(paraphrase.PARAPHRASING, own / "p.csv", [row])
        take_in(paraphrase.PARAPHRASING, own, [task], path, paraphrase.read)
        assert judgements(own).asked[0].text == "one two"


def test_cells_that_look_like_formulas_are_harmless(own: Path):
    task = {"id": read_queries(own)[0].id, "query": "=cmd()"}
    give_out(paraphrase.PARAPHRASING, own, [task], own / "p.csv", "+1")
    (row,) = rows_of(own / "p.csv")
    assert (row["query"], row["annotator"]) == ("'=cmd()", "'+1")
    assert (own / "p.csv").stat().st_mode & 0o077 == 0


def test_what_people_said_stays_when_the_build_is_made_again(tmp_path: Path):
    make(tmp_path, SMALL)
    out = tmp_path / "out"
    query = read_queries(out)[0]
    validated(out, {query.id: [{"fluency": "not"}] * 3})
    again = make(tmp_path, SMALL)
    assert {name for name, one in again.items() if not one.resumed} == {"splits"}
    assert again["splits"].counts["left out"] == 1
    make(tmp_path, replace(SMALL, plain=True))
    assert not judgements(out).verdicts  # other words now


rows = st.lists(st.lists(st.sampled_from("abc"), min_size=3, max_size=3), min_size=1, max_size=20)


def test_the_table_of_the_paper_that_defined_it():
    """Fleiss 1971's example as it is usually shown: 14 raters, 5 ratings, 10 things."""
    counts = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    rated = [[value for value, count in enumerate(row) for _ in range(count)] for row in counts]
    assert fleiss_kappa(rated) == pytest.approx(0.210, abs=0.001)


@given(rows)
def test_agreement_is_at_most_whole_and_does_not_depend_on_order(rated: list[list[str]]):
    kappa = fleiss_kappa(rated)
    assert kappa == pytest.approx(fleiss_kappa([list(reversed(row)) for row in reversed(rated)]))
    if kappa is not None:
        assert kappa <= 1 + 1e-9 and (kappa == pytest.approx(1)) == (unanimous(rated) == 1)


def test_nothing_is_said_of_what_nobody_or_one_person_rated():
    assert fleiss_kappa([]) is None is fleiss_kappa([["a"], ["b"]])
    assert fleiss_kappa([["a", "a"], ["a", "a"]]) is None
    assert unanimous([["a"]]) is None and unanimous([["a", "a"], ["a", "b"], ["c"]]) == 0.5
    assert fleiss_kappa([["a", "a", "b"], ["b", "b", "b"], ["a"]]) == fleiss_kappa([["a", "a", "b"], ["b", "b", "b"]])


def test_a_majority_is_more_than_half():
    assert most([True, True, False]) and not most([True, False]) and not most([])


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
