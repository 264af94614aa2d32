"""BM25 over titles and texts (Robertson and Zaragoza 2009), by tantivy: k1 1.2, b 0.75.

A passage is its heading and its text in one field, cut and stemmed as its language has it (`indexes.terms`). Its score
is its share, 0 to 1, of the most that any passage could have for the query: of the sum over the query's words of
idf (k1 + 1). A word that no passage has counts in that sum too, so that shares of several indexes compare: where nobody
writes of what is asked, all shares are small. Such a word also finds what is spelt nearly so, for half of what a word
counts that stands there once. Statistics are those of all passages of the index. It keeps words and keys only, no text.
"""

from __future__ import annotations

import json
import os
import shutil
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import tantivy

from answerable.corpora.database import disk_full
from answerable.corpora.store import Row
from answerable.errors import AnswerableError, DamagedError, WorkspaceError
from answerable.indexes.index import IdLookup, Progress, Ranking, Statistics, best
from answerable.indexes.postings import K1, SPARE, B, cut, idf, rounded, shares, slips_in, slope_of
from answerable.indexes.terms import Term, asked, tokens
from answerable.languages import ENGLISH, language

_ANALYZER = "passage"
_FIELD = "text"
_LANGUAGES = "languages.json"
_HEAP_BYTES = 512_000_000
"""What the writer may fill before it cuts a segment: few segments make fast searches."""
_STEP = 2000
_COUNT, _LENGTH = "freq, occurrences of term within document", "dl, length of field"
_UNFOUND = ("does not match", "does not exist")
_MEAN = "avgdl, average length of field"
_Hits = list[tuple[float, tantivy.DocAddress]]
"""Scores and where their passages are, best first."""


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder = builder.add_text_field(_FIELD, tokenizer_name=_ANALYZER, index_option="freq")
    return builder.add_unsigned_field("key", fast=True).build()


class _Part(NamedTuple):
    """A word of a query: what finds it by the scores of one index, and the query and the idf of each form of it."""

    query: tantivy.Query
    forms: Sequence[tuple[tantivy.Query, float]]


class _Among:
    """Scores that passages of one index have among more, by the statistics of all of them.

    What is left to put right is the mean length, since the words' own weights are in the query already.
    """

    def __init__(self, searcher: tantivy.Searcher, shared: Statistics, mean: float) -> None:
        """`mean`: the length of passages here."""
        self._searcher, self._slope = searcher, slope_of(shared)
        self._ratio = max(1.0, shared.length / max(1, shared.passages) / max(mean, 1e-9)) * (1 + 1e-5)

    def most(self, score: float) -> float:
        """What a passage of that score here may have among all: where they are longer, up to that much more."""
        return score * self._ratio

    def scored(self, parts: Sequence[_Part], hits: _Hits) -> _Hits:
        """The hits with those scores, best first."""
        scores = ((sum(self._added(part, address) for part in parts), address) for _, address in hits)
        return sorted(scores, key=lambda hit: -hit[0])

    def _added(self, part: _Part, address: tantivy.DocAddress) -> float:
        """What a word adds to a passage."""
        if not part.forms:
            told = _explained_by(self._searcher, part.query, address)
            return told[""] if told else 0.0
        most = 0.0
        for query, weight in part.forms:
            if told := _explained_by(self._searcher, query, address):
                count, length = told[_COUNT], told[_LENGTH]
                most = max(most, weight * (K1 + 1) * count / (count + K1 * (1 - B) + self._slope * length))
        return most


def _explained_by(searcher: tantivy.Searcher, query: tantivy.Query, address: tantivy.DocAddress) -> dict[str, float]:
    """The numbers that a passage's score for one word is made of, by what tantivy calls them, and itself as ""; none
    where the passage does not have it."""
    try:
        whole = json.loads(query.explain(searcher, address).to_json())
    except ValueError as error:
        if any(one in str(error) for one in _UNFOUND):
            return {}
        raise
    told, left = {"": float(whole["value"])}, [whole]
    while left:
        one = left.pop()
        told.setdefault(one["description"], float(one["value"]))
        left += one.get("details", ())
    return told


