"""An enclave that several servers hold together, behind the same search as one here.

Each holds passages of its own. Words are weighed by the statistics of all of them, which are asked for word by word and
kept until a server says that it changed, so that a search of known words, or by vectors, is one exchange with each.
What is found is merged as one index would have it (`index.merged`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from copy import copy
from dataclasses import dataclass, replace
from typing import TypeVar

from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Encoder, Vectors
from answerable.errors import RemoteError
from answerable.indexes.index import Ranking, SearchMode, Statistics, Weights, depth, merged
from answerable.indexes.terms import asked
from answerable.languages import ENGLISH
from answerable.remote import wire
from answerable.remote.client import RESTLESS, RemoteEnclave
from answerable.remote.connection import Failed
from answerable.remote.place import Place, RemoteSettings
from answerable.remote.wire import About, OtherEncoderError, Search
from answerable.types import UNREACHABLE, Document, Passage

Made = TypeVar("Made")
Lost = dict[str, str]
"""Of servers that gave nothing, by address: a sentence that says why."""

_LATE = "its server did not answer in time"
_GRACE = 0.25
"""Seconds after the deadline for whoever keeps it to say so; who is later, looking up a name, is not waited for."""
_KEPT = 100_000
"""Words of which a server's statistics are kept, and passages of which it is known where they lie."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one server found; None for a server whose encoder is another by now."""

    state: str
    weights: Weights
    passages: Mapping[str, Passage]
    vectors: Mapping[str, HalfVectors]


class _Shard:
    """One of the servers, and what is known of words there."""

    def __init__(self, remote: RemoteEnclave) -> None:
        self.remote, self.peer = remote, remote.peer
        self._known: tuple[str, Statistics] | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        """Those of what is known."""
        return self._known[1].languages if self._known else ()

    def meet(self, words: Sequence[str] | None, until: float) -> tuple[About, Statistics | None]:
        """What it says it serves, and its statistics of these words, if any are asked for. Raises `Failed`."""
        about = self.peer.about(until=until)
        return about, None if words is None else self.learn([*dict.fromkeys(words)], until)

    def learn(self, words: Sequence[str], until: float) -> Statistics:
        """Its statistics of these words; those that are known are not asked for. Raises `Failed`."""
        for _ in range(3):
            known = self._known
            having = known[1].having if known else {}
            missing = [word for word in words if word not in having]
            if known and not missing:
                return replace(known[1], having={word: having[word] for word in words})
            body = wire.dumped({"words": missing[: wire.MOST]})
            state, told = self.peer.ask(wire.WORDS, body, lambda got: wire.statistics_from_bytes(got, body), until)  # noqa: B023
            new = {word: told.having.get(word, 0) for word in missing[: wire.MOST]}
            old = having if known and known[0] == state and len(having) < _KEPT else {}
            self._known = state, replace(told, having={**old, **new})
        raise Failed("its server changes again and again")

    def changed(self, state: str) -> bool:
        """Whether what is known is of another state; then it is forgotten."""
        if self._known is None or self._known[0] == state:
            return False
        self._known = None
        return True

    def weigh(self, sent: Search, enclave: str, dimension: int, until: float) -> _Answer | None:
        """What a search weighs there. Raises `Failed`."""
        body = sent.to_bytes()

        def read(answer: bytes) -> _Answer:
            return _Answer(*wire.weights_from_bytes(answer, body, enclave, 2 * depth(sent.k), dimension))

        try:
            return self.peer.ask(wire.WEIGH, body, read, until)
        except OtherEncoderError:
            self.peer.forget()
            return None


