"""The words and vectors of an enclave in PostgreSQL, as `indexes.enclave` searches them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b

from pgvector import HalfVector
from psycopg import sql

from answerable.encoders.encoder import Vectors
from answerable.indexes.index import Ranking, best
from answerable.indexes.postgres.database import Connection
from answerable.indexes.postgres.store import EnclaveStore
from answerable.indexes.postings import K1, SPARE, B, Part, PostingWords, rounded
from answerable.indexes.vectors import CANDIDATES, checked, score_rows
from answerable.languages import ENGLISH

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


class PostgresWords(PostingWords):
    """BM25 over postings in SQL."""

    def __init__(self, store: EnclaveStore) -> None:
        self._store = store

    @contextmanager
    def seen(self) -> Iterator[_Postings]:
        """As `PostingWords.seen`."""
        with self._store.connection() as connection:
            yield _Postings(connection)


class _Postings:
    """As `postings.Postings`."""

    languages = (ENGLISH,)
    paired = False

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys: dict[str, int] = {}
        self._passages = 0

    def having(self, words: Sequence[str]) -> tuple[dict[str, int], int, int]:
        rows = self._connection.execute(
            "SELECT word, key, passages FROM words WHERE word = ANY(%s::text[]) UNION ALL SELECT '', "
            "(SELECT words FROM word_totals), (SELECT COALESCE(sum(passages), 0)::bigint FROM enclaves)",
            [list(words)],
        ).fetchall()
        known = {word: (key, passages) for word, key, passages in rows}
        length, self._passages = known.pop("")
        self._keys |= {word: key for word, (key, _) in known.items()}
        return {word: passages for word, (_, passages) in known.items()}, self._passages, length

    def like(self, term: str, slips: int) -> list[str]:
        sql = (  # two letters that changed places are two slips to the database, and one here
            "SELECT word, key FROM words WHERE length(word) BETWEEN %(length)s - %(slips)s AND %(length)s + %(slips)s "
            "AND levenshtein_less_equal(word, %(term)s, 2 * %(slips)s) <= 2 * %(slips)s"
        )
        found: dict[str, int] = dict(
            self._connection.execute(sql, {"length": len(term), "slips": slips, "term": term}).fetchall()
        )
        self._keys |= found
        return [*found]

    def best(self, parts: Sequence[Part], k: int, slope: float) -> Ranking:
        forms = [one for part in parts for one in part.forms]
        near = [(self._keys[word], n, part.near) for n, part in enumerate(parts) for word in part.like]
        given = {
            "words": [self._keys[word] for word, _ in forms],
            "weights": [weight for _, weight in forms],
            **dict(zip(("near", "slips", "halves"), map(list, zip(*near, strict=True)), strict=False)),
            "base": K1 * (1 - B),
            "slope": slope,
        }
        return _best(
            self._connection, " UNION ALL ".join([_WORD, *([_NEAR] if near else [])]), given, k, self._passages
        )


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
