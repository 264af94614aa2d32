"""From questions to answers of pairs: match, read again, verify, decide (PAQ, sections 4.2 and 5.2.4)."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from answerable.corpora.citations import FindDocument, cite
from answerable.privacy.flow import first_query, readable
from answerable.privacy.grants import AskedBy
from answerable.privacy.provenance import PUBLIC_TRAINING, TrainingProvenance
from answerable.qapairs.calibration import PLAIN, PairCalibration, features, pair_of
from answerable.qapairs.lookup import PairReranker
from answerable.qapairs.pair_settings import PairSettings
from answerable.qapairs.verify import Verdict, Verifier, by_words
from answerable.retriever import Retriever
from answerable.selective.decide import below
from answerable.types import (
    Asker,
    Candidate,
    Chain,
    Citation,
    Hit,
    Hop,
    Label,
    Passage,
    QAPair,
    Query,
    Skill,
    Via,
)

LOOKED = 10
"""Pairs found for a question where none are read again: enough to see whether they agree."""
DISTANCE = 10.0
"""How much the distance of two questions counts beside what the reranker says of them: the reranker learned to choose
among what the matcher finds near, and both together choose better than either (docs/models.md)."""
TRIED = 5
"""Pairs, the nearest ones, one of which must possibly ask the same for any to be read again, where that is saved."""
FAR, UNLIKE = 0.4, Verdict(0.01)
"""What is said of a pair whose question lies below this score of the matcher, without reading both: of development
questions that ask the same one in a hundred does, and of those of different groups all do."""
POSSIBLE = 0.05
"""Below this probability of asking the same no pair is read again where that is to be saved."""


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """The answer of a pair, or None with a reason; how likely it is right (0 to 1, calibrated); what it rests on.

    `pair`: the one whose question asks the same, answered from or not; None where there is none. `matched`: pairs found
    with the matcher's scores, in the order of choosing. `label`: that of the question and of every pair found.
    `hit`: the pair's own, with its passage; `features`: those of its confidence, empty without a pair.
    """

    question: str
    text: str | None
    reason: str | None
    confidence: float
    label: Label
    pair: QAPair | None
    matched: tuple[tuple[QAPair, float], ...]
    citations: tuple[Citation, ...]
    seconds: float
    hit: Hit | None = None
    hops: tuple[Hop, ...] = ()
    features: tuple[float, ...] = ()
    via: ClassVar[Via] = "pair"


def no_document(passage: Passage) -> None:
    """For an engine that cites nothing."""


@dataclass(frozen=True, slots=True)
class PairEngine:
    """Answers questions from the pairs behind the retriever's door, selectively.

    `reranker`: reads the best `settings.rerank` pairs with the question; None: their order is the matcher's. `verify`:
    how probably two questions ask the same. `find` looks up stored documents for citations. `taught`: whose private
    text the models were trained on.
    """

    door: Retriever
    reranker: PairReranker | None = None
    verify: Verifier = by_words
    calibration: PairCalibration = PLAIN
    settings: PairSettings = field(default_factory=PairSettings)
    find: FindDocument = no_document
    taught: TrainingProvenance = PUBLIC_TRAINING

    @property
    def k(self) -> int:
        """How many pairs are asked of each enclave."""
        return max(LOOKED, self.settings.rerank if self.reranker else 0)

    @property
    def threshold(self) -> float:
        """Least confidence of an answer that is given."""
        return self.calibration.threshold if self.settings.threshold is None else self.settings.threshold

    def answer(self, question: str, terms: AskedBy = AskedBy()) -> PairAnswer:
        """One question; nothing found is an ordinary outcome.

        Raises `IndexMismatch` for pairs that cannot be searched, and for an asker as `Engine.ask` does.
        """
        return self.answer_many([question], terms)[0]

    def answer_many(
        self, questions: Sequence[str], terms: AskedBy = AskedBy(), citing: bool = True, lazily: bool = False
    ) -> list[PairAnswer]:
        """Questions on the same terms, encoded and searched at once, each answered as it is alone.

        Without `citing` no citations are made: that takes longer than all the rest. `lazily`: as `weigh`. Raises as
        `answer`.
        """
        started = time.perf_counter()
        door = self.door.under(terms.privacy or self.door.privacy, terms.grants, terms.at)
        queries = [self._asked(question, terms.asker, door) for question in questions]
        found = door.search_many(queries, Skill.MATCH, self.k)
        searched = (time.perf_counter() - started) / max(1, len(questions))
        both = zip(queries, found, strict=True)
        return [self.weigh(query, hops, searched, citing, lazily) for query, hops in both]

    def search(self, query: Query, door: Retriever, among: Container[str] | None = None) -> list[Hop]:
        """What `door` finds for one question among the pairs of these enclaves, or of all that it shows."""
        return door.search_many([query], Skill.MATCH, self.k, among=among)[0]

    def weigh(
        self, query: Query, hops: Sequence[Hop], before: float = 0.0, citing: bool = True, lazily: bool = False
    ) -> PairAnswer:
        """The answer that pairs found give, or why they give none. `before`: seconds that finding them took.

        Depends on nothing but the question and what these hops found. `lazily`: where hardly any of the
        nearest can ask the same, none is read again; those found are then in the matcher's order, and how sure the best
        is rests on fewer features.
        """
        started = time.perf_counter()
        verdicts = _Verdicts(query.text, self.verify)
        hits, scores = self._ordered(verdicts, [hit for hop in hops for hit in hop.hits], lazily)
        label = query.label.union(*(hit.label for hit in hits))
        matched = tuple((pair_of(hit), hit.score) for hit in hits)
        if not hits:
            seconds = before + time.perf_counter() - started
            reason = "no pair was found for this question" + self._withheld(hops)
            return PairAnswer(query.text, None, reason, 0.0, label, None, matched, (), seconds, hops=tuple(hops))
        hit = hits[0]
        own = features(query.text, hits, 0, scores, verdicts.of(hit).probability)
        confidence = self.calibration.confidence(own)
        given = confidence >= self.threshold
        text = pair_of(hit).answers[0] if given else None
        reason = below("pair", confidence, self.threshold) + self._withheld(hops)
        return PairAnswer(
            query.text,
            text,
            None if given else reason,
            confidence,
            label,
            hit.pair,
            matched,
            cited_pair(query, hit, self.find) if given and citing else (),
            before + time.perf_counter() - started,
            hit,
            tuple(hops),
            own,
        )

    def _asked(self, question: str, asker: Asker, door: Retriever) -> Query:
        return self.taught.asked(first_query(question, asker, door.privacy, door.enclaves), door.enclaves)

    def _ordered(self, verdicts: _Verdicts, found: Iterable[Hit], lazily: bool) -> tuple[list[Hit], list[float]]:
        """Hits in the order of choosing, and what the reranker says of them, where there is one."""
        hits = sorted(found, key=lambda hit: (-hit.score, pair_of(hit).id))[: self.k]
        if self.reranker is None or not hits or self.settings.rerank < 1:
            return hits, []
        hits = hits[: self.settings.rerank]
        if lazily and not any(verdicts.of(hit).probability >= POSSIBLE for hit in hits[:TRIED]):
            return hits, []
        scores = [0.0] * len(hits)
        for label in {hit.label for hit in hits}:  # what is said of a public pair is settled beside public ones alone
            places = [place for place, hit in enumerate(hits) if hit.label == label]
            pairs = [pair_of(hits[place]) for place in places]
            read = self.reranker.rerank(verdicts.asked, [(pair.question, pair.answers[0]) for pair in pairs])
            for place, score in zip(places, read, strict=True):
                scores[place] = float(score) - DISTANCE * (1.0 - hits[place].score)
        order = sorted(range(len(hits)), key=lambda n: (-scores[n], -hits[n].score, pair_of(hits[n]).id))
        return [hits[n] for n in order], [scores[n] for n in order]

    def _withheld(self, hops: Sequence[Hop]) -> str:
        """What was refused of enclaves that the asker may read; whether others have pairs is not told."""
        table = self.door.enclaves
        refused = {hop.enclave for hop in hops if hop.refused and readable(hop.query.asker, table[hop.enclave]).allowed}
        return f"; {', '.join(sorted(refused))} could not be asked under this privacy" if refused else ""


class _Verdicts:
    """How probably pairs ask the same as one question, each worked out once."""

    def __init__(self, asked: str, verify: Verifier) -> None:
        self.asked = asked
        self._verify = verify
        self._known: dict[str, Verdict] = {}

    def of(self, hit: Hit) -> Verdict:
        pair = pair_of(hit)
        if pair.id not in self._known:
            self._known[pair.id] = self._verify(self.asked, pair.question) if hit.score >= FAR else UNLIKE
        return self._known[pair.id]


def cited_pair(query: Query, hit: Hit, find: FindDocument) -> tuple[Citation, ...]:
    """The sentence in which a pair's answer stands; none where its passage or its document is not there."""
    if not hit.passage.id:
        return ()
    candidate = candidate_of(hit, query.label)
    return cite(query.text, candidate.text, candidate, find)


def candidate_of(hit: Hit, label: Label) -> Candidate:
    """A pair's answer as a reader would propose it: from its passage, where it says it stands."""
    pair, passage = pair_of(hit), hit.passage
    chain = Chain((hit,), hit.score, label | hit.label)
    stands = passage.text[pair.start : pair.end] == pair.answers[0] != ""
    start, end = (pair.start, pair.end) if stands else (0, len(passage.text))
    return Candidate(pair.answers[0], 0.0, chain, 0, passage.start + start, passage.start + end)
