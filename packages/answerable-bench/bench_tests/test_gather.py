import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable_bench.gather import gather_private, gather_public, read_passages
from answerable_bench.grammar import clean_mail, clean_page, is_prose
from answerable_bench.plan import PRIVATE, PUBLIC
from bench_tests.conftest import quiet
from bench_tests.world import HEADER, write_mails

SENTENCE = "The rope with number {} held the whole weight of the crane for an hour and a half. "


def ignore(line: str) -> None:
    """No report."""


def test_mail_is_cut_without_overlap_and_repetitions_go(tmp_path: Path):
    long = "".join(SENTENCE.format(number) for number in range(40))
    mails = [("Maud Ekker", "Ropes", "2 Apr 2019 09:00", long), ("Tobias Renn", "Ropes", "3 Apr 2019 09:00", long)]
    counts = gather_private([write_mails(tmp_path / "box.mbox", mails)], tmp_path, ignore, quiet)
    passages = read_passages(tmp_path, PRIVATE)
    assert counts["documents"] == 2 and counts["repeated"] > 0 and counts["kept"] == len(passages)
    assert all(len(passage.text.split()) <= 150 for passage in passages.values())
    whole = " ".join(passage.text for passage in passages.values())
    assert [whole.count(f"number {number} held") for number in range(40)] == [1] * 40
    assert list(passages)[:2] == ["e0_p0", "e0_p1"] and {passage.document_id for passage in passages.values()} != {""}


def test_short_mail_and_figures_are_dropped(tmp_path: Path):
    figures = " ".join(f"{number} 1012.69 {number * 7}" for number in range(12))
    mails = [
        ("Maud Ekker", "Yes", "2 Apr 2019 09:00", "Fine with me."),
        ("Maud Ekker", "Day", "3 Apr 2019 09:00", figures),
        ("Maud Ekker", "Rope", "4 Apr 2019 09:00", SENTENCE.format(1)),
    ]
    counts = gather_private([write_mails(tmp_path / "box.mbox", mails)], tmp_path, ignore, quiet)
    assert (counts["short"], counts["figures"], counts["kept"]) == (1, 1, 1)


def test_pages_keep_their_ids_and_come_once(tmp_path: Path):
    rows = [("A", "A rope."), ("A", "A line."), ("B", "A rope."), ("C", "x")]
    (tmp_path / "pages.jsonl").write_text(
        "".join(json.dumps({"_id": i, "title": "T", "text": text}) + "\n" for i, text in rows), "utf-8"
    )
    counts = gather_public([tmp_path / "pages.jsonl"], tmp_path, ignore, quiet)
    assert counts["repeated"] == 1 and list(read_passages(tmp_path, PUBLIC)) == ["A", "A~2", "C"]


def test_files_without_a_passage_are_refused(tmp_path: Path):
    (tmp_path / "empty.jsonl").write_text("", "utf-8")
    with pytest.raises(UsageError, match="hold no passage"):
        gather_public([tmp_path / "empty.jsonl"], tmp_path, ignore, quiet)


def test_what_is_written_is_for_its_owner(tmp_path: Path):
    gather_private([write_mails(tmp_path / "box.mbox")], tmp_path, ignore, quiet)
    assert (tmp_path / "private.jsonl").stat().st_mode & 0o077 == 0


def test_wrapped_lines_are_joined_and_short_ones_stay():
    wrapped = (
        "The crane at the second dock was inspected on Tuesday and\nnothing was wrong with it.\n\nMaud "
        "Ekker\nHarbour office"
    )
    assert clean_mail(wrapped) == (
        "The crane at the second dock was inspected on Tuesday and nothing was wrong with it.\n\nMaud "
        "Ekker\nHarbour office"
    )


def test_marks_rules_images_and_addresses_go():
    text = (
        "> The rope held.\n>> It always does.\n-----------\n[IMAGE] See <http://ropes.example/a?b=c> for "
        "more\n****\nMaud"
    )
    assert clean_mail(text) == "The rope held.\nIt always does.\n\nSee for more\n\nMaud"


def test_the_header_stays_as_it_is():
    assert clean_mail(HEADER.format("Rope") + "> It held.") == HEADER.format("Rope") + "It held."


def test_blanks_around_punctuation_are_closed_in_tokenised_pages_only():
    assert clean_page("He ( born 3 May 1921 ) is a well - known sailor 's son , of $ 9 .") == (
        "He (born 3 May 1921) is a well-known sailor's son, of $9."
    )
    plain = "It costs 5 - 6 euros (or more)."
    assert clean_page(plain) == plain


@given(st.text(alphabet="ab ,.>-\n("))
def test_cleaning_twice_is_cleaning_once(text: str):
    once = clean_page(text)
    assert clean_page(once) == once
    assert "\n\n\n" not in clean_mail(text)


def test_tables_of_figures_are_no_prose():
    assert is_prose("Day 12 was a good day.")
    assert not is_prose("1 33 1012.6934 33 17 0\n2 0 1012.6934 0 18 0")
    assert not is_prose("")
