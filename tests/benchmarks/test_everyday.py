"""benchmarks/everyday.py: the questions keep to the format, answers are matched fairly, and a tiny run is scored."""

from __future__ import annotations

import gzip
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

import common
import everyday
from answerable.corpora.mail import read_mbox
from answerable.corpora.sources import Limits
from everyday_check import faults, unfound
from everyday_corpora import HERE, MAILS, Piece, enclaves, half_of, questions
from everyday_scores import right

NOTES = {
    "boiler.txt": "The boiler was serviced on 12 May 2019 by Anna Krol of Warm Homes.",
    "car.txt": "The car insurance with Harbour Mutual costs 412 pounds a year.",
}
ROW = {
    "id": "tiny-01-001",
    "workspace": "tiny-01",
    "kind": "fact",
    "question": "Who serviced the boiler?",
    "answers": ["Anna Krol"],
    "gold": [{"source": "tiny", "id": "boiler.txt", "quote": "by Anna Krol of Warm Homes"}],
}


def test_the_committed_questions_keep_to_the_format() -> None:
    assert list(faults(questions())) == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"kind": "guess"}, "no kind"),
        ({"workspace": "attic"}, "no workspace"),
        ({"id": "lokay-001"}, "does not begin"),
        ({"answers": []}, "empty for the `none` kinds"),
        ({"kind": "none-near"}, "empty for the `none` kinds"),
        ({"kind": "two-hop"}, "two rows"),
        ({"kind": "compare"}, "two rows"),
        ({"kind": "yes-no"}, '["yes"]'),
        ({"kind": "follow-up"}, "before"),
        ({"answers": ["Bob"]}, "no answer stands"),
        ({"gold": [{"source": "tiny", "id": "boiler.txt", "quote": "Anna Krol"}]}, "3 to 25 words"),
        ({"hint": "look"}, "unknown: hint"),
    ],
)
def test_what_does_not_keep_to_the_format_is_told(change: dict[str, Any], why: str) -> None:
    assert list(faults([ROW])) == []
    assert any(why in fault for fault in faults([{**ROW, **change}]))


def test_a_question_asked_twice_is_told() -> None:
    assert len(list(faults([ROW, ROW]))) == 2  # its id and its text


def test_a_quote_is_sought_in_its_own_document() -> None:
    held = {("tiny", name): Piece("tiny", name, f"notes/{name}", text) for name, text in NOTES.items()}
    assert list(unfound(ROW, held)) == []
    for gold, why in (("car.txt", "not in tiny car.txt"), ("attic.txt", "is not in tiny-01")):
        (told,) = unfound({**ROW, "gold": [{**ROW["gold"][0], "id": gold}]}, held)
        assert why in told


def test_every_workspace_is_of_one_half() -> None:
    names = ("beck", "dasovich", "tiny-07", "tiny-10", "manuals-a", "manuals-b", "help-a", "help-b")
    assert [half_of(name) for name in names] == ["develop", "report"] * 4


def test_a_part_of_a_mailbox_is_a_file_named_as_it_will_be_found(tmp_path: Path, monkeypatch) -> None:
    mail = "From a@b.c Mon Jan  1 00:00:00 2001\nMessage-ID: <{0}@b.c>\nFrom: a@b.c\nSubject: tea\n\nText {0} here.\n\n"
    (tmp_path / "enron").mkdir()
    packed = gzip.compress("".join(map(mail.format, range(4))).encode())
    (tmp_path / "enron" / "kaminski-v.mbox.gz").write_bytes(packed)
    monkeypatch.setitem(MAILS, "kaminski", (1, 3))
    held, _ = enclaves(tmp_path, "kaminski", [], tmp_path)
    (path,) = everyday._written(tmp_path / "files", held)
    read = list(read_mbox(path, path.name, "mail", Limits(), lambda _: None))
    assert [(piece.id, piece.name) for piece in held.pieces] == [(f"<{n}@b.c>", read[n - 1].id) for n in (1, 2)]
    assert [one.text for one in read] == [piece.text for piece in held.pieces]


