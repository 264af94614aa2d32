"""A client and the shipped server on loopback: the same answers as here, and a clear word when there are none."""

import random
import socket
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from answerable.errors import RemoteError
from answerable.remote.place import Place
from answerable.types import Passage, Skill
from tests.laws.worlds import MODES, MemoryEnclave, TinyEncoder, corpus, some_text
from tests.server.proxy import FAULTS, Proxy
from tests.server.running import Stored, client, running

TOKEN = "correct-horse-battery"


class OtherEncoder(TinyEncoder):
    """Another name, so that its vectors mean nothing to the server."""

    name = "other"


def world(seed=1):
    rng = random.Random(seed)
    return MemoryEnclave("wiki", [p for n in range(4) for p in corpus(rng, f"wiki{n}")], [])


def owned(enclave):
    """As a client is to give them: its own name on every passage."""
    return replace(enclave, stored=[replace(p, enclave="wiki") for p in enclave.stored], log=[])


@pytest.fixture(scope="module")
def served():
    stored = Stored(world(), TinyEncoder())
    with running(stored) as port:
        stored.port = port
        yield stored


@pytest.fixture
def proxied(served):
    made = []

    def make(choose=lambda number, request: None, delay=0.3, **settings):
        proxy = Proxy(served.port, choose, delay)
        made.append(proxy)
        return proxy, client(proxy.url, TinyEncoder(), **settings)

    yield make
    for proxy in made:
        proxy.close()


def asked(enclave, rng, mode, encoder):
    text, k = some_text(rng, 1, 6), rng.randint(1, 6)
    vector = None if mode == "lexical" else encoder.encode_query(text, Skill.SINGLE)
    ranking = enclave.search(text, vector, mode, k)
    return ranking, enclave.passages([id for id, _ in ranking])


@pytest.mark.parametrize("encoder", [TinyEncoder(), OtherEncoder()])
@pytest.mark.parametrize("mode", MODES)
def test_a_search_there_is_a_search_here(served, mode, encoder):
    here, there = owned(served.enclave), client(served.port, encoder)
    for seed in range(40):
        assert asked(there, random.Random(seed), mode, encoder) == asked(here, random.Random(seed), mode, TinyEncoder())


@pytest.mark.parametrize(
    ("mode", "encoder", "text", "vector"),
    [
        ("lexical", TinyEncoder(), True, False),
        ("hybrid", TinyEncoder(), True, True),
        ("dense", TinyEncoder(), False, True),
        ("entity", TinyEncoder(), False, True),
        ("hybrid", OtherEncoder(), True, False),
        ("dense", OtherEncoder(), True, False),
    ],
)
def test_a_server_is_sent_no_more_than_the_search_needs(proxied, served, mode, encoder, text, vector):
    proxy, _ = proxied()
    there = client(proxy.url, encoder)
    there.search("W1 W2", encoder.encode_query("W1 W2", Skill.SINGLE), mode, 3)
    about, search = proxy.seen
    assert about.startswith(b"GET /v1/about ") and search.startswith(b"POST /v1/search ")
    assert (b"W1 W2" in search, b"vector" in search) == (text, vector)


def test_a_mention_finds_nothing_by_an_encoder_that_the_server_does_not_share(proxied):
    proxy, _ = proxied()
    there = client(proxy.url, OtherEncoder())
    assert there.search("W1", OtherEncoder().encode_query("W1", Skill.MENTION), "entity", 3) == []
    assert len(proxy.seen) == 1


@pytest.mark.parametrize("mode", MODES)
def test_what_is_fetched_comes_with_vectors_where_the_encoder_is_shared(proxied, served, mode):
    """One request, as of a search; nothing but the wish for vectors is said besides."""
    for encoder in (TinyEncoder(), OtherEncoder()):
        vector = None if mode == "lexical" else encoder.encode_query("W1 W2 W3 W4", Skill.SINGLE)
        proxy, _ = proxied()
        there = client(proxy.url, encoder)
        ranking, vectors = there.fetch("W1 W2 W3 W4", vector, mode, 6)
        assert len(proxy.seen) == 2
        assert ranking == there.search("W1 W2 W3 W4", vector, mode, 6) and len(ranking) > 2
        ids = [id for id, _ in ranking]
        shared = mode != "lexical" and encoder.name == TinyEncoder.name
        assert list(vectors) == (ids if shared else [])
        assert all(np.array_equal(vectors[id], row) for id, row in served.enclave.vectors(ids).items() if shared)
        assert [one.id for one in there.passages(ids)] == ids


def test_passages_come_with_their_search_and_others_are_fetched(proxied, served):
    proxy, there = proxied()
    ranking = there.search("W1 W2 W3 W4", None, "lexical", 3)
    ids = [id for id, _ in ranking]
    assert [p.id for p in there.passages(ids)] == ids
    assert len(proxy.seen) == 2
    other = next(p for p in served.enclave.stored if p.id not in ids)
    assert there.passages([other.id, "gone", ids[0]]) == [replace(other, enclave="wiki"), there.passages(ids)[0]]
    assert [seen.split()[1] for seen in proxy.seen[2:]] == [b"/v1/passages"]


