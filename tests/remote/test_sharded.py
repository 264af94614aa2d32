"""An enclave of several servers: found as in one index of all its passages, and who is silent is answered around."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from answerable.chains.beam import BeamSettings, gather
from answerable.corpora.store import Store
from answerable.encoders.encoder import Encoder
from answerable.encoders.hashed import HashedEncoder
from answerable.errors import RemoteError, WorkspaceError
from answerable.indexes.index import Ranking, SearchMode
from answerable.privacy.audit_log import AuditLog
from answerable.privacy.enclaves import EnclaveTable, private, public
from answerable.remote.place import Place, RemoteSettings
from answerable.remote.sharded import ShardedEnclave
from answerable.retriever import Retriever, RetrieverSettings
from answerable.selective.decide import unreachable
from answerable.serving import app, served
from answerable.serving.served import Served
from answerable.testing.index import SearchableEnclaveContract
from answerable.types import Asker, Document, Query, Skill
from tests.indexes.building import ENCODER, builder, opened
from tests.indexes.samples import passage as of_document
from tests.indexes.samples import put, remove
from tests.laws import broken
from tests.laws.worlds import Gather, MemoryEnclave, passage
from tests.server.proxy import Proxy
from tests.server.running import Stored, running

MODES: tuple[SearchMode, ...] = ("lexical", "dense", "hybrid", "entity")
WORDS = [f"{start}{end}" for start in ("lamp", "light", "phare", "harbour", "mirror") for end in "abcdefgh"]
FRENCH = "le gardien de la tour est dans la nuit avec les bateaux et une lampe pour que nous"


class Hosts:
    """Servers on loopback that end with the test, and what they serve."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self.stack, self.stores = folder, stack, list[Store]()

    def store(self, texts: Mapping[str, str], ids: bool = False) -> Store:
        """`ids`: a passage's is that of its document."""
        place = self.folder / f"host{len(self.stores)}"
        place.mkdir()
        store = self.stack.enter_context(Store(place / "store.sqlite"))
        self.stores.append(store)
        put(store, texts) if not ids else _put_by_id(store, texts)
        builder(store).refresh("public")
        return store

    def serve(self, texts: Mapping[str, str], ids: bool = False) -> str:
        store = self.store(texts, ids)
        found = Served(store, store.path.parent / "indexes", "public", ENCODER)
        return f"http://127.0.0.1:{self.stack.enter_context(running(found))}"

    def proxied(self, texts: Mapping[str, str]) -> Proxy:
        proxy = Proxy(int(self.serve(texts).rpartition(":")[2]))
        self.stack.callback(proxy.close)
        return proxy

    def silent(self) -> str:
        """A server that takes every request and never answers."""
        listening = self.stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    def sharded(self, *urls: str, encoder: Encoder = ENCODER, **settings: float) -> ShardedEnclave:
        made = ShardedEnclave(
            "wiki", [Place(url) for url in urls], encoder, RemoteSettings(**{"deadline": 60.0} | settings)
        )
        self.stack.callback(made.close)
        return made


def _put_by_id(store: Store, texts: Mapping[str, str]) -> None:
    with store.write("public") as transaction:
        for id, text in texts.items():
            document = Document(id, "public", f"About {id}", text, id)
            transaction.put(document, [replace(of_document(document), id=id)], 1)


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    monkeypatch.setattr(served, "CHECK", 0.0)
    with ExitStack() as stack:
        yield Hosts(tmp_path, stack)


def some_texts(rng: random.Random, count: int) -> dict[str, str]:
    """Texts of very different lengths, some in French, some of them equal."""
    made = {}
    for at in range(count):
        words = rng.choices(WORDS, [1 / (n + 1) for n in range(len(WORDS))], k=rng.choice([3, 8, 25, 90]))
        made[f"d{at:03d}"] = " ".join(words) + (f" {FRENCH}" if at % 5 == 0 else "")
    return made | {f"same{at}": "one lamp" for at in range(4)}