class Bm25Index:
    """A view of one index folder as it was when opened. Safe to search from several threads."""

    def __init__(self, folder: Path, ids: IdLookup) -> None:
        """Open the index in `folder`; `ids` names passages by key. Raises `DamagedError` when it is damaged."""
        self._folder = folder
        with _sound(folder):
            index = tantivy.Index.open(str(folder if os.access(folder, os.W_OK) else self._linked(folder)))
            self._searcher = index.searcher()
            self.languages = _languages(folder)
        self._schema = index.schema
        self._ids = ids

    def _linked(self, folder: Path) -> str:
        """Links to an index on a read-only disk, as long as this lives: tantivy must have where to write a lock."""
        beside = mkdtemp(prefix="answerable-")
        weakref.finalize(self, shutil.rmtree, beside, ignore_errors=True)
        for file in folder.iterdir():
            if file.suffix != ".lock":
                (Path(beside) / file.name).symlink_to(file.absolute())
        return beside

    def __len__(self) -> int:
        """How many passages it holds."""
        return int(self._searcher.num_docs)

    def search(self, text: str, k: int, shared: Statistics | None = None) -> Ranking:
        """The k best passages by BM25; none when no word of `text` is in any. No character of it is an operator.

        `shared`: as `LexicalIndex.search`. Raises `DamagedError` when the index is damaged.
        """
        known = shared or Statistics(len(self), 0, self.languages, True, {})
        terms = asked(text, known.languages or (ENGLISH,), known.paired)
        with _sound(self._folder):
            own = self._having([form for term in terms for form in term])
            known = shared or replace(known, having=own)
            terms = cut(terms, known.having, known.passages)
            parts = [self._part(term, known, own) for term in terms]
            if not terms or k <= 0 or not len(self):
                hits = []
            elif shared is None:
                hits = self._found(parts, k)
            else:
                hits = self._found(parts, k, _Among(self._searcher, shared, self._mean))
            keys = [int(key or 0) for key in self._searcher.fast_field_values("key", [hit for _, hit in hits])]
        ids = self._ids(keys)
        scored = ((ids[key], score) for (score, _), key in zip(hits, keys, strict=True) if key in ids)
        return best(shares(scored, terms, known), k)

    def _found(self, parts: Sequence[_Part], k: int, among: _Among | None = None) -> _Hits:
        """Hits, k or more where there are, by the scores of this index, or by those they have among others."""
        size = len(self)
        query = tantivy.Query.boolean_query([(tantivy.Occur.Should, part.query) for part in parts])
        limit = min(k + SPARE, size)
        while True:
            hits: _Hits = self._searcher.search(query, limit=limit, count=False).hits
            last = hits[-1][0] if hits else 0.0
            if among:
                hits, last = among.scored(parts, hits), among.most(last)
            # Every hit as good as the k-th must be seen before ids can decide between them.
            if len(hits) < limit or limit == size or rounded(last) < rounded(hits[k - 1][0]):
                return hits
            limit = min(4 * limit, size)

    def _having(self, words: Sequence[str]) -> dict[str, int]:
        """In how many passages each of these words stands."""
        return {word: self._searcher.doc_freq(_FIELD, word) for word in words}

    def _part(self, term: Term, known: Statistics, own: Mapping[str, int]) -> _Part:
        """A word of a query, by the best of its forms; where no passage has any, what is spelt nearly so."""
        there = [form for form in term if known.having.get(form)]
        if there or not (slips := slips_in(term[0])):
            forms = []
            for form in there or term[:1]:
                weight, had = idf(known.having.get(form, 0), known.passages), idf(own.get(form, 0), len(self))
                made = tantivy.Query.term_query(self._schema, _FIELD, form, "freq")
                forms.append((made if weight == had else tantivy.Query.boost_query(made, weight / had), made, weight))
            every = [one for one, _, _ in forms]
            query = every[0] if len(every) == 1 else tantivy.Query.disjunction_max_query(every)
            return _Part(query, [(made, weight) for _, made, weight in forms])
        near = tantivy.Query.fuzzy_term_query(self._schema, _FIELD, term[0], slips, transposition_cost_one=True)
        return _Part(tantivy.Query.boost_query(near, idf(0, known.passages) / 2), [])

    def statistics(self, words: Sequence[str]) -> Statistics:
        """As `LexicalIndex.statistics`."""
        with _sound(self._folder):
            having = {word: count for word, count in self._having(words).items() if count}
            length, size = round(self._mean * len(self)), len(self)
        return Statistics(size, length, self.languages, True, having)

    @cached_property
    def _mean(self) -> float:
        """The mean length of its passages, in words: tantivy tells it of any word that it explains."""
        word = next((word for word, _ in self._searcher.terms_with_prefix(_FIELD, "", limit=1)), None)
        if word is None:
            return 0.0
        query = tantivy.Query.term_query(self._schema, _FIELD, word, "freq")
        (_, address), *_ = self._searcher.search(query, limit=1, count=False).hits
        told = _explained_by(self._searcher, query, address)
        return told[_MEAN] if told else 0.0

    def rarity(self, word: str) -> float:
        """The idf of a word as it is indexed."""
        with _sound(self._folder):
            return idf(self._searcher.doc_freq(_FIELD, word), len(self))


