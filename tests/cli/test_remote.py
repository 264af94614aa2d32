"""`enclaves add`, `serve` and what other commands say of an enclave on another machine."""

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from answerable.workspace.declarations import FILE_NAME
from answerable.workspace.opening import open_workspace
from tests.cli.conftest import Command
from tests.server.running import running

TOKEN = "correct-horse-battery"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def test_an_enclave_elsewhere_from_adding_to_doing_without(
    indexed: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "token").write_text(TOKEN)
    (tmp_path / "atlas.txt").write_text("Skerryvore Lighthouse was completed in 1844.", encoding="utf8")
    assert indexed("-w", "host", "index", "atlas.txt", "-e", "theirs", "--public").code == 0
    host = open_workspace("host", settings={"models.encoder": "hashed"})
    with host, running(host.served("theirs"), {"me": TOKEN}) as port:
        url = f"http://127.0.0.1:{port}"
        ran = indexed(
            "enclaves", "add", "atlas", "--public", "--remote", url, "--token-file", "token", "--mode", "lexical"
        )
        assert ran.code == 0 and f"Added atlas (public) at {url}." in ran.out
        assert "queries travel as text." in ran.out
        assert TOKEN not in (tmp_path / ".answerable" / FILE_NAME).read_text(encoding="utf8")
        assert f"atlas is at {url}" in indexed("enclaves").out
        assert [e["mode"] for e in indexed("enclaves", "--json").record["enclaves"]] == ["lexical", None, None]
        assert [e["remote"] for e in indexed("enclaves", "--json").record["enclaves"]] == [url, None, None]
        for given, how in (("hybrid", "text and vectors"), ("dense", "vectors"), ("lexical", "text")):
            with monkeypatch.context() as patch:
                patch.setenv("ANSWERABLE_SEARCH_MODE", given)
                (line,) = (line for line in indexed("status").out.splitlines() if url in line)
                assert line.rstrip().endswith(f"asked by {how}")
        assert f"at {url}" in indexed("doctor").out
        ran = indexed("ask", "When was Skerryvore Lighthouse completed?", "--json")
        cited = ran.record["citations"][0]
        assert (cited["enclave"], cited["source"]) == ("atlas", url) and "1844" in cited["text"]
        items = indexed("find", "--expression", '"lighthouse" and "completed"', "--json").record["items"]
        theirs = next(item for item in items if item["enclave"] == "atlas")
        told = [one["citations"][0]["text"] for one in theirs["evidence"]]
        assert told == ["Skerryvore Lighthouse was completed in 1844."] * 2 and theirs["source"] == url
        records = indexed("journal", "--json").record["records"]
        sent = [(one["host"], one["hits"]) for one in records if one["enclave"] == "atlas" and one["allowed"]]
        assert sent and all(host == "elsewhere" and hits for host, hits in sent)
        for command in (("index", tmp_path / "wiki"), ("delete", "--everything"), ("export", "x.jsonl")):
            ran = indexed(*command, "-e", "atlas")
            assert ran.code == 2 and "atlas is on another machine" in ran.err
        assert indexed("serve", "-e", "atlas").code == 2
    ran = indexed("ask", "When was Kõpu Lighthouse completed?")
    assert ran.code == 0 and "atlas could not be asked: nothing answers at" in ran.out
    assert indexed("ask", "When was Kõpu Lighthouse completed?", "--json").record["unreachable"]
    ran = indexed("find", "--expression", '"lighthouse" and "completed"')
    assert ran.code == 0 and "1531" in ran.out and "atlas could not be asked: nothing answers at" in ran.out
    assert "atlas could not be asked" in indexed("status").out
    assert indexed("doctor").code == 1


