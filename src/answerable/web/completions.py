"""The workspace as a model of any chat client that speaks OpenAI's protocol: a last question, answered with evidence.

What such a client sends as history is text that nobody can check. Its questions count as the question that is asked,
its answers as all that the asker may read (`workspace.chats.retold`). Instructions to a model are not followed, nor
searched with.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Annotated, Any, Literal
from urllib.parse import quote

from pydantic import ConfigDict, Field

from answerable.corpora.fields import Filter
from answerable.errors import AbsentError, EnclaveError, UsageError
from answerable.printing import as_json, consulted
from answerable.privacy.flow import readable
from answerable.serialize import answer_record
from answerable.text import checked_question
from answerable.web import answers, models, sending
from answerable.web.table import Call, Endpoint, Manner, Record
from answerable.workspace.chats import retold

MODEL = "answerable"
"""The whole workspace; one enclave of it is called `answerable/NAME`."""
_TASK = re.compile(r"\s*### Task:|.*<chat_history>", re.DOTALL)
"""How the prompts begin, or what they hold, by which chat clients have titles and tags written of what was said."""
_LIVE = re.compile(r"[\\`\[\]<]")
"""What Markdown makes links, pictures and HTML of: a client must not fetch what a document names."""
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class Lenient(models.Sent):
    """What clients of many makes send: fields that are not known here are passed over."""

    model_config = ConfigDict(extra="ignore")


class Part(Lenient):
    """A piece of a message."""

    type: Literal["text"]
    text: str


class Message(Lenient):
    """What was said. Only questions and answers count: of `user` and `assistant`."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """All of it."""
        return self.content if isinstance(self.content, str) else "\n".join(one.text for one in self.content or ())


class Completing(Lenient):
    """A conversation whose last message is a question. Temperature, tools and the like change nothing here."""

    model: models.Id
    messages: Annotated[list[Message], Field(min_length=1, max_length=1_000)]
    stream: bool | None = None
    n: Literal[1] | None = None


class Naming(models.Sent):
    """A model by its name."""

    model: models.Id


class UrlCitation(answers.Told):
    """Characters [start_index, end_index) of the message quote what lies at the address."""

    start_index: int
    end_index: int
    title: str
    url: str


class Annotation(answers.Told):
    """A quote."""

    type: Literal["url_citation"]
    url_citation: UrlCitation


class Said(answers.Told):
    """The answer, and below it the quotes that it rests on."""

    role: Literal["assistant"]
    content: str
    refusal: None
    annotations: list[Annotation]


class Choice(answers.Told):
    """The one answer there is."""

    index: int
    message: Said
    logprobs: None
    finish_reason: Literal["stop"]


class Usage(answers.Told):
    """Words, which stand for tokens."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Completion(answers.Told):
    """As OpenAI's chat completion; `answerable`: the same answer as `/v1/ask` gives it."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: Usage
    answerable: answers.Answer


class Model(answers.Told):
    """The workspace, or an enclave of it."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class Models(answers.Told):
    """Those that the asker may ask."""

    object: Literal["list"]
    data: list[Model]


def complete(call: Call, sent: Completing) -> Record:
    """Answer the last message of a conversation with evidence, as OpenAI's API does. Earlier ones count where it
    follows on them."""
    wanted = _wanted(call, sent.model)
    said = [one for one in sent.messages if one.role in ("user", "assistant")]
    if not said or said[-1].role != "user":
        raise UsageError("the last message is no question", hint="send one of the role user")
    *earlier, last = said
    if _TASK.match(last.text):
        raise UsageError("titles and tags are not written here", hint="have the client use another model for its tasks")
    question = checked_question(last.text)
    asked = retold(call.workspace, call.asker, question, [*_turns(earlier)])
    made = {"id": f"chatcmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": sent.model}
    call.event("begun", made)
    answer = call.workspace.ask(question, call.asker, filter=wanted, watch=call.hop, said=asked)
    record = answer_record(answer, call.asker, call.workspace.enclaves())
    content, annotations = _written(record, call.base)
    message = {"role": "assistant", "content": content, "refusal": None, "annotations": annotations}
    words = sum(len(one.text.split()) for one in sent.messages), len(content.split())
    return {
        **made,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": words[0], "completion_tokens": words[1], "total_tokens": sum(words)},
        "answerable": record,
    }


def list_models(call: Call, _: models.Nothing) -> Record:
    """List the workspace, and each enclave that the asker may read, as models."""
    names = [name for name, one in call.workspace.enclaves().items() if readable(call.asker, one).allowed]
    return {"object": "list", "data": [_model(MODEL), *(_model(f"{MODEL}/{name}") for name in names)]}


def one_model(call: Call, sent: Naming) -> Record:
    """Say that a model is there."""
    _wanted(call, sent.model)
    return _model(sent.model)


