"""Pairs of one enclave that ask the same and were answered differently: each holds all their answers, its own first.

So joined, a pair holds text of other passages than its own. What a deletion leaves to do follows from that: answers
whose pairs are gone leave those that they were joined with. Across enclaves nothing is joined.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path

from answerable.corpora.database import explained
from answerable.corpora.store import Store
from answerable.text import normalise_answer, normalise_question
from answerable.types import QAPair

ANSWERS = 10
"""Answers that one pair holds, at most: what thousands of passages answer differently has no answer."""
_AT_ONCE = 500


def pairs_folder(store: Store) -> Path:
    """Where unfinished work on pairs lies, in a folder for each enclave: private text, as the store is."""
    return store.path.parent / "pairs"


def settle_pairs(store: Store, enclave: str) -> None:
    """Finish what a deletion began: no pair and no unfinished work keeps what was deleted."""
    folder = pairs_folder(store) / enclave
    with explained(folder):
        if folder.exists():
            shutil.rmtree(folder)
    _join(store, enclave, store.generated(enclave, several=True))


def join_answers(store: Store, enclave: str) -> int:
    """Give every generated pair the answers of those that ask the same; how many changed.

    Reads all of them twice; only those that ask what others ask are held in memory.
    """
    first: dict[bytes, bytes] = {}
    shared: set[bytes] = set()
    for pair in store.generated(enclave):
        asks, own = _digest(normalise_question(pair.question)), _digest(normalise_answer(pair.answers[0]))
        if first.setdefault(asks, own) != own or len(pair.answers) > 1:
            shared.add(asks)
    return _join(
        store,
        enclave,
        (pair for pair in store.generated(enclave) if _digest(normalise_question(pair.question)) in shared),
    )


def _join(store: Store, enclave: str, pairs: Iterable[QAPair]) -> int:
    """Join these pairs, all that share their questions with others; the answers of the likeliest come first."""
    asking: dict[str, list[QAPair]] = {}
    for pair in pairs:
        asking.setdefault(normalise_question(pair.question), []).append(pair)
    changes = []
    for alike in asking.values():
        alike.sort(key=lambda pair: (-pair.score, pair.id))
        answers: dict[str, str] = {}
        for pair in alike:
            answers.setdefault(normalise_answer(pair.answers[0]), pair.answers[0])
        for pair in alike:
            own = normalise_answer(pair.answers[0])
            others = [text for key, text in answers.items() if key != own]
            joined = (pair.answers[0], *others[: ANSWERS - 1])
            if joined != pair.answers:
                changes.append((pair.id, joined))
    _write(store, enclave, changes)
    return len(changes)


def _write(store: Store, enclave: str, changes: Sequence[tuple[str, tuple[str, ...]]]) -> None:
    for start in range(0, len(changes), _AT_ONCE):
        with store.write(enclave) as transaction:
            for id, answers in changes[start : start + _AT_ONCE]:
                transaction.put_answers(enclave, id, answers)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
