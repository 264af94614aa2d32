"""Every route of the table, walked: whoever may not read an enclave is told the same whatever it holds.

A route without a sample fails the walk, so that a new one is held to the law as soon as it is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from answerable.web import answers, models
from answerable.web.app import DOCS, METRICS, OPENAPI, ROUTES
from answerable.web.table import Call, Endpoint, Record
from tests.web.conftest import ASKED, MAIL, Got, Web, made, served


@dataclass(frozen=True)
class Sample:
    """A request to a route, and how an owner's is answered."""

    path: str
    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


STREAMED = {"Accept": "text/event-stream"}
FORM = {"Content-Type": "multipart/form-data; boundary=b"}
FOLLOWING = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": ASKED},
    {"role": "assistant", "content": "KESTREL"},
    {"role": "user", "content": "And who built it?"},
]
MAILED = {"filter": {"enclaves": ["mail"]}}
SAMPLES: dict[str, list[Sample]] = {
    "POST /v1/ask": [
        Sample("/v1/ask", {"question": ASKED, "explain": True}),
        Sample("/v1/ask", {"question": "What is the job at Kõpu Lighthouse called?"}, headers=STREAMED),
        Sample("/v1/ask", {"question": ASKED, "privacy": "none"}),
        Sample("/v1/ask", {"question": ASKED, "privacy": "query", "hops": 1, "k": 3}),
        Sample("/v1/ask", {"question": ASKED, **MAILED}),
        Sample("/v1/ask", {"question": ASKED, "grant": {"wiki": ["mail"]}}),
        Sample("/v1/ask", {"question": ASKED, "parts": [["wiki", "Hook Lighthouse"]], "privacy": "query"}),
        Sample("/v1/ask", {"question": ""}, 422),
    ],
    "POST /v1/search": [
        Sample("/v1/search", {"question": "KESTREL", "explain": True}),
        Sample("/v1/search", {"question": "KESTREL", **MAILED}, headers=STREAMED),
    ],
    "POST /v1/find": [
        Sample("/v1/find", {"query": "lighthouses", "explain": True}),
        Sample("/v1/find", {"expression": '"lighthouses" minus "in Ireland"', "limit": 3}, headers=STREAMED),
        Sample("/v1/find", {"query": "lighthouses", **MAILED}),
        Sample("/v1/find", {}, 400),
    ],
    "POST /v1/read": [
        Sample("/v1/read", {"document": "wiki/kopu.md", "question": ASKED}),
        Sample("/v1/read", {"document": "mail/birds.txt", "question": ASKED}),
        Sample("/v1/read", {"document": "mail/kopu.md", "question": ASKED, "enclave": "mail"}),
    ],
    "POST /v1/link": [Sample("/v1/link", {"text": "Kõpu Lighthouse"})],
    "POST /v1/pairs/ask": [Sample("/v1/pairs/ask", {"question": ASKED, "explain": True})],
    "POST /v1/remembered": [
        Sample("/v1/remembered", {"question": "Who was never asked?", "good": True}, 400),
        Sample("/v1/remembered", {"question": "Who was never asked?", "answer": "KESTREL", "good": False}, 400),
    ],
    "GET /v1/remembered": [Sample("/v1/remembered")],
    "DELETE /v1/remembered": [Sample("/v1/remembered?id=nothing", status=400)],
    "GET /v1/enclaves": [Sample("/v1/enclaves")],
    "GET /v1/documents": [
        Sample("/v1/documents?enclave=wiki"),
        Sample("/v1/documents?enclave=mail&skip=1&most=1"),
    ],
    "POST /v1/documents": [
        Sample(
            "/v1/documents",
            b'--b\r\nContent-Disposition: form-data; name="enclave"\r\n\r\nmail\r\n--b--\r\n',
            400,
            FORM,
        )
    ],
    "GET /v1/documents/{enclave}/{id:path}": [
        Sample("/v1/documents/wiki/wiki/kopu.md?start=2&end=17"),
        Sample("/v1/documents/mail/mail/birds.txt"),
        Sample("/v1/documents/mail/mail/nothing.txt", status=404),
    ],
    "DELETE /v1/documents/{enclave}/{id:path}": [Sample("/v1/documents/mail/mail/nothing.txt", status=404)],
    "GET /v1/journal": [Sample("/v1/journal?last=0")],
    "GET /v1/status": [Sample("/v1/status")],
    "GET /v1/health": [Sample("/v1/health")],
    "POST /v1/chat/completions": [
        Sample("/v1/chat/completions", {"model": "answerable", "messages": [{"role": "user", "content": ASKED}]}),
        Sample("/v1/chat/completions", {"model": "answerable", "messages": FOLLOWING}),
        Sample("/v1/chat/completions", {"model": "answerable", "messages": FOLLOWING, "stream": True}),
        Sample("/v1/chat/completions", {"model": "answerable/mail", "messages": FOLLOWING}),
    ],
    "GET /v1/models": [Sample("/v1/models")],
    "GET /v1/models/{model:path}": [Sample("/v1/models/answerable/mail"), Sample("/v1/models/answerable")],
    METRICS: [Sample(METRICS)],
    DOCS: [Sample(DOCS)],
    OPENAPI: [Sample(OPENAPI)],
}
WORLDS: dict[str, Mapping[str, str]] = {
    "one": MAIL,
    "another": {"birds.txt": "The heron flies at noon.\n", "kopu.md": "# Kõpu Lighthouse\n\nIt was never lit.\n"},
    "none": {},
}
_OWN = (
    (r'"(seconds|at|ask)": ("[^"]*"|[0-9.e-]+)', r'"\1": 0'),
    (r'"until": "[^"]*"', '"until": 0'),
    (r'"(created)": [0-9]+', r'"\1": 0'),
    (r"chatcmpl-[0-9a-f]+", "chatcmpl"),
    (r"http://127\.0\.0\.1:[0-9]+/", "/"),
)
"""What two runs of one request differ in: times, ids that are drawn, and where the server is."""
_UNTOLD = {"content-length"}  # as long as the times are