class ShardedEnclave:
    """Searches an enclave that several `answerable serve` hold together. Safe to use from several threads.

    Each server is sent what one that holds an enclave alone is sent (`RemoteEnclave`), before that the words of the
    query, as they are indexed, and with it the statistics of those words over all servers. All are asked at once, and
    no longer than `RemoteSettings.deadline` for a search. Every method raises `RemoteError` where one of them does not
    answer; `without` gives a view that does with the others.
    """

    def __init__(self, name: str, places: Sequence[Place], encoder: Encoder, settings: RemoteSettings) -> None:
        self.name = name
        self.shards = tuple(place.url for place in places)
        self._shards = {one.url: _Shard(RemoteEnclave(name, one, encoder, settings)) for one in places}
        self._encoder, self._deadline = encoder, settings.deadline
        self._last = threading.local()
        self._origins: dict[str, str] = {}
        self._lost: Lost | None = None

    @property
    def url(self) -> str:
        """Where it is."""
        return ", ".join(self.shards)

    def close(self) -> None:
        """Close idle connections."""
        for one in self._shards.values():
            one.remote.close()

    def about(self, again: bool = False) -> About:
        """What all servers together say they serve."""
        lost: Lost = {}
        until = time.monotonic() + self._deadline
        met = self._each(lambda one: one.peer.about(again, until), lost, until)
        self._check(lost)
        every = [*met.values()]
        counts = {
            name: sum(getattr(one, name) for one in every) for name in ("documents", "passages", "vectors", "pages")
        }
        return replace(every[0], **counts)

    def shares_encoder(self) -> bool:
        """Whether queries can travel as vectors."""
        about = self.about()
        return (about.encoder, about.dimension) == (self._encoder.name, self._encoder.dimension)

    def without(self, lost: Lost) -> ShardedEnclave:
        """The same, of the servers that are not in `lost`; who does not answer is put there."""
        view = copy(self)
        view._lost = lost
        return view

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """The k best passages of all servers, as one that held them all would give them."""
        return self._found(query_text, vector, mode, k, False)[0]

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int
    ) -> tuple[Ranking, dict[str, HalfVectors]]:
        """As `search`, and the vectors of what was found: none where the encoders differ."""
        return self._found(query_text, vector, mode, k, True)

    def _found(
        self, text: str, vector: Vectors | None, mode: SearchMode, k: int, vectors: bool
    ) -> tuple[Ranking, dict[str, HalfVectors]]:
        lost: Lost = {} if self._lost is None else self._lost
        found = self.find(text, vector, mode, k, vectors, lost)
        if self._lost is None:
            self._check(lost)
        return found

    def find(
        self, text: str, vector: Vectors | None, mode: SearchMode, k: int, vectors: bool, lost: Lost
    ) -> tuple[Ranking, dict[str, HalfVectors]]:
        """As `fetch`, of the servers that are not in `lost`, where who does not answer in time is put.

        Raises `RemoteError` where none answers.
        """
        until = time.monotonic() + self._deadline
        self._last.found = {}
        for again in (True, False):
            asks_words = mode in ("hybrid", "lexical")
            shared, known = self._meet(text if asks_words else None, mode, lost, until)
            if k <= 0 or (mode == "entity" and not shared):
                return [], {}
            by_vector = shared and mode != "lexical"
            words = text if mode == "hybrid" or not by_vector else None
            name = self._encoder.name if by_vector else None
            sent = Search(mode, k, words, vector if by_vector else None, name, vectors and by_vector, known)
            found = self._each(lambda one: one.weigh(sent, self.name, self._encoder.dimension, until), lost, until)  # noqa: B023
            changed = [url for url, one in found.items() if one is None or self._shards[url].changed(one.state)]
            if not (changed and again):
                break
        for url in (url for url, one in found.items() if one is None):
            self._lose(lost, url, RESTLESS)
        return self._merged([(url, one) for url, one in found.items() if one], mode, k, lost)

    def _meet(self, text: str | None, mode: SearchMode, lost: Lost, until: float) -> tuple[bool, Statistics | None]:
        """Whether queries can travel as vectors; and the statistics of all servers for the words of a text, in the
        languages that any of them holds.

        Half the time is theirs, so that who is late is not waited for when the others are searched.
        """
        languages = {ENGLISH}.union(*(one.languages for url, one in self._shards.items() if url not in lost))
        spoken, paired = tuple(sorted(languages)), True
        half = (time.monotonic() + until) / 2
        for last in (half, until, until):
            words = None if text is None else [form for term in asked(text, spoken, paired) for form in term]
            met = self._each(lambda one: one.meet(words, last), lost, last)  # noqa: B023
            shared = self._alike({url: about for url, (about, _) in met.items()}, mode, lost)
            told = Statistics.of([one for url, (_, one) in met.items() if one and url not in lost])
            if words is None or not met or (told.languages, told.paired) == (spoken, paired):
                break
            spoken, paired = told.languages or (ENGLISH,), told.paired
        return shared, None if words is None else told

    def _alike(self, met: Mapping[str, About], mode: SearchMode, lost: Lost) -> bool:
        """Whether queries can travel as vectors. Of servers that do not encode alike, those like this one are asked, or
        else those like the first."""
        makers = {url: (one.encoder, one.dimension) for url, one in met.items()}
        own = (self._encoder.name, self._encoder.dimension)
        chosen = own if own in makers.values() else next(iter(makers.values()), own)
        for url in (url for url, maker in makers.items() if maker != chosen and mode != "lexical"):
            self._lose(lost, url, "its vectors are by another encoder than the others'")
        return chosen == own

    def _merged(
        self, found: Sequence[tuple[str, _Answer]], mode: SearchMode, k: int, lost: Lost
    ) -> tuple[Ranking, dict[str, HalfVectors]]:
        """What all of them found together; of a passage that several hold, the first's."""
        if not found:
            reasons = (f"at {url} {why.partition(f'{UNREACHABLE}: ')[2]}" for url, why in lost.items())
            raise RemoteError(f"{self.name} {UNREACHABLE}: {'; '.join(reasons)}", hint="answerable doctor")
        parts: list[Weights] = []
        passages: dict[str, Passage] = {}
        vectors: dict[str, HalfVectors] = {}
        if len(self._origins) > _KEPT:
            self._origins.clear()
        for url, one in found:
            words, near = one.weights
            new = {id: passage for id, passage in one.passages.items() if id not in passages}
            parts.append(([row for row in words if row[0] in new], {id: near[id] for id in near if id in new}))
            passages |= new
            vectors |= {id: row for id, row in one.vectors.items() if id in new}
            self._origins |= dict.fromkeys(new, url)
        ranking = merged(parts, mode, k)
        self._last.found = {id: passages[id] for id, _ in ranking}
        return ranking, {id: vectors[id] for id, _ in ranking if id in vectors}

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages with these ids. Those of this thread's last search came with it; for others all are asked."""
        found: dict[str, Passage] = dict(getattr(self._last, "found", {}))
        for one in self._shards.values():
            if missing := [id for id in dict.fromkeys(ids) if id not in found]:
                found |= {passage.id: passage for passage in one.remote.passages(missing)}
        return [found[id] for id in ids if id in found]

    def document(self, passage: Passage) -> Document:
        """What came of a passage's document, and where it lies. Nobody is asked for more."""
        p, source = passage, self._origins.get(passage.id, self.url)
        return Document(p.document_id, p.enclave, p.title, p.text, source, offset=p.start)

    def _each(self, work: Callable[[_Shard], Made], lost: Lost, until: float) -> dict[str, Made]:
        """What `work` makes of each server that is not lost, all at once; who makes nothing until then is lost."""
        running: dict[str, Future[Made]] = {url: Future() for url in self.shards if url not in lost}

        def run(url: str, made: Future[Made]) -> None:
            try:
                made.set_result(work(self._shards[url]))
            except BaseException as error:
                made.set_exception(error)

        for url, made in running.items():  # a thread that is not done does not keep the process from ending
            threading.Thread(target=run, args=(url, made), daemon=True).start()
        found: dict[str, Made] = {}
        for url, made in running.items():
            try:
                found[url] = made.result(max(0.0, until + _GRACE - time.monotonic()))
            except Failed as error:
                self._lose(lost, url, error.reason)
            except TimeoutError:
                self._lose(lost, url, _LATE)
        return found

    def _lose(self, lost: Lost, url: str, reason: str) -> None:
        lost[url] = f"{self.name}, in part at {url}, {UNREACHABLE}: {reason}"

    def _check(self, lost: Lost) -> None:
        if lost:
            raise RemoteError(next(iter(lost.values())), hint="answerable doctor")
