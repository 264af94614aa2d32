"""A few documents in memory, with a finder over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from answerable.corpora.fields import FieldRow, row_of
from answerable.indexes.sources import SearchableEnclave
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.retriever import Retriever, RetrieverSettings
from answerable.sets.expression import read_expression
from answerable.sets.find import Finder, Sought
from answerable.sets.find_settings import FindSettings
from answerable.sets.judge import Judge
from answerable.sets.overlap import OverlapJudge
from answerable.types import Document, Passage, Query
from tests.laws.worlds import MemoryEnclave, Sent, TinyEncoder

SOFTWARE = {
    "konqueror": "Konqueror is a web browser for qt. Konqueror reads mail too.",
    "falkon": "falkon is a web browser for qt.",
    "dillo": "dillo is a small web browser.",
    "kmail": "kmail reads mail and is made for qt.",
    "mutt": "mutt reads mail in a terminal.",
    "gzip": "gzip packs files.",
}
NOTES = {"plan": "a plan for our own web browser for qt.", "list": "buy milk."}
TABLE = EnclaveTable([public("wiki"), private("mail")])
MIRRORED = EnclaveTable([mirror("wiki"), private("mail")])


def passages(enclave: str, texts: Mapping[str, str], size: int = 0) -> list[Passage]:
    """Documents as passages: one each, or of every `size` characters."""
    made = []
    for name, text in texts.items():
        for start in range(0, len(text), size or len(text)):
            part = text[start : start + size] if size else text
            made.append(Passage(f"{name}:{start}", name, enclave, name, part, start, start + len(part)))
    return made


Head = tuple[str, str, str]
"""The sender, the recipient and the day of a mail."""


@dataclass
class MailEnclave(MemoryEnclave):
    """One that knows fields: those documents are mails that have `heads`."""

    heads: Mapping[str, Head] = field(default_factory=dict)

    def fields(self) -> list[FieldRow]:
        """As `Listed.fields`."""
        ids = dict.fromkeys(one.document_id for one in self.stored)
        return [(id, *row_of(*_head(self.heads.get(id)))) for id in ids]

    def openings(self, documents: Sequence[str]) -> dict[str, Passage]:
        """As `Listed.openings`."""
        first = {one.document_id: one for one in reversed(self.stored)}
        return {id: first[id] for id in documents}

    def among(self, documents: Sequence[str]) -> SearchableEnclave:
        """As `Listed.among`: what that is sent is written down as from there."""
        left = [one for one in self.stored if one.document_id in documents]
        return MailEnclave(f"{self.name}, {len(documents)} left", left, self.log, heads=self.heads)


def _head(head: Head | None) -> tuple[str, dict[str, object]]:
    """The kind and the meta of a document."""
    return ("mail", {"from": head[0], "to": [head[1]], "date": head[2]}) if head else ("text", {})


@dataclass
class World:
    """A finder over enclaves in memory, and what each of them was sent. `heads`: of enclaves that know fields."""

    texts: Mapping[str, Mapping[str, str]]
    table: EnclaveTable = field(default_factory=lambda: TABLE)
    judge: Judge = field(default_factory=OverlapJudge)
    settings: FindSettings = FindSettings()
    size: int = 0
    sent: list[tuple[str, Sent]] = field(default_factory=list)
    heads: Mapping[str, Mapping[str, Head]] = field(default_factory=dict)

    def finder(self) -> Finder:
        stored = {name: passages(name, texts, self.size) for name, texts in self.texts.items()}
        indexes: dict[str, SearchableEnclave] = {
            name: MailEnclave(name, own, self.sent, heads=self.heads[name])
            if name in self.heads
            else MemoryEnclave(name, own, self.sent)
            for name, own in stored.items()
        }
        first: dict[tuple[str, str], Passage] = {}
        for name, own in stored.items():
            for one in own:
                first.setdefault((name, one.document_id), one)

        def openings(enclave: str, ids: Sequence[str]) -> dict[str, Passage]:
            return {id: first[enclave, id] for id in ids}

        def document(passage: Passage) -> Document:
            text = self.texts[passage.enclave][passage.document_id]
            kind, meta = _head(self.heads.get(passage.enclave, {}).get(passage.document_id))
            source = f"{passage.document_id}.txt"
            return Document(passage.document_id, passage.enclave, passage.title, text, source, kind, (), meta)

        door = Retriever(self.table, indexes, TinyEncoder(), settings=RetrieverSettings("lexical"))
        return Finder(door, self.judge, openings, document, self.settings)


def sought(expression: str, query: str = "", **given: object) -> Sought:
    """What is looked for by a printed expression."""
    tree = read_expression(expression)
    return Sought(Query(query or expression.replace('"', "")), tree, **given)  # type: ignore[arg-type]
