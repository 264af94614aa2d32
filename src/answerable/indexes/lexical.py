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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import tantivy

from answerable.corpora.database import disk_full
from answerable.corpora.store import Row
from answerable.errors import AnswerableError, DamagedError, WorkspaceError
from answerable.indexes.index import IdLookup, Progress, Ranking, best
from answerable.indexes.postings import K1, SPARE, cut, idf, rounded, slips_in, worth
from answerable.indexes.terms import Term, asked, tokens
from answerable.languages import ENGLISH, language

_ANALYZER = "passage"
_FIELD = "text"
_LANGUAGES = "languages.json"
_HEAP_BYTES = 512_000_000
"""What the writer may fill before it cuts a segment: few segments make fast searches."""
_STEP = 2000


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder = builder.add_text_field(_FIELD, tokenizer_name=_ANALYZER, index_option="freq")
    return builder.add_unsigned_field("key", fast=True).build()


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

    def search(self, text: str, k: int) -> Ranking:
        """The k best passages by BM25; none when no word of `text` is in any. No character of it is an operator.

        Raises `DamagedError` when the index is damaged.
        """
        with _sound(self._folder):
            terms = self._terms(text)
            hits, keys = self._found(terms, k)
            most = sum((K1 + 1) * worth(term, self._having([term]), len(self)) for term in terms)
        ids = self._ids(keys)
        shares = ((ids[key], rounded(score / most)) for (score, _), key in zip(hits, keys, strict=True) if key in ids)
        return best([*shares], k)

    def _found(self, terms: Sequence[Term], k: int) -> tuple[list[tuple[float, tantivy.DocAddress]], list[int]]:
        """Hits, k or more where there are, and the key of each."""
        size = len(self)
        if not terms or k <= 0 or not size:
            return [], []
        query = tantivy.Query.boolean_query([(tantivy.Occur.Should, self._part(term)) for term in terms])
        limit = min(k + SPARE, size)
        while True:
            hits = self._searcher.search(query, limit=limit, count=False).hits
            # Every hit as good as the k-th must be seen before ids can decide between them.
            if len(hits) < limit or limit == size or rounded(hits[-1][0]) < rounded(hits[k - 1][0]):
                break
            limit = min(4 * limit, size)
        keys = self._searcher.fast_field_values("key", [address for _, address in hits])
        return hits, [int(key or 0) for key in keys]

    def _terms(self, text: str) -> list[Term]:
        """The words of a query, each once; of many, those that can add most to a score, in the order they came."""
        terms = asked(text, self.languages or (ENGLISH,), self.languages is not None)
        return cut(terms, self._having(terms), len(self))

    def _having(self, terms: Sequence[Term]) -> dict[str, int]:
        """In how many passages each form of these words stands."""
        return {form: self._searcher.doc_freq(_FIELD, form) for term in terms for form in term}

    def _part(self, forms: Term) -> tantivy.Query:
        """A word of a query, by the best of its forms; where no passage has any, what is spelt nearly so."""
        term, there = forms[0], [form for form, count in self._having([forms]).items() if count]
        if there or not (slips := slips_in(term)):
            made = [tantivy.Query.term_query(self._schema, _FIELD, one, "freq") for one in there or forms[:1]]
            return made[0] if len(made) == 1 else tantivy.Query.disjunction_max_query(made)
        near = tantivy.Query.fuzzy_term_query(self._schema, _FIELD, term, slips, transposition_cost_one=True)
        return tantivy.Query.boost_query(near, idf(0, len(self)) / 2)

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
        _add(tantivy.Index.open(str(folder)), rows, progress, total, folder, _languages(base) or ())


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without links
        shutil.copy2(source, target)


def _languages(folder: Path) -> tuple[str, ...] | None:
    """The languages of an index's passages, in order; None for one that was made before they were told apart."""
    path = folder / _LANGUAGES
    return tuple(map(str, json.loads(path.read_text("utf-8")))) if path.is_file() else None


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