def _plain(got: Got) -> tuple[int, dict[str, str], str]:
    text = got.body.decode()
    for pattern, said in _OWN:
        text = re.sub(pattern, said, text)
    return got.status, {name: value for name, value in got.headers.items() if name not in _UNTOLD}, text


@dataclass(frozen=True)
class Worlds:
    """The same server over workspaces that differ in what the guest may not read, with the tokens of each."""

    webs: tuple[Web, ...]
    tokens: tuple[Mapping[str, str], ...]

    def each(self, who: str, name: str, sample: Sample) -> list[tuple[int, dict[str, str], str]]:
        """What somebody is told in each."""
        method = name.split()[0] if " " in name else "GET"
        given = {key.replace("-", "_"): value for key, value in sample.headers.items()}
        return [
            _plain(web.ask(method, sample.path, sample.body, tokens[who], **given))
            for web, tokens in zip(self.webs, self.tokens, strict=True)
        ]


def leak_counted(call: Call, _: models.Nothing) -> Record:
    """Tell how much there is in all."""
    return {"count": sum(one.passages for one in call.workspace.status().enclaves)}


def leak_in_an_error(call: Call, _: models.Nothing) -> Record:
    """Fail where there is a mail."""
    call.workspace.library.document(call.workspace.asker(None), "mail", "mail/birds.txt")
    return {}


PLANTED = (
    Endpoint("GET", "/v1/counted", leak_counted, answers.Health),
    Endpoint("GET", "/v1/failing", leak_in_an_error, answers.Health),
)


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worlds]:
    """A guest who reads `wiki`, and an owner, in each world."""
    webs, tokens = [], []
    with ExitStack() as stack:
        for name, mail in WORLDS.items():
            workspace = stack.enter_context(made(tmp_path_factory.mktemp(name), mail))
            guest = workspace.askers.add(workspace.settings, "guest", ["wiki"])[1]
            owner = workspace.askers.add(workspace.settings, "owner", owner=True)[1]
            webs.append(stack.enter_context(served(workspace, (*ROUTES, *PLANTED))))
            tokens.append({"guest": guest, "owner": owner})
        yield Worlds(tuple(webs), tuple(tokens))


def test_every_route_has_a_sample() -> None:
    assert {one.name for one in ROUTES} | {METRICS, DOCS, OPENAPI} == SAMPLES.keys()
    streamed = {name for name, samples in SAMPLES.items() if any(one.headers is STREAMED for one in samples)}
    assert streamed == {one.name for one in ROUTES if one.streams and not one.changes}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_guest_is_told_the_same_in_every_world(worlds: Worlds, name: str) -> None:
    for sample in SAMPLES[name]:
        first, *others = worlds.each("guest", name, sample)
        assert first[0] < 500, sample
        for world, told in zip([*WORLDS][1:], others, strict=True):
            assert told == first, (world, sample)
        assert not any(word in first[2] for word in ("KESTREL.", "heron", "1845", "birds.txt is"))


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.path)
def test_a_planted_leak_is_caught(worlds: Worlds, planted: Endpoint) -> None:
    told = worlds.each("guest", planted.name, Sample(planted.path))
    assert len({str(one) for one in told}) > 1


