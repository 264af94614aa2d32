"""One ask: label the question, gather evidence, read it, decide. The parts are the engine's fields."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from answerable.chains.beam import BeamSettings, foremost, gather
from answerable.chains.plan import Planned, plan
from answerable.citations import FindDocument, cite
from answerable.errors import IndexMismatch, UsageError
from answerable.navigation.inside import Inside
from answerable.pairs.answering import PairAnswer, PairEngine
from answerable.pairs.early import EarlyReader
from answerable.pairs.joining import after, before, beside, early, early_read, looked, planned, preferred
from answerable.privacy.flow import first_query
from answerable.privacy.grants import Grant
from answerable.privacy.taught import UNTAUGHT, Taught
from answerable.readers.reader import Reader
from answerable.retriever import Retriever
from answerable.selective.barred import Predictor, sentence
from answerable.selective.calibrate import Calibration
from answerable.selective.decide import Decision, decide, unreachable
from answerable.types import Answer, Asker, Barred, Candidate, Evidence, Label, Privacy, Query

OWNER = Asker()
"""Who asks when nobody is named: they may read every enclave."""
LONGEST_QUESTION = 2000  # characters


@dataclass(frozen=True, slots=True)
class AskSettings:
    """What `Engine.ask` does unless told otherwise. `threshold`: least confidence of an answer; None: as calibrated."""

    privacy: Privacy = Privacy.DOCUMENT
    threshold: float | None = None
    read: int = 12


@dataclass(frozen=True, slots=True)
class Terms:
    """On which a question is asked; what is None is as in the settings.

    `grants` count as they are at the moment `at`, for all of the ask. `parts` of the question are searched with beside
    it. Without `pairs` none is looked for.
    """

    asker: Asker = OWNER
    privacy: Privacy | None = None
    hops: int | None = None
    k: int | None = None
    grants: tuple[Grant, ...] = ()
    at: datetime | None = None
    parts: tuple[str, ...] = ()
    pairs: bool = True


@dataclass(frozen=True, slots=True)
class Engine:
    """Answers questions over the retriever's enclaves. `find` looks up stored documents for citations.

    `predictor`: tells whether an answer that is missing may lie behind a search that was refused.
    `taught`: whose private text the models were trained on. `inside`: walks on in long documents that were found.
    `pairs`: answers from what was worked out before, which may make all the rest needless; `early`: reads what the
    first search finds, where none is sure.
    """

    retriever: Retriever
    reader: Reader
    calibration: Calibration
    find: FindDocument
    beam: BeamSettings = BeamSettings()
    settings: AskSettings = AskSettings()
    predictor: Predictor | None = None
    taught: Taught = UNTAUGHT
    inside: Inside | None = None
    pairs: PairEngine | None = None
    early: EarlyReader | None = None

    def ask(self, question: str, terms: Terms = Terms()) -> Answer:
        """An answer with its evidence, or none with a reason. Nothing found is an ordinary outcome.

        The answer's label is the union over all hits consulted, since choosing among them tells of them. An enclave
        elsewhere that cannot be reached is left out, and the answer says so. A pair that anybody may read ends it
        before anything else is searched, and so may what is read in the first passages found that anybody may read; a
        private pair is weighed when all is searched.
        Raises `UsageError` for a question that cannot be asked and for models that were trained on text which the
        asker may not read, `EnclaveError` for an asker with an unknown clearance.
        """
        started = time.perf_counter()
        query, door, beam, others = self._begun(question, terms)
        door, known = door.remembering(), None
        pairs = self.pairs if terms.pairs else None
        try:
            if pairs is not None:
                known = before(pairs, query, door)
                if known.text is not None:
                    return early(known, query.label | self.taught.reader, time.perf_counter() - started)
                if not others and (read := self._read_early(query, known, door, beam.k, started)) is not None:
                    return read
            gathered = gather(query, door, beam, others)
        except IndexMismatch as error:
            return self._unreadable(query, str(error), time.perf_counter() - started)
        if pairs is None or known is None:
            return self._read(query, gathered, gathered, started)
        known = after(pairs, query, door, known)
        return preferred(known, self._read(query, gathered, beside(known, gathered), started))

    def _read_early(self, query: Query, known: PairAnswer, door: Retriever, k: int, started: float) -> Answer | None:
        """What stands in the first passages found, where that is sure enough.

        Whether it is settles what is searched next. So a reader that was trained on private text has no part in it.
        """
        if self.early is None or self.taught.reader:
            return None
        hops = looked(self.early, known, query, door, k) or ()
        least = max(self.early.least, self.settings.threshold or 0.0)
        found = self.early.first(known, [hit for hop in hops for hit in hop.hits], least)
        if found is None:
            return None
        sure = self.early.confidence(found)
        return early_read(found, known, hops, sure, self.find, time.perf_counter() - started)

    def _read(self, query: Query, gathered: Evidence, evidence: Evidence, started: float) -> Answer:
        """The answer that what was gathered gives; `evidence` is that with what pairs add. Nothing is sent any more."""
        chains = foremost(gathered.chains, self.settings.read)
        if self.inside is not None:
            chains = tuple(self.inside.further(query.text, chains))
        keys = {chain.key for chain in gathered.chains}
        chains = (*chains, *(chain for chain in evidence.chains if chain.key not in keys))
        candidates = self.reader.read(query.text, chains)
        decision = decide(query.text, candidates, chains, gathered.hops, self.calibration, self.settings.threshold)
        chosen = decision.candidate if decision.text is not None else None
        barred = self._barred(query, gathered, candidates, decision)
        told = f"; {sentence(barred.steps)}" if barred and barred.likely else ""
        return Answer(
            text=None if decision.text is None else " ".join(decision.text.split()),
            reason=None if decision.reason is None else decision.reason + told,
            confidence=decision.confidence,
            label=self._label(query, evidence),
            citations=cite(query.text, chosen.text, chosen, self.find) if chosen else (),
            chain=chosen.chain if chosen else None,
            others=decision.others,
            evidence=evidence,
            seconds=time.perf_counter() - started,
            unreachable=unreachable(gathered.hops),
            barred=barred,
            confidences=self.calibration.confidences(decision.best) if decision.best else {},
        )

    def plan(self, question: str, terms: Terms = Terms()) -> tuple[Planned, ...]:
        """What `ask` would send where, and what it would not, as far as it can be known without sending anything.

        Raises as `ask` does.
        """
        begun = self._begun(question, terms)
        looked_up = planned(*begun[:2]) if self.pairs and terms.pairs else ()
        return (*looked_up, *plan(*begun))

    def _begun(self, question: str, terms: Terms) -> tuple[Query, Retriever, BeamSettings, list[Query]]:
        """The question with its label, the door under the asked privacy, how far to look, and the question's parts."""
        privacy = terms.privacy or self.settings.privacy
        beam = replace(
            self.beam,
            hops=self.beam.hops if terms.hops is None else terms.hops,
            k=self.beam.k if terms.k is None else terms.k,
        )
        enclaves = self.retriever.enclaves
        query = self.taught.asked(first_query(checked_question(question), terms.asker, privacy, enclaves), enclaves)
        others = [replace(query, text=checked_question(part)) for part in terms.parts]  # as private as the whole
        return query, self.retriever.under(privacy, terms.grants, terms.at), beam, others

    def _barred(
        self, query: Query, evidence: Evidence, candidates: Sequence[Candidate], decision: Decision
    ) -> Barred | None:
        """Whether what is missing may lie behind a refused search: from this ask alone, when all of it was sent."""
        if self.predictor is None:
            return None
        return self.predictor.predict(
            query.text, evidence.hops, candidates, decision.confidence, self.retriever.enclaves
        )

    def _label(self, query: Query, evidence: Evidence) -> Label:
        """Of all that was consulted. An enclave that failed counts too: the answer tells that it did."""
        failed = (self.retriever.enclaves[hop.enclave].label for hop in evidence.hops if hop.unreachable)
        read = (hit.label for hop in evidence.hops for hit in hop.hits)
        return query.label.union(self.taught.reader, *read, *failed)

    def _unreadable(self, query: Query, reason: str, seconds: float) -> Answer:
        """No answer, because an index broke. That it did may tell of any enclave, so the label is that of all."""
        label = query.label.union(*(enclave.label for enclave in self.retriever.enclaves.values()))
        return Answer(None, reason, 0.0, label, (), None, (), Evidence((), ()), seconds)


def checked_question(question: str, what: str = "question") -> str:
    """The question on one line. Raises `UsageError` when it is empty, too long, or not Unicode; `what` it is called."""
    line = " ".join(question.split())
    check_text(line, what)
    return line


def check_text(text: str, what: str) -> None:
    """Raise `UsageError` when what somebody typed is empty, too long, or not Unicode."""
    if not text or text.isspace():
        raise UsageError(f"the {what} is empty")
    if len(text) > LONGEST_QUESTION:
        raise UsageError(f"the {what} has {len(text):,} characters", hint=f"ask in at most {LONGEST_QUESTION:,}")
    try:
        text.encode("utf8")
    except UnicodeEncodeError:
        raise UsageError(f"the {what} is not valid UTF-8") from None
