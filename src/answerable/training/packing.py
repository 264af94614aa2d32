"""An adapter of a reader that ships: what one that learned on has and its int8 graph has not, in 4 bits a number."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from answerable.encoders.adapter import ADAPTER, Factors, adapted, factors_of
from answerable.errors import ModelError
from answerable.training.restore import WORDS, stored
from answerable.training.span import SpanReader

_TOP = 7
"""The greatest number of 4 bits; -8 is not used."""
_UNITS = 255
_CUTS = torch.linspace(0.35, 1.0, 27)
"""Where a column's numbers may be cut off, as shares of the greatest: for normal ones some 0.65 loses least."""
_SAME = 1e-6
"""The greatest difference of numbers that count as unchanged."""


def pack_adapter(start: Path, reader: SpanReader, rank: int, out: Path) -> None:
    """Write to the folder `out` the adapter that takes the graph of the folder `start` to a reader's weights, or as
    near as `rank` directions of each product come (Eckart and Young 1936).

    What an adapter in `start` adds is kept as it is, and these directions are added to it. Raises `ModelError` for a
    graph that is not of such a reader, and for changes that no adapter holds, as of word vectors.
    """
    graph, state = start / "model.onnx", reader.state_dict()
    data, made = graph.read_bytes(), stored(adapted(graph))
    tensors = {name: one for name, one in stored(graph).items() if name in state}
    if lacking := state.keys() - tensors.keys():
        raise ModelError(f"{graph} does not hold {min(lacking)} by itself", hint="export it again")
    earlier, kept = _kept(start / ADAPTER)
    products: list[Factors] = []
    moves, moved = [kept["moves"]], [kept["moved"]]
    for name, one in tensors.items():
        if one.scales is not None:
            place, scales = _place(data, one.array), _place(data, one.scales)
            before = [had for had in earlier if had.place == place]
            change = state[name].cpu().float() - one.value
            for had in before:
                change -= torch.from_numpy((had.product * had.unit).T)
            products += [*before, Factors(place, scales, *_factors(change, rank))]
            continue
        change = state[name].cpu().float() - made[name].value
        if one.array.dtype != np.float32 or name == WORDS:
            if change.abs().max() > _SAME:
                raise ModelError(f"no adapter can hold what changed of {name}", hint="export it without a rank")
        elif change.any():
            moves.append(np.array([(_place(data, one.array), one.array.size)]))
            moved.append(change.reshape(-1).numpy())
    np.savez(
        out / ADAPTER,
        graph=np.frombuffer(hashlib.sha256(data).digest(), np.uint8),
        products=np.array([(p.place, len(p.left), len(p.right), p.scales, len(p.columns)) for p in products], np.int64),
        factors=_bytes([both for p in products for both in (p.left, p.right)]),
        scales=np.concatenate([p.columns for p in products]),
        units=np.array([p.unit for p in products], np.float32),
        moves=np.concatenate(moves).astype(np.int64),
        moved=np.concatenate(moved).astype(np.float16),
    )


def _kept(adapter: Path) -> tuple[list[Factors], Mapping[str, NDArray[Any]]]:
    """The factors of an adapter that is there, and what it moves."""
    if not adapter.is_file():
        return [], {"moves": np.zeros((0, 2), np.int64), "moved": np.zeros(0, np.float16)}
    with np.load(adapter) as held:
        return [*factors_of(held)], {name: held[name] for name in ("moves", "moved")}


def _place(data: bytes, array: NDArray[np.generic]) -> int:
    """Where a tensor stands in a graph's file, and nowhere else."""
    sought = np.ascontiguousarray(array).tobytes()
    place = data.find(sought)
    if place < 0 or data.find(sought, place + 1) >= 0:
        raise ModelError("the graph does not hold each of its tensors once", hint="export it again")
    return place


def _factors(
    change: Tensor, rank: int
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.uint8], np.float32]:
    """Whole numbers of (inputs, rank) and (outputs, rank), and what their columns and all of them are multiplied by.

    The second factor is the one that fits best to the first as it was rounded.
    """
    _, sizes, inner = torch.linalg.svd(change, full_matrices=False)
    left, first = _rounded(inner[:rank].T * sizes[:rank].sqrt())
    given = left * first
    right, second = _rounded(change @ given @ torch.linalg.pinv(given.T @ given))
    both = (first * second).numpy()
    unit = np.float32(both.max() / _UNITS or 1.0)
    return left.numpy(), right.numpy(), np.rint(both / unit).clip(1, _UNITS).astype(np.uint8), unit


def _rounded(columns: Tensor) -> tuple[Tensor, Tensor]:
    """Each column as whole numbers from -7 to 7 and a scale, by that cut which loses least."""
    steps = _CUTS[:, None] * columns.abs().amax(0).clamp_min(1e-12) / _TOP
    lost = torch.stack([((columns / one).round().clamp(-_TOP, _TOP) * one - columns).square().sum(0) for one in steps])
    step = steps.gather(0, lost.argmin(0, keepdim=True))[0]
    return (columns / step).round().clamp(-_TOP, _TOP), step


def _bytes(factors: Sequence[NDArray[np.float32]]) -> NDArray[np.uint8]:
    """Numbers of 4 bits, two in a byte."""
    numbers = np.concatenate([one.reshape(-1) for one in factors]).astype(np.int16) + 8
    pairs = np.append(numbers, [8] * (len(numbers) % 2)).reshape(-1, 2).astype(np.uint8)
    return np.asarray(pairs[:, 0] | pairs[:, 1] << 4, np.uint8)
