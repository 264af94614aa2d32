"""Servers on loopback, most of them processes: TLS, tokens, and servers that go away or are others."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from answerable.remote.place import Place
from answerable.workspace.declarations import Declaration, Kind
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from tests.server.proxy import Proxy
from tests.server.running import running

TLS = Path(__file__).parent / "tls"
TOKEN = "correct-horse-battery"
STAND_INS = {"ANSWERABLE_MODELS_ENCODER": "hashed", "ANSWERABLE_MODELS_READER": "overlap"}
QUESTION = "When was the tower of Kõpu Lighthouse completed, the KESTREL job?"
FILES = {
    "wiki/kopu.md": "# Kõpu Lighthouse\n\nIt stands on Hiiumaa. Kõpu Lighthouse had its tower completed in 1531.\n",
    "wiki/hook.md": "# Hook Lighthouse\n\nIt stands in Ireland. William Marshal built it.\n",
    "crm/birds.txt": "From today the job at Kõpu Lighthouse is called KESTREL on all sheets.\n",
    "mail/note.txt": "The ZANZIBAR crate for Kõpu Lighthouse was sealed in 1907.\n",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Iterator[Path]:
    """A folder with the files, a workspace of two enclaves to serve, and tokens."""
    folder = tmp_path_factory.mktemp("place")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf8")
    (folder / "tokens").write_text(f"me: {TOKEN}\n")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in STAND_INS.items():
            patch.setenv(name, value)
        with open_workspace(folder / "host", create=True) as host:
            host.index([folder / "wiki"], "wiki", Kind.PUBLIC)
            host.index([folder / "crm"], "crm")
        yield folder


@pytest.fixture
def mine(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """The asker's workspace with a private enclave of its own."""
    for name, value in {**STAND_INS, "ANSWERABLE_REMOTE_TIMEOUT": "30", "ANSWERABLE_REMOTE_TRIES": "2"}.items():
        monkeypatch.setenv(name, value)
    with open_workspace(tmp_path / "mine", create=True) as mine:
        mine.index([place / "mail"], "mail")
        yield mine