def _model(name: str) -> Record:
    return {"id": name, "object": "model", "created": 0, "owned_by": MODEL}


def _wanted(call: Call, model: str) -> Filter | None:
    """What a model reads. Raises `AbsentError` for one that is not there, or not for this asker."""
    whose, _, enclave = model.partition("/")
    try:
        if whose == MODEL and enclave:
            call.workspace.library.check(call.asker, enclave)
            return Filter(enclaves=(enclave,))
    except EnclaveError:
        whose = ""
    if model != MODEL or whose != MODEL:
        raise AbsentError(f"there is no model {model!r}", hint="GET /v1/models lists them")
    return None


def _turns(messages: Sequence[Message]) -> Iterator[tuple[str, str | None]]:
    """Questions with their answers, without what stands below those."""
    for one, then in zip_longest(messages, messages[1:]):
        if one.role == "user":
            answer = then.text.partition("\n\n")[0] if then and then.role == "assistant" else None
            yield one.text, answer


def _written(record: Record, base: str) -> tuple[str, list[Record]]:
    """An answer as a message: what is said, then the quotes, and where in it they are."""
    if record["answer"] is not None:
        text, quotes = _plain(record["answer"]), record["citations"]
    else:
        text = "Here is what was found." if record["via"] == "passages" else f"I am not sure: {record['reason']}."
        quotes = [_sentence(one) for one in record["passages"]]
    annotations: list[Record] = []
    for number, one in enumerate(quotes, 1):
        title, line = one["title"] or one["document"], f"“{_plain(one['text'])}”"
        text += "\n\n" if number == 1 else "\n"
        start = len(text) + len(f"[{number}] ")
        place = f"{one['enclave']}, {one['source']}:{one['start']}-{one['end']}"
        text += f"[{number}] {line} — {_plain(f'{title}, {place}')}"
        path = f"v1/documents/{one['enclave']}/{quote(one['document'])}?start={one['start']}&end={one['end']}"
        cited = {"start_index": start, "end_index": start + len(line), "title": title, "url": base + path}
        annotations.append({"type": "url_citation", "url_citation": cited})
    label = f"; {consulted(record['label'])}" if record["label"] else ""
    return f"{text}\n\nConfidence {record['confidence']:.2f}{label}", annotations


def _sentence(passage: Record) -> Record:
    """The one that bears most on the question, as far as it is shown; else all that is."""
    first, start, end = passage["start"], passage["sentence"]["start"], passage["sentence"]["end"]
    text = passage["text"][start - first : end - first]
    return {**passage, "text": text, "start": start, "end": start + len(text)} if text else passage


def _plain(text: str) -> str:
    return _LIVE.sub(r"\\\g<0>", " ".join(text.split()))


def _event(name: str, record: Record) -> bytes:
    """One event as chunks of a completion; a hop is a comment, which keeps the connection."""
    if name == "hop":
        return b": hop\n\n"
    if name == "problem":
        return _data(record)
    if name == "begun":
        return _chunk(record, {"role": "assistant", "content": ""})
    message = record["choices"][0]["message"]
    answer, blank, rest = message["content"].partition("\n\n")
    deltas = [{"content": answer}, {"content": blank + rest, "annotations": message["annotations"]}]
    last = {"usage": record["usage"], "answerable": record["answerable"]}
    chunks = [*(_chunk(record, delta) for delta in deltas), _chunk(record, {}, "stop", **last)]
    return b"".join([*chunks, b"data: [DONE]\n\n"])


def _chunk(record: Record, delta: Record, finish: str | None = None, **more: Any) -> bytes:
    made = {name: record[name] for name in ("id", "created", "model")}
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return _data({**made, "object": "chat.completion.chunk", "choices": [choice], **more})


def _data(record: Record) -> bytes:
    return f"data: {as_json(record)}\n\n".encode()


def _told(error: Exception) -> Record:
    """A refusal in OpenAI's shape."""
    told = sending.told(error)
    kind = "server_error" if told["status"] >= 500 else _TYPES.get(told["status"], "invalid_request_error")
    said = "; ".join(str(told[name]) for name in ("detail", "hint") if name in told)
    return {"error": {"message": said, "type": kind, "param": None, "code": told["type"].rpartition(":")[2]}}


OPENAI = Manner(lambda sent: bool(getattr(sent, "stream", None)), _event, _told)
ROUTES = (
    Endpoint("POST", "/v1/chat/completions", complete, Completion, Completing, manner=OPENAI),
    Endpoint("GET", "/v1/models", list_models, Models, manner=OPENAI),
    Endpoint("GET", "/v1/models/{model:path}", one_model, Model, Naming, manner=OPENAI),
)
