"""`ask --dry-run`, `ask --grant`, `grants` and `journal`: every flow foreseen, allowed and looked up."""

from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cli.conftest import Command

QUESTION = "When was Kõpu Lighthouse completed, the KESTREL job?"
BOUND = "wiki admits only public text"


def test_a_dry_run_shows_where_the_question_would_go(indexed: Command):
    ran = indexed("ask", QUESTION, "--dry-run")
    assert ran.code == 0 and ran.out.startswith("Nothing was sent.")
    assert "hop 1  wiki would be asked the question, carrying nothing private" in ran.out
    assert f"sent: “{QUESTION}”" in ran.out
    assert "hop 2  wiki could not be asked the question with what was read, carrying mail" in ran.out
    rows = indexed("ask", QUESTION, "--dry-run", "--json").record["searches"]
    assert {"hop", "skill", "enclave", "label", "text", "refused", "reason", "ahead", "held"} == set(rows[0])
    assert [row["enclave"] for row in rows if row["refused"]] == ["wiki"]
    assert indexed("journal").code == 3  # nothing was written down either


def test_each_hop_says_why_it_was_allowed(indexed: Command):
    out = indexed("ask", QUESTION, "--explain").out
    assert f"why: carries only public text; {BOUND}" in out and "why: carries mail; mail admits everything" in out
    hops = indexed("ask", QUESTION, "--json", "--explain").record["hops"]
    assert {hop["reason"] for hop in hops if hop["refused"]} == {f"carries mail; {BOUND}"}
    assert all(hop["reason"] == hop["refused"] or not hop["refused"] for hop in hops)


def test_the_journal_tells_what_was_sent(indexed: Command, tmp_path: Path):
    hops = indexed("ask", QUESTION, "--json", "--explain").record["hops"]
    ran, records = indexed("journal"), indexed("journal", "--json").record["records"]
    assert ran.code == 0 and "wiki (elsewhere) was sent hop 1, single, for me, carrying nothing private" in ran.out
    assert f"why: carries mail; {BOUND}" in ran.out and "KESTREL" not in ran.out
    assert [(one["enclave"], one["label"]) for one in records] == [(hop["enclave"], hop["label"]) for hop in hops]
    assert len(indexed("journal", "--last", "2", "--json").record["records"]) == 2
    with (tmp_path / ".answerable" / "answerable.toml").open("a", encoding="utf8") as file:
        file.write('\n[askers.guest]\nclearance = ["wiki"]\n')
    shown = indexed("journal", "--as", "guest", "--json").record["records"]
    assert shown == [one for one in records if one["enclave"] == "wiki" and not one["label"]]


