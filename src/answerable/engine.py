"""One ask: label the question, gather evidence, read it, decide. The parts are the engine's fields."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from answerable.chains.beam import BeamSettings, foremost, gather, joined, nearest
from answerable.chains.following import Said, again, following
from answerable.chains.plan import Planned, handed, plan
from answerable.chains.shortcuts import NOTHING, Attempt, Memory, Recalled, Shortcut
from answerable.corpora.citations import FindDocument, cite, excerpts, once
from answerable.corpora.commands import typed
from answerable.corpora.fields import UNFILTERED, Filter
from answerable.errors import EnclaveError, IndexMismatch
from answerable.privacy.flow import first_query
from answerable.privacy.grants import AskedBy
from answerable.privacy.provenance import PUBLIC_TRAINING, TrainingProvenance
from answerable.readers.reader import Reader, foreign
from answerable.readers.resting import hit_of, resting, telling
from answerable.readers.spelling import Spelling
from answerable.readers.versions import newest, of_version
from answerable.records import setting
from answerable.retriever import Retriever, Watch
from answerable.selective.beside import Beside, Case, Decided
from answerable.selective.calibrate import Calibration
from answerable.selective.decide import PASSAGES, Decision, decide, unasked, unreachable
from answerable.selective.missing import Predictor, sentence
from answerable.selective.quoted import QUOTED, surer
from answerable.sets.latest import latest
from answerable.text import asked_about, asks_to_be_told, checked_question
from answerable.types import Answer, Asker, Candidate, Chain, Evidence, Hop, Label, Privacy, Query, Skill

if TYPE_CHECKING:
    from answerable.readers.asked import AskedReader, Heard

OWNER = Asker()
"""Who asks when nobody is named: they may read every enclave."""
REJECTED = "an answer that was called bad is left out"


@dataclass(frozen=True, slots=True)
class AskSettings:
    """What `Engine.ask` does unless told otherwise."""

    privacy: Privacy = setting(
        Privacy.DOCUMENT,
        "what no outside enclave may be told: none, document (private text) or query (the question too)",
    )
    threshold: float | None = setting(None, "least confidence of an answer that is given; empty: as calibrated", 0, 1)
    risk: float | None = setting(
        None, "share of the answers given that may be wrong, where no threshold is set; empty: as calibrated", 0, 1
    )
    read: int = setting(12, "chains handed to the reader", 1, 400)
    show: int = setting(5, "passages that come with an answer, or in its place", 0, 20)


@dataclass(frozen=True, slots=True)
class Terms(AskedBy):
    """On which a question is asked; what is None is as in the settings.

    `grants` count as they are at the moment `at`, for all of the ask. `parts` of the question are searched with beside
    it. Without `shortcuts` none is taken, nor under a filter: pairs were worked out from all there is. `watch`: who is
    told of hops, and may end the ask. `risk`: the share of wrong answers among those given. `said`: before, in a
    conversation that the question follows on (`chains.following`).
    """

    hops: int | None = None
    k: int | None = None
    parts: tuple[str, ...] = ()
    shortcuts: bool = True
    filter: Filter = UNFILTERED
    watch: Watch | None = None
    risk: float | None = None
    said: tuple[Said, ...] = ()


@dataclass(frozen=True, slots=True)
class Engine:
    """Answers questions over the retriever's enclaves. `find` looks up stored documents for citations.

    `predictor`: tells whether an answer that is missing may lie behind a search that was refused.
    `taught`: whose private text the models were trained on.
    `shortcuts`: tried in turn before all is searched.
    `asked`: a language model that answers beside the reader. `quoted`: how sure an answer of it is. `memory`: answers
    that were found good or bad before. `spelling`: puts right what is misspelt in a question before it is read.
    `beside`: what answers beside the reader, each in turn.
    """

    retriever: Retriever
    reader: Reader
    calibration: Calibration
    find: FindDocument
    beam: BeamSettings = BeamSettings()
    settings: AskSettings = AskSettings()
    predictor: Predictor | None = None
    taught: TrainingProvenance = PUBLIC_TRAINING
    shortcuts: tuple[Shortcut, ...] = ()
    asked: AskedReader | None = None
    quoted: Calibration = QUOTED
    memory: Memory | None = None
    spelling: Spelling | None = None
    beside: tuple[Beside, ...] = ()

    def ask(self, question: str, terms: Terms = Terms()) -> Answer:
        """An answer with its evidence, or none with a reason. Nothing found is an ordinary outcome, and so are passages
        alone, for a question that asks to be told of something.

        The answer's label is the union over all hits consulted, since choosing among them tells of them. An enclave
        elsewhere that cannot be reached is left out, and the answer says so. A shortcut may end it before all is
        searched, by public text alone; what it knows of private text is weighed when all is searched.
        Raises `UsageError` for a question that cannot be asked and for models that were trained on text which the
        asker may not read, `EnclaveError` for an asker with an unknown clearance.
        """
        started, self = time.perf_counter(), replace(self, find=once(self.find))
        queries, door, beam, others = self._begun(question, terms)
        query, door = queries[0], door.remembering()
        sure = self._least(terms)
        begun: list[Attempt] = []
        known = self._recalled(queries, terms, public=True)
        if known.answer is not None and known.answer.confidence >= sure and self._public(known.answer, query):
            return self._ended(known.answer, queries, terms, started)
        try:
            for shortcut in self._shortcuts(query, terms):
                attempt = shortcut.begin(query, door.public(), beam, not others)
                if any(self.retriever.enclaves[name].label for name in door.reached):
                    hint = "report this: nothing was sent after it"
                    raise EnclaveError("a shortcut searched private text", hint=hint)
                ends = (given := attempt.answer) is not None and given.confidence >= sure and self._public(given, query)
                if given is not None and ends and not known.rejects(given.text, given.chain):
                    return self._ended(given, queries, terms, started)
                begun.append(attempt)
            heard = self.outside(query, door, beam, others)
            gathered = gather(query, door, beam, others)
            for later in queries[1:]:
                gathered = joined(gathered, gather(later, door, beam))
            listed = latest(queries[-1], door, max(1, self.settings.show))
        except IndexMismatch as error:
            return self._unreadable(query, str(error), time.perf_counter() - started)
        if any(hop.hits for hop in listed):
            return replace(self._found(queries[-1], door, listed, (*gathered.hops, *listed), started), reason=PASSAGES)
        evidence, attempts = gathered, []
        for attempt in begun:
            attempts.append(attempt.join(query, evidence, door))
            evidence = attempts[-1].evidence
        known = self._recalled(queries, terms)
        if known.answer is not None and known.answer.confidence >= sure:
            answer = self._remembered(known.answer, query, evidence, started)
        else:
            answer = read = self._read(queries[-1], door, gathered, evidence, heard, started, terms, known)
            for one in attempts:
                surer = one.prefer(answer)
                answer = answer if known.rejects(surer.text, surer.chain) else surer
            answer = answer if answer is read or answer.confidence >= sure else read
        return answer if answer.passages else self._shown(answer, queries[-1])

    def _recalled(self, queries: Sequence[Query], terms: Terms, public: bool = False) -> Recalled:
        """What is remembered of the question; nothing of one that follows on another: it means something else there."""
        if self.memory is None or len(queries) > 1 or not _direct(queries[0], terms):
            return NOTHING
        return self.memory.recall(queries[0], public)

    def _ended(self, answer: Answer, queries: Sequence[Query], terms: Terms, started: float) -> Answer:
        """The answer of an ask that public text ended; withheld where what the asker may read says that it is bad."""
        query, known = queries[0], self._recalled(queries, terms)
        label = query.label | self.taught.reader
        if known.rejects(answer.text, answer.chain):
            answer = replace(answer, text=None, reason=REJECTED, confidence=0.0, citations=(), pair=None, via="search")
            label |= known.label
        return replace(self._shown(answer, query), label=label, seconds=time.perf_counter() - started)

    def _remembered(self, answer: Answer, query: Query, evidence: Evidence, started: float) -> Answer:
        """A remembered answer of an ask in which all was searched, and nothing had to be read."""
        found = Evidence((*answer.evidence.chains, *evidence.chains), evidence.hops)
        label, seconds = self._label(query, found) | answer.label, time.perf_counter() - started
        return replace(answer, evidence=found, label=label, seconds=seconds, unreachable=unreachable(evidence.hops))

    def search(self, question: str, terms: Terms = Terms()) -> Answer:
        """The passages that one search with the question finds, the k best of each enclave. Raises as `ask` does."""
        started = time.perf_counter()
        (*_, query), door, beam, _ = self._begun(question, terms)
        try:
            hops = tuple(door.remembering().search(query, Skill.SINGLE, beam.k))
        except IndexMismatch as error:
            return self._unreadable(query, str(error), time.perf_counter() - started)
        return self._found(query, door, hops, hops, started)

    def _found(self, query: Query, door: Retriever, own: Sequence[Hop], every: Sequence[Hop], started: float) -> Answer:
        """All passages of its `own` hops, of `every` one that was made."""
        hits = nearest(Chain((hit,), hit.score, hit.label) for hop in own for hit in hop.hits if door.fits(hit.passage))
        evidence, passages = Evidence((), (*every,)), excerpts(query.text, hits, len(hits), self.find)
        rest = (self._label(query, evidence), (), None, (), evidence, time.perf_counter() - started, unasked(every))
        return Answer(None, None, 0.0, *rest, via="passages", passages=passages)

    def _shown(
        self, answer: Answer, query: Query, read: Sequence[Candidate] = (), door: Retriever | None = None
    ) -> Answer:
        """The answer with the passages it shows, the chain of the best answer `read`, given or not, before where others
        stand; of what is searched through `door` those that its filter asks for, and that of the answer."""
        own = [hit for one in read[:1] for hit in (hit_of(one), *one.chain.hits)] + [*map(hit_of, read[1:])]
        hits = nearest(answer.evidence.chains, own or (answer.chain.hits if answer.chain else ()))
        if door is not None:
            hits = [hit for hit in hits if door.fits(hit.passage) or (answer.text is not None and hit == own[0])]
        best = read[0] if read else None
        return replace(answer, passages=excerpts(asked_about(query.text), hits, self.settings.show, self.find, best))

    def _public(self, answer: Answer, query: Query) -> bool:
        """Whether all that an answer rests on is text of enclaves without a label, by the table of this engine."""
        table = self.retriever.enclaves
        chains = (*answer.evidence.chains, *((answer.chain,) if answer.chain else ()))
        enclaves = {hit.passage.enclave for chain in chains for hit in chain.hits}
        enclaves |= {hop.enclave for hop in answer.evidence.hops if hop.hits}
        return answer.label <= query.label and not any(table[name].label for name in enclaves)

    def _least(self, terms: Terms, by: Calibration | None = None) -> float:
        """Least confidence of an answer that is given, by the terms' risk or the settings. One of a shortcut must reach
        it besides its own threshold. `by`: another calibration than that of the reader."""
        if terms.risk is None and self.settings.threshold is not None:
            return self.settings.threshold
        return (by or self.calibration).least(self.settings.risk if terms.risk is None else terms.risk)

    def outside(self, query: Query, door: Retriever, beam: BeamSettings, others: Sequence[Query]) -> Heard | None:
        """What a language model says that may not be sent everything; None for one that may, which is asked later.

        It is asked before any text is searched that it may not be sent, and never again: so that nothing of that text
        can shape what it is sent, or whether it is.
        """
        if self.asked is None or (known := self.asked.known(query, door)) == frozenset(door.enclaves):
            return None
        view, alone = door.view(known), replace(beam, ahead=0)
        found = gather(query, view, alone, others) if known else Evidence((), ())
        return self.asked.ask(query, door, foremost(found.chains, self.settings.read), self.find)

    def _read(
        self,
        query: Query,
        door: Retriever,
        gathered: Evidence,
        evidence: Evidence,
        heard: Heard | None,
        started: float,
        terms: Terms,
        known: Recalled,
    ) -> Answer:
        """The answer that what was gathered gives; `evidence` is that with what pairs add.

        Nothing is sent any more, but to a language model that may be sent everything.
        """
        chains = foremost(gathered.chains, self.settings.read)
        keys = {chain.key for chain in gathered.chains}
        chains = (*chains, *(chain for chain in evidence.chains if chain.key not in keys))
        told = asks_to_be_told(query.text)
        meant, slips = self.spelling.mended(query.text, chains) if self.spelling else (query.text, ())
        found = [] if told else telling(self.reader, meant, chains)
        good = [one for one in found if not known.rejects(one.text, one.chain)]
        candidates, older = newest(meant, of_version(meant, good, self.find), self.find)
        read = Evidence(chains, gathered.hops)
        settled = self._settled(query, meant, door, read, candidates, heard, terms, known)
        decision, written, notes = settled.decision, settled.citations, settled.notes
        notes = (*notes, *older, *((REJECTED,) if len(good) < len(found) else ()))
        notes = (*notes, *(f'"{slip}" was read as "{word}"' for slip, word in slips if found))
        chosen = decision.candidate if decision.text is not None else None
        rested = chosen if written or not chosen else typed(meant, resting(self.reader, meant, chosen), self.find)
        said = rested.text if rested else None
        barred = None
        if self.predictor is not None and not told:  # by this ask alone, when all of it was sent
            table, sure = self.retriever.enclaves, decision.confidence
            barred = self.predictor.predict(query.text, gathered.hops, candidates, sure, table)
        behind = f"; {sentence(barred.steps)}" if barred and barred.likely else ""
        answer = Answer(
            text=None if said is None else " ".join(said.split()),
            reason=None if decision.reason is None else decision.reason + behind,
            confidence=decision.confidence,
            label=self._label(query, evidence) | known.label,
            citations=(written or cite(query.text, rested.text, rested, self.find)) if rested else (),
            chain=chosen.chain if chosen else None,
            others=tuple(one for one in decision.others if one[0] != said),
            evidence=evidence,
            seconds=time.perf_counter() - started,
            unreachable=unreachable(gathered.hops),
            barred=barred,
            confidences=self.calibration.confidences(decision.best) if decision.best and not written else {},
            via=settled.via if chosen and written else "search",
            notes=notes if written else (*notes, *foreign(self.reader, query.text, decision.candidate)),
        )
        shown = self._shown(answer, query, (rested, *decision.read[1:]) if rested else decision.read, door)
        return replace(shown, via="passages") if told and shown.passages and not chosen else shown

    def _settled(
        self,
        query: Query,
        meant: str,
        door: Retriever,
        read: Evidence,
        candidates: Sequence[Candidate],
        heard: Heard | None,
        terms: Terms,
        known: Recalled,
    ) -> Decided:
        """What is answered to the question as it is `meant`, by the reader, what is beside it or a language model."""

        def decided(answers: Sequence[Candidate]) -> Decision:
            settings = (read.chains, read.hops, self.calibration, self._least(terms))
            found, fit = decide(meant, answers, *settings), [one for one in answers if door.fits(hit_of(one).passage)]
            if len(fit) == len(answers) or (found.text is not None and found.candidate and rests(found.candidate)):
                return found
            return decide(meant, fit, *settings)

        def rests(answer: Candidate) -> bool:
            return any(door.fits(hit.passage) for hit in resting(self.reader, meant, answer).chain.hits)

        def allowed(answer: Candidate) -> bool:
            return not known.rejects(answer.text, answer.chain) and door.fits(hit_of(answer).passage)

        if self.asked is not None and heard is None:
            heard = self.asked.ask(query, door, read.chains, self.find)
        if self.asked is None or heard is None or heard.silent:
            said = (f"{heard.notes[0]}; the reader beside it was used instead",) if heard else ()
            settled, rest = Decided(decided(candidates), notes=said), "".join(f"; {one}" for one in unasked(read.hops))
            least, same = partial(self._least, terms), again(meant, terms.said)
            case = Case(meant, read.chains, self.find, least, allowed, rest, same)
            for one in self.beside:
                settled = one.weigh(case, settled)
            return settled
        # What the model was sent is its own to answer from: the reader's answers from other passages count.
        unsent, notes = self.asked.unsent(query, door, read.chains, heard)
        decision = decided([one for one in candidates if one.chain.label in unsent])
        if heard.candidate is None or known.rejects(heard.candidate.text, heard.candidate.chain):
            return Decided(decision, notes=notes)
        own, by = (heard.candidate, heard.quoted), (self.quoted, self._least(terms, self.quoted))
        decision, its = surer(query.text, own, candidates, read.chains, decision, *by)
        return Decided(decision, heard.citations if its else (), notes, "model")

    def plan(self, question: str, terms: Terms = Terms()) -> tuple[Planned, ...]:
        """What `ask` would send where, and what it would not, as far as it can be known without sending anything.

        Raises as `ask` does.
        """
        (query, *later), door, beam, others = self._begun(question, terms)
        return (
            *(one for shortcut in self._shortcuts(query, terms) for one in shortcut.plan(query, door)),
            *plan(query, door, beam, others),
            *(planned for one in later for planned in plan(one, door, beam)),
            *(handed(query, self.asked.host, door, beam.hops + 1) if self.asked else ()),
        )

    def _shortcuts(self, query: Query, terms: Terms) -> tuple[Shortcut, ...]:
        return self.shortcuts if _direct(query, terms) else ()

    def _begun(self, question: str, terms: Terms) -> tuple[list[Query], Retriever, BeamSettings, list[Query]]:
        """The question with its label, once or twice (`chains.following`), the door under the asked privacy, how far to
        look, and the question's parts."""
        privacy = terms.privacy or self.settings.privacy
        hops = self.beam.hops if terms.hops is None else terms.hops
        beam = replace(self.beam, hops=hops, k=self.beam.k if terms.k is None else terms.k)
        enclaves = self.retriever.enclaves
        query = self.taught.asked(first_query(checked_question(question), terms.asker, privacy, enclaves), enclaves)
        others = [replace(query, text=checked_question(part)) for part in terms.parts]  # as private as the whole
        door = self.retriever.under(privacy, terms.grants, terms.at, terms.filter, terms.watch)
        return following(query, terms.said, door), door, beam, others

    def _label(self, query: Query, evidence: Evidence) -> Label:
        """Of all that was consulted. An enclave that failed counts too: the answer tells that it did."""
        failed = (self.retriever.enclaves[hop.enclave].label for hop in evidence.hops if hop.unreachable or hop.missing)
        read = (hit.label for hop in evidence.hops for hit in hop.hits)
        return query.label.union(self.taught.reader, *read, *failed)

    def _unreadable(self, query: Query, reason: str, seconds: float) -> Answer:
        """No answer, because an index broke. That it did may tell of any enclave, so the label is that of all."""
        label = query.label.union(*(enclave.label for enclave in self.retriever.enclaves.values()))
        return Answer(None, reason, 0.0, label, (), None, (), Evidence((), ()), seconds)


def _direct(query: Query, terms: Terms) -> bool:
    """Whether shortcuts may be taken: of all there is, and where a short answer is asked for."""
    return terms.shortcuts and not terms.filter and not asks_to_be_told(query.text)
