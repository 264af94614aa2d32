"""`answerable-bench sets`: built, judged, and read by `evaluate` as it is."""

import csv
import json
from pathlib import Path

from bench_tests.cli.conftest import Command
from bench_tests.sets.world import write_boats, write_names

SMALL = ("most=40", "large=6", "first_most=80", "crowding=0.5", "train_atoms=0.4", "validation_atoms=0.3")


def build(bench: Command, *more: str):
    boats, names = write_boats(Path("boats.jsonl")), write_names(Path("names.json"))
    given = [
        "sets",
        "build",
        boats,
        "--categories",
        names,
        "--out",
        "bench",
        "--queries",
        "8",
        "--noun",
        "boats",
    ]
    given += ["--attribute", "year=boats from {}", *(word for one in SMALL for word in ("--set", one))]
    return bench(*given, *more)


def test_a_benchmark_is_built_judged_and_told(bench: Command):
    ran = build(bench)
    assert ran.code == 0 and "| template | train | val | test |" in ran.out
    assert "the conditions leave" in ran.out
    record = build(bench, "--json").record
    assert record["statistics"]["queries"] > 20 and record["stages"]["composed"]["train"] > 0

    assert bench("sets", "label", "bench", "--export", "l.html", "--sample", "2").code == 0
    assert "localStorage" in Path("l.html").read_text("utf-8")
    out = bench("sets", "validate", "bench", "--export", "v.csv", "--split", "test", "--json").record
    assert out["exported"] == record["stages"]["splits"]["test"]
    with Path("v.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    rows[1][-3:] = ["not", "same", "yes"]
    with Path("v.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows(rows)
    taken = bench("sets", "validate", "bench", "--import", "v.csv", "--json").record
    assert taken["answers"]["answers"] == taken["splits"]["left out"] == 1
    told = bench("sets", "statistics", "bench", "--json").record["statistics"]
    assert told["validated"]["left out"] == 1 and told["queries"] == record["statistics"]["queries"] - 1
    assert "validated queries" in bench("sets", "statistics", "bench").out
    rows = [json.loads(line) for line in Path("bench/test.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == out["exported"] - 1


def test_what_systems_find_is_pooled_judged_and_its_errors_told(bench: Command):
    assert build(bench).code == 0
    rows = [json.loads(line) for line in Path("bench/test.jsonl").read_text("utf-8").splitlines()]
    one = next(row for row in rows if row["metadata"]["template"] == "_ that are not _")
    other, wrong = (f"b{n}" for n in (1, 2)) if not {"b1", "b2"} & set(one["docs"]) else ("b3", "b4")
    head = {"run": 1, "task": "finding", "data": {}, "settings": {}, "versions": {}, "made": {}}
    given = {"id": one["_id"], "question": one["query"], "docs": [one["docs"][0], other, wrong], "scores": {}}
    Path("run.jsonl").write_text(f"{json.dumps(head)}\n{json.dumps(given)}\n", "utf-8")
    assert bench("sets", "pool", "bench", "run.jsonl", "--json").record["pooled"] == {"queries": 1, "documents": 2}
    bench("sets", "pool", "bench", "run.jsonl")  # once more adds nothing

    def answered(what: str, **cells: dict[str, str]) -> dict:
        assert bench("sets", what, "bench", "--export", "r.csv").code == 0
        with Path("r.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        mine = [row | cells[row["document"]] for row in rows if row["id"] == one["_id"] and row["document"] in cells]
        with Path("r.csv").open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(mine)
        return bench("sets", what, "bench", "--import", "r.csv", "--json").record

    judged = {"rating": "3", "evidence": "complete"}
    assert answered("label", **{other: judged})["answers"]["answers"] == 1
    now = [json.loads(line) for line in Path("bench/test.jsonl").read_text("utf-8").splitlines()]
    assert next(row for row in now if row["_id"] == one["_id"])["docs"] == [*one["docs"], other]
    assert answered("errors", **{wrong: {"broken": "2"}})["answers"] == {"answers": 1, "tasks": 1, "open": 0}
    told = bench("sets", "statistics", "bench", "--json").record["statistics"]["errors"]
    share = {"documents": 1, "fitting": 0, "1": 1.0, "2": 0.0, "3": 0.0, "negated": 1.0}
    assert told == {"_ that are not _": share} and "| A \\ B | 1 | 0 |" in bench("sets", "statistics", "bench").out

    Path("r.csv").write_text(Path("r.csv").read_text("utf-8-sig").replace(",2\n", ",3\n").replace(",2\r\n", ",3\r\n"))
    assert "a constraint that the query does not have" in bench("sets", "errors", "bench", "--import", "r.csv").err
    Path("run.jsonl").write_text(f"{json.dumps(head)}\n{json.dumps(given | {'docs': ['elsewhere']})}\n", "utf-8")
    assert "documents that are not in bench" in bench("sets", "pool", "bench", "run.jsonl").err


def test_what_cannot_be_done_is_said_in_a_sentence(bench: Command):
    assert "there is no condition 'small'" in build(bench, "--set", "small=1").err
    assert "is not written FIELD=WORDS" in build(bench, "--attribute", "year").err
    assert "there is no file" in bench("sets", "build", "none.jsonl", "--out", "bench").err
    assert "is no benchmark of set queries" in bench("sets", "statistics", ".").err
    assert build(bench).code == 0
    rounds = ["sets", "paraphrase", "bench"]
    assert "either given out or taken in" in bench(*rounds).err
    assert "there is no split" in bench(*rounds, "--export", "p.csv", "--split", "dev").err