def split(rng: random.Random, texts: Mapping[str, str], parts: int, by_length: bool) -> list[dict[str, str]]:
    """Every text in one of the parts, at random or the long ones apart."""
    made: list[dict[str, str]] = [{} for _ in range(parts)]
    for id, text in texts.items():
        made[min(parts - 1, len(text) // 120) if by_length else rng.randrange(parts)][id] = text
    return [one for one in made if one]


def assert_alike(found: Ranking, wanted: Ranking) -> None:
    """The same passages in the same order. What is summed in another order may round to another fifth digit."""
    scores = dict(found)
    assert scores.keys() == dict(wanted).keys()
    assert all(scores[id] == pytest.approx(score, rel=1.1e-4) for id, score in wanted)
    assert [id for id, _ in found] == [id for id, _ in sorted(wanted, key=lambda row: (-scores[row[0]], row[0]))]


@pytest.mark.parametrize("seed", range(3))
def test_together_they_find_what_one_index_of_all_passages_finds(hosts: Hosts, seed: int) -> None:
    rng = random.Random(seed)
    texts = some_texts(rng, rng.choice([9, 60, 150]))
    one = opened(hosts.store(texts))
    parts = split(rng, texts, rng.randint(2, 3), seed == 1)
    together = hosts.sharded(*map(hosts.serve, parts))
    equal = total = 0
    for _ in range(3):
        query = " ".join(
            [*rng.choices(WORDS, k=rng.choice([1, 3, 40])), rng.choice(["lampq", "gardiens", "zzz", "one"])]
        )
        vector = ENCODER.encode_query(query, Skill.SINGLE)
        for mode in MODES:
            for k in (1, 5, 40):
                found, wanted = together.search(query, vector, mode, k), one.search(query, vector, mode, k)
                assert_alike(found, wanted)
                equal, total = equal + (found == wanted), total + 1
    assert equal > 0.9 * total


def test_statistics_of_its_own_part_alone_would_rank_otherwise(hosts: Hosts) -> None:
    """So that the test before can fail: the same servers, asked as if each held an enclave alone."""
    rng = random.Random(5)
    texts = some_texts(rng, 60)
    one = opened(hosts.store(texts))
    shards = [opened(hosts.store(part)) for part in split(rng, texts, 3, True)]
    queries = [" ".join(rng.choices(WORDS, k=3)) for _ in range(10)]
    naive = [
        sorted((row for part in shards for row in part.search(q, None, "lexical", 9)), key=lambda r: (-r[1], r[0]))
        for q in queries
    ]
    assert any(
        [id for id, _ in found[:9]] != [id for id, _ in one.search(q, None, "lexical", 9)]
        for q, found in zip(queries, naive, strict=True)
    )


def test_known_words_and_vectors_cost_one_exchange_with_each(hosts: Hosts) -> None:
    proxies = [hosts.proxied({"a": "a lamp of oil"}), hosts.proxied({"b": "a lamp of glass and oil"})]
    there = hosts.sharded(*(proxy.url for proxy in proxies))
    vector = ENCODER.encode_query("lamp oil", Skill.SINGLE)

    def asked() -> list[list[str]]:
        found = [[seen.split()[1].decode() for seen in proxy.seen] for proxy in proxies]
        for proxy in proxies:
            proxy.seen.clear()
        return found

    there.search("lamp oil", vector, "hybrid", 3)
    assert asked() == [["/v1/about", "/v1/words", "/v1/weigh"]] * 2
    there.search("oil lamp", vector, "hybrid", 3)
    there.search("lamp", vector, "dense", 3)
    assert asked() == [["/v1/weigh"] * 2] * 2
    there.search("glass lamp", None, "lexical", 3)
    assert b'"words":["glass"]' in proxies[0].seen[0]
    assert b"glass lamp" not in proxies[0].seen[0]
    assert asked() == [["/v1/words", "/v1/weigh"]] * 2


def test_what_a_search_by_vector_sends_holds_no_text(hosts: Hosts) -> None:
    proxies = [hosts.proxied({"a": "a lamp of oil"}), hosts.proxied({"b": "a lamp of glass"})]
    there = hosts.sharded(*(proxy.url for proxy in proxies))
    there.search("unsaid", ENCODER.encode_query("unsaid", Skill.SINGLE), "dense", 3)
    assert not any(b"unsaid" in seen for proxy in proxies for seen in proxy.seen)


def test_a_server_that_indexed_meanwhile_is_asked_for_its_statistics_again(hosts: Hosts) -> None:
    texts = {"a": "a lamp of oil", "b": "the lamp", "c": "a horn in the fog"}
    urls = [hosts.serve({"a": texts["a"]}), hosts.serve({"b": texts["b"], "c": texts["c"]})]
    there = hosts.sharded(*urls)
    there.search("lamp oil fog", None, "lexical", 5)
    put(hosts.stores[0], {"d": "oil and oil and a lamp in the fog"})
    remove(hosts.stores[0], ["a"])
    builder(hosts.stores[0]).refresh("public")
    one = opened(hosts.store({"b": texts["b"], "c": texts["c"], "d": "oil and oil and a lamp in the fog"}))
    assert_alike(there.search("lamp oil fog", None, "lexical", 5), one.search("lamp oil fog", None, "lexical", 5))


def test_vectors_and_passages_come_with_what_is_found(hosts: Hosts) -> None:
    proxies = [hosts.proxied({"a": "a lamp of oil"}), hosts.proxied({"b": "a lamp of glass"})]
    there = hosts.sharded(*(proxy.url for proxy in proxies))
    vector = ENCODER.encode_query("lamp", Skill.SINGLE)
    ranking, vectors = there.fetch("lamp", vector, "hybrid", 2)
    assert {id for id, _ in ranking} == set(vectors) and len(vectors) == 2
    sent = [len(proxy.seen) for proxy in proxies]
    found = there.passages([id for id, _ in ranking])
    assert {one.text for one in found} == {"a lamp of oil", "a lamp of glass"}
    assert {one.enclave for one in found} == {"wiki"} and [len(proxy.seen) for proxy in proxies] == sent
    assert sorted(there.document(one).source for one in found) == sorted(proxy.url for proxy in proxies)
    assert {there.document(one).text: there.document(one).source for one in found}["a lamp of oil"] == proxies[0].url


def test_one_that_never_answers_is_answered_around_and_named(hosts: Hosts, tmp_path: Path) -> None:
    url, silent = hosts.serve({"a": "a lamp of oil", "b": "the horn"}), hosts.silent()
    there = hosts.sharded(url, silent, deadline=2.0, timeout=30.0)
    journal = AuditLog(tmp_path / "journal.jsonl")
    table = EnclaveTable([public("wiki")])
    door = Retriever(table, {"wiki": there}, ENCODER, journal=journal).remembering()
    began = time.monotonic()
    (hop,) = door.search(Query("lamp of oil"), Skill.SINGLE, 2)
    assert time.monotonic() - began < 20
    assert [hit.passage.text for hit in hop.hits][:1] == ["a lamp of oil"] and hop.refused is None
    assert hop.shards == (url, silent)
    assert (
        hop.missing
        == unreachable([hop])
        == (f"wiki, in part at {silent}, could not be asked: its server did not answer within 1 s",)
    )
    (again,) = door.search(Query("the horn"), Skill.SINGLE, 2)
    assert again.shards == (url,) and again.missing == hop.missing and len(again.hits) == 2
    first, second = journal.shown(Asker(), table)
    assert (first["shards"], first["silent"]) == ([url, silent], [silent])
    assert second["shards"] == [url] and "silent" not in second
    other = door.under(door.privacy)  # a view of the same ask goes on doing without
    assert other.search(Query("the horn"), Skill.SINGLE, 2)[0].shards == (url,)
    with pytest.raises(RemoteError, match=f"in part at {silent}"):
        there.search("lamp", None, "lexical", 1)  # alone, it is all or nothing


def test_what_is_asked_is_written_down_before_it_is_sent(hosts: Hosts, tmp_path: Path) -> None:
    proxies = [hosts.proxied({"a": "a lamp"}), hosts.proxied({"b": "a horn"})]
    there = hosts.sharded(*(proxy.url for proxy in proxies))
    journal = AuditLog(tmp_path / "no" / "journal.jsonl")  # which cannot be written
    (tmp_path / "no").mkdir()
    (tmp_path / "no" / "journal.jsonl").mkdir()
    door = Retriever(EnclaveTable([public("wiki")]), {"wiki": there}, ENCODER, journal=journal).remembering()
    with pytest.raises(WorkspaceError, match="journal"):
        door.search(Query("lamp"), Skill.SINGLE, 2)
    assert not any(proxy.seen for proxy in proxies)


def test_where_none_answers_the_enclave_could_not_be_asked(hosts: Hosts) -> None:
    there = hosts.sharded("http://127.0.0.1:1", "http://127.0.0.1:2", tries=1)
    door = Retriever(EnclaveTable([public("wiki")]), {"wiki": there}, ENCODER).remembering()
    (hop,) = door.search(Query("lamp"), Skill.SINGLE, 2)
    assert hop.unreachable and not hop.missing
    assert hop.refused == (
        "wiki could not be asked: at http://127.0.0.1:1 nothing answers at 127.0.0.1:1; "
        "at http://127.0.0.1:2 nothing answers at 127.0.0.1:2"
    )


def test_a_server_of_before_is_named_as_too_old(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    new = hosts.serve({"a": "a lamp of oil"})
    monkeypatch.setattr(app, "ROUTES", tuple(one for one in app.ROUTES if one.path not in ("/v1/words", "/v1/weigh")))
    there = hosts.sharded(hosts.serve({"b": "a lamp"}), new)
    for mode in ("lexical", "dense"):
        lost: dict[str, str] = {}
        ranking = there.without(lost).search("lamp", ENCODER.encode_query("lamp", Skill.SINGLE), mode, 3)
        assert len(ranking) == 1 and "is too old to serve a part of an enclave" in str(lost)


def test_vectors_of_several_encoders_are_not_mixed(hosts: Hosts) -> None:
    plain = [hosts.serve({"a": "a lamp of oil"}), hosts.serve({"b": "a lamp"})]
    other = HashedEncoder(64)
    other.name = "other"
    for encoder, shares in ((ENCODER, True), (other, False)):
        there, vector = hosts.sharded(*plain, encoder=encoder), encoder.encode_query("lamp", Skill.SINGLE)
        assert there.shares_encoder() == shares
        assert len(there.search("lamp", vector, "dense", 3)) == 2
        assert len(there.search("lamp", vector, "entity", 3)) == (2 if shares else 0)
    store = hosts.store({"c": "a lamp"})
    mixed = Stored(opened(store), HashedEncoder(32))
    url = f"http://127.0.0.1:{hosts.stack.enter_context(running(mixed))}"
    lost: dict[str, str] = {}
    there = hosts.sharded(url, *plain)
    assert len(there.without(lost).search("lamp", ENCODER.encode_query("lamp", Skill.SINGLE), "dense", 3)) == 2
    assert list(lost) == [url] and "by another encoder" in lost[url]


def test_a_private_query_is_sent_to_none_of_them(hosts: Hosts) -> None:
    proxies = [hosts.proxied({"a": "a lamp of oil"}), hosts.proxied({"b": "a lamp of glass"})]
    there = hosts.sharded(*(proxy.url for proxy in proxies))
    secret = passage("mail", 0, "Orwick will be sold")
    indexes = {"wiki": there, "mail": MemoryEnclave("mail", [secret], [])}
    door = Retriever(EnclaveTable([public("wiki"), private("mail")]), indexes, ENCODER).remembering()
    (asked,) = door.search_many([Query("lamp")], Skill.SINGLE, 2, among={"wiki"})[0]
    carrying = Query("lamp", label=frozenset({"mail"}), because=(secret,))
    (hop,) = door.search_many([carrying], Skill.EXPANDED, 2, among={"wiki"})[0]
    assert asked.shards and not hop.shards and hop.refused and "mail" in hop.refused
    sent = b"".join(seen for proxy in proxies for seen in proxy.seen)
    assert b"lamp" in sent and b"Orwick" not in sent and b"orwick" not in sent


def _seen(hosts: Hosts, proxies: Sequence[Proxy], gather: Gather, mail: str) -> list[list[bytes]]:
    """Every byte that each server was sent in one ask beside a mailbox that holds this text."""
    for proxy in proxies:
        proxy.seen.clear()
    secret = passage("mail", 0, mail)
    indexes = {
        "wiki": hosts.sharded(*(proxy.url for proxy in proxies)),
        "mail": MemoryEnclave("mail", [secret], []),
    }
    table = EnclaveTable([public("wiki"), private("mail")])
    door = Retriever(table, indexes, ENCODER, settings=RetrieverSettings("lexical"))
    gather(Query("lamp keeper"), door.remembering(), BeamSettings(hops=2, width=2, k=2))
    return [list(proxy.seen) for proxy in proxies]


def test_no_server_is_sent_anything_that_depends_on_private_text(hosts: Hosts) -> None:
    proxies = [hosts.proxied({"a": "a lamp of oil", "c": "keeper"}), hosts.proxied({"b": "the keeper of a glass lamp"})]
    mails = "the keeper of the lamp is Orwick", "a lamp keeper sold the harbour"
    first, second = (_seen(hosts, proxies, gather, mail) for mail in mails)
    assert first == second and all(len(seen) > 3 for seen in first)
    first, second = (_seen(hosts, proxies, broken.mask, mail) for mail in mails)  # a planted leak shows at each
    assert all(one != other for one, other in zip(first, second, strict=True))


class TestSharded(SearchableEnclaveContract):
    """Two servers keep to what one index keeps to."""

    @pytest.fixture(autouse=True)
    def _hosts(self, hosts: Hosts) -> None:
        self.hosts = hosts

    def make(self, folder: Path, texts: Mapping[str, str]) -> ShardedEnclave:
        ids = list(texts) or ["", "-"]
        urls = [self.hosts.serve({id: texts.get(id, "gone") for id in ids[at::2]}, ids=True) for at in (0, 1)]
        for store in () if texts else self.hosts.stores:
            remove(store, ["", "-"])
            builder(store).refresh("public")
        return self.hosts.sharded(*urls)
