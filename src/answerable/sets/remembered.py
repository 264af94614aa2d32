"""What a judge has said already, so that a find that asks it again need not wait: one put another way, or narrowed."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from threading import Lock

import numpy as np

from answerable.sets.judge import Floats, Judge

MOST = 5_000
"""Texts of which it is kept, those asked of last."""


class Memory:
    """Probabilities by a text's digest and a constraint's words; no text is kept. Safe to use from several threads."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._held: OrderedDict[Hashable, dict[str, float]] = OrderedDict()
        self._lock = Lock()

    def judge(
        self, judge: Judge, constraints: Sequence[str], texts: Sequence[tuple[str, str]], among: Hashable
    ) -> Floats:
        """As `judge` says, which reads only the texts that it has not been asked all of this of.

        A judge's rounding may depend a little on what it reads beside a text, so that nothing is taken from what was
        read under another `among`: say there whose text it is and who asks.
        """
        keys = [
            (judge.name, among, hashlib.blake2b("\0".join(text).encode(), digest_size=16).digest()) for text in texts
        ]
        with self._lock:
            known = [dict(self._held.get(key, {})) for key in keys]
        new = [at for at, held in enumerate(known) if any(words not in held for words in constraints)]
        if new:
            for at, row in zip(new, judge.judge(constraints, [texts[at] for at in new]).tolist(), strict=True):
                known[at] |= dict(zip(constraints, row, strict=True))
        with self._lock:
            for key, held in zip(keys, known, strict=True):
                self._held[key] = {**self._held.pop(key, {}), **held}
            while len(self._held) > self._most:
                self._held.popitem(last=False)
        rows = [[held[words] for words in constraints] for held in known]
        return np.array(rows, np.float32).reshape(len(texts), len(constraints))
