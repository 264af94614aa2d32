"""The texts of pairs in compressed blocks, any of which is read by itself.

A block is the columns of some pairs as JSON, deflated with a dictionary made of some of the pairs, since a block is
too short to have much in common with itself.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from answerable.errors import DamagedError
from answerable.indexes.manifest import PAIRS_WAY_OUT
from answerable.qapairs.index.numbers import mapped
from answerable.types import QAPair

Row = tuple[str, str, list[str], str, float, int, int]
"""A pair without its enclave."""
BLOCK = 32
"""Pairs of a block."""
_TEXTS, _ENDS, _DICTIONARY = "texts.bin", "text-ends.npy", "texts.dictionary"
_MOST_DICTIONARY = 8192  # more shortens the texts by another 2 per cent and takes twice as long
_SHARE_DICTIONARY = 16  # of the pairs, one in so many at most: small indexes would be all dictionary
_OPENED = 64


def dictionary_of(pairs: Sequence[QAPair]) -> bytes:
    """From some pairs of those to be kept; the last of them weigh most."""
    parts = [_columns(pairs[start : start + 1]) for start in range(len(pairs))]
    return b"".join(parts)[-_MOST_DICTIONARY:]


def sample_size(pairs: int) -> int:
    """How many pairs the dictionary of so many is made of."""
    return min(256, pairs // _SHARE_DICTIONARY)


def compressed(pairs: Sequence[QAPair], dictionary: bytes) -> bytes:
    """One block."""
    by: dict[str, Any] = {"zdict": dictionary} if dictionary else {}
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15, **by)
    return deflate.compress(_columns(pairs)) + deflate.flush()


def write_texts(folder: Path, pairs: Iterable[QAPair], dictionary: bytes) -> int:
    """Write pairs into `folder`, in their order; how many there were."""
    source, ends, count = iter(pairs), [0], 0
    with open(folder / _TEXTS, "wb") as file:
        while block := list(islice(source, BLOCK)):
            ends.append(ends[-1] + file.write(compressed(block, dictionary)))
            count += len(block)
    np.save(folder / _ENDS, np.array(ends, np.uint64))
    (folder / _DICTIONARY).write_bytes(dictionary)
    return count


class Texts:
    """Pairs by their row. Safe to read from several threads."""

    def __init__(self, folder: Path, enclave: str, count: int) -> None:
        """Raises `DamagedError` when what is there is not `count` pairs."""
        self._enclave, self._count = enclave, count
        try:
            self._ends = mapped(folder / _ENDS)
            self._dictionary = (folder / _DICTIONARY).read_bytes()
            self._data = np.asarray(np.memmap(folder / _TEXTS, np.uint8, "r"))
        except (OSError, ValueError) as error:
            raise DamagedError(f"the index {folder} is damaged", hint=PAIRS_WAY_OUT) from error
        if len(self._ends) != -(-count // BLOCK) + 1 or self._ends[-1] != len(self._data):
            raise DamagedError(f"the index {folder} is damaged", hint=PAIRS_WAY_OUT)
        self._opened: dict[int, list[Row]] = {}
        self._lock = Lock()

    def pair(self, row: int) -> QAPair:
        """The pair of a row."""
        return self._pair(self._block(row // BLOCK)[row % BLOCK])

    def __iter__(self) -> Iterator[QAPair]:
        """All pairs in the order of rows."""
        for block in range(len(self._ends) - 1):
            yield from map(self._pair, self._read(block))

    def _pair(self, row: Row) -> QAPair:
        id, question, answers, passage, score, start, end = row
        return QAPair(id, question, tuple(answers), passage, self._enclave, score, start, end)

    def _block(self, block: int) -> list[Row]:
        with self._lock:
            found = self._opened.get(block)
        if found is None:
            found = self._read(block)
            with self._lock:
                if len(self._opened) >= _OPENED:
                    self._opened.pop(next(iter(self._opened)))
                self._opened[block] = found
        return found

    def _read(self, block: int) -> list[Row]:
        data = self._data[int(self._ends[block]) : int(self._ends[block + 1])].tobytes()
        by = {"zdict": self._dictionary} if self._dictionary else {}
        try:
            columns = json.loads(zlib.decompressobj(-15, **by).decompress(data))
            ids, questions, answers, passages, scores, starts, ends = columns
            found = list(zip(ids, questions, answers, passages, scores, starts, ends, strict=True))
        except (zlib.error, ValueError, TypeError) as error:
            raise DamagedError(
                f"the texts of the pair index of enclave {self._enclave!r} are damaged", hint=PAIRS_WAY_OUT
            ) from error
        return found


def _columns(pairs: Sequence[QAPair]) -> bytes:
    rows = [(p.id, p.question, list(p.answers), p.passage_id, p.score, p.start, p.end) for p in pairs]
    return json.dumps(list(zip(*rows, strict=True)), ensure_ascii=False, separators=(",", ":")).encode()
