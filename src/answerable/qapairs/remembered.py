"""Answers that their asker called good or bad, given again or withheld where a question asks the same as theirs.

A remembered answer is matched, read again, verified and weighed as a pair (`PairEngine.weigh`), and given with what it
cited before, as long as that stands. It lies in no index of pairs: its label is that of an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from answerable.chains.shortcuts import Place, Recalled
from answerable.encoders.encoder import Vectors
from answerable.errors import ModelError
from answerable.privacy.enclaves import QUESTION
from answerable.privacy.flow import readable
from answerable.qapairs.answering import FAR, PairEngine
from answerable.text import normalise_answer, normalise_question
from answerable.types import (
    PUBLIC,
    Answer,
    Asker,
    Chain,
    Citation,
    Enclave,
    Evidence,
    Hit,
    Hop,
    Label,
    Passage,
    QAPair,
    Query,
    Skill,
)

_NOWHERE = Passage("", "", "", "", "", 0, 0)
_OWNER = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer to a question, and whether its asker called it good; None: nothing was said of it yet.

    `label`: of the answer, with all that it could have come to carry (`privacy.flow.reachable`), unless public text
    alone gave it. `citations`: what it rests on; `passages`: (enclave, id) of those it was read in. `asker`: by whom,
    "" for the owner. `vector`: the question's by the matcher called `matcher`, float16 numbers. `worked`: it was worked
    out over rows that it does not cite, and so anew each time, good as it was.
    """

    question: str
    answer: str
    label: Label
    citations: tuple[Citation, ...]
    passages: tuple[tuple[str, str], ...] = ()
    asker: str = ""
    good: bool | None = None
    matcher: str = ""
    vector: bytes = b""
    worked: bool = False

    @property
    def id(self) -> str:
        """48 bits of who asked what and was answered what, as hexadecimal digits."""
        said = (self.asker, normalise_question(self.question), normalise_answer(self.answer))
        return blake2b("\0".join(said).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()

    def told(self, asker: Asker) -> bool:
        """Whether it may be told to an asker: all that it carries and cites is theirs to read, and a question that is
        private in itself is their own."""
        rested = (*(one.enclave for one in self.citations), *(name for name, _ in self.passages))
        places = (self.label - {QUESTION}).union(rested)
        own = QUESTION not in self.label or self.asker == who(asker)
        return own and all(readable(asker, Enclave(name)).allowed for name in places)


Standing = Callable[[Judged], tuple[Chain | None, tuple[Citation, ...]] | None]
"""What an answer was read in and rests on, as it is stored now; None where any of it changed or is gone."""


def who(asker: Asker) -> str:
    """Whose a judgement is: an asker's, by name, or "" for the owner's."""
    return _OWNER if asker.clearance is None else asker.name


def with_vector(judged: Judged, pairs: PairEngine) -> Vectors:
    """(dimension,) float32 of its question by the matcher in use: as it was kept, or made anew for another matcher."""
    if (matcher := pairs.door.matcher) is None:
        raise ModelError("nothing matches questions")
    if judged.matcher == matcher.name and judged.vector:
        return np.frombuffer(judged.vector, np.float16).astype(np.float32)
    return np.asarray(matcher.encode_questions([judged.question])[0], np.float32)


@dataclass(frozen=True, slots=True)
class Remembered:
    """The memory of a workspace (`chains.shortcuts.Memory`). `judged()`: all there is, of every asker."""

    pairs: PairEngine
    judged: Callable[[], Sequence[Judged]]
    standing: Standing

    def recall(self, query: Query, public: bool) -> Recalled:
        """As `Memory.recall`. What others called good counts too, and what the owner called bad, unless its asker
        called it good; what other askers called bad does not."""
        own = who(query.asker)
        held = [one for one in self.judged() if one.told(query.asker) and not (public and one.label)]
        near = self._near(query, [one for one in held if one.good or one.asker in (own, _OWNER)])
        liked = {normalise_answer(one.answer) for one, _ in near if one.good and one.asker == own}
        alike = [one for one, score in near if one.good is False and score >= FAR]
        alike = [one for one in alike if one.asker == own or normalise_answer(one.answer) not in liked]
        bad = [one for one in alike if self.pairs.verify(query.text, one.question).same]
        rejected: dict[str, frozenset[Place]] = {}
        for one in bad:
            said = normalise_answer(one.answer)
            rejected[said] = rejected.get(said, frozenset()).union(one.passages)
        known = Recalled(None, rejected, PUBLIC.union(*(b.label for b in bad)))
        kept = [(one, score) for one, score in near if one.good and not one.worked and not known.rejects(one.answer)]
        good = {one.id: (one, score) for one, score in kept}
        while good:
            hop = Hop(query, Skill.MATCH, "", None, tuple(_hit(*row) for row in good.values()), 0.0)
            found = self.pairs.weigh(query, [hop], citing=False, lazily=True)
            if found.text is None or found.pair is None:
                break
            chosen, _ = good.pop(found.pair.id)
            if stands := self.standing(chosen):
                return Recalled(_answer(chosen, found.pair, found.confidence, query, *stands), known.bad, known.label)
        return known

    def _near(self, query: Query, held: Sequence[Judged]) -> list[tuple[Judged, float]]:
        """Those whose questions are nearest, best first, of good and bad ones each as many as pairs are looked at."""
        if not held or self.pairs.door.matcher is None:
            return []
        asked = self.pairs.door.matcher.encode_questions([query.text])[0]
        scored = [(one, float(asked @ with_vector(one, self.pairs))) for one in held]
        scored.sort(key=lambda row: (-row[1], row[0].id))
        return [row for good in (True, False) for row in [r for r in scored if r[0].good is good][: self.pairs.k]]


def _hit(one: Judged, score: float) -> Hit:
    pair = QAPair(one.id, one.question, (one.answer,), "", "", 1.0)
    return Hit(_NOWHERE, score, one.label, Skill.MATCH, pair)


def _answer(
    one: Judged, pair: QAPair, confidence: float, query: Query, chain: Chain | None, citations: tuple[Citation, ...]
) -> Answer:
    found = Evidence((chain,) if chain else (), ())
    given = (one.answer, None, confidence, query.label | one.label, citations, chain, (), found, 0.0)
    return Answer(*given, pair=pair, via="remembered")
