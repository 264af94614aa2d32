"""The shipped sample with the shipped models: what a newcomer sees in the demo must stay true."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from answerable.cli.demo import PAIRED, PAIRS, PRIVATE, PUBLIC, QUESTIONS, SAMPLE, STEPS
from answerable.evaluation.metrics.answers import exact
from answerable.types import PUBLIC as PUBLIC_LABEL
from answerable.types import Skill
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace

ROWS = {row["id"]: row for row in map(json.loads, QUESTIONS.read_text("utf8").splitlines())}
RIGHT = ("s020", "s039", "s124", "s129")
"""One of each kind: over two articles, over two mails, in the handbook, in one article."""
ABSTAINED = ("s144", "s155")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("golden") / "sample"
    with open_workspace(folder, create=True) as opened:
        opened.index([SAMPLE / "public"], PUBLIC, "public", as_if_elsewhere=True)
        opened.index([SAMPLE / "private"], PRIVATE, "private")
        kept = opened.pairs.import_(SAMPLE / PAIRS, PUBLIC)
        assert kept.pairs == kept.placed == 170
        opened.pairs.index(PUBLIC)
        yield opened


@pytest.mark.parametrize("name", RIGHT)
def test_is_answered_and_cited_word_for_word(workspace: Workspace, name: str) -> None:
    answer = workspace.ask(ROWS[name]["question"])
    assert answer.text is not None
    assert exact(answer.text, ROWS[name]["answers"])
    assert answer.text in answer.citations[0].text
    for citation in answer.citations:
        document = workspace._store.document(citation.enclave, citation.document)
        assert document is not None
        assert document.text[citation.start : citation.end] == citation.text


@pytest.mark.parametrize("name", ABSTAINED)
def test_is_not_answered_since_nobody_wrote_it_down(workspace: Workspace, name: str) -> None:
    answer = workspace.ask(ROWS[name]["question"])
    assert answer.text is None
    assert answer.reason


def test_nothing_that_mail_shaped_is_sent_to_the_encyclopaedia(workspace: Workspace) -> None:
    answer = workspace.ask(ROWS["s054"]["question"])
    sent = [hop for hop in answer.evidence.hops if hop.enclave == PUBLIC and hop.refused is None]
    refused = [hop for hop in answer.evidence.hops if hop.enclave == PUBLIC and hop.refused]
    assert sent
    assert refused
    assert all(hop.query.label == PUBLIC_LABEL for hop in sent)
    assert all(passage.enclave == PUBLIC for hop in sent for passage in hop.query.because)
    assert all(hop.query.label == {PRIVATE} for hop in refused)


@pytest.mark.parametrize(
    ("expression", "there", "among"),
    [
        ('("lamps" or "valves") and "that burn acetylene"', {"Acetylene lamp"}, 4),
        ('"lighthouses in Ireland"', {"Fastnet Lighthouse"}, 8),
    ],
)
def test_a_set_begins_with_what_fits_and_each_member_is_cited_word_for_word(
    workspace, expression, there, among
) -> None:
    found = workspace.find(expression=expression).found
    assert there <= {member.title for member in found.members[:among]} and found.count == len(found.members)
    for member in (*found.members, *found.left_out):
        assert member.label == ({PRIVATE} if member.enclave == PRIVATE else PUBLIC_LABEL)
        document = workspace._store.document(member.enclave, member.document)
        for told in member.supports:
            for citation in told.citations:
                assert document is not None and document.text[citation.start : citation.end] == citation.text


def test_the_demo_asks_questions_of_the_sample() -> None:
    assert {step.question for step in STEPS} <= set(ROWS)


def test_every_piece_of_evidence_stands_in_the_sample() -> None:
    """Quotes of tables are lines of the files; those of mails and articles are in the stored text, blanks aside."""
    assert len(ROWS) >= 100
    for row in ROWS.values():
        for evidence in row["evidence"]:
            name, _, mail = evidence["document"].partition("#")
            if not mail:
                text = " ".join((SAMPLE / name).read_text("utf8").split())
                assert " ".join(evidence["quote"].split()) in text, row["id"]


def test_a_question_worked_out_before_is_answered_from_its_pair_and_cited(workspace: Workspace) -> None:
    answer = workspace.ask(PAIRED[0].question)
    assert answer.pair is not None and answer.text == "14 September 1716" and answer.label == PUBLIC_LABEL
    assert answer.citations[0].text == "Its lamp was lit on 14 September 1716."
    assert {hop.skill for hop in answer.evidence.hops} == {Skill.MATCH}


def test_one_that_only_looks_like_it_is_read_up(workspace: Workspace) -> None:
    nearest = workspace.pairs.ask(PAIRED[1].question)
    assert nearest.text is None and nearest.matched[0][0].question == "When was Gustaf Dalén born?"
    answer = workspace.ask(PAIRED[1].question)
    assert answer.pair is None and answer.text == "9 December 1937"


def test_pairs_answer_their_own_questions_and_no_other_wrongly(workspace: Workspace) -> None:
    pairs = [pair for _, pair in workspace._store.pairs(PUBLIC)][::17]  # for each, ten are read with it
    own = workspace.pairs.ask_many([pair.question for pair in pairs])
    assert [found.text for found in own] == [pair.answers[0] for pair in pairs]
    answering = workspace.pairs.engine()  # as `ask` does: what no pair asks is not read again
    rows = [*ROWS.values()][::3]  # some of every kind
    asked = answering.answer_many([row["question"] for row in rows], citing=False, lazily=True)
    for row, found in zip(rows, asked, strict=True):
        assert found.text is None or exact(found.text, row["answers"]), row["question"]
