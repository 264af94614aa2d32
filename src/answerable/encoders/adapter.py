"""A low-rank adapter: what a model learned after its int8 graph was made, in a small file beside the graph.

Of each product of the graph it holds two factors whose product is added to the weights (Hu et al. 2022, section 4.1),
4 bits a number, and of every other tensor the difference. So a model learns on and nearly all of its bytes stay.

`adapter.npz` has `graph`, the SHA-256 of the graph's file; `products`, (p, 5) int64: where the int8 weights stand in
it, their inputs and outputs, where the scales of the outputs stand, float32, and the rank; `factors`, uint8: of each
product the (inputs, rank) and then the (outputs, rank) numbers, two in a byte, the first in the lower half, each plus
8; `scales`, uint8: of each product `rank` whole numbers that its inputs' columns are multiplied by; `units`, (p,)
float32: what all of it is multiplied by; `moves`, (m, 2) int64: where float32 numbers stand and how many; `moved`,
float16: what is added to them. Where a model learned on more than once, a product stands in several rows, one after
another, and so do numbers that moved: their sum is added, and rounded once.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answerable.errors import ModelError

ADAPTER = "adapter.npz"
MOST = 64
"""The greatest int8 weight of a graph: 7 bits, so that no processor's sums overflow."""


def adapted(graph: Path, digest: str = "") -> Path | bytes:
    """A graph, or where an adapter stands beside it the bytes of the graph with what that adds, or a file of them.

    They are the same on every machine: factors and scales are whole numbers whose sums stay below 2^24, so that float32
    is exact in whatever order it adds. `digest`: the SHA-256 of these bytes, if it is known: then they are kept in the
    user's cache, and a file there that is just these is opened in place of working them out, which takes longer than
    an answer. Raises `ModelError` for an adapter that is damaged, or is one of another graph.
    """
    adapter = graph.with_name(ADAPTER)
    if not adapter.is_file():
        return graph
    kept = cache_folder() / f"{digest}.onnx" if digest else None
    if kept and _is(kept, digest):
        return kept
    made = _made(graph, adapter)
    if kept and hashlib.sha256(made).hexdigest() == digest:
        _keep(made, kept)
    return made


def cache_folder() -> Path:
    """`answerable` in `XDG_CACHE_HOME`, or else in `~/.cache`; on Windows in `LOCALAPPDATA`."""
    given = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    return (Path(given) if Path(given).is_absolute() else Path("~/.cache").expanduser()) / "answerable"


def _is(path: Path, digest: str) -> bool:
    """Whether a file has this SHA-256."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == digest
    except OSError:
        return False


def _keep(made: bytes, path: Path) -> None:
    """Write a file whole, or not at all where there is no room or no right to."""
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
            try:
                part.write(made)
                part.close()
                os.replace(part.name, path)
            except OSError:
                Path(part.name).unlink()
                raise


def _made(graph: Path, adapter: Path) -> bytes:
    data = bytearray(graph.read_bytes())
    try:
        with adapter.open("rb") as file, np.load(file) as held:
            if held["graph"].tobytes() != hashlib.sha256(data).digest():
                raise ModelError(f"{adapter} belongs to another graph", hint="export the model again")
            _add(data, held)
    except ModelError:
        raise
    except Exception as error:  # numpy and zipfile raise exceptions with no common base
        raise ModelError(f"{adapter} is damaged", hint="reinstall answerable, or export the model again") from error
    return bytes(data)


@dataclass(frozen=True, slots=True)
class Factors:
    """Two factors that change a product: `left` (inputs, rank) and `right` (outputs, rank), float32 but whole numbers.

    `place` and `scales` say where its weights and the scales of its outputs stand in the graph; the columns of `left`
    are multiplied by `columns`, all by `unit`.
    """

    place: int
    scales: int
    left: NDArray[np.float32]
    right: NDArray[np.float32]
    columns: NDArray[np.uint8]
    unit: np.float32

    @property
    def product(self) -> NDArray[np.float32]:
        """What they add, (inputs, outputs), in units."""
        return (self.left * self.columns.astype(np.float32)) @ self.right.T


def factors_of(held: Mapping[str, NDArray[Any]]) -> Iterator[Factors]:
    """The factors in an adapter, product by product."""
    columns, numbers = held["scales"], _numbers(held["factors"])
    for (place, inputs, outputs, scales, rank), unit in zip(held["products"].tolist(), held["units"], strict=True):
        left, right, numbers = np.split(numbers, [inputs * rank, (inputs + outputs) * rank])
        mine, columns = np.split(columns, [rank])
        yield Factors(place, scales, left.reshape(inputs, rank), right.reshape(outputs, rank), mine, unit)


def _add(data: bytearray, held: Mapping[str, NDArray[Any]]) -> None:
    for (place, scales), rows in groupby(factors_of(held), lambda one: (one.place, one.scales)):
        learned = [*rows]
        shape = len(learned[0].left), len(learned[0].right)
        weights = np.frombuffer(data, np.int8, shape[0] * shape[1], place).reshape(shape)
        steps = np.frombuffer(data, np.float32, shape[1], scales)
        whole = weights.astype(np.float32)
        for one in learned:
            whole += one.product * (one.unit / steps)
        weights[:] = np.rint(whole, out=whole).clip(-MOST, MOST)
    moved = held["moved"]
    for place, count in held["moves"].tolist():
        added, moved = np.split(moved, [count])
        np.frombuffer(data, np.float32, count, place)[:] += added


def _numbers(factors: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The numbers of 4 bits, from -8 to 7, of bytes that hold two each."""
    halves = np.stack([factors & 15, factors >> 4], axis=-1).reshape(-1)
    return halves.astype(np.float32) - 8
