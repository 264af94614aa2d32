"""One prompt, one answer, over real HTTP: what is sent, what is tried again, and what a broken server comes to."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from answerable.errors import UsageError, WorkspaceError
from answerable.readers.asked import schema
from answerable.remote.chat import Chat, read_key
from answerable.remote.connection import LARGEST_ANSWER
from tests.remote.openai import FAULTS, Model, serving

SCHEMA = schema(2)

MESSAGES = [{"role": "system", "content": "task"}, {"role": "user", "content": "the secret"}]


@pytest.fixture
def model() -> Iterator[Model]:
    with serving(Model(lambda body: "said")) as made:
        yield made


def chat(model: Model, **more: object) -> Chat:
    return Chat(model.address, "tiny", **more)  # type: ignore[arg-type]


def test_a_reply_is_held_to_a_schema_and_the_key_is_shown(model: Model) -> None:
    model.key = "k" * 20
    assert chat(model, key=model.key).reply(MESSAGES, SCHEMA, 100) == "said"
    (body,) = model.bodies
    assert body["messages"] == MESSAGES and body["max_tokens"] == 100 and body["temperature"] == 0
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA and body["model"] == "tiny"
    assert b"answerable" not in model.raw[0].split(b"\n\n")[0].lower()
    with pytest.raises(WorkspaceError, match=r"cannot be asked: its server refuses to answer \(status 401\)"):
        chat(model).reply(MESSAGES, SCHEMA, 100)


def test_a_server_that_knows_no_schemas_is_asked_for_the_words_alone(model: Model) -> None:
    model.schemas = False
    assert chat(model).reply(MESSAGES, SCHEMA, 100) == "said"
    assert [sorted(body) for body in model.bodies][1:] == [["messages", "model"]]
    assert model.bodies[0]["messages"] == model.bodies[1]["messages"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_server_is_one_sentence_in_time(model: Model, fault: str) -> None:
    model.fault = fault
    started = time.monotonic()
    with pytest.raises(WorkspaceError) as caught:
        chat(model, timeout=0.5 if fault != "endless" else 20.0).reply(MESSAGES, SCHEMA, 100)
    assert time.monotonic() - started < 15
    assert "127.0.0.1" in str(caught.value) and "secret" not in str(caught.value)
    assert len(model.bodies) == 1  # nothing is sent again
    assert LARGEST_ANSWER < 1 << 25


def test_a_proxy_of_the_environment_is_not_used(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert chat(model).say("x") == "said"


def test_where_nothing_answers_and_what_is_no_address_or_key(tmp_path) -> None:
    with pytest.raises(WorkspaceError, match=r"the model at 127\.0\.0\.1:9 cannot be asked: nothing answers at"):
        Chat("http://127.0.0.1:9/v1", "m").say("x")
    for wrong in ("ftp://user:word@x/v1", "http://user:word@host/v1", "localhost:8000", "http://[bad/v1"):
        with pytest.raises(UsageError, match="the endpoint is no address of a server") as caught:
            Chat(wrong, "m")
        assert "word@" not in str(caught.value)
    (tmp_path / "key").write_text("schlüssel")
    with pytest.raises(UsageError, match="holds no key"):
        read_key(tmp_path / "key")
