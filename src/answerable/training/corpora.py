"""The passages and tables that skills are learned on, read once, and which part of each is for what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from answerable.corpora.store import Row
from answerable.corpora.tables import row_line
from answerable.datasets.parts import squad_part, table_part
from answerable.indexes.lexical import Bm25Index, build_bm25
from answerable.training.reading import lines_of, squad
from answerable.training.skills.example import Span, Text
from answerable.training.skills.titles import Titles

Corpus = dict[str, Text]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a page: each cell is its text and the ids of the passages it links to."""

    id: str
    page: str
    heading: str
    intro: str
    header: tuple[str, ...]
    rows: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]

    @property
    def part(self) -> str:
        """As `table_part` says."""
        return table_part(self.page)

    def row(self, number: int) -> tuple[Text, list[Span]]:
        """A row as a passage, `Header: cell; Header: cell` under the table's heading, and where its cells stand."""
        line, spans = row_line(self.header, [text for text, _ in self.rows[number]])
        return (self.heading, line), spans


class Corpora:
    """What is in a folder of training data, by the names recipes use; each file is read when it is first needed."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._corpora: dict[str, Corpus] = {}

    def add(self, name: str, corpus: Corpus) -> None:
        """Put the user's own passages beside the others."""
        self._corpora[name] = corpus

    def corpus(self, name: str) -> Corpus:
        """Passages by id: `wiki`, `pool`, `nq`, `squad`, `boolq`, or `rows` of tables that are not for the report."""
        if name not in self._corpora:
            read = {
                "wiki": lambda: self._passages("wiki/passages.jsonl.gz"),
                "pool": lambda: self._passages("multihop/passages.jsonl.gz"),
                "nq": lambda: self._passages("nq/nq-passages.jsonl.gz"),
                "squad": self._squad,
                "boolq": self._boolq,
                "rows": self._rows,
            }
            self._corpora[name] = read[name]()
        return self._corpora[name]

    @cached_property
    def tables(self) -> dict[str, Table]:
        """All tables, by id."""
        return {one.id: one for one in map(_table, self.lines("wiki/tables.jsonl.gz"))}

    def questions(self, source: str, part: str) -> list[dict[str, Any]]:
        """The questions of `ottqa` or `hybridqa` over the tables of one part."""
        rows = self.lines(f"{source}/questions.jsonl")
        return [row for row in rows if row["table"] in self.tables and self.tables[row["table"]].part == part]

    @cached_property
    def withheld(self) -> frozenset[str]:
        """Ids of the wiki passages that are evidence for a question of the report over tables: never learned from."""
        asked = [row for source in ("ottqa", "hybridqa") for row in self.questions(source, "report")]
        return frozenset(item["passage"] for row in asked for item in row["evidence"] if item["passage"])

    @cached_property
    def titles(self) -> Titles:
        """The titles of all pages that may be learned from, the first paragraph standing for its page."""
        wiki = (text for id_, text in self.corpus("wiki").items() if id_ not in self.withheld)
        return Titles([*wiki, *self.corpus("pool").values()])

    def lines(self, name: str) -> Iterator[dict[str, Any]]:
        """The records of a JSONL file of the data. Raises as `lines_of`."""
        return lines_of(self.data / name)

    def _passages(self, name: str) -> Corpus:
        return {row["_id"]: (row["title"], row["text"]) for row in self.lines(name) if row["text"].strip()}

    def _squad(self) -> Corpus:
        found: Corpus = {}
        for name in ("squad1.1.json.gz", "squad-train-part.json.gz"):
            for article, reading in squad(self.data / "squad" / name, "squad"):
                if name != "squad1.1.json.gz" or squad_part(article) != "report":
                    found.setdefault(str(reading.passages[0]), reading.passages[0])
        return {str(number): text for number, text in enumerate(found.values())}

    def _boolq(self) -> Corpus:
        return {row["_id"]: (row["title"], row["passage"]) for row in self.lines("boolq/train.jsonl")}

    def _rows(self) -> Corpus:
        kept = (table for table in self.tables.values() if table.part != "report")
        rows = ((f"{table.id}#{n}", table.row(n)[0]) for table in kept for n in range(len(table.rows)))
        return {id_: text for id_, text in rows if text[1]}


def _table(record: dict[str, Any]) -> Table:
    parts = [record["title"], *(part.strip() for part in (record["section"] or "").split(" -- "))]
    rows = tuple(tuple((cell["text"], tuple(cell["links"])) for cell in row) for row in record["rows"])
    heading = ", ".join(part for part in parts if part)
    return Table(record["_id"], record["title"], heading, record["intro"] or "", tuple(record["header"]), rows)


class Lexical:
    """BM25 over titles and texts by id; its index stays in a folder, and is built once."""

    def __init__(self, texts: Mapping[str, tuple[str, str]], folder: Path) -> None:
        ids, done = list(texts), folder / "done"
        if not done.exists():
            folder.mkdir(parents=True, exist_ok=True)
            for stale in folder.iterdir():
                stale.unlink()
            rows = (Row(number, id_, texts[id_][0], "", texts[id_][1]) for number, id_ in enumerate(ids))
            build_bm25(rows, folder, lambda *_: None, len(ids))
            done.touch()
        self._index = Bm25Index(folder, lambda keys: {key: ids[key] for key in keys})

    def best(self, text: str, most: int) -> list[str]:
        """The ids of the best `most` for a text, best first."""
        return [id_ for id_, _ in self._index.search(text, most)]