def test_the_samples_do_tell_the_owner_apart(worlds: Worlds) -> None:
    for name, at in (("POST /v1/ask", 1), ("POST /v1/find", 0), ("GET /v1/status", 0), ("GET /v1/journal", 0)):
        assert len({str(one) for one in worlds.each("owner", name, SAMPLES[name][at])}) > 1, name


@pytest.mark.parametrize("one", ROUTES, ids=lambda one: one.name)
def test_an_owner_is_answered_as_the_model_of_the_route_says(worlds: Worlds, one: Endpoint) -> None:
    for sample in SAMPLES[one.name]:
        told = worlds.each("owner", one.name, sample)[0]
        assert told[0] == sample.status, (sample, told)
        if sample.headers is STREAMED:
            last = told[2].split("\n\n")[-2]
            assert last.startswith(f"event: {one.streams}\n")
            one.returns.model_validate_json(last.split("data: ", 1)[1])
        elif one.manner and (told[0] != 200 or one.manner.streams(one.takes.model_construct(**sample.body or {}))):
            assert told[2].endswith("data: [DONE]\n\n") if told[0] == 200 else told[2].startswith('{"error": {')
        else:
            (one.returns if told[0] == 200 else answers.Problem).model_validate_json(told[2])


@pytest.mark.parametrize("name", [one.name for one in ROUTES if "mail" in str(SAMPLES[one.name])])
def test_what_is_forbidden_is_as_what_is_not_there(worlds: Worlds, name: str) -> None:
    for sample in SAMPLES[name]:
        if isinstance(sample.body, bytes):
            continue
        other = Sample(sample.path.replace("mail", "nail"), _renamed(sample.body), headers=sample.headers)
        forbidden, unknown = (worlds.each("guest", name, one)[0] for one in (sample, other))
        assert (forbidden[0], forbidden[2].replace("mail", "nail")) == (unknown[0], unknown[2]), sample


def _renamed(body: Any) -> Any:
    if isinstance(body, dict):
        return {_renamed(name): _renamed(value) for name, value in body.items()}
    if isinstance(body, list):
        return [_renamed(one) for one in body]
    return body.replace("mail", "nail") if isinstance(body, str) else body


@pytest.mark.parametrize("one", ROUTES, ids=lambda one: one.name)
def test_without_a_token_nothing_but_health_is_told(worlds: Worlds, one: Endpoint) -> None:
    sample = SAMPLES[one.name][0]
    got = worlds.webs[0].ask(one.method, sample.path, sample.body, **sample.headers)
    assert got.status == (200 if one.open else 401)
    assert one.open or got.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("one", [one for one in ROUTES if one.owner], ids=lambda one: one.name)
def test_a_guest_changes_nothing(worlds: Worlds, one: Endpoint) -> None:
    told = worlds.each("guest", one.name, SAMPLES[one.name][0])[0]
    assert told[0] == 403 and "only an owner" in told[2] and "urn:answerable:owner" in told[2]


def test_what_changes_something_is_for_owners() -> None:
    assert all(one.owner for one in ROUTES if one.changes or (one.method != "GET" and "documents" in one.path))


@pytest.mark.parametrize("loosened", [{"privacy": "none"}, {"grant": {"wiki": ["mail"]}}, {"parts": [["wiki", "x"]]}])
def test_a_guest_lets_nothing_more_be_sent(worlds: Worlds, loosened: dict[str, Any]) -> None:
    told = worlds.each("guest", "POST /v1/ask", Sample("/v1/ask", {"question": ASKED, **loosened}))[0]
    assert told[0] == 403 and "only an owner may let more be sent" in told[2]


def test_nobody_is_shown_what_others_asked(worlds: Worlds) -> None:
    for asker in ("owner", "guest"):
        worlds.each(asker, "POST /v1/ask", SAMPLES["POST /v1/ask"][0])
    owners = worlds.webs[0].ask("GET", "/v1/journal?last=0", token=worlds.tokens[0]["owner"]).record["records"]
    guests = worlds.webs[0].ask("GET", "/v1/journal?last=0", token=worlds.tokens[0]["guest"]).record["records"]
    assert {one.get("asker") for one in owners} >= {"owner", "guest"} and {one["asker"] for one in guests} == {"guest"}
