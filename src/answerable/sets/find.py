"""One find: gather what may belong, judge each document on each constraint, decide which to give, show why.

Documents of one label are cut, judged and decided on by themselves, so that nothing said of a public document depends
on private text: neither whether it is a member nor its probability nor its evidence.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

import numpy as np

from answerable.corpora.citations import FindDocument
from answerable.corpora.fields import UNFILTERED, Filter, day_known, fields_of, said_by
from answerable.privacy.grants import Grant
from answerable.privacy.provenance import PUBLIC_TRAINING, TrainingProvenance
from answerable.readers.reader import Reader
from answerable.retriever import Retriever, Watch
from answerable.selective.decide import unasked
from answerable.sets.against import BEYOND, Against, as_read, called, read_against, shown
from answerable.sets.algebra import belonging, given_the_rest, placed, together, where_known
from answerable.sets.bounds import judged_within, unbounded, within_bounds
from answerable.sets.by_fields import filters, settled
from answerable.sets.candidates import Gathered, Prospect, gather
from answerable.sets.dated import by_dates, dates
from answerable.sets.evidence import completeness, judged_as, supports, unread, with_fields
from answerable.sets.expression import Expression, asked_for, signed
from answerable.sets.find_settings import FindSettings
from answerable.sets.judge import Floats, Judge
from answerable.sets.members import UNSAID, Found, Member, Support
from answerable.sets.mentions import mentioned
from answerable.sets.remembered import Memory, Texts, asked
from answerable.sets.rows import with_rows
from answerable.sets.threshold import CERTAIN, best_count, count_interval
from answerable.sets.times import other_years
from answerable.types import Document, Hop, Label, Passage, Privacy, Query
from answerable.work.spread import ALONE, Task, WorkSettings, workers

BATCH = 25
"""Documents that are judged before those of them that belong for certain are given, or looking can end: never before
twice as many."""
ELSEWHEN = 0.2
"""What is left of the probability of a constraint that names a year where the document names others alone."""
_ENOUGH = 500
"""Members known for certain beside which more of them change nothing of what else is given."""
Openings = Callable[[str, Sequence[str]], Mapping[str, Passage]]
"""The first passages of documents of an enclave, by the documents' ids; none of an enclave on another machine."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for, on which terms: `expression` is the reading of the query that is gone by.

    `alternatives`: other readings, likeliest first, each with its probability (0 to 1). `limit`: members given, at most
    (None: all). `evidence`: also look for the sentences that show why. `watch`: who is told of hops, and may end it.
    `exhaustive`: look at everything that was gathered, however little it brings. `whole`: the query as one constraint,
    which is judged too where the expression has several; '': the expression alone counts.
    """

    query: Query
    expression: Expression
    alternatives: tuple[tuple[Expression, float], ...] = ()
    privacy: Privacy = Privacy.DOCUMENT
    grants: tuple[Grant, ...] = ()
    at: datetime | None = None
    limit: int | None = None
    evidence: bool = True
    filter: Filter = UNFILTERED
    watch: Watch | None = None
    exhaustive: bool = False
    whole: str = ""


@dataclass(frozen=True, slots=True)
class _Judged:
    """A prospect with its passages that were judged, the probability of each constraint, and of belonging."""

    prospect: Prospect
    passages: tuple[Passage, ...]
    fits: Mapping[str, float]
    probability: float
    otherwise: float
    """That it would belong if nothing were taken away."""
    against: Against = field(default_factory=dict)

    @property
    def of_text(self) -> dict[str, float]:
        """The probabilities that were judged by text."""
        return {text: fit for text, fit in self.fits.items() if text not in self.prospect.by_fields}


@dataclass(slots=True)
class _Kept:
    members: list[Member]
    left_out: list[Member]
    hops: list[Hop]
    probabilities: list[float]
    count: int = 0
    possible: int = 0


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds whole sets over the retriever's enclaves. `openings` and `document` look up what is stored.

    `taught`: whose private text the encoder and the judge were trained on. `work`: where a find judges that looks at
    all there is, by the judge that `elsewhere`, which is picklable, opens there; None: here. `reader`: opens what reads
    for what is taken away, and for dates on so many `threads` (0: all processors); None: nothing does.
    """

    retriever: Retriever
    judge: Judge
    openings: Openings
    document: FindDocument
    settings: FindSettings = FindSettings()
    taught: TrainingProvenance = PUBLIC_TRAINING
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)
    work: WorkSettings = ALONE
    elsewhere: Callable[[], Judge] | None = None
    reader: Callable[[], Reader] | None = None
    threads: int = 0

    def find(self, sought: Sought) -> Generator[Member, None, Found]:
        """Members as soon as they are certain, those of the least private label first, and at the end all of it.

        A document as likely as not to belong is certain to be in the best set whatever else is found, and comes with
        the batch it is judged in; less likely ones follow when all of their label are judged. Under a `limit` the best
        are known only at the end. Raises as `Retriever.search`.
        """
        started, kept = time.perf_counter(), _Kept([], [], [], [])
        best: list[Member] = []
        door = self.retriever.under(sought.privacy, sought.grants, sought.at, sought.filter, sought.watch)
        for found in gather(sought.query, sought.expression, door, self.settings):
            gathered = with_rows(found, sought.expression, self.document, self.settings.left_out)
            kept.hops += gathered.hops
            kept.possible += len(gathered.prospects) + len(gathered.settled)
            judged = [_settled(sought.expression, one) for one in gathered.settled]
            if sought.limit is None:
                yield from self._given(sought, kept, [one for one in judged if 0.0 < one.probability >= self._certain])
            most = None if sought.exhaustive else self.settings.candidates
            with closing(self._judging(sought, gathered, most)) as batches:
                for batch in batches:
                    judged += batch
                    if sought.limit is None:
                        yield from self._given(sought, kept, [one for one in batch if one.probability >= self._certain])
                    if not sought.exhaustive and self._enough(batch, judged[len(gathered.settled) :]):
                        break
            chosen = self._chosen(judged)
            kept.probabilities += [one.probability for one in judged]
            kept.count += len(chosen)
            if sought.limit is None:
                rest = [one for one in chosen if one.probability < self._certain]
                yield from self._given(sought, kept, rest)
            else:  # of each label as many as could be shown, so that their evidence depends on that label alone
                best += self._members(sought, chosen[: sought.limit])
            kept.left_out += self._members(sought, self._left_out(judged, chosen)) if sought.evidence else ()
        for member in _best_first(best)[: sought.limit]:
            kept.members.append(member)
            yield member
        return self._found(sought, kept, time.perf_counter() - started)

    @property
    def _certain(self) -> float:
        return CERTAIN if self.settings.threshold is None else self.settings.threshold

    def _enough(self, batch: Sequence[_Judged], judged: Sequence[_Judged]) -> bool:
        """Whether the last batch brought so few of the members expected that the next is not worth judging.

        Of what could be shown: many that are unlikely alike would let it go on to the end.
        """
        least = self.settings.least
        last, whole = (sum(one.probability for one in some if one.probability >= least) for some in (batch, judged))
        return len(judged) > BATCH and last <= self.settings.gain * whole

    def _said(
        self, sought: Sought, labels: Iterable[Label], constraints: Sequence[str], texts: Sequence[tuple[str, str]]
    ) -> Floats:
        """What the judge says, or said before of text of these labels when what is as private was asked."""
        among = sought.privacy, sought.query.label, frozenset(labels)
        return judged_within(lambda said, of: self.memory.judge(self.judge, said, of, among), constraints, texts)

    def _all_said(
        self, sought: Sought, constraints: Sequence[str], batches: Iterable[tuple[Sequence[Prospect], Texts]]
    ) -> Iterator[Floats]:
        """The same of batches of documents, which several may judge at once where all is looked at."""

        def tasks() -> Iterator[Task[tuple[Texts, Hashable]]]:
            for number, (batch, texts) in enumerate(batches, start=1):
                labels = frozenset(one.label for one in batch)
                label = self.taught.reader.union(sought.query.label, *labels)
                given = texts, (sought.privacy, sought.query.label, labels)
                yield Task(f"batch {number} of the documents to judge", label, given)

        with workers(self.work if sought.exhaustive and self.elsewhere else ALONE) as those:
            there = None if those.here else self.elsewhere
            mapped = partial(those.map, partial(_asking, there or (lambda: self.judge)))
            yield from self.memory.judge_all(self.judge.name, mapped, constraints, tasks())

    def _judging(self, sought: Sought, gathered: Gathered, most: int | None) -> Generator[list[_Judged], None, None]:
        """The prospects judged, `most` of them, a batch at a time.

        What is as likely as not to fit what is taken away, given that it fits the rest, counts as if it did for
        certain, and so does what says in its first words that it does, or where it is read for: it is no member. What
        the fields of all of them answer is not judged.
        """
        expression, prospects = sought.expression, gathered.prospects[:most]
        said = judged_as(expression)
        asked = {text: words for text, words in said.items() if any(text not in one.by_fields for one in prospects)}
        words = [*asked.values(), *([sought.whole] if sought.whole and len(asked) > 1 else ())]
        taken = {text for text, negated in signed(expression) if negated}
        plain = asked_for(expression)
        begun = deque[tuple[Sequence[Prospect], list[tuple[Passage, ...]]]]()

        def batches() -> Iterator[tuple[Sequence[Prospect], Texts]]:
            for start in range(0, len(prospects), BATCH):
                batch = prospects[start : start + BATCH]
                begun.append((batch, self._passages(batch)))
                yield batch, [(passage.heading, passage.text) for own in begun[-1][1] for passage in own]

        start = 0
        for said_of in self._all_said(sought, [unbounded(one) or one for one in words], batches()):
            batch, passages = begun.popleft()
            texts = [(passage.heading, passage.text) for own in passages for passage in own]
            shares = within_bounds(words, said_of, texts)
            ends = np.cumsum([len(own) for own in passages])[:-1]
            best = np.stack([rows.max(axis=0) for rows in np.split(shares, ends)]).astype(np.float64)
            read = ["\n".join(f"{one.heading}\n{one.text}" for one in own) for own in passages]
            best *= [[ELSEWHEN if other_years(one, text) else 1.0 for one in words] for text in read]
            known = {text: np.array([one.by_fields.get(text, np.nan) for one in batch], np.float64) for text in said}
            found = {text: where_known(known[text], best[:, column]) for column, text in enumerate(asked)}
            fits = given_the_rest(expression, known | found)
            first = [(own[0].heading, own[0].text) for own in passages]
            fits |= {text: np.where(called(text, first), 1.0, fits[text]) for text in taken}
            could = np.flatnonzero(belonging(plain, fits) >= self.settings.least).tolist()
            fits |= by_dates(self.reader, dates(asked), fits, {at: passages[at] for at in could}, self.threads)
            fits = {text: where_known(known[text], one) for text, one in fits.items()}
            sure = {text: np.where(one >= CERTAIN, 1.0, one) if text in taken else one for text, one in fits.items()}
            belongs, weight = belonging(expression, sure), self.settings.whole_weight
            belongs = together(belongs, best[:, -1], weight) if len(words) > len(asked) else belongs
            belongs = placed(belongs, start, self.settings.place)
            otherwise = placed(belonging(plain, fits), start, self.settings.place)
            each = [{text: float(fits[text][at]) for text in said} for at in range(len(batch))]
            made = [*map(_Judged, batch, passages, each, belongs.tolist(), otherwise.tolist())]
            yield [self._read(expression, said, one, gathered) for one in made] if taken else made
            start += BATCH

    def _read(self, expression: Expression, said: Mapping[str, str], one: _Judged, gathered: Gathered) -> _Judged:
        """A document that could be given: none where it says what is taken away, surely one where it denies that."""
        taken = {text for text, negated in signed(expression) if negated}
        if one.otherwise < self.settings.least or any(one.fits[text] >= BEYOND for text in taken):
            return one
        has = mentioned(expression, one.passages[0], self.document)
        more = gathered.against.get(_place(one)[:2], {})
        known = {*has, *one.prospect.by_fields, *dates(said)}
        told = read_against(self.reader(), expression, said, one.passages, more, known) if self.reader else {}
        fits = {**as_read(one.fits, told), **dict.fromkeys(has, 1.0)}
        sure = {text: np.array([1.0 if text in taken and fit >= CERTAIN else fit]) for text, fit in fits.items()}
        belongs = min(one.otherwise if told else one.probability, float(belonging(expression, sure)[0]))
        read = replace(one, passages=(*one.passages, *has.values()), fits=fits, probability=belongs, against=told)
        return read if told or has else one

    def _passages(self, prospects: Sequence[Prospect]) -> list[tuple[Passage, ...]]:
        """By which passages each document is judged: its first, if it is here, and the best of those found."""
        ids: dict[str, list[str]] = {}
        for one in prospects:
            ids.setdefault(one.enclave, []).append(one.document)
        first = {name: self.openings(name, documents) for name, documents in ids.items()}
        chosen = []
        for one in prospects:
            opening = first[one.enclave].get(one.document)
            own = {passage.id: passage for passage in (*filter(None, [opening]), *one.passages)}
            chosen.append(tuple(own.values())[: self.settings.passages])
        return chosen

    def _chosen(self, judged: Iterable[_Judged]) -> list[_Judged]:
        """The members of one label, best first. Beside rows that fit, no document is one that more likely does not."""
        every = sorted(judged, key=_rank)
        if self.settings.threshold is not None:
            return [one for one in every if one.probability >= self.settings.threshold]
        rows = [one for one in every if one.prospect.row and one.probability >= CERTAIN]
        ordered = [one for one in every if not one.prospect.row]
        shares = np.array([one.probability for one in ordered])
        known = max(0, int((shares == 1.0).sum()) - _ENOUGH)
        best = 0 if any(one.probability > CERTAIN for one in rows) else known + best_count(shares[known:])
        most = max(best, int((shares >= CERTAIN).sum()))  # given, whatever rounding says
        likely = (one for one in ordered[:most] if one.probability >= self.settings.least and one.probability)
        return sorted([*rows, *likely], key=_rank)

    def _left_out(self, judged: Iterable[_Judged], chosen: Sequence[_Judged]) -> list[_Judged]:
        """Documents that fit but for what is taken away, the likeliest first."""
        given = {_place(one) for one in chosen}
        fitting = [one for one in judged if one.otherwise >= CERTAIN > one.probability and _place(one) not in given]
        return sorted(fitting, key=lambda one: (-one.otherwise, *_rank(one)[1:]))[: self.settings.left_out]

    def _given(self, sought: Sought, kept: _Kept, chosen: Sequence[_Judged]) -> Iterator[Member]:
        for member in self._members(sought, sorted(chosen, key=_rank)):
            kept.members.append(member)
            yield member

    def _members(self, sought: Sought, judged: Sequence[_Judged]) -> list[Member]:
        """Documents with what speaks for them; the judge reads the sentences of each label together."""
        stored: dict[tuple[str, str], Document | None] = {}

        def document(passage: Passage) -> Document | None:
            key = passage.enclave, passage.id
            if key not in stored:
                stored[key] = self.document(passage)
            return stored[key]

        wanted = filters(sought.expression)
        made: dict[tuple[str, str, int], Member] = {}
        labels = sorted({one.prospect.label for one in judged}, key=lambda label: (len(label), sorted(label)))
        for label in labels:
            of_label = [one for one in judged if one.prospect.label == label]
            read = [(one.passages, one.of_text) for one in of_label]
            told = (
                supports(sought.expression, read, partial(self._said, sought, {label}), document, self.settings)
                if sought.evidence
                else [unread(sought.expression, fits) for _, fits in read]
            )
            for one, own in zip(of_label, told, strict=True):
                found = document(one.passages[0])
                row, known = one.prospect.row, one.prospect.by_fields
                said = {text: said_by(found, wanted[text]) for text in known} if found and not row else {}
                own = with_fields(sought.expression, own, known, said)
                if row and sought.evidence:
                    own = row.supports(sought.expression, known)
                if one.against and self.reader is not None:
                    own = shown(self.reader(), sought.expression, own, one.against, document)
                made[_place(one)] = self._member(sought, one, own, found)
        return [made[_place(one)] for one in judged]

    def _member(self, sought: Sought, one: _Judged, told: tuple[Support, ...], document: Document | None) -> Member:
        return Member(
            document=one.prospect.document,
            title=one.passages[0].title,
            enclave=one.prospect.enclave,
            source=document.source if document else "",
            label=sought.query.label | one.prospect.label | self.taught.reader,
            probability=one.probability,
            supports=told,
            evidence=completeness(sought.expression, told),
            kind=document.kind if document else "",
            fields=fields_of(document) if document else None,
            row=one.prospect.row.citation if one.prospect.row else None,
        )

    def _found(self, sought: Sought, kept: _Kept, seconds: float) -> Found:
        enclaves = self.retriever.enclaves
        failed = (enclaves[hop.enclave].label for hop in kept.hops if hop.unreachable or hop.missing)
        label: Label = sought.query.label.union(
            self.taught.reader, *(hit.label for hop in kept.hops for hit in hop.hits), *failed
        )
        shares = np.array(kept.probabilities)
        return Found(
            query=sought.query.text,
            expression=sought.expression,
            alternatives=sought.alternatives,
            members=tuple(_best_first(kept.members)),
            left_out=tuple(kept.left_out),
            count=kept.count,
            expected=float(shares.sum()),
            interval=count_interval(shares),
            considered=len(shares),
            possible=kept.possible,
            label=label,
            hops=tuple(kept.hops),
            seconds=seconds,
            unreachable=unasked(kept.hops),
        )


def _asking(opener: Callable[[], Judge]) -> Callable[[tuple[Sequence[str], Texts]], Floats]:
    return asked(opener())


def _settled(expression: Expression, one: Prospect) -> _Judged:
    """A document of which its fields say all, or a row; it belongs but for what is taken away."""
    fits, belongs = {text: float(fit) for text, fit in one.by_fields.items()}, settled(expression, one.by_fields)
    return _Judged(one, one.passages, fits, UNSAID if belongs is None else float(belongs), 1.0)


def _best_first(members: Iterable[Member]) -> list[Member]:
    """The likeliest first, of equal ones those of the newest day, and then as they were found."""
    return sorted(members, key=lambda one: (one.probability, day_known(one.fields)), reverse=True)


def _place(one: _Judged) -> tuple[str, str, int]:
    return one.prospect.enclave, one.prospect.document, one.prospect.row.number if one.prospect.row else -1


def _rank(one: _Judged) -> tuple[float, float, str, str, int]:
    return (-one.probability, -one.prospect.score, *_place(one))
