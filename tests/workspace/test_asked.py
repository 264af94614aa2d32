"""Whole asks with a language model behind a real server on loopback: here, and declared to be elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from answerable.errors import EnclaveError, UsageError
from answerable.types import Answer, Asker
from answerable.workspace.models import predictor_of, provenance_of
from answerable.workspace.opening import open_workspace
from answerable.workspace.settings import load
from answerable.workspace.trust import told
from answerable.workspace.workspace import Workspace
from tests.conftest import FILES
from tests.remote.openai import Model, answer, asked, serving

WHEN = "When was the tower of Kõpu Lighthouse completed?"
CALLED = "What is the job at Kõpu Lighthouse called?"


def reading(body: dict[str, Any]) -> str:
    """A model that knows three things, each only where it stands in a passage."""
    known = {"completed in 1531": "1531", "William Marshal built": "William Marshal", "called KESTREL": "KESTREL"}
    told_, found = asked(body), []
    for one in told_["passages"]:
        found += [(text, one["number"], quote) for quote, text in known.items() if quote in one["text"]]
    if "Summarise" in told_["question"]:
        return answer(*((f"{quote.split()[0].title()}: {text}.", number, quote) for text, number, quote in found))
    wanted = {"When": "1531", "Who": "William Marshal", "What": "KESTREL"}[told_["question"].split()[0]]
    return answer(*[one for one in found if one[0] == wanted])


@pytest.fixture
def model() -> Iterator[Model]:
    with serving(Model(reading)) as made:
        yield made


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("asked")
    for name, text in FILES.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text, encoding="utf8")
    with open_workspace(place / "work", create=True, settings={"models.encoder": "hashed"}) as made:
        made.index([place / "wiki"], "wiki", "mirror")
        made.index([place / "mail"], "mail")
    return place / "work"


@contextmanager
def opened(indexed: Path, model: Model, host: str = "auto", **more: Any) -> Iterator[Workspace]:
    given = {"models.encoder": "hashed", "models.reader": "llm", "llm.beside": "overlap", "llm.model": "tiny"}
    given |= {"llm.endpoint": model.address, "llm.host": host, "llm.seconds": 0.5, **more}
    with open_workspace(indexed, settings=given) as made:
        yield made


def lines(made: Workspace, viewer: Asker = Asker()) -> list[dict[str, Any]]:
    return [one for one in made.journal.shown(viewer, made.settings.hosts()) if one.get("enclave") == "llm"]


def checked(made: Workspace, got: Answer) -> Answer:
    """The answer; every citation is a stored span."""
    for one in got.citations:
        document = made._store.document(one.enclave, one.document)
        assert document is not None and document.text[one.start : one.end] == one.text
    return got


def test_a_model_here_answers_from_all_that_was_read(indexed: Path, model: Model) -> None:
    with opened(indexed, model) as made:
        got = checked(made, made.ask(CALLED))
        assert (got.text, got.via, got.notes) == ("KESTREL", "model", ()) and got.label == {"mail"}
        assert [one.text for one in got.citations] == ["called KESTREL"]
        assert {one["enclave"] for one in lines(made)} == {"llm"} and lines(made)[-1]["host"] == "yours"
        assert made.ask(CALLED, privacy="query").text == "KESTREL"
    assert len(model.bodies) == 2


def test_a_question_that_wants_more_than_a_few_words_gets_a_paragraph(indexed: Path, model: Model) -> None:
    with opened(indexed, model) as made:
        got = checked(made, made.ask("Summarise what is known of Kõpu Lighthouse"))
        assert got.via == "model" and "Completed: 1531." in str(got.text) and "Called: KESTREL." in str(got.text)
        assert {one.enclave for one in got.citations} >= {"wiki", "mail"}
    with opened(indexed, model) as made:
        model.reply = lambda body: '{"answer": []}'
        got = made.ask("Summarise what is known of Kõpu Lighthouse")
        assert got.text is None and got.via == "passages" and got.passages


def test_a_model_elsewhere_is_sent_public_text_alone_and_that_is_said(indexed: Path, model: Model) -> None:
    with opened(indexed, model, "elsewhere") as made:
        got = checked(made, made.ask(WHEN))
        assert (got.text, got.via, got.label) == ("1531", "model", {"mail"})
        (note,) = got.notes
        assert note.startswith("text of mail may not be sent to the language model at 127.0.0.1:")
        assert not any(character.isdigit() for character in note.split(" at ")[0])
        sent, refused = lines(made)[-2:]
        assert sent["allowed"] and sent["label"] == [] and sent["host"] == "elsewhere" and sent["hits"] == 1
        assert not refused["allowed"] and refused["label"] == ["mail"] and refused["sha256"] is None
        own = made.ask(CALLED)  # its passages do not answer it: the reader's answer is from what it was not sent
        assert own.via != "model" and (own.text is None or "KESTREL" in own.text)
    assert all("KESTREL" not in json.dumps(body) for body in model.bodies) and len(model.bodies) == 2


def test_a_private_question_stays_here_unless_it_is_granted(indexed: Path, model: Model) -> None:
    with opened(indexed, model, "elsewhere") as made:
        got = made.ask(WHEN, privacy="query")
        assert model.bodies == [] and got.via != "model"
        assert got.notes[0].startswith("the question is private, and was not sent to")
        assert lines(made)[-1]["allowed"] is False
        assert made.ask(WHEN, privacy="query", grant={"llm": []}).via == "model"
        assert made.ask(CALLED, grant={"llm": ["mail"]}).text == "KESTREL"
        assert lines(made)[-1]["grants"] and "KESTREL" in json.dumps(model.bodies[-1])
        standing = made.grant(["mail"], "llm")
        assert made.ask(CALLED).text == "KESTREL"
        made.revoke(standing.id)
        assert made.ask(CALLED).via != "model"
        assert made.ask(CALLED, privacy="none").text == "KESTREL"
        with pytest.raises(EnclaveError, match="no enclave is named"):
            made.ask(WHEN, grant={"model": []})
    with opened(indexed, model) as made, pytest.raises(UsageError, match="without a grant"):
        made.ask(WHEN, grant={"llm": ["mail"]})


def test_it_is_in_the_journal_before_it_is_sent(indexed: Path, model: Model) -> None:
    seen: list[int] = []
    with opened(indexed, model, "elsewhere") as made:

        def looking(body: dict[str, Any]) -> str:
            seen.append(sum(b'"enclave":"llm"' in line for line in made.journal.path.read_bytes().splitlines()))
            return reading(body)

        before, model.reply = len(lines(made)), looking
        made.ask(WHEN)
        assert seen == [before + 1]


@pytest.mark.parametrize("fault", ["closed", "status", "html", "cut", "slow", "drips", "null"])
def test_a_model_that_cannot_be_asked_is_a_sentence_and_the_readers_answer(
    indexed: Path, model: Model, fault: str
) -> None:
    model.fault = fault
    with opened(indexed, model) as made:
        got = made.ask(WHEN)
        assert got.text == "1531" and got.via == "search" and got.citations
        (note,) = got.notes
        assert "127.0.0.1" in note and note.endswith("the reader beside it was used instead") and "Kõpu" not in note


@pytest.mark.parametrize("said", ["I cannot.", '{"answer": 3}', '{"answer": [{"text": "1531", "quo'])
def test_nonsense_is_a_sentence_and_the_readers_answer(indexed: Path, model: Model, said: str) -> None:
    model.reply = lambda body: said
    with opened(indexed, model) as made:
        got = made.ask(WHEN)
        assert got.via == "search" and got.text == "1531" and "did not answer in the form" in got.notes[0]


@pytest.mark.parametrize(
    "said", ['{"answer": []}', answer(("1999", 1, "completed in 1999")), answer(("1531", 7, "completed in 1531"))]
)
def test_a_model_that_lies_or_finds_nothing_is_an_abstention(indexed: Path, model: Model, said: str) -> None:
    model.reply = lambda body: said
    with opened(indexed, model) as made:
        got = made.ask(WHEN)
        assert (
            got.text is None and got.citations == () and got.reason and bool(got.notes) == ("19" in said or "7" in said)
        )


def test_a_dry_run_says_what_it_would_be_handed_and_sends_nothing(indexed: Path, model: Model) -> None:
    with opened(indexed, model, "elsewhere") as made:
        rows = {one.label: one for one in made.plan(WHEN) if one.enclave == "llm"}
        assert rows[frozenset()].refused is None and rows[frozenset({"mail"})].refused
        assert all(one.refused for one in made.plan(WHEN, privacy="query") if one.enclave == "llm")
        guest = Asker("guest", frozenset({"wiki"}))
        assert [one.label for one in made.plan(WHEN, guest) if one.enclave == "llm"] == [frozenset()]
        assert made.ask(WHEN, guest).text == "1531" and not made.ask(WHEN, guest).notes
    assert len(model.bodies) == 2


def test_what_is_said_of_it_in_the_settings(tmp_path: Path) -> None:
    def settings(text: str, environment: dict[str, str] | None = None) -> Any:
        (tmp_path / "answerable.toml").write_text(text, encoding="utf8")
        return load(tmp_path, environment or {})

    asks = '[models]\nreader = "llm"\n[llm]\nmodel = "m"\n'
    for address, host, here in (
        ("http://localhost:11434/v1", "auto", True),
        ("http://[::1]:8080/v1", "auto", True),
        ("http://127.0.0.1:1/v1", "elsewhere", False),
        ("http://10.0.0.2:8000/v1", "auto", False),
        ("http://10.0.0.2:8000/v1", "here", True),
        ("https://localhost.example.org/v1", "auto", False),
    ):
        given = settings(f'{asks}endpoint = "{address}"\nhost = "{host}"\n')
        assert given.llm.endpoint_private is here and given.reader == "span" and predictor_of(given) is None
        (claim,) = told(tmp_path, given)
        assert address in claim and ("private ones too" in claim) is here
        assert provenance_of(given).elsewhere == ()
    given = settings(f'{asks}host = "here"\n', {"ANSWERABLE_LLM_ENDPOINT": "https://api.example.org/v1"})
    (claim,) = told(tmp_path, given)  # the folder says that what the user named may be sent everything
    assert "private ones too" in claim
    bare = {"models.reader": "llm", "llm.beside": "overlap", "models.encoder": "hashed"}
    with (
        open_workspace(tmp_path, settings=bare, trust=True) as made,
        pytest.raises(UsageError, match="no model") as caught,
    ):
        made.engine()
    assert "[llm]" in str(caught.value)
