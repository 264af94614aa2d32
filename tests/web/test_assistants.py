"""The workspace for assistants, asked by the protocol's own client: in memory, over pipes and over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

from answerable.engine import OWNER
from answerable.serving.access import ServeSettings
from answerable.serving.server import Server, listen
from answerable.types import Asker
from answerable.web.answers import Told
from answerable.web.app import ROUTES
from answerable.web.assistants import TOOLS, Assistants, Tool, assistant
from answerable.web.models import Nothing
from answerable.web.pages import PAGES
from answerable.web.streamable import AssistantApp
from answerable.web.table import Call, Record
from answerable.workspace.workspace import Workspace
from tests.server.running import in_thread
from tests.web.conftest import ASKED, STAND_INS, made
from tests.web.test_table import WORLDS

CODE = "What is the job at Kõpu Lighthouse called?"
CALLS: Mapping[str, list[dict[str, Any]]] = {
    "ask": [{"question": ASKED, "explain": True}, {"question": CODE, "explain": True}],
    "find": [{"query": "lighthouses"}, {"query": "lighthouses", "filter": {"enclaves": ["mail"]}}],
    "read": [
        {"document": "wiki/kopu.md", "question": ASKED},
        {"document": "mail/birds.txt", "question": CODE},
        {"document": "mail/kopu.md", "question": ASKED, "enclave": "mail"},
    ],
    "search": [{"question": "KESTREL", "explain": True}, {"question": "x", "filter": {"enclaves": ["mail"]}}],
    "sources": [{}, {"enclave": "wiki"}, {"enclave": "mail"}],
}
ADDRESSES = ["answerable://wiki/wiki/kopu.md?start=2&end=17", "answerable://mail/mail/birds.txt", "other://x/y"]


def told(made: Assistants | Any, act: Callable[[Client], Any], **how: Any) -> Any:
    """What an act of a client gives."""

    async def main() -> Any:
        async with Client(made.server() if isinstance(made, Assistants) else made, **how) as client:
            return await act(client)

    return anyio.run(main)


def of(workspace: Workspace, asker: Asker = OWNER, **how: Any) -> Assistants:
    return Assistants(workspace, lambda _: asker, **how)


@pytest.fixture(scope="module", autouse=True)
def schemas_checked_once() -> Iterator[None]:
    """The protocol's client checks the same schemas whenever one connects, for longer than most calls take."""
    checked, plain = set[str](), Draft202012Validator.check_schema

    def check(schema: Any) -> None:
        said = json.dumps(schema, sort_keys=True)
        if said not in checked:
            plain(schema)
            checked.add(said)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Draft202012Validator, "check_schema", check)
        yield


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with made(tmp_path_factory.mktemp("assistants")) as opened:
        yield opened


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_only_reads_and_answers_by_its_schema(workspace: Workspace, mode: str) -> None:
    async def act(client: Client) -> None:
        tools = {one.name: one for one in (await client.list_tools()).tools}
        assert tools.keys() == CALLS.keys()
        for name, samples in CALLS.items():
            marks = tools[name].annotations
            assert marks and marks.read_only_hint and not marks.destructive_hint and tools[name].description
            for sample in samples:  # the client holds each result to the schema
                done = await client.call_tool(name, sample)
                assert not done.is_error and json.loads(done.content[0].text) == done.structured_content  # type: ignore[union-attr]

    told(of(workspace), act, mode=mode)


def test_an_answer_is_that_of_the_workspace_and_its_quotes_can_be_fetched(workspace: Workspace) -> None:
    async def act(client: Client) -> None:
        done = await client.call_tool("ask", {"question": "Who built Hook Lighthouse?"})
        record = done.structured_content
        assert "Marshal" in record["answer"]
        links = [one for one in done.content if one.type == "resource_link"]
        assert links and record["citations"]
        for link, cited in zip(links, record["citations"], strict=True):
            assert (await client.read_resource(link.uri)).contents[0].text == cited["text"]  # type: ignore[union-attr]

    told(of(workspace, public=True), act)


