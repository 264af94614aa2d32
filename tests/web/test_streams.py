"""Streams: hops as they are made, members, progress, and an end to the work when nobody waits."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from answerable.types import Hop
from answerable.web import answers, models
from answerable.web.app import ROUTES
from answerable.web.table import Call, Cancelled, Endpoint, Record
from tests.web.conftest import ASKED, Web, served
from tests.web.visiting import Visitor

QUESTION = "What is the job at Kõpu Lighthouse called?"


class Endless:
    """A route that tells of one hop after another until nobody waits."""

    def __init__(self) -> None:
        self.begun, self.ended = threading.Event(), threading.Event()

    def handle(self, call: Call, _: models.Nothing) -> Record:
        """Go on."""
        try:
            self.begun.set()
            for _step in range(3000):
                call.event("step", {"text": "x" * 100})
                time.sleep(0.01)
            return {"status": "ok"}
        except Cancelled:
            self.ended.set()
            raise


@pytest.fixture
def endless(web: Web) -> Iterator[tuple[Web, Endless]]:
    route = Endless()
    table = (*ROUTES, Endpoint("GET", "/v1/endless", route.handle, answers.Health, streams="end"))
    with served(web.workspace, table, concurrent=1, waiting=0) as running:
        yield running, route


def test_each_hop_is_told_before_the_evidence_and_the_answer(web: Web) -> None:
    got = web.stream("/v1/ask", {"question": QUESTION, "explain": True})
    assert got.headers["content-type"].startswith("text/event-stream") and got.headers["cache-control"] == "no-store"
    names = [name for name, _ in got.events]
    assert names == ["hop"] * (len(names) - 2) + ["evidence", "answer"] and len(names) > 4
    answer = got.events[-1][1]
    assert answer["answer"] and got.events[-2][1]["citations"] == answer["citations"]
    told = [record for name, record in got.events if name == "hop"]
    assert any(one["refused"] for one in told) and all(one in answer["hops"] for one in told)


def test_a_guest_is_told_of_no_hop_that_the_answer_does_not_show(web: Web) -> None:
    """Whatever the engine tells the watch, refusals for want of a clearance among it."""
    guest = web.workspace.asker(None).__class__("guest", frozenset({"wiki"}))
    seen, made = list[Record](), list[Hop]()
    call = Call(web.workspace, guest, lambda _, record: seen.append(record))

    def watch(hop: Hop) -> None:
        made.append(hop)
        call.hop(hop)

    web.workspace.ask(QUESTION, guest, watch=watch)
    assert {hop.enclave for hop in made} == {"mail", "wiki"} and {one["enclave"] for one in seen} == {"wiki"}


def test_a_proxy_is_told_to_hold_nothing_back(web: Web) -> None:
    assert web.stream("/v1/ask", {"question": ASKED}).headers["x-accel-buffering"] == "no"


def test_members_come_before_the_set(web: Web) -> None:
    events = web.stream("/v1/find", {"query": "lighthouses"}).events
    members = [record for name, record in events if name == "member"]
    assert events[-1][0] == "found" and len(members) == events[-1][1]["count"] > 0
    assert all(one in events[-1][1]["items"] for one in members)


@pytest.mark.parametrize("body", [{"question": ""}, {"question": "?", "hops": 99}, {"question": ASKED, "more": 1}])
def test_what_is_wrong_before_the_first_event_is_an_ordinary_refusal(web: Web, body: dict[str, object]) -> None:
    got = web.stream("/v1/ask", body)
    assert got.status in (400, 422) and got.headers["content-type"] == "application/problem+json"


def test_what_breaks_later_is_the_last_event_and_quotes_nothing(web: Web) -> None:
    def broken(call: Call, _: models.Nothing) -> Record:
        """Break."""
        call.event("step", {})
        raise RuntimeError("hiddenword")

    with served(web.workspace, (Endpoint("GET", "/v1/broken", broken, answers.Health, streams="end"),)) as running:
        got = running.ask("GET", "/v1/broken", Accept="text/event-stream")
        assert [name for name, _ in got.events] == ["step", "problem"] and got.events[1][1]["status"] == 500
        assert running.ask("GET", "/v1/broken").status == 500
    assert running.log[0] == "a request failed: RuntimeError" and "hiddenword" not in got.body.decode() + str(
        running.log
    )


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
def test_work_ends_at_the_next_hop_when_nobody_waits(endless: tuple[Web, Endless], accept: str) -> None:
    web, route = endless
    with socket.create_connection(("127.0.0.1", web.port), timeout=10) as connection:
        connection.sendall(f"GET /v1/endless HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n".encode())
        assert route.begun.wait(10)
        busy = web.ask("GET", "/v1/status")
        assert busy.status == 429 and int(busy.headers["retry-after"]) >= 1
    assert route.ended.wait(20)
    for _ in range(500):  # the thread is free again
        if web.ask("GET", "/v1/status").status == 200:
            break
        time.sleep(0.02)
    else:
        pytest.fail("the work goes on")


def test_work_that_takes_too_long_is_refused_and_ended(web: Web) -> None:
    route = Endless()
    with served(web.workspace, (Endpoint("GET", "/v1/endless", route.handle, answers.Health),), answer=0.2) as running:
        assert running.ask("GET", "/v1/endless").status == 503
        assert route.ended.wait(20)


def test_an_ask_that_nobody_waits_for_searches_no_further(web: Web) -> None:
    call, made = Call(web.workspace, web.workspace.asker(None)), list[Hop]()

    def watch(hop: Hop) -> None:
        made.append(hop)
        call.over.set()
        call.hop(hop)

    before = len(web.ask("GET", "/v1/journal?last=0").record["records"])
    with pytest.raises(Cancelled):
        web.workspace.ask(QUESTION, watch=watch)
    after = web.ask("GET", "/v1/journal?last=0").record["records"]
    assert len(made) == 1 and len(after) - before == 1
    assert json.dumps(after[-1]["enclave"]) == '"wiki"'


def test_the_stream_of_a_page_tells_the_hops_the_evidence_and_the_answer(web: Web) -> None:
    visitor = Visitor(web)
    visitor.get("/")
    got = visitor.post("/", {"q": "Who built Hook Lighthouse?", "chat": "c"}, Accept="text/event-stream")
    names = [name for name, _ in got.events]
    assert names[-2:] == ["evidence", "answer"] and set(names[:-2]) == {"hop"}
    assert "wiki</b> was asked" in got.events[0][1]["html"]
    assert "<mark>William Marshal</mark>" in got.events[-1][1]["html"]
