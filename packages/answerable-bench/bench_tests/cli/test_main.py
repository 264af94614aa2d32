"""`answerable-bench`: built, evaluated as it is, given out for review and taken back."""

import csv
from pathlib import Path

from answerable.cli.shell import Exit
from bench_tests.cli.conftest import Command
from bench_tests.world import write_mails, write_pages, write_questions


def test_a_benchmark_is_built_evaluated_and_reviewed(command: Command, bench: Command, tmp_path: Path):
    pages, mails = write_pages(tmp_path / "pages.jsonl"), write_mails(tmp_path / "box.mbox")
    given = [
        "build",
        "--public",
        pages,
        "--private",
        mails,
        "--out",
        "bench",
        "--least",
        "2",
        "--pairs",
        "40",
    ]
    ran = bench(*given)
    assert ran.code == 0 and "| split | total | PP | PG | GP | GG |" in ran.out
    assert "to write questions on" in ran.err
    exported = bench("pairs", "bench", "--export", "pairs.jsonl", "--json").record["exported"]
    assert exported == len(Path("bench/pairs.jsonl").read_text("utf-8").splitlines()) > 0
    written = bench(*given, "--written", "pairs.jsonl")
    assert (written.code, "of other builds 0" in written.out) == (Exit.ABSTAINED, True)  # nobody has written
    assert "No question stands" in written.out
    given += ["--written", write_questions(Path("pairs.jsonl"), Path("written.jsonl"))]
    record = bench(*given, "--json").record
    assert record["statistics"]["questions"] > 0 and set(record["stages"]) >= {"entities", "pairs", "questions"}

    for enclave, kind in (("private", "--private"), ("public", "--public")):
        assert command("index", f"bench/{enclave}.jsonl", "--enclave", enclave, kind).code == 0
    asked = command("evaluate", "asking", "--data", "bench/train.jsonl", "--slices", "bench", "--hops", "1", "--json")
    assert asked.record["leaks"] == 0 and set(asked.record["slices"]) <= {"PP", "PG", "GP", "GG"}
    assert asked.record["measures"]["passage recall@20"] > 0

    assert bench("review", "bench", "--export", "table.csv").code == 0
    with Path("table.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    rows[1][3], rows[2][3], rows[2][4] = "accepted", "rejected", "not asked so"
    with Path("table.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows(rows)
    taken = bench("review", "bench", "--import", "table.csv", "--reviewed-only", "--json").record
    assert taken["verdicts"]["accepted"] == taken["verdicts"]["rejected"] == taken["splits"]["reviewed"] == 1
    assert (
        sum(len(Path(f"bench/{name}.jsonl").read_text("utf-8").splitlines()) for name in ("train", "dev", "test")) == 1
    )


def test_a_review_is_of_a_benchmark_and_goes_one_way(bench: Command, tmp_path: Path):
    assert bench("review", tmp_path).code == 2
    assert "is no benchmark" in bench("review", tmp_path, "--export", "t.csv").err
