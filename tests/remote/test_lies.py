"""A server that lies: whatever it sends is an answer that can be used, or a refusal, and nothing else."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.errors import RemoteError
from answerable.indexes.index import Statistics
from answerable.remote import wire
from answerable.remote.client import RemoteEnclave
from answerable.remote.connection import LARGEST_ANSWER, Reply
from answerable.remote.place import Place, RemoteSettings
from answerable.remote.sharded import ShardedEnclave
from answerable.remote.wire import About, Search
from answerable.types import Passage, Skill
from tests.laws.worlds import TinyEncoder

ENCODER = TinyEncoder()
VECTOR = ENCODER.encode_query("W1", Skill.SINGLE)
ABOUT = About("wiki", ENCODER.name, ENCODER.dimension, 1, 1, 1, 0)
ASKED = Search("hybrid", 2, "W1", VECTOR, ENCODER.name, True).to_bytes()
HIT = (Passage("p", "d", "wiki", "T", "abc", 5, 8, "S"), 0.5)
HONEST = json.loads(wire.hits_to_bytes([HIT], ASKED, {"p": VECTOR.astype(np.float16)}))

NESTED = st.integers(1, 40).map(lambda depth: json.loads("[" * depth + "]" * depth))
NUMBERS = st.one_of(
    st.integers(),
    st.integers(300, 4299).map(lambda digits: 10**digits),
    st.integers(300, 4299).map(lambda digits: -(10**digits)),
    st.floats(),
)
TEXTS = st.one_of(st.text(max_size=8), st.sampled_from(["\ud800", "\udfff", "\x00", "x" * 1_000_001, "AAAA", "p"]))
LIES = st.one_of(NUMBERS, TEXTS, NESTED, st.none(), st.booleans(), st.just({}), st.just([HONEST["hits"][0]] * 3))


def there() -> RemoteEnclave:
    return RemoteEnclave("wiki", Place("http://127.0.0.1:9"), ENCODER, RemoteSettings(1.0, tries=1))


def told(body: bytes, about: bytes = ABOUT.to_bytes()) -> object:
    """What a search and a look at its passages give where the server sends this; None for a refusal."""
    enclave = there()
    answers = {wire.ABOUT: about}
    enclave.peer.pool.exchange = lambda method, path, *_: Reply(200, "1.1", 0.0, answers.get(path, body))
    try:
        ranking, vectors = enclave.fetch("W1", VECTOR, "hybrid", 2)
        found = enclave.passages([id for id, _ in ranking])
    except RemoteError:
        return None
    assert len(ranking) <= 2 and all(np.isfinite(score) for _, score in ranking)
    assert all(one.enclave == "wiki" and one.end - one.start == len(one.text) for one in found)
    assert all(row.shape == VECTOR.shape and np.isfinite(row).all() for row in vectors.values())
    return found


def test_the_honest_answer_is_used():
    assert told(json.dumps(HONEST).encode()) == [HIT[0]]


@settings(max_examples=80)
@given(data=st.data())
def test_a_lie_in_any_field_is_used_or_refused(data: st.DataObject):
    body = json.loads(json.dumps(HONEST))
    places = [body, *body["hits"]]
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(places))
        name = data.draw(st.sampled_from([*place, "new"]))
        if data.draw(st.booleans()):
            place.pop(name, None)
        else:
            place[name] = data.draw(LIES)
    told(json.dumps(body).encode())


PART = Search("hybrid", 2, "lamp", VECTOR, ENCODER.name, True)
WEIGHTS = [("p", 0.5)], {"p": 0.25}
KNOWN = Statistics(3, 12, ("en",), True, {"lamp": 2})


def told_in_part(change: Callable[[dict[str, object]], None], path: str) -> object:
    """The ranking of two servers, both of which lie in their answers to one kind of request; None for a refusal."""
    places = [Place("http://127.0.0.1:9"), Place("http://127.0.0.1:10")]
    enclave = ShardedEnclave("wiki", places, ENCODER, RemoteSettings(1.0, tries=1, deadline=30.0))

    def exchange(method: str, asked: str, body: bytes, *_: object) -> Reply:
        answer = {
            wire.ABOUT: ABOUT.to_bytes(),
            wire.WORDS: wire.statistics_to_bytes(KNOWN, "one", body),
            wire.WEIGH: wire.weights_to_bytes([HIT[0]], WEIGHTS, "one", body, {"p": VECTOR.astype(np.float16)}),
        }[asked]
        record = json.loads(answer)
        if asked == path:
            change(record)
        return Reply(200, "1.2", 0.0, json.dumps(record).encode())

    for one in enclave._shards.values():
        one.peer.pool.exchange = exchange
    try:
        ranking, vectors = enclave.fetch("lamp", VECTOR, "hybrid", 2)
    except RemoteError:
        return None
    assert len(ranking) <= 2 and all(np.isfinite(score) for _, score in ranking)
    assert all(one.enclave == "wiki" for one in enclave.passages([id for id, _ in ranking]))
    assert all(row.shape == VECTOR.shape and np.isfinite(row).all() for row in vectors.values())
    return ranking


def test_what_two_servers_give_honestly_is_used_once():
    assert told_in_part(lambda record: None, "") == [("p", pytest.approx(0.65 * 0.5 + 0.35 * 0.25))]


@settings(max_examples=80, deadline=None)
@given(path=st.sampled_from([wire.WORDS, wire.WEIGH]), at=st.integers(0, 99), inside=st.booleans(), lie=LIES)
def test_a_lie_of_one_server_of_several_is_used_or_refused(path: str, at: int, inside: bool, lie: object):
    def change(record: dict[str, object]) -> None:
        place = (record.get("having") or record["hits"][0]) if inside else record
        place[[*place, "new"][at % (len(place) + 1)]] = lie

    told_in_part(change, path)


@settings(max_examples=80)
@given(data=st.data())
def test_a_lie_of_what_is_served_is_used_or_refused(data: st.DataObject):
    record = json.loads(ABOUT.to_bytes())
    record[data.draw(st.sampled_from([*record]))] = data.draw(LIES)
    told(json.dumps(HONEST).encode(), json.dumps(record).encode())


@settings(max_examples=80)
@given(data=st.data())
def test_bytes_that_are_changed_are_used_or_refused(data: st.DataObject):
    body = bytearray(json.dumps(HONEST).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    told(bytes(body[: data.draw(st.integers(0, len(body)))]))


@pytest.mark.parametrize(
    "lie",
    [
        b'{"score":1' + b"0" * 400,
        b'{"score":-1' + b"0" * 400,
        b'{"score":1e999',
        b'{"score":NaN',
        b'{"score":-Infinity',
        b'{"score":1' + b"0" * 5000,
        b'{"id":"q","score":0.5,"id":"p"',
        b'{"start":5' + b"0" * 400,
        b'{"title":"\\ud800"',
        b'{"title":' + b"[" * 100_000 + b"]" * 100_000,
    ],
)
def test_a_lie_about_a_hit_is_refused(lie: bytes):
    """The first field comes twice then, or is the only one of its name."""
    name = json.loads(lie[: lie.index(b":")] + b":0}")
    rest = {key: value for key, value in HONEST["hits"][0].items() if key not in name}
    row = lie + b"," + json.dumps(rest).encode()[1:]
    assert told(b'{"to":"%s","hits":[%s]}' % (HONEST["to"].encode(), row)) is None


@contextmanager
def liar(answer: Iterator[bytes]) -> Iterator[str]:
    """A server that sends this to whoever connects, as long as they listen."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                for part in answer:
                    connection.sendall(part)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    listening.close()
    thread.join(10)


