"""The one door: every search asks `privacy.flow` first, then the index, and is written down as a Hop.

Nothing else holds an index. What `Retriever.search` returns is the record of what each enclave was sent.
"""

from __future__ import annotations

import math
import time
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Encoder, Linker, Reranker, Vectors
from answerable.encoders.expansion import expanded_text
from answerable.errors import EnclaveError, IndexMismatch, RemoteError, SettingsError, UsageError
from answerable.indexes.fusion import placed
from answerable.indexes.held import HeldPassages
from answerable.indexes.index import Mode, Ranking, SearchMode
from answerable.matching import PairDoor, QuestionMatcher, SearchablePairs
from answerable.memory import Memory, Texts, VectorKey
from answerable.privacy.egress import Sent
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.flow import Decision, decide, outgrown, readable
from answerable.privacy.grants import Grant
from answerable.privacy.journal_file import JournalFile
from answerable.types import NO_INDEX, Enclave, Hit, Hop, Label, Passage, Privacy, Query, Skill


class SearchableEnclave(Protocol):
    """The indexes of one enclave, here or elsewhere. It is sent a text, a vector, a mode and a number; nothing else."""

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """The k best passages; `vector` is a (dimension,) float32 unit vector, None when the mode is "lexical"."""
        ...

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int
    ) -> tuple[Ranking, Mapping[str, HalfVectors]]:
        """As `search`, and the (dimension,) float16 vectors of what was found, by passage id, where there are any."""
        ...

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The stored passages with these ids; an id that is gone is left out."""
        ...


@dataclass(frozen=True, slots=True)
class RetrieverSettings:
    """`mode`: rank by words and vectors fused ("hybrid"), by vectors alone ("dense") or by words alone ("lexical").

    An enclave with a mode of its own (`Retriever.modes`) is searched by that.

    `linking`: index the pages that mentions may name, if the encoder links.
    """

    mode: Mode = "hybrid"
    linking: bool = False


@dataclass(frozen=True, slots=True)
class Retriever:
    """Searches the enclaves a query may go to. Raises EnclaveError when an index belongs to no enclave of the table.

    `grants` count as they are at the moment `at`. With a `journal`, every search is in it before it is sent.
    `modes`: how enclaves are ranked that say so themselves; the others as `settings` say. Scores of different modes do
    not compare, so where two enclaves of the table differ, every hit scores by its place in its own enclave's ranking.
    `pairs`: those of each enclave that has some, which questions are matched with by the `matcher`.
    """

    enclaves: EnclaveTable
    indexes: Mapping[str, SearchableEnclave]
    encoder: Encoder
    privacy: Privacy = Privacy.DOCUMENT
    settings: RetrieverSettings = RetrieverSettings()
    journal: JournalFile | None = None
    grants: tuple[Grant, ...] = ()
    at: datetime | None = None
    modes: Mapping[str, Mode] = field(default_factory=dict)
    pairs: Mapping[str, SearchablePairs] = field(default_factory=dict)
    matcher: QuestionMatcher | None = None
    _memory: Memory | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in sorted({*self.indexes, *self.pairs} - set(self.enclaves)):
            known = ", ".join(self.enclaves)
            raise EnclaveError(f"an index belongs to {name!r}, which is no enclave", hint=f"known: {known}")

    def under(self, privacy: Privacy, grants: tuple[Grant, ...] = (), at: datetime | None = None) -> Retriever:
        """The same door under another privacy mode, with these grants as they are at that moment, and no others."""
        return replace(self, privacy=privacy, grants=grants, at=at)

    def mode(self, enclave: str) -> Mode:
        """How this enclave is ranked: as declared, whatever it or any other holds."""
        return self.modes.get(enclave, self.settings.mode)

    def decision(self, query: Query, enclave: Enclave) -> Decision:
        """What `privacy.flow` says of this query and this enclave. Sends nothing."""
        return decide(query, enclave, self.privacy, self.grants, self.at)

    def remembering(self) -> Retriever:
        """A copy that encodes each text and makes each search once, for one ask: what it remembers is as private.

        One that remembers already goes on doing so.
        """
        return self if self._memory else replace(self, _memory=Memory())

    def search(self, query: Query, skill: Skill, k: int, into: Label | None = None) -> list[Hop]:
        """One Hop for each enclave, public ones first, refused ones included; at most k hits each, ties by passage id.

        `into` keeps to the enclaves in which this query would give a chain of that label; None means all of them.
        A refused enclave is not touched, and the query is encoded only if a search that is made needs the vector; that
        time counts in the first such hop. An enclave on another machine that fails is a refusal too: the hop says so,
        and a door that remembers asks it nothing more that is as private. Where a query may not be sent, it is searched
        among what `fetch` holds of that enclave, if anything. With `Skill.MENTION` it looks for the page that the
        query's span names, with `Skill.MATCH` for pairs, in the enclaves that have some.
        Raises UsageError for k < 1 and for a mention that cannot be looked for, IndexMismatch for a damaged index.
        """
        if k < 1:
            raise UsageError(f"k is {k}", hint="ask for at least one passage")
        if skill is Skill.MATCH:
            return self.match([query], k, into)[0]
        if skill is Skill.MENTION and (query.span is None or not isinstance(self.encoder, Linker)):
            what = "this query" if query.span is None else f"the encoder {self.encoder.name}"
            raise UsageError(f"{what} names nothing that could be linked", hint="search with what `mentions` gives")
        hops = []
        for enclave in self._within(query, into):
            decision = self.decision(query, enclave)
            index = self.indexes.get(enclave.name)
            without = f"{enclave.name} {NO_INDEX}" if index is None else self._given_up(query, enclave)
            if not decision.allowed or index is None or without:
                refused = str(without) if decision.allowed else decision.reason
                self._write(query, skill, enclave, Decision(False, refused), None)
                held = self._held(query, skill, enclave, decision)
                if held is not None:
                    hops.append(self._among(held, query, skill, enclave, decision, k))
                else:
                    hops.append(Hop(query, skill, enclave.name, refused, (), 0.0, decision.reason))
            else:
                hops.append(self._asked(query, skill, enclave, index, decision, k))
        return hops

    def match(
        self, queries: Sequence[Query], k: int, into: Label | None = None, among: Container[str] | None = None
    ) -> list[list[Hop]]:
        """For each query, all of one label and asker, what `search` with `Skill.MATCH` gives; encoded at once.

        `among`: only enclaves of these names. Raises as `search` does.
        """
        if self.matcher is None or not queries:
            return [[] for _ in queries]
        known = self._memory.vectors if self._memory else {}
        rules = (self.decision, self._write_all, self._found)
        door = PairDoor(self.matcher, self.pairs, self.indexes, *rules, known)
        within = (one for one in self._within(queries[0], into) if among is None or one.name in among)
        return door.match(queries, k, within)

    def matched(self, query: Query) -> Vectors | None:
        """(dimension,) the vector that this ask searched pairs with for a query; None where it searched none."""
        return self._memory.vectors.get((query.text, Skill.MATCH, (), None)) if self._memory else None

    def fetch(self, query: Query, skill: Skill, k: int, into: Label | None = None) -> list[Hop]:
        """Ask for k passages to hold for this ask, of every enclave that `search` asks and later queries may outgrow.

        Which those are is settled by the enclave table, the mode and the asker alone (`privacy.flow.outgrown`). Does
        nothing for a door that does not remember.
        """
        hops = []
        for enclave in self._within(query, into) if self._memory else ():
            decision, index = self.decision(query, enclave), self.indexes.get(enclave.name)
            if not decision.allowed or index is None or self._given_up(query, enclave):
                continue
            if outgrown(query, enclave, self.privacy, self.enclaves):
                hops.append(self._asked(query, skill, enclave, index, decision, k, ahead=True))
        return hops

    def _asked(
        self,
        query: Query,
        skill: Skill,
        enclave: Enclave,
        index: SearchableEnclave,
        decision: Decision,
        k: int,
        ahead: bool = False,
    ) -> Hop:
        """A search that is allowed: written down and sent, but once. With `ahead`, what it finds is held."""
        started, made = time.perf_counter(), (query, skill, enclave.name, k)
        if self._memory and not ahead and made in self._memory.found:
            return self._memory.found[made]
        text, mode = search_text(query, skill), self._mode(enclave, skill)
        vector = None if mode == "lexical" else self._encode(query, skill)
        sent = Sent(text, None if vector is None else vector.tobytes(), mode, k)
        line = self._write(query, skill, enclave, decision, sent)
        failure: str | None = None
        hits: tuple[Hit, ...] = ()
        vectors: Mapping[str, HalfVectors] = {}
        try:
            if ahead:
                ranking, vectors = index.fetch(text, vector, mode, k)
            else:
                ranking = index.search(text, vector, mode, k)
            hits = _hits(enclave, index, ranking, skill, k, self._by_place(skill))
        except RemoteError as error:
            failure = self._give_up(query, enclave, error)
        else:
            self._found(line, hits)
        if ahead and self._memory:
            self._memory.ahead.add(enclave.name, query.label, [hit.passage for hit in hits], vectors)
        seconds = time.perf_counter() - started
        hop = Hop(query, skill, enclave.name, failure, hits, seconds, decision.reason, ahead=ahead)
        if self._memory and not ahead and failure is None:
            self._memory.found[made] = hop
        return hop

    def _held(self, query: Query, skill: Skill, enclave: Enclave, decision: Decision) -> HeldPassages | None:
        """What this query may be searched among here, where it may be read but not sent: never for a mention."""
        if self._memory is None or decision.allowed or skill is Skill.MENTION:
            return None
        return self._memory.ahead.within(enclave.name, query.label) if readable(query.asker, enclave).allowed else None

    def _among(
        self, held: HeldPassages, query: Query, skill: Skill, enclave: Enclave, decision: Decision, k: int
    ) -> Hop:
        """A search among passages held here, of an enclave that is not asked. Its index is not touched."""
        started = time.perf_counter()
        mode = self.mode(enclave.name)
        vector = None if mode == "lexical" else self._encode(query, skill)
        ranking = held.search(search_text(query, skill), vector, mode, k)
        hits = _hits(enclave, held, ranking, skill, k, self._by_place(skill))
        seconds = time.perf_counter() - started
        return Hop(query, skill, enclave.name, decision.reason, hits, seconds, decision.reason, held=len(held))

    def _within(self, query: Query, into: Label | None) -> Iterator[Enclave]:
        """The enclaves in which this query would give a chain of that label."""
        for enclave in self.enclaves.values():
            if into is None or query.label | enclave.label == into:
                yield enclave

    def _mode(self, enclave: Enclave, skill: Skill) -> SearchMode:
        return "entity" if skill is Skill.MENTION else self.mode(enclave.name)

    def _by_place(self, skill: Skill) -> bool:
        """Whether hits score by their places: all pages that mentions name are found in one way."""
        return skill is not Skill.MENTION and len({self.mode(name) for name in self.enclaves}) > 1

    def _give_up(self, query: Query, enclave: Enclave, error: RemoteError) -> str:
        """Why an enclave on another machine gave nothing; kept, so that it is left alone for the rest of this ask."""
        reason = str(error.args[0])
        if self._memory:
            self._memory.unreachable[enclave.name, query.label] = reason
        return reason

    def _given_up(self, query: Query, enclave: Enclave) -> str | None:
        """Why this enclave is left alone, if it is: it failed at a query of no more private a label.

        It may have failed because of what it was sent: a failure at other private text must not show in this query's.
        """
        failed = self._memory.unreachable.items() if self._memory else ()
        return next((why for (name, label), why in failed if name == enclave.name and label <= query.label), None)

    def prepare(self, queries: Iterable[Query], skill: Skill, into: Label | None = None) -> None:
        """Encode side by side what `search` would encode one by one for these queries. Sends nothing.

        Does nothing for a door that does not remember, and for queries that no enclave may be asked.
        """
        if self._memory is None:
            return
        held = self._memory.vectors
        wanted = [query for query in queries if self._needs_vector(query, into)]
        keys = dict.fromkeys(self._key(query, skill) for query in wanted)
        missing = [key for key in keys if key not in held]
        if missing:
            vectors = self.encoder.encode_queries([key[:3] for key in missing])
            held.update(zip(missing, vectors, strict=True))

    def _needs_vector(self, query: Query, into: Label | None) -> bool:
        """Whether `search` would need one for any enclave that it would ask, or search among what is held of it."""
        for enclave in self._within(query, into):
            if self.mode(enclave.name) == "lexical":
                continue
            decision = self.decision(query, enclave)
            asked = decision.allowed and enclave.name in self.indexes
            if asked or self._held(query, Skill.EXPANDED, enclave, decision) is not None:
                return True
        return False

    def mentions(self, query: Query) -> tuple[Query, ...]:
        """For each name in the passage read last, or else in the question, the query for it; in order. Sends nothing.

        None when the encoder does not link.
        """
        return tuple(named for named, _ in self.proposed(query))

    def proposed(self, query: Query) -> list[tuple[Query, float]]:
        """What `mentions` gives, each with its score above the encoder's threshold."""
        if not isinstance(self.encoder, Linker):
            return []
        passage = query.because[-1] if query.because else None
        text = query.text if passage is None else passage.text
        held = self._memory.proposed if self._memory else {}
        if text not in held:
            held[text] = self.encoder.propose(text)
        return [(query.naming(start, end, passage), score) for (start, end), score in held[text]]

    def rerank(self, query: Query, hits: Sequence[Hit]) -> list[float]:
        """For each hit how well its passage suits the question, read together; higher is better. Sends nothing.

        Raises `SettingsError` when the encoder has not learned to.
        """
        if not isinstance(self.encoder, Reranker):
            raise SettingsError(
                f"the encoder {self.encoder.name} cannot rerank",
                hint="set encoder under [models] to one that can, or rerank under [beam] to 0",
            )
        held = self._memory.reranked if self._memory else {}
        texts = [(hit.passage.heading, hit.passage.text) for hit in hits]
        missing = list(dict.fromkeys(text for text in texts if (query.text, text) not in held))
        scores = self.encoder.rerank(query.text, missing).tolist() if missing else []
        held.update(((query.text, text), score) for text, score in zip(missing, scores, strict=True))
        return [held[query.text, text] for text in texts]

    def _encode(self, query: Query, skill: Skill) -> Vectors:
        """One query at a time: beside others in a batch, a private text could move the vector of a public one."""
        key = self._key(query, skill)
        span = key[3]
        held = self._memory.vectors if self._memory else {}
        if key not in held:
            if span is not None and isinstance(self.encoder, Linker):
                known = self._memory.proposed.get(query.text, []) if self._memory else []
                spans = list(dict.fromkeys([span, *(other for other, _ in known)]))  # one reading serves them all
                vectors = self.encoder.encode_mentions(query.text, spans)
                held.update(((query.text, skill, (), one), row) for one, row in zip(spans, vectors, strict=True))
            else:
                held[key] = self.encoder.encode_query(*key[:3])
        return held[key]

    def _write(self, query: Query, skill: Skill, enclave: Enclave, decision: Decision, sent: Sent | None) -> str | None:
        """Write down a search before it is sent, or a refusal; raises `WorkspaceError` where that cannot be done."""
        if not self.journal:
            return None
        return self.journal.search(self._memory.ask if self._memory else "", query, skill, enclave, decision, sent)

    def _write_all(
        self, enclave: Enclave, asked: Sequence[tuple[Query, Decision, Sent | None]]
    ) -> Sequence[str | None]:
        """Searches among pairs, as `_write`, all before any is sent."""
        ask = self._memory.ask if self._memory else ""
        return self.journal.searches(ask, Skill.MATCH, enclave, asked) if self.journal else [None] * len(asked)

    def _found(self, line: str | None, hits: Sequence[Hit]) -> None:
        """Write down what came back; a search of an enclave that failed stays without it."""
        if self.journal:
            self.journal.found(line, len(hits))

    def _key(self, query: Query, skill: Skill) -> VectorKey:
        """All that a query's vector depends on."""
        passages = read_texts(query) if skill is Skill.EXPANDED else ()
        return (query.text, skill, passages, query.span if skill is Skill.MENTION else None)