def test_of_guides_only_those_listed_are_held(tmp_path: Path) -> None:
    (tmp_path / "conditionalqa").mkdir()
    pages = [{"_id": f"https://office/{name}", "html": ["<p>Ask us.</p>"]} for name in ("dog-tax", "cat-tax")]
    (tmp_path / "conditionalqa" / "pages.jsonl").write_text("\n".join(map(json.dumps, pages)), "utf-8")
    (tmp_path / "policies-c.txt").write_text("conditionalqa\thttps://office/cat-tax\n", "utf-8")
    (tmp_path / "policyqa").mkdir()
    for name in ("dev", "test"):
        (tmp_path / "policyqa" / f"{name}.json.gz").write_bytes(gzip.compress(b'{"data": []}'))
    policies, pages_ = enclaves(tmp_path, "policies-c", [], tmp_path)
    assert policies.files == {"cat-tax.html": "<title>Cat tax</title>\n<p>Ask us.</p>"} and not pages_.files


def test_manuals_are_files_of_the_set_and_help_pages_those_that_are_listed(tmp_path: Path) -> None:
    rules = tmp_path / "notes" / "manuals-a" / "club" / "rules 2024.txt"
    rules.parent.mkdir(parents=True)
    rules.write_text("Adults pay 245 a year.", "utf-8")
    (manuals,) = enclaves(tmp_path, "manuals-a", [], tmp_path)
    assert (manuals.name, manuals.kind) == ("manuals", "private")
    assert [(piece.source, piece.id) for piece in manuals.pieces] == [("notes/manuals-a", "club/rules 2024.txt")]
    (tmp_path / "conditionalqa").mkdir()
    pages = [{"_id": f"https://office/{name}", "html": ["<p>Ask us.</p>"]} for name in ("dog-tax", "cat-tax")]
    (tmp_path / "conditionalqa" / "pages.jsonl").write_text("\n".join(map(json.dumps, pages)), "utf-8")
    (tmp_path / "doc2dial").mkdir()
    (tmp_path / "doc2dial" / "documents.jsonl.gz").write_bytes(gzip.compress(b""))
    (tmp_path / "help-a.txt").write_text("conditionalqa\thttps://office/cat-tax\n", "utf-8")
    (help_,) = enclaves(tmp_path, "help-a", [], tmp_path)
    assert help_.kind == "mirror" and list(help_.files) == ["cat-tax.html"]


def test_no_source_is_of_both_halves() -> None:
    """But a passage on a firm that the mails of both speak of."""
    used: dict[str, set[tuple[str, str]]] = {"develop": set(), "report": set()}
    for row in questions():
        used[half_of(row["workspace"])] |= {(gold["source"], gold["id"]) for gold in row["gold"]}
    assert used["develop"] & used["report"] == {("wiki", "/wiki/Portland_General_Electric")}


@pytest.mark.parametrize(
    ("said", "accepted", "kind", "fits"),
    [
        ("$28,000", ["28000"], "fact", True),
        ("28.5", ["285"], "fact", False),
        ("seven", ["7"], "how-many", True),
        ("anna krol", ["Anna Krol"], "fact", True),
        ("Anna", ["Anna Krol"], "fact", True),
        ("Anna Schmidt of Warm Homes", ["Anna Krol"], "fact", False),
        ("May 10", ["10 May 2001"], "latest", True),
        ("12 May 2001", ["10 May 2001"], "latest", False),
        ("yes", ["yes"], "yes-no", True),
        ("yes it is", ["yes"], "yes-no", False),
        ("no", ["yes"], "yes-no", False),
        ("because the line was down for maintenance all week", ["line was down"], "why-how", True),
        ("because the line was down for maintenance all week", ["line was down"], "fact", False),
        ("git branch -d NAME", ["git branch -D NAME"], "command", False),
        ("`git branch -D NAME`", ["git branch -D NAME", "git branch -D"], "command", True),
        ("git branch --merged", ["git branch -a"], "command", False),
        ("-f --force", ["-f", "-f --force"], "command", True),
        ("-k --keep: keep input files", ["keep input files"], "command", True),
        (None, ["yes"], "yes-no", False),
        ("Anna Krol", [], "none-near", False),
    ],
)
def test_an_answer_is_matched_by_words_and_numbers_by_value(said, accepted, kind, fits) -> None:
    assert right({"answers": accepted, "kind": kind}, said) is fits


