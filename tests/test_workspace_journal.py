"""What a workspace writes down of its asks, what it plans to send, and what is granted."""

from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from answerable.engine import OWNER
from answerable.errors import EnclaveError, UsageError
from answerable.types import Asker
from answerable.workspace.declarations import FILE_NAME
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from tests.workspace.test_workspace import LINKING, QUESTION

pytestmark = pytest.mark.usefixtures("stand_ins")


@pytest.fixture
def elsewhere(workspace: Workspace, files: Path):
    """The same, with the articles on somebody else's host."""
    workspace.close()
    text = (files / "work" / FILE_NAME).read_text(encoding="utf8")
    (files / "work" / FILE_NAME).write_text(
        text.replace('kind = "public"', 'kind = "public"\nadmits = []'), encoding="utf8"
    )
    with open_workspace(files / "work") as opened:
        yield opened


def sent_to(opened: Workspace, enclave: str) -> list[list[str]]:
    """The labels of what an enclave was sent, as the journal has it."""
    entries = opened.journal.shown(OWNER, opened.enclaves())
    return [entry["label"] for entry in entries if entry.get("enclave") == enclave and entry["allowed"]]


def test_every_search_of_an_ask_is_in_the_journal(elsewhere: Workspace):
    answer = elsewhere.ask(QUESTION)
    told = [
        (entry["enclave"], entry["label"], entry["allowed"], entry["rule"], entry["hits"])
        for entry in elsewhere.journal.shown(OWNER, elsewhere.enclaves())
    ]
    hops = answer.evidence.hops
    assert told == [
        (h.enclave, sorted(h.query.label), not h.refused, h.reason, None if h.refused else len(h.hits)) for h in hops
    ]
    assert elsewhere.journal.verified().broken is None
    assert b"KESTREL" not in elsewhere.journal.path.read_bytes()


def test_the_journal_can_be_turned_off_and_can_keep_texts(files: Path, workspace: Workspace):
    workspace.close()
    (files / "work" / "journal.jsonl").unlink()  # what was indexed is written down
    with open_workspace(files / "work", settings={"journal.keep": False}) as opened:
        opened.ask(QUESTION)
        assert not opened.journal.path.exists()
    with open_workspace(files / "work", settings={"journal.text": True}) as opened:
        opened.ask(QUESTION)
        assert QUESTION in {entry.get("text") for entry in opened.journal.shown(OWNER, opened.enclaves())}


def test_a_plan_sends_nothing_and_leaves_no_trace(elsewhere: Workspace, files: Path):
    before = {path: path.read_bytes() for path in (files / "work").rglob("*") if path.is_file()}
    planned = elsewhere.plan(QUESTION)
    assert {path: path.read_bytes() for path in (files / "work").rglob("*") if path.is_file()} == before
    assert {one.text for one in planned if one.hop == 1} == {QUESTION}
    (refused,) = [one for one in planned if one.refused]
    assert (refused.hop, refused.enclave, refused.label) == (2, "wiki", {"mail"})
    with pytest.raises(UsageError):
        elsewhere.plan("  ")


def test_a_question_is_granted_for_once(elsewhere: Workspace):
    assert elsewhere.ask(QUESTION, privacy="query").text is None
    assert sent_to(elsewhere, "wiki") == []
    answer = elsewhere.ask(QUESTION, privacy="query", grant={"wiki": ()})
    labels = sent_to(elsewhere, "wiki")
    assert labels and {tuple(label) for label in labels} == {("question",)}  # the question, never with a mail
    (given,) = [e for e in elsewhere.journal.shown(OWNER, elsewhere.enclaves()) if e["kind"] == "grant"]
    assert given["question"] == sha256(QUESTION.encode()).hexdigest() and given["to"] == "wiki"
    reasons = {hop.reason for hop in answer.evidence.hops if hop.enclave == "wiki" and not hop.refused}
    assert reasons and all(f"by grant {given['id']}" in reason for reason in reasons)
    elsewhere.ask(QUESTION, privacy="query")
    assert len(sent_to(elsewhere, "wiki")) == len(labels)  # the next question has no grant
    assert elsewhere.grants() == ()


def test_a_question_may_take_what_is_read_along(elsewhere: Workspace):
    with pytest.raises(UsageError, match=r"may be sent this question without a grant .wiki=mail would also"):
        elsewhere.ask(QUESTION, grant={"wiki": ()})
    assert elsewhere.ask(QUESTION).label == {"mail"} and ["mail"] not in sent_to(elsewhere, "wiki")
    elsewhere.ask(QUESTION, grant={"wiki": ["mail"]})
    assert ["mail"] in sent_to(elsewhere, "wiki")
    assert any(one.refused is None and one.label for one in elsewhere.plan(QUESTION, grant={"wiki": ["mail"]}))


def test_a_standing_grant_holds_until_it_is_revoked(elsewhere: Workspace, files: Path):
    made = elsewhere.grant(["mail"], "wiki", reason="just now")
    assert made.until - made.given == timedelta(days=1) and elsewhere.grants() == (made,)
    with open_workspace(files / "work") as other:
        other.ask(QUESTION)
    assert ["mail"] in sent_to(elsewhere, "wiki")
    count = len(sent_to(elsewhere, "wiki"))
    before = elsewhere.ask(QUESTION, asker=Asker("guest", frozenset({"wiki", "mail"})))
    assert [hop.enclave for hop in before.evidence.hops if hop.refused]  # another asker has no share in it
    elsewhere.revoke(made.id)
    after = elsewhere.ask(QUESTION)
    assert {hop.enclave for hop in after.evidence.hops if hop.refused} == {"wiki"}
    assert sent_to(elsewhere, "wiki").count(["mail"]) == sent_to(elsewhere, "wiki")[:count].count(["mail"])
    kinds = [entry["kind"] for entry in elsewhere.journal.shown(OWNER, elsewhere.enclaves())]
    assert (kinds.count("grant"), kinds.count("revoke")) == (1, 1)
    with pytest.raises(UsageError, match="no grant is called"):
        elsewhere.revoke("g0")
    with pytest.raises(EnclaveError):
        elsewhere.grant(["attic"], "wiki")
    with pytest.raises(UsageError, match="past"):
        elsewhere.grant(["mail"], "wiki", until=datetime(2020, 1, 1))


def test_linking_is_in_the_journal_too(workspace: Workspace, files: Path):
    workspace.close()
    with open_workspace(files / "work", settings=LINKING) as opened:
        for enclave in ("wiki", "mail"):
            opened.index([files / enclave], enclave)
        opened.link("the lamp of Kõpu Lighthouse")
        entries = opened.journal.shown(OWNER, opened.enclaves())
        assert [(entry["enclave"], entry["skill"]) for entry in entries] == [("wiki", "mention"), ("mail", "mention")]
