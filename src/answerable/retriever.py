"""The one door: every search asks `privacy.flow` first, then the index, and is written down as a Hop.

Nothing else holds an index. What `Retriever.search` returns is the record of what each enclave was sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime

from answerable.corpora.fields import UNFILTERED, Filter
from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Encoder, Linker, Vectors
from answerable.encoders.expansion import search_text
from answerable.errors import EnclaveError, RemoteError, UsageError
from answerable.indexes.encoding import QueryEncoder
from answerable.indexes.fitting import Restricting, narrowed
from answerable.indexes.in_memory import HeldPassages, RequestCache
from answerable.indexes.index import Mode, SearchMode
from answerable.indexes.sources import (
    Pairs,
    Passages,
    QuestionMatcher,
    Searchable,
    SearchableEnclave,
    SearchablePairs,
    Searched,
    asking,
    passage_hits,
)
from answerable.privacy.audit_log import AuditLog
from answerable.privacy.audit_records import Sent
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.flow import Decision, decide, outgrown, readable, sendable
from answerable.privacy.grants import Grant
from answerable.records import setting
from answerable.types import NO_INDEX, Enclave, Hit, Hop, Label, Passage, Privacy, Query, Skill

Watch = Callable[[Hop], None]
"""Is told of each hop as it is made, by the thread that makes it. What it raises ends the ask."""


@dataclass(frozen=True, slots=True)
class RetrieverSettings:
    """How enclaves are searched that have no mode of their own (`Retriever.modes`), and what is indexed besides."""

    mode: Mode = setting("hybrid", "rank by words and vectors fused (hybrid), by vectors (dense) or by words (lexical)")
    linking: bool = setting(
        False, "also index documents by what names them, with an encoder that links; then index again"
    )


@dataclass(frozen=True, slots=True)
class Retriever:
    """Searches the enclaves a query may go to. Raises EnclaveError when an index belongs to no enclave of the table.
    `grants` count as they are at the moment `at`. With a `journal`, every search is in it before it is sent.
    `modes`: how enclaves are ranked that say so themselves; the others as `settings` say. Scores of different modes do
    not compare, so where two enclaves of the table differ, or one has an index that was handed in (`own`), every hit
    scores by its place in its own enclave's ranking.
    `pairs`: those of each enclave that has some, which questions are matched with by the `matcher`.
    `only`: the enclaves that a view shows; None: all of the table. `left_out`: why there is no index of some.
    `by_fields`: whether there is a filter by fields of documents. `watch`: who is told of hops.
    """

    enclaves: EnclaveTable
    indexes: Mapping[str, SearchableEnclave]
    encoder: Encoder
    privacy: Privacy = Privacy.DOCUMENT
    settings: RetrieverSettings = RetrieverSettings()
    journal: AuditLog | None = None
    grants: tuple[Grant, ...] = ()
    at: datetime | None = None
    modes: Mapping[str, Mode] = field(default_factory=dict)
    pairs: Mapping[str, SearchablePairs] = field(default_factory=dict)
    matcher: QuestionMatcher | None = None
    only: frozenset[str] | None = None
    own: bool = False
    left_out: Mapping[str, str] = field(default_factory=dict)
    by_fields: bool = False
    watch: Watch | None = field(default=None, repr=False, compare=False)
    _memory: RequestCache | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in sorted({*self.indexes, *self.pairs} - set(self.enclaves)):
            known = ", ".join(self.enclaves)
            raise EnclaveError(f"an index belongs to {name!r}, which is no enclave", hint=f"known: {known}")

    def under(
        self,
        privacy: Privacy,
        grants: tuple[Grant, ...] = (),
        at: datetime | None = None,
        wanted: Filter = UNFILTERED,
        watch: Watch | None = None,
    ) -> Retriever:
        """The same door under another privacy mode, with these grants as they are at that moment, and no others, to
        nothing but what fits a filter, and with this watch."""
        indexes, left_out = narrowed(self.indexes, wanted) if wanted else (self.indexes, self.left_out)
        own = replace(self, indexes=indexes, left_out=left_out, by_fields=wanted.of_documents)
        return replace(own, privacy=privacy, grants=grants, at=at, watch=watch)

    def fits(self, passage: Passage) -> bool:
        """Whether all of a filter by fields asks for a passage: not where no document has one of the fields."""
        index = self.indexes.get(passage.enclave)
        return not self.by_fields or (isinstance(index, Restricting) and index.restricts)

    def lacking(self, enclave: str) -> str:
        """Why an enclave that has no index here has none."""
        return self.left_out.get(enclave, f"{enclave} {NO_INDEX}")

    def public(self) -> Retriever:
        """A view in which there is public text alone: it holds no index of an enclave with a label, and asks none."""
        return self.view(frozenset(name for name, enclave in self.enclaves.items() if not enclave.label))

    def view(self, names: frozenset[str]) -> Retriever:
        """The same door to these enclaves alone: it holds no index of another one, and asks none."""
        indexes = {name: index for name, index in self.indexes.items() if name in names}
        pairs = {name: index for name, index in self.pairs.items() if name in names}
        return replace(self, indexes=indexes, pairs=pairs, only=names)

    def mode(self, enclave: str) -> Mode:
        """How this enclave is ranked: as declared, whatever it or any other holds."""
        return self.modes.get(enclave, self.settings.mode)

    def decision(self, query: Query, enclave: Enclave) -> Decision:
        """What `privacy.flow` says of this query and this enclave. Sends nothing."""
        return decide(query, enclave, self.privacy, self.grants, self.at)

    def handing(self, query: Query, label: Label, host: Enclave) -> Decision:
        """What `privacy.flow` says of handing the question, with passages of a label, to a language model."""
        passage = Passage("", "", host.name, "", "", 0, 0)
        quoting = replace(query, label=query.label | label, because=(*query.because, passage))
        return sendable(quoting, host, self.privacy, self.grants, self.at)

    def remembering(self) -> Retriever:
        """A copy that encodes each text and makes each search once, for one ask: what it remembers is as private.

        One that remembers already goes on doing so.
        """
        return self if self._memory else replace(self, _memory=RequestCache())

    def search(self, query: Query, skill: Skill, k: int, into: Label | None = None, ahead: int = 0) -> list[Hop]:
        """One Hop for each enclave, public ones first, refused ones included; at most k hits each, ties by passage id.

        `into` keeps to the enclaves in which this query would give a chain of that label; None means all of them.
        A refused enclave is not touched, and the query is encoded only if a search that is made needs the vector; that
        time counts in the first such hop. An enclave on another machine that fails is a refusal too: the hop says so,
        and a door that remembers asks it nothing more that is as private.
        With `ahead`, a door that remembers asks enclaves that later queries may outgrow for that many passages at once,
        and holds them: a query that may not be sent there is searched among them. Which enclaves those are is settled
        by the enclave table, the mode and the asker alone (`privacy.flow.outgrown`). With `Skill.MENTION` it looks for
        the page that the query's span names, with `Skill.MATCH` for pairs, in the enclaves that have some.
        Raises UsageError for k < 1 and for a mention that cannot be looked for, IndexMismatch for a damaged index.
        """
        return self.search_many([query], skill, k, into, ahead=ahead)[0]

    def search_many(
        self,
        queries: Sequence[Query],
        skill: Skill,
        k: int,
        into: Label | None = None,
        among: Container[str] | None = None,
        ahead: int = 0,
    ) -> list[list[Hop]]:
        """For each query, all of one label and asker, what `search` gives; pairs are encoded and searched at once.

        `among`: only enclaves of these names. Raises as `search` does.
        """
        self._check(queries, skill, k)
        hops: list[list[Hop]] = [[] for _ in queries]
        for enclave in self._within(queries[0], into) if queries else ():
            has = skill is not Skill.MATCH or (self.matcher is not None and enclave.name in self.pairs)
            if has and (among is None or enclave.name in among):
                for place, hop in self._searched(queries, skill, enclave, k, ahead):
                    if self.watch:
                        self.watch(hop)
                    hops[place].append(hop)
        return hops

    def _check(self, queries: Sequence[Query], skill: Skill, k: int) -> None:
        """Raise `UsageError` for what cannot be searched."""
        if k < 1:
            raise UsageError(f"k is {k}", hint="ask for at least one passage")
        for query in queries if skill is Skill.MENTION else ():
            if query.span is None or not isinstance(self.encoder, Linker):
                what = "this query" if query.span is None else f"the encoder {self.encoder.name}"
                raise UsageError(f"{what} names nothing that could be linked", hint="search with what `mentions` gives")

    def _searched(
        self, queries: Sequence[Query], skill: Skill, enclave: Enclave, k: int, ahead: int
    ) -> Iterator[tuple[int, Hop]]:
        """The hop of each query in one enclave, by its place among the queries: decided, written down, made."""
        source = self._source(enclave, skill)
        ahead = ahead if self._holds(queries[0], skill, enclave) else 0
        asked: list[tuple[int, Query, Decision]] = []
        refused: list[tuple[int, Query, Decision, str]] = []
        for place, (query, decision) in enumerate(zip(queries, self._rulings(queries, enclave), strict=True)):
            left_alone = self._memory.given_up(enclave.name, query.label) if self._memory else None
            without = self.lacking(enclave.name) if source is None else left_alone
            known = self._memory.found.get((query, skill, enclave.name, k, ahead)) if self._memory else None
            if decision.allowed and without is None and known is not None:
                yield place, known
            elif decision.allowed and without is None:
                asked.append((place, query, decision))
            else:
                refused.append((place, query, decision, str(without) if decision.allowed else decision.reason))
        self.write_down(enclave, skill, [(query, Decision(False, why), None) for _, query, _, why in refused])
        for place, query, decision, why in refused:
            held = self._held(query, skill, enclave, decision)
            if held is not None:
                yield place, self._among(held, query, skill, enclave, decision, k)
            else:
                yield place, Hop(query, skill, enclave.name, why, (), 0.0, decision.reason)
        made = self._asked([one[1:] for one in asked], skill, enclave, source, k, ahead) if source and asked else []
        yield from zip((place for place, _, _ in asked), made, strict=True)

    def _rulings(self, queries: Sequence[Query], enclave: Enclave) -> list[Decision]:
        """What the rule says of each. It is asked once where they differ in nothing but their text, for which a grant
        may be that lifts a refusal."""
        first = self.decision(queries[0], enclave)
        plain = all((one.label, one.asker) == (queries[0].label, queries[0].asker) for one in queries)
        if plain and not first.grants and first.allowed:
            return [first] * len(queries)
        return [first, *(self.decision(one, enclave) for one in queries[1:])]

    def _source(self, enclave: Enclave, skill: Skill) -> Searchable | None:
        """What is searched of an enclave with a skill, if there is anything."""
        index = self.indexes.get(enclave.name)
        if skill is not Skill.MATCH:
            return None if index is None else Passages(enclave, index, skill, self._by_place(skill))
        return Pairs(enclave, self.pairs[enclave.name], index, self.matcher.name if self.matcher else "")

    @property
    def reached(self) -> frozenset[str]:
        """The enclaves that were searched since this door began to remember."""
        return frozenset(name for _, _, name, *_ in self._memory.found) if self._memory else frozenset()

    def matched(self, query: Query) -> Vectors | None:
        """(dimension,) the vector that this ask searched pairs with for a query; None where it searched none."""
        return self._encoding.matched(query)

    def _holds(self, query: Query, skill: Skill, enclave: Enclave) -> bool:
        """Whether what a query finds there is to be held for later ones, which may not go there."""
        if self._memory is None or skill not in (Skill.SINGLE, Skill.EXPANDED):
            return False
        known, key = self._memory.outgrown, (query.asker, query.label, enclave.name, self.privacy)
        if key not in known:
            known[key] = outgrown(query, enclave, self.privacy, self.enclaves)
        return known[key]

    def _asked(
        self,
        asked: Sequence[tuple[Query, Decision]],
        skill: Skill,
        enclave: Enclave,
        source: Searchable,
        k: int,
        ahead: int,
    ) -> list[Hop]:
        """Searches that are allowed: written down, and then sent; with `ahead`, for that many passages, all held."""
        started = time.perf_counter()
        vectors: dict[str, HalfVectors] = {}
        if ahead and isinstance(source, Passages):
            source = replace(source, fetched=vectors)
        label = asked[0][0].label
        lost = self._memory.lost_to(enclave.name, label) if self._memory else {}
        source, shards = asking(source, lost)
        sent = self._with_vectors([query for query, _ in asked], skill, enclave, max(k, ahead))
        said = [
            (*ruled, Sent(one.text, None if one.vector is None else one.vector.tobytes(), one.mode, one.k, shards))
            for ruled, one in zip(asked, sent, strict=True)
        ]
        lines = self.write_down(enclave, skill, said)
        failure: str | None = None
        found: list[tuple[Hit, ...]] = [()] * len(asked)
        try:
            found = source.find(sent)
        except RemoteError as error:
            failure = self._give_up([query for query, _ in asked], enclave, error)
        each = (time.perf_counter() - started) / len(asked)
        if self._memory and failure is None and lost:
            self._memory.lost[enclave.name, label] = lost
        missing = () if failure else tuple(sorted(lost.values()))
        silent = [one for one in shards if one in lost]
        hops = []
        for (query, decision), line, hits in zip(asked, lines, found, strict=True):
            held = len(hits) if ahead else 0
            hop = Hop(query, skill, enclave.name, failure, hits[:k], each, decision.reason, None, held, shards, missing)
            if failure is None and self.journal:
                self.journal.found(line, len(hits), silent)
            if failure is None and self._memory:
                self._memory.found[query, skill, enclave.name, k, ahead] = hop
                if ahead:
                    self._memory.ahead.add(enclave.name, query.label, [hit.passage for hit in hits], vectors)
            hops.append(hop)
        return hops

    def _with_vectors(self, queries: Sequence[Query], skill: Skill, enclave: Enclave, k: int) -> list[Searched]:
        """What is sent for each query: questions to match are encoded at once, the others one at a time."""
        if skill is Skill.MATCH:
            rows = self._encoding.questions(queries, self.matcher) if self.matcher else []
            return [Searched(query.text, row, "dense", k) for query, row in zip(queries, rows, strict=True)]
        mode: SearchMode = "entity" if skill is Skill.MENTION else self.mode(enclave.name)
        vectors = [None if mode == "lexical" else self._encoding.vector(query, skill) for query in queries]
        return [Searched(search_text(one, skill), row, mode, k) for one, row in zip(queries, vectors, strict=True)]

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
        vector = None if mode == "lexical" else self._encoding.vector(query, skill)
        ranking = held.search(search_text(query, skill), vector, mode, k)
        hits = passage_hits(enclave, held, ranking, skill, k, self._by_place(skill))
        seconds = time.perf_counter() - started
        return Hop(query, skill, enclave.name, decision.reason, hits, seconds, decision.reason, held=len(held))

    def _within(self, query: Query, into: Label | None) -> Iterator[Enclave]:
        """The enclaves in which this query would give a chain of that label."""
        for enclave in self.enclaves.values():
            shown = self.only is None or enclave.name in self.only
            if shown and (into is None or query.label | enclave.label == into):
                yield enclave

    def _by_place(self, skill: Skill) -> bool:
        """Whether hits score by their places: all pages that mentions name are found in one way."""
        return self.own or (skill is not Skill.MENTION and len({self.mode(name) for name in self.enclaves}) > 1)

    def _give_up(self, queries: Sequence[Query], enclave: Enclave, error: RemoteError) -> str:
        """Why an enclave on another machine gave nothing; kept, so that it is left alone for the rest of this ask."""
        reason = str(error.args[0])
        if self._memory:
            self._memory.unreachable.update(((enclave.name, query.label), reason) for query in queries)
        return reason

    def prepare(self, queries: Iterable[Query], skill: Skill, into: Label | None = None) -> None:
        """Encode side by side what `search` would encode one by one for these queries. Sends nothing.

        Does nothing for a door that does not remember, and for queries that no enclave may be asked.
        """
        if self._memory is not None:
            open_to = ((query, self._open_to(query, into)) for query in queries)
            needing = [query for query, near in open_to if any(self.mode(one.name) != "lexical" for one in near)]
            self._encoding.prepare(needing, skill)

    def leads(self, query: Query, into: Label | None = None) -> bool:
        """Whether `search` would ask any enclave, or search among what is held of one. Sends nothing."""
        return any(True for _ in self._open_to(query, into))

    def _open_to(self, query: Query, into: Label | None) -> Iterator[Enclave]:
        """The enclaves that `search` would ask, or search among what is held of them."""
        for enclave in self._within(query, into):
            decision = self.decision(query, enclave)
            asked = decision.allowed and enclave.name in self.indexes
            if asked or self._held(query, Skill.EXPANDED, enclave, decision) is not None:
                yield enclave

    def mentions(self, query: Query) -> tuple[Query, ...]:
        """For each name in the passage read last, or else in the question, the query for it; in order. Sends nothing.

        None when the encoder does not link.
        """
        return tuple(named for named, _ in self.proposed(query))

    def proposed(self, query: Query) -> list[tuple[Query, float]]:
        """What `mentions` gives, each with its score above the encoder's threshold."""
        return self._encoding.proposed(query)

    @property
    def _encoding(self) -> QueryEncoder:
        return QueryEncoder(self.encoder, self._memory)

    def flushing(self) -> AbstractContextManager[None]:
        """As `AuditLog.flushing`, where there is a journal."""
        return self.journal.flushing() if self.journal else nullcontext()

    def write_down(
        self, enclave: Enclave, skill: Skill, asked: Sequence[tuple[Query, Decision, Sent | None]]
    ) -> Sequence[str | None]:
        """Write down what is to be sent before it is, or refusals: gives what the journal's `found` needs to know of
        each. Raises `WorkspaceError` where that cannot be done."""
        ask = self._memory.ask if self._memory else ""
        return self.journal.searches(ask, skill, enclave, asked) if self.journal else [None] * len(asked)
