"""The words and vectors of an enclave in PostgreSQL, as `indexes.enclave` searches them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import blake2b

from pgvector import HalfVector
from psycopg import sql

from answerable.corpora.store import Store
from answerable.corpora.transaction import entity_side
from answerable.encoders.encoder import Encoder, Vectors
from answerable.errors import IndexMismatch
from answerable.indexes.index import OpenVectors, Ranking, best
from answerable.indexes.lexical import MAX_TERMS, MISSPELT, SPARE, rounded
from answerable.indexes.postgres.database import Connection
from answerable.indexes.postgres.store import EnclaveStore, PostgresStore
from answerable.indexes.terms import analyzer
from answerable.indexes.vectors import CANDIDATES, checked, score_rows

_K1, _B = 1.2, 0.75
_LINKS, _BREADTH_BUILDING = 16, 100
_WORD = (
    "SELECT o.key, w.weight * o.count / (o.count + %(base)s + %(slope)s * o.length) AS score "
    "FROM unnest(%(words)s::bigint[], %(weights)s::float8[]) AS w (word, weight) JOIN postings o ON o.word = w.word"
)
_NEAR = (
    "SELECT o.key, max(w.weight) FROM unnest(%(near)s::bigint[], %(slips)s::int[], %(halves)s::float8[]) "
    "AS w (word, slip, weight) JOIN postings o ON o.word = w.word GROUP BY o.key, w.slip"
)

_BY_GRAPH = (
    "SELECT p.id, v.vector FROM (SELECT key, vector FROM vectors WHERE encoder = {name} "
    "ORDER BY (vector::halfvec({dimension})) <#> %b::halfvec({dimension}) LIMIT %s) v JOIN passages p ON p.key = v.key"
)
_EVERY = (
    "SELECT p.id, v.vector FROM vectors v JOIN passages p ON p.key = v.key WHERE v.encoder = {name} "
    "ORDER BY v.vector <#> %b::halfvec({dimension}), p.id LIMIT %s"
)


class PostgresWords:
    """BM25 over postings in SQL, by the words, the statistics and the scores of `indexes.lexical`. Nothing is held:
    a search sees what is stored now."""

    def __init__(self, store: EnclaveStore) -> None:
        self._store = store
        self._every, self._content = analyzer(stop=False).analyze, analyzer(stop=True).analyze

    def search(self, text: str, k: int) -> Ranking:
        """The k best passages by BM25; none when no word of `text` is in any."""
        terms = [*dict.fromkeys(self._content(text) or self._every(text))]
        if not terms or k <= 0:
            return []
        with self._store.connection() as connection:
            known, length, passages = _statistics(connection, terms)
            if not passages:
                return []
            idf = {term: _idf(known[term][1] if term in known else 0, passages) for term in terms}
            if len(terms) > MAX_TERMS:
                kept = {term for term, _ in best([(term, idf[term]) for term in known], MAX_TERMS)}
                terms = [term for term in terms if term in kept]
            near = [(key, n, idf[t] / 2) for n, t in enumerate(terms) if t not in known for key in _near(connection, t)]
            found = [term for term in terms if term in known]
            given = {
                "words": [known[term][0] for term in found],
                "weights": [(_K1 + 1) * idf[term] for term in found],
                **dict(zip(("near", "slips", "halves"), map(list, zip(*near, strict=True)), strict=False)),
                "base": _K1 * (1 - _B),
                "slope": _K1 * _B * passages / max(1, length),
            }
            rows = _best(connection, " UNION ALL ".join([_WORD, *([_NEAR] if near else [])]), given, k, passages)
        most = sum((_K1 + 1) * idf[term] for term in terms)
        return best([(id, rounded(score / most)) for id, score in rows], k)

    def rarity(self, word: str) -> float:
        """The idf of a word as it is indexed."""
        with self._store.connection() as connection:
            known, _, passages = _statistics(connection, [word])
        return _idf(known[word][1] if word in known else 0, passages)


class PostgresVectors:
    """The vectors that are kept under one name: all compared, or by a graph (HNSW) once there is one."""

    def __init__(self, store: EnclaveStore, made_by: str, dimension: int) -> None:
        self._store, self._dimension = store, dimension
        how = {"name": sql.Literal(made_by), "dimension": sql.Literal(dimension)}
        self._sql = sql.SQL(_BY_GRAPH if graph_of(store, made_by) else _EVERY).format(**how)

    def search(self, vector: Vectors, k: int) -> Ranking:
        """About the k best passages for a (d,) unit vector, with exact scores."""
        vector = checked(vector, self._dimension)
        if k <= 0:
            return []
        with self._store.connection() as connection:
            rows = connection.execute(self._sql, [HalfVector(vector), CANDIDATES * k], binary=True).fetchall()
        halves = [half.to_numpy() for _, half in rows]
        scores = score_rows(halves, vector)
        return best([(id, score) for (id, _), score in zip(rows, scores, strict=True)], k)


def live_parts(store: Store, enclave: str, encoder: Encoder) -> tuple[PostgresWords, OpenVectors, OpenVectors]:
    """What an enclave is searched by: words, vectors and pages. Raises `IndexMismatch` for one that is not there."""
    held = store.of(enclave) if isinstance(store, PostgresStore) else None
    if not isinstance(held, EnclaveStore):
        raise IndexMismatch(f"nothing is indexed in enclave {enclave!r}", hint="run 'answerable index' for it")
    names = (encoder.name, entity_side(encoder.name))
    vectors, pages = (partial(PostgresVectors, held, name, encoder.dimension) for name in names)
    return PostgresWords(held), vectors, pages


def make_graph(store: EnclaveStore, made_by: str, dimension: int) -> None:
    """Have PostgreSQL make a graph of vectors, and keep it up; reading and writing go on meanwhile."""
    name = sql.Identifier(_graph_name(made_by))
    with store.connection() as connection:
        connection.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(name))  # one whose making was stopped
        made = (
            "CREATE INDEX CONCURRENTLY {} ON vectors USING hnsw ((vector::halfvec({})) halfvec_ip_ops) "
            "WITH (m = {}, ef_construction = {}) WHERE encoder = {}"
        )
        values = map(sql.Literal, (dimension, _LINKS, _BREADTH_BUILDING, made_by))
        connection.execute(sql.SQL(made).format(name, *values))


def graph_of(store: EnclaveStore, made_by: str) -> bool:
    """Whether there is a graph of the vectors under this name."""
    found = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"
    with store.connection() as connection:
        return connection.execute(found, [_graph_name(made_by)]).fetchone() == (True,)


def _graph_name(made_by: str) -> str:
    return f"graph_{blake2b(made_by.encode(), digest_size=8).hexdigest()}"


def _statistics(connection: Connection, terms: Sequence[str]) -> tuple[dict[str, tuple[int, int]], int, int]:
    """(key, passages) of each of these words that stands in any, then the words of all passages, and the passages."""
    rows = connection.execute(
        "SELECT word, key, passages FROM words WHERE word = ANY(%s::text[]) UNION ALL "
        "SELECT '', (SELECT words FROM word_totals), (SELECT COALESCE(sum(passages), 0)::bigint FROM enclaves)",
        [list(terms)],
    ).fetchall()
    known = {word: (key, passages) for word, key, passages in rows}
    length, passages = known.pop("")
    return known, length, passages


def _idf(having: int, passages: int) -> float:
    return math.log1p((passages - having + 0.5) / (having + 0.5))


def _near(connection: Connection, term: str) -> list[int]:
    """Words that are spelt nearly so, where that makes sense, by key."""
    if len(term) < MISSPELT or not term.isalpha():
        return []
    slips = 1 + (len(term) >= 2 * MISSPELT)
    sql = (  # two letters that changed places are two slips to the database, and one here
        "SELECT word, key FROM words WHERE length(word) BETWEEN %(length)s - %(slips)s AND %(length)s + %(slips)s "
        "AND levenshtein_less_equal(word, %(term)s, 2 * %(slips)s) <= 2 * %(slips)s"
    )
    rows = connection.execute(sql, {"length": len(term), "slips": slips, "term": term}).fetchall()
    return [key for word, key in rows if _distance(word, term) <= slips]


def _distance(one: str, other: str) -> int:
    """Letters to put in, leave out, change, or swap with the next (Damerau 1964, none of them twice)."""
    before, last = list[int](), list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        row = [i]
        for j, b in enumerate(other, start=1):
            least = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and (a, one[i - 2]) == (other[j - 2], b):
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before, last = last, row
    return last[-1]


def _best(connection: Connection, parts: str, given: Mapping[str, object], k: int, passages: int) -> Ranking:
    """Ids and scores, at least of the k best: of those that are as good as the k-th, ids are to decide."""
    statement = (
        f"SELECT p.id, s.score FROM (SELECT key, sum(score) AS score FROM ({parts}) each (key, score) GROUP BY key "
        "ORDER BY 2 DESC LIMIT %(limit)s) s JOIN passages p ON p.key = s.key ORDER BY s.score DESC"
    )
    limit = k + SPARE
    while True:
        rows = connection.execute(statement.encode(), {**given, "limit": limit}).fetchall()
        if len(rows) < limit or limit >= passages or rounded(rows[-1][1]) < rounded(rows[k - 1][1]):
            return rows
        limit *= 4