def test_an_enclave_of_two_servers_from_adding_to_doing_without_one(indexed: Command, tmp_path: Path):
    texts = {"north": "Skerryvore Lighthouse was completed in 1844.", "south": "Bishop Rock was completed in 1858."}
    with ExitStack() as stack:
        ports = []
        for name, text in texts.items():
            (tmp_path / f"{name}.txt").write_text(text, encoding="utf8")
            (tmp_path / f"{name}-token").write_text(f"{name}-{TOKEN}")
            assert indexed("-w", name, "index", f"{name}.txt", "-e", "theirs", "--public").code == 0
            host = stack.enter_context(open_workspace(name, settings={"models.encoder": "hashed"}))
            stack.enter_context(leaving := ExitStack())
            ports.append(leaving.enter_context(running(host.served("theirs"), {"me": f"{name}-{TOKEN}"})))
        urls = [f"http://127.0.0.1:{port}" for port in ports]
        where = [
            part
            for name, url in zip(texts, urls, strict=True)
            for part in ("--remote", url, "--token-file", f"{name}-token")
        ]
        ran = indexed("enclaves", "add", "atlas", "--public", *where)
        assert ran.code == 0 and f"Added atlas (public) at {urls[0]}, {urls[1]}." in ran.out
        assert "It holds 2 passages; queries travel as text and vectors." in ran.out
        assert f"atlas is at {', '.join(urls)}" in indexed("enclaves").out
        assert f"ready at {urls[0]}" in indexed("status").out and urls[1] in indexed("doctor").out
        for name, year, url in (("Skerryvore Lighthouse", "1844", urls[0]), ("Bishop Rock", "1858", urls[1])):
            ran = indexed("ask", f"When was {name} completed?", "--json", "--explain")
            cited = ran.record["citations"][0]
            assert (cited["enclave"], cited["source"]) == ("atlas", url) and year in cited["text"]
            asked = [hop for hop in ran.record["hops"] if hop["enclave"] == "atlas" and not hop["refused"]]
            assert asked and all(hop["shards"] == urls and not hop["missing"] for hop in asked)
        leaving.close()  # the second of them
        ran = indexed("ask", "When was Skerryvore Lighthouse completed?", "--explain")
        said = f"atlas, in part at {urls[1]}, could not be asked: nothing answers at"
        assert ran.code == 0 and "1844" in ran.out and said in ran.out and f"at: {urls[0]}, {urls[1]}" in ran.out
        assert any(
            said in one for one in indexed("ask", "When was Bishop Rock completed?", "--json").record["unreachable"]
        )
        ran = indexed("find", "--expression", '"lighthouse" and "completed"')
        assert ran.code == 0 and "1844" in ran.out and said in ran.out
        assert said in indexed("status").out and indexed("doctor").code == 1
        records = indexed("journal", "--json").record["records"]
        sent = [one for one in records if one["enclave"] == "atlas" and one["allowed"]]
        assert sent and sent[0]["shards"] == urls and {tuple(one.get("silent", ())) for one in sent} == {(), (urls[1],)}
        assert f"nothing came back from {urls[1]}" in indexed("journal").out
    ran = indexed("ask", "When was Kõpu Lighthouse completed?")
    assert ran.code == 0 and f"atlas could not be asked: at {urls[0]} nothing answers" in ran.out


def test_one_that_is_down_can_be_added_and_one_that_is_wrong_cannot(command: Command, tmp_path: Path):
    url = f"http://127.0.0.1:{_free_port()}"
    ran = command("enclaves", "add", "crm", "--remote", url, "--admits", "question")
    assert ran.code == 0 and "nothing answers" in ran.err
    assert command("enclaves", "--json").record["enclaves"][0]["admits"] == ["crm", "question"]
    for options, said in (
        (("--remote", "http://10.0.0.7:8642"), "--plain"),
        (("--remote", "wiki"), "not valid"),
        (("--remote", url, "--token-file", "nowhere"), "nowhere cannot be read"),
        (("--remote", url, "--remote", f"{url}/"), "given twice"),
        (
            ("--remote", url, "--remote", f"{url}1", *(["--token-file", "x"] * 3)),
            "3 token files are given for 2 servers",
        ),
        (("--remote", url, "--public", "--mirror"), "one of --public, --mirror and --private"),
    ):
        ran = command("enclaves", "add", "other", *options)
        assert ran.code == 2 and said in ran.err
    assert command("enclaves", "add", "crm", "--remote", url).code == 2
    assert len(command("enclaves", "--json").record["enclaves"]) == 1


def test_a_dry_run_asks_no_other_machine(indexed: Command):
    with socket.create_server(("127.0.0.1", 0)) as other:
        url = f"http://127.0.0.1:{other.getsockname()[1]}"
        declared = f'\n[enclaves.atlas]\nkind = "public"\nremote = "{url}"\n'
        with open(Path(".answerable") / FILE_NAME, "a", encoding="utf8") as file:
            file.write(declared)
        assert indexed("trust").code == 0
        rows = indexed("ask", "When was Kõpu Lighthouse completed?", "--dry-run", "--json").record["searches"]
        assert {(row["enclave"], row["refused"]) for row in rows if row["hop"] == 1} >= {("atlas", None)}
        assert {row["enclave"] for row in rows if row["refused"] and row["label"]} == {"atlas", "wiki"}
        other.settimeout(0)
        with pytest.raises(BlockingIOError):
            other.accept()


def test_serve_says_why_it_will_not(indexed: Command, tmp_path: Path):
    (tmp_path / "short").write_text("hidden")
    for options, said in (
        (("-e", "wiki", "--host", "0.0.0.0"), "without a token would let anyone on the network ask"),
        (("-e", "mail"), "without a token would let anyone on this machine read it"),
        (("-e", "attic"), "no enclave is named 'attic'"),
        (("-e", "wiki", "--token-file", "short"), "under 16 characters"),
        (("-e", "wiki", "--certificate", "short"), "TLS needs a certificate and a key"),
        (("-e", "wiki", "--certificate", "short", "--key", "short"), "cannot be used for TLS"),
    ):
        ran = indexed("serve", *options, "--port", "0")
        assert ran.code == 2 and said in ran.err and "hidden" not in ran.err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = indexed("serve", "-e", "wiki", "--port", str(taken.getsockname()[1]))
        assert ran.code == 2 and "cannot be served on" in ran.err
