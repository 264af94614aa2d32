"""The shipped server on loopback, in a thread of the test."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Encoder
from answerable.indexes.index import Ranking
from answerable.indexes.sources import SearchableEnclave
from answerable.remote.client import RemoteEnclave
from answerable.remote.place import Place, RemoteSettings
from answerable.remote.wire import About, OtherEncoderError, Search
from answerable.serving.access import ServeSettings, Tokens
from answerable.serving.app import App
from answerable.serving.server import Server, listen
from answerable.types import Passage, Skill

PATIENT = RemoteSettings(timeout=30.0, tries=3)


class Stored:
    """Serves any enclave that can be searched, as `Served` serves one of a workspace."""

    def __init__(self, enclave: SearchableEnclave, encoder: Encoder, name: str = "there") -> None:
        self.enclave, self.encoder, self.name = enclave, encoder, name

    def about(self) -> About:
        return About(self.name, self.encoder.name, self.encoder.dimension, 1, 1, 1, 1)

    def search(self, sent: Search) -> list[tuple[Passage, float]]:
        vector = sent.vector
        if vector is not None and sent.encoder != self.encoder.name:
            raise OtherEncoderError
        if vector is None and sent.mode != "lexical":
            vector = self.encoder.encode_query(sent.text or "", Skill.SINGLE)
        ranking: Ranking = self.enclave.search(sent.text or "", vector, sent.mode, sent.k)
        found = {passage.id: passage for passage in self.enclave.passages([id for id, _ in ranking])}
        return [(found[id], score) for id, score in ranking]

    def vectors(self, ids: Sequence[str]) -> Mapping[str, HalfVectors]:
        return self.enclave.vectors(ids)

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        return self.enclave.passages(ids)


@contextmanager
def in_thread(server: Server) -> Iterator[Server]:
    """A server that runs for the length of the block."""
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield server
    finally:
        server.stop()
        thread.join(20)


@contextmanager
def running(
    served: Any, tokens: Mapping[str, str] | None = None, log: list[str] | None = None, **settings: Any
) -> Iterator[int]:
    """The port of a server that runs for the length of the block."""
    chosen = replace(ServeSettings(port=0, rate=0.0), **settings)
    app = App(served, Tokens(tokens or {}), chosen, (log if log is not None else []).append)
    bound = listen(chosen)
    port = bound.getsockname()[1]
    with in_thread(Server(app, chosen, bound)):
        yield port


def client(port_or_url: int | str, encoder: Encoder, name: str = "wiki", **settings: Any) -> RemoteEnclave:
    """A client of a server or a proxy on loopback."""
    url = port_or_url if isinstance(port_or_url, str) else f"http://127.0.0.1:{port_or_url}"
    place = settings.pop("place", None) or Place(url)
    return RemoteEnclave(name, place, encoder, replace(PATIENT, **settings))
