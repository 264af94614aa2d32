"""Lessons written for this project: those over mails are put together with the mailbox, the others stand whole."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from answerable.corpora.mail import read_mbox
from answerable.corpora.sources import Limits
from answerable.errors import FormatError
from answerable.training.reading import NO, NONE, SPAN, YES, lines_of
from answerable.training.written import FILES, texts_of, written
from tests.training.files import write_lines

ASKED = ("lokay-m", "beck-s", "williams-w3", "dasovich-j", "farmer-d", "kaminski-v")
"""The mailboxes of the everyday set, of which nothing may be learned."""
MAIL = """From a@b Mon Jan  1 00:00:00 2001
Message-ID: <one@b>
From: Ann <a@b>
To: Bob <b@b>
Subject: Lunch
Date: Mon, 1 Jan 2001 10:00:00 +0000

The lunch is on Friday at noon in Rodizio.
"""


def lessons(tmp_path: Path, *rows: object) -> Path:
    return write_lines(tmp_path / "lessons.jsonl", rows)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "enron").mkdir()
    with gzip.open(tmp_path / "enron/bob.mbox.gz", "wt", encoding="utf8") as file:
        file.write(MAIL)
    return tmp_path


def test_a_lesson_over_a_mail_is_read_where_it_stands(data: Path) -> None:
    path = data / "enron/bob.mbox.gz"
    (mail,) = read_mbox(path, path.name, "mail", Limits(), lambda _: None)
    start = mail.text.index("The lunch")
    questions = [
        {"question": "When is lunch?", "kind": "span", "answer": "Friday at noon"},
        {"question": "Is lunch on Friday?", "kind": "yes"},
        {"question": "Is lunch on Monday?", "kind": "no"},
        {"question": "What does lunch cost?", "kind": "none"},
    ]
    where = {"mailbox": "bob", "mail": "one@b", "start": start, "end": len(mail.text)}
    row = {"title": "Lunch", **where, "questions": questions}
    found = list(written(data, lessons(data, row)))
    assert [one.kind for one in found] == [SPAN, YES, NO, NONE]
    assert found[0].passages == (("Lunch", mail.text[start:]),)
    _, first, last = found[0].answer or (0, 0, 0)
    assert mail.text[start:][first:last] == "Friday at noon" == found[0].answers[0]
    assert [one.answers for one in found[1:]] == [("yes",), ("no",), ()]


def test_lessons_are_over_files_of_the_data_too(tmp_path: Path) -> None:
    for name in ("wiki", "rules", "reviews"):
        (tmp_path / name).mkdir()
    write_lines(tmp_path / "rules/rules.jsonl", [{"_id": "r-1", "text": "Fees are due in May."}])
    with gzip.open(tmp_path / "wiki/passages.jsonl.gz", "wt") as file:
        file.write('{"_id": "/wiki/Bergen", "text": "Bergen is a city."}\n')
    with gzip.open(tmp_path / "reviews/reviews.json.gz", "wt") as file:
        file.write('{"data": [{"paragraphs": [{"context": "Bad."}]}, {"paragraphs": [{"context": "Good tea."}]}]}')
    rows = [
        {"page": "/wiki/Bergen", "start": 0, "end": 6},
        {"file": "rules/rules.jsonl", "id": "r-1", "start": 0, "end": 4},
        {"file": "reviews/reviews.json.gz", "id": 1, "start": 5, "end": 8},
        {"file": "rules/rules.jsonl", "id": "r-1"},
        {"text": "Ours."},
    ]
    assert texts_of(rows, tmp_path) == ["Bergen", "Fees", "tea", "Fees are due in May.", "Ours."]


def test_a_mailbox_that_is_not_there_is_named(tmp_path: Path) -> None:
    row = {"title": "", "mailbox": "eve", "mail": "x", "start": 0, "end": 1, "questions": []}
    with pytest.raises(FormatError, match=r"eve\.mbox\.gz"):
        list(written(tmp_path, lessons(tmp_path, row)))


def test_an_answer_that_does_not_stand_in_its_text_is_refused(tmp_path: Path) -> None:
    asked = {"question": "Who keeps it?", "kind": "span", "answer": "Ewa"}
    row = {"title": "Lamp", "text": "Jan keeps the lamp.", "questions": [asked]}
    with pytest.raises(FormatError, match="line 1"):
        list(written(tmp_path, lessons(tmp_path, row)))


@pytest.mark.parametrize("name", FILES)
def test_the_lessons_of_the_project_are_whole(name: str) -> None:
    rows = list(lines_of(FILES[name]))
    kinds = Counter(asked["kind"] for row in rows for asked in row["questions"])
    known = {"polar": {"yes", "no", "none"}, "probable": {"span"}}
    assert set(kinds) == known.get(name, {"yes", "no", "none", "span"})
    assert name in ("bridges", "probable") or min(kinds["yes"], kinds["no"]) / max(kinds["yes"], kinds["no"]) > 0.75
    for row in rows:
        held = row.get("passages", [row])
        for one in held:
            assert ("text" in one) + ("mailbox" in one) + ("page" in one) + ("file" in one) == 1
            assert one.get("mailbox") not in ASKED
        for asked in row["questions"]:
            assert (asked["kind"] == "span") == ("answer" in asked)
            whole = all("text" in one for one in held)
            assert not whole or any(asked.get("answer", "") in one["text"] for one in held)


def test_a_lesson_over_two_passages_points_into_the_one_that_answers(tmp_path: Path) -> None:
    asked = {"question": "When was the tower by the ferry built?", "kind": "span", "answer": "1871"}
    held = [{"title": "Trip", "text": "The ferry lands at Kale."}, {"title": "Kale", "text": "Its tower is of 1871."}]
    (found,) = written(tmp_path, lessons(tmp_path, {"passages": held, "questions": [asked]}))
    assert found.passages == (("Trip", "The ferry lands at Kale."), ("Kale", "Its tower is of 1871."))
    assert found.answer == (1, 16, 20)


def test_a_lesson_may_be_over_a_part_of_a_page(tmp_path: Path) -> None:
    page = {"_id": "/wiki/Kale", "title": "Kale", "text": "Kale is a port. It is old."}
    write_lines(tmp_path / "wiki/passages.jsonl.gz", [page])
    row = {"title": "Kale", "page": "/wiki/Kale", "start": 16, "end": 26, "found": True}
    (found,) = written(tmp_path, lessons(tmp_path, row | {"questions": [{"question": "How old?", "kind": "none"}]}))
    assert found.passages == (("Kale", "It is old."),)