def build_bm25(rows: Iterable[Row], folder: Path, progress: Progress, total: int) -> None:
    """Fill an empty folder with an index of `rows`. Equal rows in equal order give equal scores to the last bit."""
    with _explained(folder):
        _add(tantivy.Index(_schema(), path=str(folder)), rows, progress, total, folder)


def extend_bm25(base: Path, rows: Iterable[Row], folder: Path, progress: Progress, total: int) -> None:
    """Fill an empty folder with the index in `base` and `rows`; `base` stays as it is.

    Scores equal those of an index built at once, up to the order in which floats are summed.
    """
    with _explained(folder):
        for path in sorted(base.iterdir()):
            # Segments never change, and meta.json is replaced by renaming, so that links to them are copies.
            if path.suffix not in (".json", ".lock") or path.name in ("meta.json", ".managed.json"):
                _link(path, folder / path.name)
        _add(tantivy.Index.open(str(folder)), rows, progress, total, folder, _languages(base))


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without links
        shutil.copy2(source, target)


def _languages(folder: Path) -> tuple[str, ...]:
    """The languages of an index's passages, in order. Raises `ValueError` where nothing tells them."""
    try:
        return tuple(map(str, json.loads((folder / _LANGUAGES).read_text("utf-8"))))
    except OSError as error:
        raise ValueError("no languages") from error


def _add(
    index: tantivy.Index, rows: Iterable[Row], progress: Progress, total: int, folder: Path, held: Iterable[str] = ()
) -> None:
    index.register_tokenizer(_ANALYZER, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    languages = {ENGLISH, *held}
    writer = index.writer(
        heap_size=_HEAP_BYTES, num_threads=1
    )  # one thread: which segment a passage is in is no accident
    done = 0
    for done, row in enumerate(rows, start=1):
        document = tantivy.Document()
        languages.add(own := language(row.text))
        for part in (row.heading, row.text):
            document.add_text(_FIELD, " ".join(tokens(part, own)))
        document.add_unsigned("key", row.key)
        writer.add_document(document)
        if done % _STEP == 0:
            progress("lexical", done, total)
    writer.commit()
    writer.wait_merging_threads()
    (folder / _LANGUAGES).write_text(json.dumps(sorted(languages)), "utf-8")
    progress("lexical", done, total)


@contextmanager
def _sound(folder: Path) -> Iterator[None]:
    """What tantivy does with a damaged index: it raises ValueError, or panics."""
    try:
        with _without_panics():
            yield
    except ValueError as error:
        raise DamagedError(
            f"the index {folder} is damaged", hint="run 'answerable index' for this enclave to build it again"
        ) from error


@contextmanager
def _without_panics() -> Iterator[None]:
    """A panic of tantivy as a ValueError: it has a class that is no Exception and that nothing exports."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ValueError("tantivy panicked") from None


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Tantivy raises ValueError for everything; its text says what the system said."""
    try:
        with _without_panics():
            yield
    except ValueError as error:
        if isinstance(error, AnswerableError):
            raise
        if "No space left" in str(error) or "StorageFull" in str(error):
            raise disk_full(folder) from error
        raise WorkspaceError(
            f"the index {folder} cannot be written", hint="check the disk and run the command again"
        ) from error