def test_of_a_document_elsewhere_the_passage_is_all_there_is(proxied):
    """Its offsets count in the document all the same, and nobody is asked for more."""
    proxy, there = proxied()
    part = Passage("d@40-45", "d", "wiki", "Title", "words", 40, 45)
    document = there.document(part)
    assert (document.id, document.enclave, document.title, document.text) == ("d", "wiki", "Title", "words")
    assert (document.offset, document.source, proxy.seen) == (40, proxy.url, [])


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_passes_is_not_noticed(proxied, served, fault):
    """Requests go wrong now and then, and every answer is that of the enclave."""
    late = fault == "delay"
    when = (1,) if late else (1, 4, 7)
    _, there = proxied(lambda number, request: fault if number in when else None, 1.5, timeout=1.0 if late else 30.0)
    here = owned(served.enclave)
    for seed in range(4):
        assert asked(there, random.Random(seed), "lexical", None) == asked(here, random.Random(seed), "lexical", None)


@pytest.mark.parametrize(
    ("fault", "reason", "sent"),
    [
        ("drop", "closed the connection", 3),
        ("garbage", "not one that can be used", 2),
        ("shape", "not one that can be used", 2),
        ("truncated", "broke off", 2),
        ("oversized", "too large", 2),
        ("500", "status 500", 2),
        ("delay", "within 0.5 s", 2),
        ("version", "speaks version 2 of the protocol, this program 1", 1),
    ],
)
def test_a_server_that_is_broken_is_given_up_with_a_reason(proxied, fault, reason, sent):
    timeout, tries = 0.5 if fault == "delay" else 30.0, max(2, sent)
    proxy, there = proxied(lambda number, request: fault, 1.5, timeout=timeout, tries=tries)
    with pytest.raises(RemoteError, match="wiki could not be asked") as caught:
        there.search("W1 words of the question", None, "lexical", 3)
    assert reason in str(caught.value) and "W1" not in str(caught.value)
    assert len(proxy.seen) == sent


def test_what_is_sent_again_is_the_same_to_the_byte(proxied):
    proxy, there = proxied(lambda number, request: "drop" if b"/search" in request else None, tries=2)
    with pytest.raises(RemoteError):
        there.search("W1", None, "lexical", 3)
    assert len(set(proxy.seen[1:])) == 1 and len(proxy.seen) == 3


def test_a_kept_connection_that_was_closed_is_replaced_at_once(served):
    there = client(served.port, TinyEncoder(), tries=1)
    before = asked(there, random.Random(1), "lexical", TinyEncoder())
    for connection, _ in there.peer.pool._idle:
        connection.shutdown(socket.SHUT_RDWR)
    assert asked(there, random.Random(1), "lexical", TinyEncoder()) == before and before[0]


def test_nobody_there_is_said_at_once():
    there = client("http://127.0.0.1:1", TinyEncoder(), tries=1)
    with pytest.raises(RemoteError, match=r"nothing answers at 127\.0\.0\.1:1"):
        there.search("W1", None, "lexical", 1)


def test_a_server_that_sends_a_byte_now_and_then_is_not_waited_for(served):
    """A deadline bounds the whole try, not each byte."""
    listening = socket.create_server(("127.0.0.1", 0))

    def drip():
        while True:
            try:
                taken, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=trickle, args=(taken,), daemon=True).start()

    def trickle(taken):
        try:
            for byte in b"HTTP/1.1 200 OK\r\nanswerable-api: 1.0\r\n" * 20:
                taken.sendall(bytes([byte]))
                time.sleep(0.02)
        except OSError:
            pass

    threading.Thread(target=drip, daemon=True).start()
    there = client(listening.getsockname()[1], TinyEncoder(), timeout=0.2, tries=1)
    began = time.monotonic()
    with pytest.raises(RemoteError, match=r"within 0\.2 s"):
        there.about()
    assert time.monotonic() - began < 10  # all the bytes would take 15
    listening.close()


def test_tokens(tmp_path):
    (tmp_path / "right").write_text(TOKEN)
    (tmp_path / "wrong").write_text(TOKEN[::-1])
    with running(Stored(world(), TinyEncoder()), {"me": TOKEN}) as port:
        url = f"http://127.0.0.1:{port}"
        right = client(port, TinyEncoder(), place=Place(url, tmp_path / "right"))
        assert right.about().encoder == "tiny"
        for file in ("wrong", None):
            place = Place(url, file and tmp_path / file)
            with pytest.raises(RemoteError, match="refuses the token") as caught:
                client(port, TinyEncoder(), place=place).about()
            assert TOKEN[::-1] not in str(caught.value)
        with pytest.raises(RemoteError, match="nowhere cannot be read"):
            client(port, TinyEncoder(), place=Place(url, tmp_path / "nowhere")).about()


def test_a_server_that_changes_its_encoder_is_met_again():
    stored = Stored(world(), TinyEncoder())
    with running(stored) as port:
        there = client(port, TinyEncoder())
        vector = TinyEncoder().encode_query("W1 W2", Skill.SINGLE)
        assert there.shares_encoder()
        first = there.search("W1 W2", vector, "dense", 5)
        stored.encoder = OtherEncoder()
        assert there.search("W1 W2", vector, "dense", 5) == first
        assert not there.shares_encoder()


def test_vectors_travel_to_the_last_bit(served):
    there = client(served.port, TinyEncoder())
    served.enclave.log.clear()
    rng = np.random.default_rng(0)
    vector = rng.normal(size=16).astype(np.float32)
    vector /= np.linalg.norm(vector)
    there.search("", vector, "dense", 5)
    assert served.enclave.log[-1][1] == ("", vector.tobytes(), "dense", 5)
