"""What a judge and a reader have said already, so that a find that asks them again need not wait: one put another way,
or narrowed."""

from __future__ import annotations

import hashlib
from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from threading import Lock

import numpy as np

from answerable.readers.reader import Reader
from answerable.sets.judge import Floats, Judge
from answerable.types import PUBLIC, Candidate, Chain
from answerable.work.spread import HERE, Task, in_order

Texts = Sequence[tuple[str, str]]
Asking = Iterator[Task[tuple[Sequence[str], Texts]]]
"""For each batch what a judge is asked: constraints, and the texts that it has not said it of."""
Answers = Generator[tuple[int, Floats], None, None]
Batches = Iterable[Task[tuple[Texts, Hashable]]]
MOST = 5_000
"""Texts of which it is kept, those asked of last."""


def asked(judge: Judge) -> Callable[[tuple[Sequence[str], Texts]], Floats]:
    """What asks a judge, where there is anything to ask."""
    return lambda given: judge.judge(*given) if given[1] else np.zeros((0, len(given[0])), np.float32)


class Memory:
    """Probabilities by a text's digest and a constraint's words; no text is kept. Safe to use from several threads."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._held: OrderedDict[Hashable, dict[str, float]] = OrderedDict()
        self._lock = Lock()

    def judge(self, judge: Judge, constraints: Sequence[str], texts: Texts, among: Hashable) -> Floats:
        """As `judge` says, which reads only the texts that it has not been asked all of this of.

        A judge's rounding may depend a little on what it reads beside a text, so that nothing is taken from what was
        read under another `among`: say there whose text it is and who asks.
        """
        one = Task("", PUBLIC, (texts, among))
        return next(self.judge_all(judge.name, partial(HERE.map, lambda: asked(judge)), constraints, [one]))

    def judge_all(
        self, judge: str, mapped: Callable[[Asking], Answers], constraints: Sequence[str], batches: Batches
    ) -> Iterator[Floats]:
        """As `judge`, of batches of texts, each with its `among`, in their order. `mapped`: `Workers.map` of what asks
        the judge of this name, who may be at several batches at once."""
        waiting = deque[tuple[list[Hashable], list[int]]]()
        found: dict[Hashable, dict[str, float]] = {}

        def asking() -> Asking:
            for batch in batches:
                texts, among = batch.given
                keys: list[Hashable] = [
                    (judge, among, hashlib.blake2b("\0".join(text).encode(), digest_size=16).digest()) for text in texts
                ]
                with self._lock:
                    found.update((key, dict(self._held.get(key, {}))) for key in keys if key not in found)
                new = [at for at, key in enumerate(keys) if any(words not in found[key] for words in constraints)]
                for at in new:  # what a batch before this one is asked of, or will be by then
                    found[keys[at]] |= dict.fromkeys(constraints, 0.0)
                waiting.append((keys, new))
                yield Task(batch.name, batch.label, (constraints, [texts[at] for at in new]))

        with closing(in_order(mapped(asking()))) as answers:
            for rows in answers:
                keys, new = waiting.popleft()
                for at, row in zip(new, rows.tolist(), strict=True):
                    found[keys[at]] |= dict(zip(constraints, row, strict=True))
                with self._lock:
                    for key in keys:
                        self._held[key] = {**self._held.pop(key, {}), **found[key]}
                    while len(self._held) > self._most:
                        self._held.popitem(last=False)
                told = [[found[key][words] for words in constraints] for key in keys]
                yield np.array(told, np.float32).reshape(len(keys), len(constraints))


class RememberingReader:
    """A reader that answers again what it was asked before of the same texts, the last `MOST`. Safe to use from several
    threads."""

    def __init__(self, reader: Reader, most: int = MOST) -> None:
        self.name, self._reader, self._most = reader.name, reader, most
        self._held: OrderedDict[bytes, list[tuple[int, Candidate]]] = OrderedDict()
        self._lock = Lock()

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        """As the reader itself."""
        told = [(hit.passage.id, hit.passage.title, hit.passage.text) for one in chains for hit in one.hits]
        said = repr((question, [len(one.hits) for one in chains], told))
        key = hashlib.blake2b(said.encode(), digest_size=16).digest()
        with self._lock:
            found = self._held.pop(key, None)
        if found is None:
            places = {one.key: at for at, one in enumerate(chains)}
            found = [(places[one.chain.key], one) for one in self._reader.read(question, chains)]
        with self._lock:
            self._held[key] = found
            while len(self._held) > self._most:
                self._held.popitem(last=False)
        return [replace(one, chain=chains[at]) for at, one in found]
