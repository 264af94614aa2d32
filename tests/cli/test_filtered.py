"""`ask` and `find` of mail by its fields: what is shown of it, what is filtered, and what that says of itself."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command

MAIL = """From kim@x.example Fri May  4 10:00:00 2001
Message-ID: <1@x.example>
From: Kim Watson <kim@x.example>
To: Lorraine Lindberg <ll@x.example>, Lee Huber <lee@x.example>
Date: Fri, 4 May 2001 10:00:00 -0700
Subject: The crate

The crate for the Fanad job weighs 412 kilos.

From lee@x.example Sat Jun  2 10:00:00 2001
Message-ID: <2@x.example>
From: Lee Huber <lee@x.example>
To: Kim Watson <kim@x.example>
Date: Sat, 2 Jun 2001 10:00:00 -0700
Subject: The other crate

The crate for the Fanad job weighs 97 kilos.
"""
QUESTION = "How much does the crate for the Fanad job weigh?"


@pytest.fixture
def mail(indexed: Command, tmp_path: Path) -> Command:
    """Two mails in an enclave of their own, beside the notes."""
    (tmp_path / "box.mbox").write_text(MAIL, encoding="utf8")
    assert indexed("index", tmp_path / "box.mbox", "--enclave", "box").code == 0
    return indexed


@pytest.mark.parametrize(
    ("given", "kilos"),
    [
        (["--from", "kim"], "412"),
        (["--from", "HUBER"], "97"),
        (["--to", "lindberg"], "412"),
        (["--after", "June 2001", "--enclave", "box"], "97"),
        (["--before", "2001-06", "--kind", "mail"], "412"),
    ],
)
def test_only_what_fits_is_read_and_shown(mail: Command, given: list[str], kilos: str):
    record = mail("ask", QUESTION, *given, "--json", "--explain").record
    others = {"412": "97", "97": "412"}[kilos]
    assert kilos in record["passages"][0]["text"]
    found = {hit["title"] for hop in record["hops"] for hit in hop["hits"] if hit["enclave"] == "box"}
    assert found == {"The crate" if kilos == "412" else "The other crate"}
    assert all(others not in one["text"] for one in record["passages"] if one["enclave"] == "box")


def test_what_an_enclave_without_senders_holds_is_neither_guessed_nor_shown(mail: Command):
    asked = "Who painted the stairs of Kõpu Lighthouse in spring?"
    record = mail("ask", asked, "--from", "kim", "--json", "--explain").record
    assert {one["enclave"] for one in record["passages"]} == {"box"} and record["answer"] is None
    assert any(hop["enclave"] == "wiki" and hop["hits"] for hop in record["hops"])
    text = record["passages"][0]["text"]
    assert all(one["answer"] in text for one in record["guesses"])


def test_a_mail_is_shown_as_mail_and_a_file_with_its_day(mail: Command):
    assert ", file changed " in mail("ask", "Which job is called KESTREL?").out
    out = mail("ask", QUESTION, "--from", "kim").out
    assert "The crate, Kim Watson to Lorraine Lindberg and 1 more, 4 May 2001 — box, box.mbox:" in out
    shown = mail("ask", QUESTION, "--from", "kim", "--json").record["passages"][0]["fields"]
    assert shown == {
        "sender": "Kim Watson <kim@x.example>",
        "to": ["Lorraine Lindberg <ll@x.example>", "Lee Huber <lee@x.example>"],
        "others": 0,
        "date": "2001-05-04T10:00:00-07:00",
    }
    passages = mail("ask", "Which job is called KESTREL?", "--json").record["passages"]
    told = {one["enclave"]: one.get("fields") for one in passages}
    assert told["mail"]["changed"] and not told["mail"]["date"] and told.get("wiki") is None


def test_what_nothing_fits_says_what_alone_was_read(mail: Command):
    ran = mail("ask", QUESTION, "--from", "nobody", "--kind", "pdf")
    assert "only what is from nobody, of kind pdf was read" in ran.out and "other words" not in ran.out
    assert "nobody is called nobody in what may be read here" in ran.err
    assert "nobody is called" not in mail("ask", QUESTION, "--from", "kim", "--kind", "pdf").err
    assert "nobody is called xerxes" in mail("find", "crates", "--to", "xerxes").err


def test_a_dry_run_shows_the_filter_and_why_an_enclave_is_left_out(mail: Command):
    ran = mail("ask", QUESTION, "--from", "kim", "--enclave", "box", "--dry-run")
    assert "only what is from kim, in box would be read; the filter itself is sent nowhere" in ran.out
    assert "why: wiki is left out by the filter" in ran.out
    record = mail("ask", QUESTION, "--from", "kim", "--after", "2001", "--dry-run", "--json").record
    assert record["filter"]["sender"] == ["kim"] and record["filter"]["after"] == "2001-01-01"
    assert "filter" not in mail("ask", QUESTION, "--dry-run", "--json").record
    trace = mail("ask", QUESTION, "--enclave", "box", "--explain").out
    assert "wiki was not asked" in trace and "why: wiki is left out by the filter" in trace


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--after", "soon"], "'soon' is no date"),
        (["--kind", "letter"], "no document is of kind 'letter'"),
        (["--enclave", "nowhere"], "no enclave is named 'nowhere'"),
        (["--from", "-"], "'-' names nobody"),
    ],
)
def test_what_cannot_be_asked_for_is_one_sentence(mail: Command, given: list[str], said: str):
    ran = mail("ask", QUESTION, *given)
    assert ran.code in (1, 2) and said in ran.err and "Traceback" not in ran.err


def test_find_takes_the_same(mail: Command):
    found = mail("find", "crates of the Fanad job", "--from", "lee", "--enclave", "box", "--json", "--explain").record
    assert {one["title"] for one in found["items"] + found["left_out"]} == {"The other crate"}
    titles = {hit["title"] for hop in found["hops"] for hit in hop["hits"]}
    assert titles == {"The other crate"}


def test_what_has_no_sender_is_in_no_set_that_is_from_somebody(mail: Command):
    every = mail("find", "lighthouses or crates", "--json").record["items"]
    assert {one["enclave"] for one in every} >= {"box", "wiki"}
    items = mail("find", "lighthouses or crates", "--from", "kim", "--json").record["items"]
    assert [one["title"] for one in items] == ["The crate"]


def test_find_by_fields_is_exact_and_says_so(mail: Command):
    ran = mail("find", "mails not from Lee Huber", "--explain")
    assert "1.00  The crate" in ran.out and "1 member" in ran.out
    assert "from Lee Huber: shown not to be: From: Kim Watson <kim@x.example>" in ran.out
    assert "from Lee Huber: shown not to be so of all of them, by their fields" in ran.out
    assert "shown not to be one  from Lee Huber: From: Lee Huber <lee@x.example>" in ran.out
    assert 'box was asked the part “of kind mail; from "Lee Huber"”' in ran.out
    (one,) = mail("find", "mails from Kim Watson after April 2001", "--json").record["items"]
    assert one["title"] == "The crate" and one["probability"] == 1.0 and one["shown"] == "complete"
    fields = [told["field"] for told in one["evidence"]]
    assert fields[0].startswith("From: Kim Watson <kim@x.example>") and "Date: 2001-05-04" in "; ".join(fields)
    table = mail("find", "mails not from Lee Huber", "--csv", "-").out.splitlines()
    assert table[0].endswith("mails,not: from Lee Huber") and table[1].endswith(
        "Kind: mail,From: Kim Watson <kim@x.example>"
    )


def test_where_nobody_is_called_so_text_decides(mail: Command):
    items = mail("find", "crates of the Fanad job not from Norway", "--enclave", "box", "--json").record["items"]
    assert all("field" not in told for one in items for told in one["evidence"])