def test_what_is_fetched_ahead_and_searched_here_shows(indexed: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANSWERABLE_BEAM_AHEAD", "7")
    planned = indexed("ask", QUESTION, "--dry-run").out
    assert "wiki would be asked the question, carrying nothing private, for 7 passages to hold" in planned
    assert "instead: searched here, among the passages fetched ahead" in planned
    out = indexed("ask", QUESTION, "--explain").out
    assert "held here" in out
    assert "wiki was not asked the question with “birds”, carrying mail" in out
    assert "instead: searched here, among" in out
    hops = indexed("ask", QUESTION, "--json", "--explain").record["hops"]
    assert {(hop["enclave"], tuple(hop["label"])) for hop in hops if hop["ahead"]} == {("wiki", ())}
    held = [hop for hop in hops if hop["held"]]
    assert {hop["refused"] for hop in held} == {f"carries mail; {BOUND}"} and any(hop["hits"] for hop in held)
    lines = indexed("journal", "--last", str(len(hops)), "--json").record["records"]
    assert [one["k"] for one in lines] == [None if hop["refused"] else 10 for hop in hops]  # no fewer than are read
    assert [one["allowed"] for one in lines] == [not hop["refused"] for hop in hops]


def test_an_edited_journal_shows(indexed: Command, tmp_path: Path):
    indexed("ask", QUESTION)
    whole = indexed("journal", "--verify", "--json").record
    assert whole["whole"] is True and whole["lines"] > 3
    assert indexed("journal", "--verify", "--noted", whole["hash"]).code == 0
    path = tmp_path / ".answerable" / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    assert indexed("journal", "--verify").code == 0  # a chain does not know its end
    cut = indexed("journal", "--verify", "--noted", whole["hash"], "--json")
    assert cut.code == 1 and "the end was cut off" in cut.record["broken"]
    assert indexed("journal", "--noted", whole["hash"]).code == 1
    path.write_bytes(b"".join([lines[0], lines[2]]))
    broken = indexed("journal", "--verify")
    assert broken.code == 1 and "line 2 does not follow line 1" in broken.out
    path.write_bytes(lines[0] + lines[1][:30])
    assert "30 bytes of a last line" in indexed("journal", "--verify").out


def test_grants_are_added_listed_and_revoked(indexed: Command):
    assert indexed("grants", "list").code == 3
    day = date.today() + timedelta(days=3)
    ran = indexed("grants", "add", "--lift", "mail", "--to", "wiki", "--until", f"{day}", "--reason", "the audit")
    assert ran.code == 0 and "mail of me may go to wiki, until" in ran.out
    (rule,) = indexed("grants", "list", "--json").record["grants"]
    assert rule["in_force"] and rule["reason"] == "the audit" and rule["lifts"] == ["mail"]
    assert "in force" in indexed("grants", "list").out and "the audit" in indexed("grants", "list").out
    out = indexed("ask", QUESTION, "--explain").out
    assert "not asked" not in out and f"why: carries mail; {BOUND}, and mail by grant {rule['id']}" in out
    assert indexed("grants", "revoke", rule["id"]).code == 0
    assert "revoked" in indexed("grants", "list").out
    assert "wiki was not asked" in indexed("ask", QUESTION, "--explain").out
    out = indexed("journal", "--last", "0").out
    assert f"granted {rule['id']}: mail of me to wiki" in out and f"revoked {rule['id']}" in out


def test_a_part_of_the_question_goes_where_the_whole_may_not(indexed: Command):
    query = ("ask", QUESTION, "--privacy", "query")
    ran = indexed(*query, "--decompose")
    assert ran.code == 0 and "“Kõpu Lighthouse”" in ran.out and '--part wiki="' in ran.out
    assert "Kõpu Lighthouse" in indexed(*query, "--decompose", "--json").record["parts"]
    assert "no need to" in indexed("ask", QUESTION, "--decompose").out
    part = ("--part", "wiki=Kõpu Lighthouse")
    dry = indexed(*query, *part, "--dry-run").out
    assert "wiki would be asked a part of the question, carrying question" in dry and "sent: “Kõpu Lighthouse”" in dry
    assert indexed("journal").code == 3
    assert indexed(*query).code == 3
    out = indexed(*query, *part, "--explain").out
    assert "wiki was asked the part “Kõpu Lighthouse”, carrying question" in out
    assert "wiki was not asked the question, carrying question" in out
    answered = indexed(*query, *part, "--json").record
    assert answered["answer"] == "1531" and answered["label"] == ["mail", "question"]
    sent = [one for one in indexed("journal", "--json").record["records"] if one.get("enclave") == "wiki"]
    digests = {one["sha256"] for one in sent if one["allowed"]}
    assert digests == {sha256("Kõpu Lighthouse".encode()).hexdigest()}
    for wrong in ("wiki", "wiki=", "=x", "nowhere=x"):
        assert indexed(*query, "--part", wrong).code == 2
    assert indexed("ask", QUESTION, *part).code == 2  # under document privacy the whole may go there


@pytest.mark.parametrize(
    "wrong",
    [
        ("--lift", "mail", "--to", "nowhere"),
        ("--lift", "attic", "--to", "wiki"),
        ("--lift", "mail", "--to", "mail"),
        ("--lift", "mail", "--to", "wiki", "--until", "Friday"),
        ("--lift", "mail", "--to", "wiki", "--until", "2020-01-01"),
        ("--lift", "mail", "--to", "wiki", "--as", "nobody"),
        ("--to", "wiki"),
    ],
)
def test_grants_that_cannot_be_given(indexed: Command, wrong: tuple[str, ...]):
    ran = indexed("grants", "add", *wrong, "--json")
    assert ran.code == 2 and ran.record["error"]["message"]
    assert indexed("grants", "list").code == 3


def test_one_question_is_granted_by_hand(indexed: Command):
    query = ("ask", QUESTION, "--privacy", "query")
    assert "wiki would not be asked" in indexed(*query, "--dry-run").out
    granted = indexed(*query, "--grant", "wiki", "--explain").out
    assert "wiki was asked the question, carrying question" in granted and "by grant q" in granted
    assert "wiki was not asked the question with “birds”, carrying mail, question" in granted
    assert "not asked" not in indexed("ask", QUESTION, "--grant", "wiki=mail", "--explain").out
    assert "granted q" in indexed("journal").out
    needless = indexed("ask", QUESTION, "--grant", "wiki")
    assert needless.code == 2 and "wiki=mail would also let it be sent what is read there" in needless.err