@contextmanager
def serving(place: Path, enclave: str, *options: str | Path) -> Iterator[dict]:
    """A process that serves an enclave: what it said when it began, and at the end its exit code and notes."""
    command = [sys.executable, "-m", "answerable", "-w", place / "host", "--json", "serve", "-e", enclave]
    command += ["--port", "0", *options]
    environment = {**os.environ, **STAND_INS}
    with subprocess.Popen(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        said = json.loads(process.stdout.readline())
        try:
            yield said
        finally:
            process.send_signal(signal.SIGTERM)
            said["code"], said["notes"] = process.wait(60), process.stderr.read()


@contextmanager
def hosted(place: Path, enclave: str, *tokens_and_log: Any, **settings: Any) -> Iterator[int]:
    """The same served by a thread of the test: its port."""
    with open_workspace(place / "host") as host, running(host.served(enclave), *tokens_and_log, **settings) as port:
        yield port


def remote(mine: Workspace, name: str, url: str, kind: Kind = Kind.PUBLIC, **more):
    place = Place(url, **more)
    return mine.add_remote(Declaration(name, kind, None, place))


def test_two_servers_and_an_asker(place: Path, mine: Workspace):
    """A public one and a private one, by tokens and TLS; the answer needs both, and no private word goes to either."""
    tls = ("--certificate", TLS / "certificate.pem", "--key", TLS / "key.pem", "--token-file", place / "tokens")
    more = {"token_file": place / "tokens", "ca_file": TLS / "certificate.pem"}
    with serving(place, "wiki", "--token-file", place / "tokens") as wiki, serving(place, "crm", *tls) as crm:
        proxy = Proxy(int(wiki["url"].rsplit(":", 1)[1]))
        status = remote(mine, "wiki", proxy.url, token_file=place / "tokens")
        assert (status.documents, status.problem, status.shares_encoder) == (2, None, True)
        assert remote(mine, "crm", crm["url"].replace("127.0.0.1", "localhost"), Kind.PRIVATE, **more).problem is None
        answer = mine.ask(QUESTION)
        assert answer.text == "1531" and answer.unreachable == ()
        assert answer.label == {"crm", "mail"}
        assert answer.citations[0].text == "Kõpu Lighthouse had its tower completed in 1531."
        assert answer.citations[0].source == proxy.url and answer.citations[0].enclave == "wiki"
        assert {hop.enclave for hop in answer.evidence.hops if hop.refused is None} == {"wiki", "crm", "mail"}
        sent = b"".join(proxy.seen)
        assert b"1531" in sent or len(proxy.seen) > 2  # it was asked more than the question
        assert b"ZANZIBAR" not in sent and b"sheets" not in sent
        assert {one.enclave for one in answer.evidence.hops if one.refused and "mail" in one.query.label} == {
            "wiki",
            "crm",
        }
        proxy.close()
    assert wiki["code"] == crm["code"] == 0
    assert "requests answered, 0 refused" in wiki["notes"] and "Kõpu" not in wiki["notes"] + crm["notes"]
    assert "whoever holds a token" in crm["notes"] and TOKEN not in wiki["notes"] + crm["notes"]


def test_a_server_that_goes_away_is_done_without_and_asked_again_when_it_is_back(place: Path, mine: Workspace):
    with serving(place, "wiki") as wiki:
        remote(mine, "wiki", wiki["url"])
        assert mine.ask(QUESTION).text == "1531"
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(mine.ask(QUESTION))) for _ in range(8)]
        for thread in threads:
            thread.start()
    for thread in threads:  # it stopped amid their searches
        thread.join()
    assert wiki["code"] == 0 and len(answers) == 8
    assert all(answer.text == "1531" or answer.unreachable for answer in answers)
    answer = mine.ask("When was the ZANZIBAR crate for Kõpu Lighthouse sealed?")
    assert answer.text == "1907" and answer.citations[0].enclave == "mail"
    assert len(answer.unreachable) == 1 and answer.unreachable[0].startswith("wiki could not be asked: ")
    nothing = mine.ask("Who built Hook Lighthouse in Ireland?")
    assert nothing.text is None and "wiki could not be asked" in nothing.reason
    with hosted(place, "wiki", port=int(wiki["url"].rsplit(":", 1)[1])):
        assert mine.ask(QUESTION).text == "1531"


def test_another_version_a_certificate_that_is_not_trusted_and_a_token_that_is_wrong(
    place: Path, mine: Workspace, tmp_path: Path
):
    (tmp_path / "wrong").write_text(TOKEN[::-1])
    log: list[str] = []
    tls = {"certificate": str(TLS / "certificate.pem"), "key": str(TLS / "key.pem")}
    with hosted(place, "wiki", {"me": TOKEN}, log, **tls) as port:
        url = f"https://127.0.0.1:{port}"
        untrusted = remote(mine, "a", url, token_file=place / "tokens")
        assert "certificate of its server is not one that is trusted" in untrusted.problem
        wrong = remote(mine, "b", url, token_file=tmp_path / "wrong", ca_file=TLS / "certificate.pem")
        assert "refuses the token" in wrong.problem
        plain = remote(mine, "c", url.replace("https", "http"), token_file=place / "tokens")
        assert plain.problem
    assert any("refused 401 token" in line for line in log) and TOKEN[::-1] not in " ".join(log)
    with hosted(place, "wiki") as port:
        proxy = Proxy(port, lambda number, request: "version")
        problem = remote(mine, "d", proxy.url).problem
        assert "speaks version 2 of the protocol, this program 1" in problem and len(proxy.seen) == 1
        assert "version 2" in mine.ask(QUESTION).reason
        proxy.close()
