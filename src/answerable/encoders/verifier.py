"""The verifier of answers without torch: int8 ONNX, from a folder that has learned to verify.

Made by `answerable.training.verifier`; what it computes is `VerifyModel` there. Training lays answers out the same way:
`[CLS] question [SEP] answer [SEP] passage [SEP]`, with the end of what stands before the answer in its passage and the
beginning of what follows it, then the openings of the other passages of its chain. The answer is marked twice, where it
is named and where it stands; a yes or a no stands nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.session import Feed, Session
from answerable.encoders.shipped import Shipped, opening
from answerable.encoders.wordpieces import Ids, WordPieces, pad, passage_text, plan_batches
from answerable.errors import ModelError
from answerable.types import Candidate

VERIFY, GRAPH = "verify", "verify.onnx"
"""What the manifest says of it is under this key, in a folder that has the graph."""
BATCH_TOKENS = 1024
QUESTION_TOKENS, ANSWER_TOKENS, BESIDE_TOKENS, OTHER_TOKENS = 48, 20, 52, 48
"""The most tokens read of a question, an answer, its passage on either side of it, and all of each other passage."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An answer to a question, where it stands, and the passages read with it.

    `before`, `within` and `after`: the answer's own passage, cut where it stands; `within` is empty for a yes or a no,
    whose passage is all `after`. `others`: (heading, text) of the other passages of its chain.
    """

    question: str
    answer: str
    heading: str
    before: str
    within: str
    after: str
    others: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Laid:
    """A claim as token ids, and the tokens [first, last) of the answer where it is named and where it stands."""

    ids: list[int]
    named: tuple[int, int]
    stands: tuple[int, int]


def claim(question: str, candidate: Candidate) -> Claim:
    """What is verified of a reader's candidate."""
    hits = [hit.passage for hit in candidate.chain.hits]
    own = hits[candidate.hit]
    others = tuple((one.heading, one.text) for one in hits if one is not own)
    first, last = candidate.start - own.start, candidate.end - own.start
    if (first, last) == (0, len(own.text)):
        return Claim(question, candidate.text, own.heading, "", "", own.text, others)
    return Claim(question, candidate.text, own.heading, own.text[:first], own.text[first:last], own.text[last:], others)


def lay(pieces: WordPieces, claims: Sequence[Claim]) -> list[Laid]:
    """Claims as rows of tokens."""
    width = 1 + max((len(one.others) for one in claims), default=0)
    texts: list[str] = []
    for one in claims:
        texts += [one.question, one.answer, f"{one.heading}.", one.before[-8 * BESIDE_TOKENS :], one.within, one.after]
    ids = iter(pieces.ids(texts, 8 * BESIDE_TOKENS))
    others = iter(pieces.ids([passage_text(*other) for one in claims for other in one.others], OTHER_TOKENS))
    rows = []
    for one in claims:
        question, answer, heading, before, within, after = (next(ids) for _ in range(6))
        start, end = question[0], question[-1]
        beside = BESIDE_TOKENS * (1 if one.within else 2)
        row = [start, *question[1:-1][: QUESTION_TOKENS - 2], end]
        named = len(row), len(row) + len(answer[1:-1][:ANSWER_TOKENS])
        row += [*answer[1:-1][:ANSWER_TOKENS], end, *heading[1:-1][:ANSWER_TOKENS], *before[1:-1][-beside:]]
        stands = len(row), len(row) + len(within[1:-1][:ANSWER_TOKENS])
        row += [*within[1:-1][:ANSWER_TOKENS], *after[1:-1][:beside], end]
        for _ in one.others[:width]:
            row += [*next(others)[1:-1], end]
        rows.append(Laid(row, named, stands))
    return rows


def marks(rows: Sequence[Laid], length: int) -> Ids:
    """(n, length) int64: 1 on the tokens of the answer where it is named, 2 where it stands, 0 elsewhere."""
    made = np.zeros((len(rows), length), np.int64)
    for number, row in enumerate(rows):
        made[number, slice(*row.named)] = 1
        made[number, slice(*row.stands)] = 2
    return made


class AnswerVerifier:
    """Says of answers how likely each is right by what it was read in, from a folder that has learned to verify."""

    def __init__(self, shipped: Shipped, threads: int = 0) -> None:
        """Open the model on `threads` processors (0: all).

        Raises `ModelError` when it is damaged or does not verify.
        """
        if not verifies(shipped):
            raise ModelError(f"the model in {shipped.folder} verifies no answers", hint="use skills, which ships")
        with opening(shipped):
            self.name = str(shipped.about[VERIFY]["name"])
            self._pieces = WordPieces(shipped.file("tokenizer.json"))
            self._session = Session(shipped.file(GRAPH), threads)

    def verify(self, question: str, candidates: Sequence[Candidate]) -> NDArray[np.float32]:
        """(n,) float32 log-odds that each candidate is right; rounding depends a little on those verified with it."""
        rows = lay(self._pieces, [claim(question, one) for one in candidates])
        found = np.zeros(len(rows), np.float32)
        plan = plan_batches([len(row.ids) for row in rows], BATCH_TOKENS)
        feeds = [_feed([rows[i] for i in batch]) for batch in plan]
        for batch, (logits,) in zip(plan, self._session.run_all(feeds), strict=True):
            found[batch] = logits
        return found


def _feed(rows: Sequence[Laid]) -> Feed:
    ids, mask = pad([row.ids for row in rows])
    return {"ids": ids, "mask": mask, "marks": marks(rows, ids.shape[1])}


def verifies(shipped: Shipped) -> bool:
    """Whether a folder of weights can verify answers."""
    return GRAPH in shipped.about["files"] and VERIFY in shipped.about
