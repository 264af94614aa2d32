"""An enclave on another machine, behind the same search as one here; and its server, asked until it can be read."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Encoder, Vectors
from answerable.errors import RemoteError, SettingsError
from answerable.indexes.index import Ranking, SearchMode
from answerable.remote import wire
from answerable.remote.connection import Failed, Pool, Reply
from answerable.remote.place import Place, RemoteSettings
from answerable.remote.wire import About, OtherEncoderError, Search, WireError
from answerable.types import UNREACHABLE, Document, Passage

Read = TypeVar("Read")

RESTLESS = "its server changes its encoder again and again"
_LONGEST_WAIT = 2.0
"""Seconds between tries, at most, whatever the server asks for."""


class Peer:
    """A server and what it said of itself. Safe to use from several threads. Nothing is asked before it is needed.

    Every method raises `Failed` when there is no answer that can be used. `until`: the moment (`time.monotonic`) after
    which none is waited for.
    """

    def __init__(self, place: Place, settings: RemoteSettings) -> None:
        self.place = place
        self.pool = Pool(place, settings.timeout)
        self._tries = settings.tries
        self._met: About | None = None
        self._token: str | None = None

    def forget(self) -> None:
        """Have the next `about` ask again."""
        self._met = None

    def about(self, again: bool = False, until: float = math.inf) -> About:
        """What the server says it serves; asked once, after it changed, and when it is to be asked `again`."""
        met = self._met
        if met is None or again:
            try:
                self._token = self.place.token()
            except SettingsError as error:
                raise Failed(error.args[0], again=False, hint=error.hint) from None
            self._met = met = self.ask(wire.ABOUT, None, About.from_bytes, until)
        return met

    def ask(self, path: str, body: bytes | None, read: Callable[[bytes], Read], until: float = math.inf) -> Read:
        """Send a request until an answer can be read, at most `tries` times: every request may be sent twice.

        Raises `OtherEncoderError` too, for a search.
        """
        failed = Failed("its server did not answer in time")
        for number in range(self._tries):
            left = until - time.monotonic()
            if left <= 0:
                break
            try:
                method = "GET" if body is None else "POST"
                return read(_accepted(self.pool.exchange(method, path, body or b"", self._token, left), path))
            except OtherEncoderError:
                if path in (wire.SEARCH, wire.WEIGH):
                    raise
                failed = Failed("its server refuses to answer (status 409)", again=False)
            except WireError:
                failed = Failed("its answer is not one that can be used")
            except Failed as error:
                failed = error
            if not failed.again:
                break
            if number + 1 < self._tries:
                wait = max(0.1 * 4**number, min(failed.wait, _LONGEST_WAIT))
                time.sleep(max(0.0, min(wait, until - time.monotonic())))
        raise failed


def _accepted(reply: Reply, path: str) -> bytes:
    """The body of a reply that is an answer. Raises `Failed` for every other one."""
    spoken = (reply.api or "").split(".")[0]
    if spoken != str(wire.API[0]):
        if spoken.isdigit() and len(spoken) < 6:
            raise Failed(f"its server speaks version {spoken} of the protocol, this program {wire.API[0]}", again=False)
        unlike = "what answers is not a server of this program"
        raise Failed(unlike, again=reply.status >= 500 or reply.status == 200)  # a proxy may speak for it
    if reply.status == 200:
        return reply.body
    if reply.status == 404 and path in (wire.WORDS, wire.WEIGH):
        raise Failed("its server is too old to serve a part of an enclave", again=False)
    if reply.status == 409:
        raise OtherEncoderError
    if reply.status == 401:
        raise Failed("its server refuses the token, or wants one", again=False)
    if reply.status == 413:
        raise Failed("the query is longer than its server accepts", again=False)
    if reply.status == 429:
        raise Failed("its server was asked too often", wait=reply.retry_after)
    if reply.status == 503:
        raise Failed("its server is busy", wait=reply.retry_after)
    again = reply.status >= 500 or reply.status == 408
    raise Failed(f"its server refuses to answer (status {reply.status})", again=again)


class RemoteEnclave:
    """Searches an enclave that `answerable serve` serves. Safe to use from several threads.

    It is sent a text, a vector, a mode and a number; the vector only where the server's encoder is this one, and then
    the text only where words are searched. Where they differ the text is sent, and encoded there. What is sent, how
    often and after which waits depends on what this enclave was asked and answered before, and on nothing else.

    Every method raises `RemoteError` when there is no answer that can be used. Nothing is asked before it is needed.
    """

    def __init__(self, name: str, place: Place, encoder: Encoder, settings: RemoteSettings) -> None:
        self.name, self.url = name, place.url
        self._encoder = encoder
        self.peer = Peer(place, settings)
        self._last = threading.local()

    def close(self) -> None:
        """Close idle connections."""
        self.peer.pool.close()

    def about(self, again: bool = False) -> About:
        """What the server says it serves; asked once, after it changed, and when it is to be asked `again`."""
        try:
            return self.peer.about(again)
        except Failed as error:
            raise self._error(error) from None

    def shares_encoder(self) -> bool:
        """Whether queries can travel as vectors: the server's encoder is this one."""
        about = self.about()
        return (about.encoder, about.dimension) == (self._encoder.name, self._encoder.dimension)

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """The k best passages there, as `EnclaveIndex.search` gives them; they are kept for `passages`.

        The mode "entity" finds nothing where the encoders differ: a mention's vector means nothing to another one.
        """
        return self._found(query_text, vector, mode, k, vectors=False)[0]

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int
    ) -> tuple[Ranking, dict[str, HalfVectors]]:
        """As `search`, and the vectors of what was found: none where the encoders differ or the server is too old."""
        return self._found(query_text, vector, mode, k, vectors=True)

    def _found(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int, vectors: bool
    ) -> tuple[Ranking, dict[str, HalfVectors]]:
        """What is found with what is known of the server, or with what it says then, where that is no longer so."""
        for _ in range(2):
            shared = self.shares_encoder()
            self._last.found = {}
            if mode == "entity" and not shared:
                return [], {}
            by_vector = shared and mode != "lexical"
            text = None if by_vector and mode != "hybrid" else query_text
            encoder = self._encoder.name if by_vector else None
            sent = Search(mode, k, text, vector if by_vector else None, encoder, vectors and by_vector)
            body, dimension = sent.to_bytes(), self._encoder.dimension if sent.vectors else None
            read = partial(wire.hits_from_bytes, request=body, enclave=self.name, k=k, dimension=dimension)
            try:
                ranking, self._last.found, rows = self._ask(wire.SEARCH, body, read)
                return ranking, rows
            except OtherEncoderError:
                self.peer.forget()
        raise self._error(Failed(RESTLESS))

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages with these ids. Those of this thread's last search came with it; for others the server is asked.

        So that what is read after a search is not told to the server.
        """
        last: dict[str, Passage] = getattr(self._last, "found", {})
        missing = [id for id in dict.fromkeys(ids) if id not in last]
        fetched: dict[str, Passage] = {}
        for start in range(0, len(missing), wire.MOST):
            part = missing[start : start + wire.MOST]
            self.about()
            body = wire.dumped({"ids": part})
            fetched |= self._ask(
                wire.PASSAGES,
                body,
                partial(wire.passages_from_bytes, request=body, enclave=self.name, ids=part),
            )
        known = {**last, **fetched}
        return [known[id] for id in ids if id in known]

    def document(self, passage: Passage) -> Document:
        """What came of a passage's document. The server is not asked for more: that would tell what was cited."""
        p, source = passage, self.url
        return Document(p.document_id, p.enclave, p.title, p.text, source, offset=p.start)

    def _ask(self, path: str, body: bytes | None, read: Callable[[bytes], Read]) -> Read:
        """As `Peer.ask`, under this enclave's name."""
        try:
            return self.peer.ask(path, body, read)
        except Failed as error:
            raise self._error(error) from None

    def _error(self, failed: Failed) -> RemoteError:
        return RemoteError(f"{self.name} {UNREACHABLE}: {failed.reason}", hint=failed.hint or "answerable doctor")
