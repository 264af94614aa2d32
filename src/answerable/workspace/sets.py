"""What a workspace finds sets with: the question with its label, the reading that is gone by, and the finder."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from answerable.corpora.citations import FindDocument
from answerable.corpora.fields import FieldRow, Filter
from answerable.corpora.store import Store
from answerable.engine import Terms
from answerable.errors import IndexMismatch, UsageError
from answerable.privacy.flow import first_query, outgrown, readable
from answerable.retriever import Retriever
from answerable.sets.bounds import plain_bounds
from answerable.sets.by_fields import parted, within
from answerable.sets.evidence import as_asked
from answerable.sets.expression import Expression, atoms, canonical, folded, read_expression
from answerable.sets.find import Finder, Sought
from answerable.sets.finding import Finding
from answerable.sets.members import Found, Member
from answerable.sets.overlap import OverlapJudge
from answerable.sets.parsing.parser import Parser, Reading, takes_away_alone
from answerable.sets.plainly import in_their_year, plain_dates, plain_senders
from answerable.sets.remembered import Memory, RememberingReader
from answerable.text import checked_question
from answerable.types import Passage
from answerable.workspace.models import finders_provenance, judge_of, open_plain_reader
from answerable.workspace.settings import Settings
from answerable.workspace.spreading import judging

MOST_CONSTRAINTS = 20
"""Constraints of one query: each is a search of every enclave."""
_INDEX = "answerable index PATH --enclave NAME"


class SetSearch:
    """Begins finds over one door. `document` looks up what is stored; first passages come from the store.

    Finding is safe from several threads, each with a `Finding` of its own.
    """

    def __init__(self, settings: Settings, retriever: Retriever, store: Store, document: FindDocument) -> None:
        self.settings = settings
        self._store = store
        self._parse = Parser.open().parse
        taught = finders_provenance(settings)
        how = (judge := judge_of(settings), self._openings, document, settings.find, taught)
        work, reader = judging(settings, judge), cache(lambda: RememberingReader(open_plain_reader(settings)[0]))
        self.finder = Finder(retriever, *how, Memory(), settings.work, work, reader, settings.models.threads)

    def begin(
        self,
        query: str | None,
        expression: Expression | str | None,
        terms: Terms,
        limit: int | None = None,
        evidence: bool = True,
        problems: Mapping[str, str] | None = None,
        exhaustive: bool = False,
    ) -> Finding:
        """A find that has not searched yet: of a query as it is read, or of the expression that is given.

        `problems`: why enclaves cannot be searched, by name; the whole set says so where the asker may read them.
        `exhaustive`: look at everything that was gathered.
        Raises `UsageError` for a query, an expression or a limit that cannot be used and for models that were trained
        on text which the asker may not read, `EnclaveError` for an asker with an unknown clearance, and `IndexMismatch`
        where nothing that the asker may read is indexed.
        """
        if limit is not None and limit < 1:
            raise UsageError(f"the limit is {limit}", hint="give at least one member")
        given = read_expression(expression) if isinstance(expression, str) else expression
        if query is None:
            if given is None:
                raise UsageError("the query is empty")
            query = wording(given)
        line = checked_question(query, "query")
        if given is None and takes_away_alone(line):
            raise UsageError("the query only says what is left out", hint=f'say of what, like "documents {line}"')
        privacy = terms.privacy or self.settings.ask.privacy
        table, taught = self.finder.retriever.enclaves, self.finder.taught
        first = taught.asked(first_query(line, terms.asker, privacy, table), table)
        readable_here = [name for name, one in table.items() if readable(terms.asker, one).allowed]
        untold = any(outgrown(first, table[name], privacy, table) for name in readable_here)

        def filed(names: Sequence[str]) -> Iterable[FieldRow]:
            return () if untold else self._filed(names)

        asked = (
            line
            if given
            else in_their_year(plain_senders(plain_dates(plain_bounds(line))), lambda: filed(readable_here))
        )
        readings = [Reading(given, 1.0)] if given else _by_fields(self._parse(asked))
        chosen, among = readings[0].expression, terms.filter
        if not given and not among.enclaves:
            chosen, among = within(chosen, among, readable_here, filed)
        others = tuple((one.expression, one.probability) for one in readings[1:])
        for text in atoms(chosen):
            checked_question(text, "constraint")
        if len(atoms(chosen)) > MOST_CONSTRAINTS:
            what = f"the query has {len(atoms(chosen))} constraints"
            raise UsageError(what, hint=f"ask for at most {MOST_CONSTRAINTS} at once")
        wrong = tuple((problems or {})[name] for name in readable_here if name in (problems or {}))
        if not any(name in self.finder.retriever.indexes for name in readable_here):
            raise IndexMismatch(wrong[0] if wrong else "nothing is indexed yet", hint=_INDEX)
        by_words = self.finder.judge.name == OverlapJudge.name  # which knows no "not"
        whole = "" if given or by_words else as_asked(asked)
        how = (privacy, terms.grants, terms.at, limit, evidence, among, terms.watch, exhaustive, whole)
        sought = Sought(first, chosen, others, *how)
        return Finding(sought, _told(self.finder.find(sought), self.finder.retriever, wrong, among))

    def _filed(self, enclaves: Sequence[str]) -> Iterator[FieldRow]:
        """What filters go by, of all documents that lie here. What is asked next may tell of it, everywhere."""
        for name in enclaves:
            if not self.settings.enclaves[name].remote and name in self.finder.retriever.indexes:
                yield from self._store.fields(name)

    def _openings(self, enclave: str, documents: Sequence[str]) -> dict[str, Passage]:
        """The first passages of documents that lie here."""
        declared = self.settings.enclaves.get(enclave)
        return {} if declared is None or declared.remote else self._store.openings(enclave, documents)


def _by_fields(readings: Iterable[Reading]) -> list[Reading]:
    """The readings with what fields say apart, those that then say the same as one."""
    found: dict[Expression, Reading] = {}
    for one in readings:
        own = parted(one.expression)
        before = found.get(canonical(own), Reading(own, 0.0))
        found[canonical(own)] = replace(before, probability=before.probability + one.probability)
    return [*found.values()]


def wording(expression: Expression) -> str:
    """An expression as a line of plain words, to search with where nobody said it in their own."""
    return folded(expression, str, " and ".join, " or ".join, lambda left, right: f"{left} but not {right}")


def _told(
    stream: Generator[Member, None, Found], door: Retriever, problems: tuple[str, ...], among: Filter
) -> Generator[Member, None, Found]:
    """The same, with what could not be searched and where was looked; all of it is on disk when it ends or is left."""
    with door.flushing():
        found = yield from stream
    unreachable = (*found.unreachable, *problems)
    return replace(found, unreachable=unreachable, enclaves=among.enclaves, folders=among.folders, kinds=among.kinds)