def test_the_sign_test_is_the_binomial() -> None:
    assert common.sign_test(0, 0) == 1.0 and common.sign_test(3, 3) == 1.0
    assert common.sign_test(5, 0) == pytest.approx(2 / 32) and common.sign_test(0, 5) == common.sign_test(5, 0)


def test_a_tiny_set_is_prepared_asked_and_scored(tmp_path: Path, monkeypatch, capsys) -> None:
    """Again with nothing to do: a run goes on by id. Against itself no question differs."""
    for part, name in (("ENCODER", "hashed"), ("READER", "overlap")):
        monkeypatch.setenv(f"ANSWERABLE_MODELS_{part}", name)
    tiny = {"workspace": "tiny-01", "half": "develop", "notes": NOTES}
    (tmp_path / "tiny.jsonl").write_text(json.dumps(tiny) + "\n", "utf-8")
    none = {**ROW, "id": "tiny-01-002", "kind": "none-near", "question": "Who cleans?", "answers": [], "gold": []}
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "tiny.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in (ROW, none)), "utf-8")
    given = ["--into", str(tmp_path / "into"), "--set", str(tmp_path)]
    out, record = tmp_path / "run.jsonl", tmp_path / "record.json"
    assert everyday.main(["check", "--data", str(tmp_path), *given[2:]]) == 0
    everyday.main(["prepare", "--data", str(tmp_path), *given])
    for _ in range(2):
        everyday.main(["ask", "--half", "develop", "--out", str(out), *given])
    assert [json.loads(line)["id"] for line in out.read_text("utf-8").splitlines()] == [ROW["id"], none["id"]]
    perfect = tmp_path / "perfect.jsonl"
    everyday.main(["ask", "--half", "develop", "--out", str(perfect), "--perfect", *given])
    answers = {one["id"]: one["answer"] for one in map(json.loads, perfect.read_text("utf-8").splitlines())}
    assert answers == {ROW["id"]: "Anna Krol", none["id"]: None}
    everyday.main(["ask", "--half", "report", "--out", str(out), *given])
    everyday.main(["score", str(out), "--against", str(out), "--json", str(record), *given])
    told = json.loads(record.read_text("utf-8"))
    found = told["figures"]["all"]
    assert found["questions"] == told["about"]["n"] == 2 and found["shown %"] == 100.0
    assert found["right"] + found["missed"] + found["wrong"] + found["rightly none"] >= 2
    assert told["figures"]["against"]["p"] == 1.0 and "all/right or none %" in told["intervals"]
    assert "against run.jsonl" in capsys.readouterr().out


def test_a_file_of_questions_is_of_one_half_alone_and_confidence_is_fitted_to_files_of_the_other() -> None:
    """All of the developing half but those that came after the fit that ships."""
    files = [*(HERE / "questions").glob("*.jsonl"), HERE / "unanswered-develop.jsonl"]
    halves = {
        path.name: {half_of(json.loads(line)["workspace"]) for line in path.read_text("utf-8").splitlines()}
        for path in files
    }
    assert all(len(half) == 1 for half in halves.values())
    recipe = tomllib.loads((HERE.parents[1] / "recipes/calibration.toml").read_text("utf-8"))
    asked = {Path(name).name for one in recipe["sets"] for name in one["questions"]}
    later = {"manuals-a.jsonl", "help-a.jsonl", "compare-a.jsonl"}
    assert asked | later == {name for name, half in halves.items() if half == {"develop"}}