HEAD = b"HTTP/1.1 200 OK\r\nanswerable-api: 1.1\r\n"
ENDLESS = LARGEST_ANSWER * 4 // (1 << 16)
"""Blocks of what would not end."""


@pytest.mark.parametrize(
    "start",
    [
        HEAD + b"transfer-encoding: chunked\r\n\r\n-1\r\n",
        HEAD + b"transfer-encoding: chunked\r\n\r\nffffffffffffffffffffffff\r\n",
        HEAD + b"content-length: " + b"9" * 400 + b"\r\n\r\n",
        HEAD + b"content-length: -1\r\n\r\n",
        HEAD,
        b"",
        b"HTTP/1.1 100 Continue\r\n\r\n",
    ],
)
def test_an_answer_without_end_is_not_taken_in(start: bytes):
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield start
        for _ in range(ENDLESS):
            block = start * 2600 if b"100 Continue" in start else b"a" * (1 << 16)
            yield block
            sent += len(block)

    with liar(endless()) as url:
        enclave = RemoteEnclave("wiki", Place(url), ENCODER, RemoteSettings(20.0, tries=1))
        with pytest.raises(RemoteError):
            enclave.about()
    assert sent < 2 * LARGEST_ANSWER


@settings(max_examples=40)
@given(head=st.binary(max_size=80), headed=st.booleans())
def test_any_bytes_are_no_answer(head: bytes, headed: bool):
    with liar(iter([HEAD * headed + head + b"\r\n\r\n"])) as url:
        enclave = RemoteEnclave("wiki", Place(url), ENCODER, RemoteSettings(5.0, tries=1))
        with pytest.raises(RemoteError):
            enclave.about()