def _hits(
    enclave: Enclave, index: SearchableEnclave | HeldPassages, ranking: Ranking, skill: Skill, k: int, by_place: bool
) -> tuple[Hit, ...]:
    """A ranking with its passages. A hit's label is that of the enclave it was read in, whatever the passage says."""
    if not all(math.isfinite(score) for _, score in ranking):
        raise IndexMismatch(f"the index of {enclave.name} gives scores that are not numbers", hint="index it again")
    best = sorted(ranking, key=lambda row: (-row[1], row[0]))[:k]
    best = placed(best) if by_place else best
    found = {passage.id: passage for passage in index.passages([id for id, _ in best])}
    if any(passage.enclave != enclave.name for passage in found.values()):
        raise IndexMismatch(f"the index of {enclave.name} holds passages of another enclave", hint="index it again")
    return tuple(Hit(found[id], score, enclave.label, skill) for id, score in best if id in found)


def search_text(query: Query, skill: Skill) -> str:
    """The words to search with: the question, when expanded with the names in what was read; or a mention alone.

    A pure function of the query: what it quotes is in `because`, so its label covers it.
    """
    if skill is Skill.MENTION and query.span is not None:
        return query.text[slice(*query.span)]
    return expanded_text(query.text, read_texts(query)) if skill is Skill.EXPANDED else query.text


def read_texts(query: Query) -> Texts:
    """(title, text) of each passage that shaped a query, titled as it is where it is indexed."""
    return tuple((passage.heading, passage.text) for passage in query.because)
