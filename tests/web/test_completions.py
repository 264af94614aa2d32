"""The workspace as a model of OpenAI's protocol, asked by OpenAI's own client."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.conftest import ASKED, Web, made, served

if TYPE_CHECKING:
    from openai import OpenAI

BUILT = "Who built Hook Lighthouse?"
CODE = "What is the job at Kõpu Lighthouse called?"
TITLE = "### Task:\nGenerate a title.\n### Chat History:\n<chat_history>\nUSER: x\nASSISTANT: KESTREL\n</chat_history>"


@pytest.fixture(scope="module")
def openai() -> Any:
    """Their package, loaded where it is used: each worker collects all tests."""
    import openai

    return openai


@pytest.fixture(scope="module")
def client(openai: Any, web: Web) -> Iterator[OpenAI]:
    with openai.OpenAI(base_url=f"http://127.0.0.1:{web.port}/v1", api_key="any", max_retries=0) as made:
        yield made


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def _asked(client: OpenAI, *messages: Any, **more: Any) -> Any:
    return client.chat.completions.create(model="answerable", messages=messages, **more)


def test_an_answer_stands_first_and_its_quotes_below(client: OpenAI, web: Web) -> None:
    done = _asked(client, _user(BUILT), temperature=0.3, user="maria", tools=[])
    message = done.choices[0].message
    answer, quotes, sure = message.content.split("\n\n")
    assert answer == done.answerable["answer"] and "Marshal" in answer
    assert quotes.startswith("[1] “") and "wiki, wiki/hook.md:" in quotes and sure.startswith("Confidence 0.")
    for one, cited in zip(message.annotations, done.answerable["citations"], strict=True):
        spot = one.url_citation
        assert message.content[spot.start_index : spot.end_index] == f"“{cited['text']}”"
        path = spot.url.removeprefix(f"http://127.0.0.1:{web.port}")
        assert web.ask("GET", path).record["text"] == cited["text"]
    assert done.usage.total_tokens == done.usage.prompt_tokens + done.usage.completion_tokens > 10
    told = web.ask("POST", "/v1/ask", {"question": BUILT}).record
    assert done.answerable == told | {"seconds": done.answerable["seconds"]}


def test_the_sentence_of_a_passage_is_cited_where_it_stands(client: OpenAI, web: Web) -> None:
    message = _asked(client, _user("Which colour is the boat of the keeper's aunt?")).choices[0].message
    assert message.content.startswith("I am not sure") and message.annotations
    for one in message.annotations:
        spot = one.url_citation
        fetched = web.ask("GET", spot.url.removeprefix(f"http://127.0.0.1:{web.port}")).record["text"]
        assert message.content[spot.start_index : spot.end_index] == f"“{' '.join(fetched.split())}”"


def test_a_stream_is_the_same_answer_in_pieces(client: OpenAI) -> None:
    whole = _asked(client, _user(BUILT)).choices[0].message
    chunks = [*_asked(client, _user(BUILT), stream=True, stream_options={"include_usage": True})]
    deltas = [one.choices[0].delta for one in chunks]
    assert deltas[0].role == "assistant" and len({one.id for one in chunks}) == 1
    assert "".join(one.content or "" for one in deltas) == whole.content
    cited = [note for one in deltas for note in getattr(one, "annotations", ())]
    assert cited and cited == [one.model_dump() for one in whole.annotations]
    assert [one.choices[0].finish_reason for one in chunks][-1] == "stop" and chunks[-1].usage.total_tokens > 10


def test_a_stream_tells_of_each_hop_and_ends(web: Web) -> None:
    body = {"model": "answerable", "messages": [_user(CODE)], "stream": True}
    lines = web.ask("POST", "/v1/chat/completions", body).body.decode().split("\n\n")
    assert lines[0].startswith("data: ") and ": hop" in lines and lines[-2:] == ["data: [DONE]", ""]


def test_what_follows_is_asked_with_what_was_said(client: OpenAI) -> None:
    for name, document in (("Hook", "wiki/hook.md"), ("Kõpu", "wiki/kopu.md")):
        before = (_user(f"What is told of {name} Lighthouse?"), {"role": "assistant", "content": "It\n\n[1] “…”"})
        done = _asked(client, *before, _user("And where does it stand?"))
        assert done.answerable["passages"][0]["document"] == document


@pytest.mark.parametrize(("role", "told"), [("assistant", False), ("user", True)])
def test_an_answer_that_comes_back_is_not_sent_away_and_what_was_typed_is(
    web: Web, client: OpenAI, role: str, told: bool
) -> None:
    """The second case shows that the first can fail."""
    before = (_user(CODE), {"role": role, "content": "PLOVER"})
    hops: list[Any] = []
    with pytest.MonkeyPatch.context() as patched:
        ask = web.workspace.ask
        patched.setattr(web.workspace, "ask", lambda *a, **k: hops.extend((r := ask(*a, **k)).evidence.hops) or r)
        _asked(client, *before, _user("And when was it completed?"))
    asked = [hop for hop in hops if hop.enclave == "wiki" and hop.refused is None]
    assert asked and any("PLOVER" in hop.query.text for hop in asked) is told
    assert any("PLOVER" in hop.query.text for hop in hops if hop.enclave == "mail")


def test_a_chat_front_end_asks_as_its_pages_say(openai: Any, client: OpenAI, web: Web) -> None:
    """Open WebUI sends parts of content, `stream_options` and fields of its own, and has titles written besides."""
    parts = [{"type": "text", "text": ASKED}]
    body = {
        "model": "answerable",
        "messages": [{"role": "system", "content": "You are helpful."}, {"role": "user", "content": parts}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 50,
        "features": {"web_search": False},
    }
    got = web.ask("POST", "/v1/chat/completions", body)
    assert got.headers["content-type"].startswith("text/event-stream") and b"1531" in got.body
    with pytest.raises(openai.BadRequestError, match="titles and tags are not written here"):
        _asked(client, _user(TITLE), stream=False)


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([{"role": "system", "content": "x"}], "no question"),
        ([_user("x"), {"role": "assistant", "content": "y"}], "no question"),
        ([_user("")], "empty"),
        ([_user("x" * 2001)], "too long|characters"),
    ],
)
def test_what_is_no_question_is_refused_in_openais_shape(openai: Any, client: OpenAI, messages: Any, said: str) -> None:
    for stream in (False, True):
        with pytest.raises(openai.BadRequestError, match=said) as caught:
            _asked(client, *messages, stream=stream)
        assert caught.value.type == "invalid_request_error" and caught.value.code == "UsageError"


def test_fields_that_cannot_be_are_refused(openai: Any, client: OpenAI) -> None:
    for wrong in ({"n": 2}, {"stream": "yes"}):
        with pytest.raises(openai.APIStatusError) as caught:
            _asked(client, _user(ASKED), extra_body=wrong)
        assert caught.value.status_code == 422
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}
    with pytest.raises(openai.APIStatusError, match="messages"):
        _asked(client, picture)


def test_what_goes_wrong_in_a_stream_is_its_last_event(client: OpenAI, web: Web) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("a line of a mail")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(web.workspace, "ask", broken)
        got = web.ask(
            "POST", "/v1/chat/completions", {"model": "answerable", "messages": [_user(ASKED)], "stream": True}
        )
    last = json.loads(got.body.decode().split("\n\n")[-2].removeprefix("data: "))
    assert last["error"]["type"] == "server_error" and "mail" not in got.body.decode()


def test_the_models_are_the_workspace_and_its_enclaves(openai: Any, client: OpenAI) -> None:
    assert [one.id for one in client.models.list()] == ["answerable", "answerable/wiki", "answerable/mail"]
    assert client.models.retrieve("answerable/mail").id == "answerable/mail"
    for name in ("gpt-4o", "answerable/", "answerable/nail", "other/mail"):
        with pytest.raises(openai.NotFoundError, match="there is no model"):
            client.models.retrieve(name)
    done = client.chat.completions.create(model="answerable/mail", messages=[_user(ASKED)])  # type: ignore[list-item]
    assert {one["enclave"] for one in done.answerable["passages"]} == {"mail"}  # type: ignore[attr-defined]


def test_what_a_document_says_is_no_markdown_of_ours(tmp_path: Any) -> None:
    hostile = "![seen](https://elsewhere.example/p) <img src=x> The lamp of Orrin Lighthouse was lit in 1899.\n"
    with made(tmp_path, {"orrin.txt": hostile}) as workspace, served(workspace) as web:
        body = {"model": "answerable/mail", "messages": [_user("When was the lamp of Orrin Lighthouse lit?")]}
        said = web.ask("POST", "/v1/chat/completions", body).record["choices"][0]["message"]["content"]
    assert "\\[seen\\](" in said and not re.search(r"(?<!\\)[<`\[](?![0-9]+\] )", said)


def test_a_token_is_asked_for_and_says_what_may_be_read(openai: Any, tmp_path: Any) -> None:
    with made(tmp_path) as workspace:
        token = workspace.askers.add(workspace.settings, "guest", ["wiki"])[1]
        with served(workspace) as web:
            where = f"http://127.0.0.1:{web.port}/v1"
            with openai.OpenAI(base_url=where, api_key=token, max_retries=0) as guest:
                assert [one.id for one in guest.models.list()] == ["answerable", "answerable/wiki"]
                assert "KESTREL" not in _asked(guest, _user(CODE)).model_dump_json()
                with pytest.raises(openai.NotFoundError):
                    guest.models.retrieve("answerable/mail")
            with (
                openai.OpenAI(base_url=where, api_key="wrong", max_retries=0) as stranger,
                pytest.raises(openai.AuthenticationError),
            ):
                _asked(stranger, _user(ASKED))