def test_resources_are_all_documents_page_by_page(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answerable.web.assistants.PAGE", 1)

    async def act(client: Client) -> list[str]:
        uris, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            uris += [str(one.uri) for one in page.resources]
            if (cursor := page.next_cursor) is None:
                return uris

    names = {"wiki": ["wiki/hook.md", "wiki/kopu.md"], "mail": ["mail/birds.txt", "mail/kopu.md"]}
    assert told(of(workspace), act) == [f"answerable://{one}/{id}" for one, ids in names.items() for id in ids]
    assert told(of(workspace), lambda client: client.list_resource_templates()).resource_templates


def test_what_cannot_be_is_said_in_a_sentence(workspace: Workspace) -> None:
    async def act(client: Client) -> list[str]:
        said = []
        for name, given in (("ask", {}), ("ask", {"question": ASKED, "privacy": "none"}), ("find", {"query": ""})):
            done = await client.call_tool(name, given)
            assert done.is_error
            said.append(done.content[0].text)  # type: ignore[union-attr]
        for address in ("answerable://mail/none.txt", "answerable://mail/mail/birds.txt?start=x", "other://x/y"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(address)
            said.append(caught.value.message)
        with pytest.raises(MCPError, match="no such tool"):
            await client.call_tool("delete", {})
        return said

    said = told(of(workspace), act)
    assert said[0] == "question: Field required" and "privacy: Extra inputs" in said[1] and "query: String" in said[2]
    assert "no document 'none.txt'" in said[3] and said[4].startswith("start:") and "no such resource" in said[5]


def test_an_error_that_nobody_foresaw_says_no_word_of_a_document(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("a line of a mail")

    monkeypatch.setattr(workspace, "ask", broken)
    log: list[str] = []
    done = told(of(workspace, log=log.append), lambda client: client.call_tool("ask", {"question": ASKED}))
    assert done.is_error and done.content[0].text == "the search failed" and log == ["a tool failed: RuntimeError"]


def test_progress_tells_of_each_search(workspace: Workspace) -> None:
    lines: list[tuple[float, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        lines.append((progress, message))

    async def act(client: Client) -> Any:
        return await client.call_tool("ask", {"question": CODE, "explain": True}, progress_callback=heard)

    hops = told(of(workspace), act, mode="legacy").structured_content["hops"]
    assert [at for at, _ in lines] == [*range(1, len(hops) + 1)]
    assert lines[0][1] == "wiki was not asked" and "mail was asked" in [line for _, line in lines]


def test_whoever_cancels_ends_the_work(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    began, ended = threading.Event(), threading.Event()

    def endless(*_: Any, watch: Callable[[Any], None], **__: Any) -> Any:
        hop = workspace.search(CODE).evidence.hops[-1]
        try:
            while True:
                watch(hop)
                began.set()
                time.sleep(0.01)
        finally:
            ended.set()

    monkeypatch.setattr(workspace, "ask", endless)

    async def act(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "ask", {"question": ASKED})
            await anyio.to_thread.run_sync(began.wait, 20)
            tasks.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(ended.wait, 20)

    told(of(workspace), act, mode="legacy")


# ---------------------------------------------------------------- what the host is told, and what it lets out


def everything(assistants: Assistants, tools: tuple[Tool, ...] = TOOLS) -> list[str]:
    """All that an assistant can be told, without times."""

    async def act(client: Client) -> list[str]:
        said = [str(await client.list_resources()), str(await client.list_tools())]
        for tool in tools:
            for sample in CALLS.get(tool.handle.__name__, [{}]):
                said.append(str(await client.call_tool(tool.handle.__name__, sample)))
        for address in ADDRESSES:
            try:
                said.append(str(await client.read_resource(address)))
            except MCPError as error:
                said.append(error.message)
        return said

    return [re.sub(r"(seconds|at)\W+[0-9.e-]+", "", one) for one in told(assistants, act)]


def leak_counted(call: Call, _: Nothing) -> Record:
    """Tell how much there is in all."""
    return {"passages": sum(one.passages for one in call.workspace.status().enclaves)}


class Counted(Told):
    """What leaks."""

    passages: int


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Workspace]]:
    place = tmp_path_factory.mktemp("worlds")
    with ExitStack() as stack:
        yield [stack.enter_context(made(place / name, mail)) for name, mail in WORLDS.items()]


def test_a_public_host_is_told_the_same_in_every_world_and_a_leak_is_caught(worlds: list[Workspace]) -> None:
    first, *others = [everything(of(one, public=True)) for one in worlds]
    assert all(one == first for one in others)
    assert not any(word in str(first) for word in ("KESTREL.", "heron", "1845", "412"))
    assert "1531" in str(first)
    owners = [everything(of(one)) for one in worlds]
    assert len({str(one) for one in owners}) == len(owners)  # the calls do tell what may be read
    tools = (Tool(leak_counted, Nothing, Counted),)
    leaking = [everything(of(one, public=True, tools=tools), tools) for one in worlds]
    assert len({str(one) for one in leaking}) > 1


def _sent(workspace: Workspace, asker: Asker, public: bool, typed: bool = False) -> list[str]:
    """Everything that `wiki` is sent by an assistant that asks with what it was told."""
    sent: list[str] = []
    ask = workspace.ask

    def watched(*given: Any, **how: Any) -> Any:
        answer = ask(*given, **how)
        sent.extend(one.query.text for one in answer.evidence.hops if one.enclave == "wiki" and one.refused is None)
        return answer

    async def act(client: Client) -> None:
        seen = await client.call_tool("ask", {"question": CODE})
        await client.call_tool("ask", {"question": f"What is {seen.structured_content['passages'][0]['text'][:99]}?"})

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(workspace, "ask", watched)
        told(of(workspace, asker, public=public, typed=typed), act)
    return sent


def test_what_an_assistant_was_told_it_lets_no_other_machine_know(worlds: list[Workspace]) -> None:
    one, another, _ = worlds
    for public in (False, True):
        assert _sent(one, OWNER, public) == _sent(another, OWNER, public)
    assert not _sent(one, OWNER, False) and _sent(one, OWNER, True)
    grant = one.grant(["mail"], "wiki")  # the user's own word, as for any other question
    assert _sent(one, OWNER, False)
    one.revoke(grant.id)
    # Taken for typed words the second question tells: the first comparison can fail.
    assert _sent(one, OWNER, False, typed=True) != _sent(another, OWNER, False, typed=True)


def test_a_set_and_a_search_tell_of_an_enclave_that_the_rule_kept_them_from(worlds: list[Workspace]) -> None:
    kept = ["wiki could not be asked everything under this privacy"]
    for name, sent in (("find", {"query": "lighthouses"}), ("search", {"question": ASKED})):

        async def act(client: Client, name: str = name, sent: dict[str, Any] = sent) -> Any:
            return (await client.call_tool(name, sent)).structured_content["unreachable"]

        assert told(of(worlds[0]), act) == kept
        assert told(of(worlds[0], public=True), act) == []


def test_an_assistant_asks_with_the_label_of_all_that_it_may_be_told(workspace: Workspace) -> None:
    table, guest = workspace.enclaves(), Asker("guest", frozenset({"wiki"}))
    whole = assistant(OWNER, table)
    assert (whole.clearance, whole.label) == ({"wiki", "mail"}, {"mail"})
    typed = assistant(OWNER, table, typed=True)
    assert (typed.clearance, typed.label) == ({"wiki", "mail"}, set())
    for one in (assistant(OWNER, table, public=True), assistant(guest, table)):
        assert (one.clearance, one.label) == ({"wiki"}, set())


# ---------------------------------------------------------------- over pipes and over HTTP


def test_over_pipes_as_a_desktop_assistant_starts_it(workspace: Workspace) -> None:
    settings = {f"ANSWERABLE_{key.upper().replace('.', '_')}": str(value) for key, value in STAND_INS.items()}
    environment = {**os.environ, **settings, "ANSWERABLE_WORKSPACE": str(workspace.folder)}
    command = ["-c", "from answerable.__main__ import main; main()", "mcp", "--to-host", "public"]
    process = stdio_client(StdioServerParameters(command=sys.executable, args=command, env=environment))

    async def act(client: Client) -> None:
        done = await client.call_tool("ask", {"question": "Who built Hook Lighthouse?"})
        assert "Marshal" in done.structured_content["answer"] and client.server_info.name == "answerable"  # type: ignore[union-attr]
        assert (await client.call_tool("sources", {"enclave": "mail"})).is_error

    told(process, act)


@contextmanager
def serving(workspace: Workspace, asker: Asker = OWNER, public: bool = False) -> Iterator[str]:
    settings = ServeSettings(port=0, rate=0.0)
    app, bound = AssistantApp(workspace, settings, lambda line: None, asker, public, False), listen(settings)
    with in_thread(Server(app, settings, bound)) as server:
        yield f"{server.url}/mcp"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_http_on_this_machine(workspace: Workspace, mode: str) -> None:
    lines: list[str | None] = []

    async def heard(_: float, __: float | None, message: str | None) -> None:
        lines.append(message)

    async def act(client: Client) -> Any:
        assert (await client.read_resource(ADDRESSES[0])).contents[0].text == "Kõpu Lighthouse"  # type: ignore[union-attr]
        return await client.call_tool("ask", {"question": CODE}, progress_callback=heard)

    with serving(workspace) as url:
        assert "KESTREL" in str(told(url, act, mode=mode).structured_content)
    assert "mail was asked" in lines


def test_over_http_there_is_no_other_way_in(workspace: Workspace) -> None:
    with serving(workspace, public=True) as url:
        port = int(url.removesuffix("/mcp").rpartition(":")[2])
        for path in (*{one.path for one in (*ROUTES, *PAGES)}, "/sign-in", "/static/page.js"):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", path, headers={"Accept": "text/html"})
            assert connection.getresponse().status == 404, path
            connection.close()


def test_over_http_a_token_says_who_asks(tmp_path: Path) -> None:
    async def act(client: Client) -> list[str]:
        return [one["name"] for one in (await client.call_tool("sources", {})).structured_content["enclaves"]]

    with made(tmp_path) as workspace:
        tokens = [
            workspace.askers.add(workspace.settings, "guest", ["wiki"])[1],
            workspace.askers.add(workspace.settings, "owner", owner=True)[1],
        ]
        with serving(workspace) as url:

            async def main(token: str) -> list[str]:
                async with (
                    create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as http,
                    Client(streamable_http_client(url, http_client=http)) as client,
                ):
                    return await act(client)

            assert [anyio.run(main, token) for token in tokens] == [["wiki"], ["wiki", "mail"]]
            with pytest.raises((MCPError, ExceptionGroup)):
                told(url, act)
