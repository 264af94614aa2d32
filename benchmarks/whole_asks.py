"""Two-run trials of whole asks with the shipped models over real HTTP, question pairs and early exits on.

    python benchmarks/whole_asks.py [--trials 10000] [--seed N] [--json FILE]

A trial asks a question of the sample twice. The observed enclave, and sometimes others, are behind the shipped server
on loopback; those that lie here have pairs, public ones among them, so that an ask may end with a pair or with what is
read in the first passages found. Drawn are the table, the privacy, the mode, the beam, grants, who encodes, which
articles are public and, for each run anew, which of the firm's passages are hidden and their pairs; in half of the runs
a hidden pair asks the very question. A trial fails when one byte of what the observed server is sent, or their number
or order, differs between the two. In a quarter of the trials hidden servers hang up in the second run, in another the
observed one goes wrong. Vectors of passages are made once; questions are encoded, and passages read, in each run. All
settings but those drawn are the defaults, save that four chains are read in the end, in place of twelve.

Ways that leak run beside it, on a part of the trials, to show that it can fail: private pairs that end an ask,
two beams of tests/laws/broken.py. `early`: runs that ended with
a public pair, or with what was read early. Expected: 0 for the shipped engine; exit code 1 otherwise. The figures are
written after every hundred trials, so that a run that is stopped has those of as many as it made.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import common
from answerable import engine as engine_module
from answerable.cli.demo import SAMPLE
from answerable.corpora.store import HalfVectors, Store
from answerable.encoders.encoder import Encoder, Vectors
from answerable.engine import Engine, Terms
from answerable.indexes.in_memory import HeldPassages
from answerable.indexes.index import Ranking, SearchMode
from answerable.privacy.enclaves import EnclaveTable, ladder, mirror, private, public
from answerable.qapairs.shortcut import PairShortcut
from answerable.remote.client import RemoteEnclave
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import Answer, Asker, Enclave, Evidence, Passage, Privacy, QAPair, Skill
from answerable.workspace.stores import STORE
from served import sample
from tests.laws import broken
from tests.laws.wired import SETTINGS, Slot, every_third, slots
from tests.laws.worlds import MODES, NOW, Gather, hidden_from, some_grants
from tests.server.running import client

TABLES: tuple[tuple[EnclaveTable, tuple[str, ...]], ...] = (
    (EnclaveTable([public("wiki"), mirror("copy"), private("mail")]), ("wiki",)),
    (
        EnclaveTable([public("wiki"), public("notes"), private("mail"), private("clinic", admits=[])]),
        ("wiki", "clinic"),
    ),
    (
        EnclaveTable([Enclave("news", admits=frozenset({"mail"})), mirror("copy"), private("mail"), private("clinic")]),
        ("news", "clinic"),
    ),
    (EnclaveTable([*ladder("public", "internal", "secret"), mirror("copy")]), ("public", "internal")),
)
"""Tables, and which of their enclaves are elsewhere; the others lie here and have pairs."""


class Held(HeldPassages):
    """Passages in memory as the index of an enclave. `rows`: vectors by passage id, of these and of others."""

    def __init__(self, passages: Sequence[Passage], rows: Mapping[str, HalfVectors]) -> None:
        super().__init__(passages, {one.id: rows[one.id] for one in passages})
        self.stored, self.rows = {one.id: one for one in passages}, rows

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """As an enclave whose pages are not indexed for linking."""
        return [] if mode == "entity" else super().search(query_text, vector, mode, k)

    def vectors(self, ids: Sequence[str]) -> dict[str, HalfVectors]:
        """Those of these passages."""
        return {id: self.rows[id] for id in ids}

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int
    ) -> tuple[Ranking, dict[str, HalfVectors]]:
        """As `EnclaveIndex.fetch`."""
        ranking = self.search(query_text, vector, mode, k)
        return ranking, {} if mode == "lexical" else self.vectors([id for id, _ in ranking])


@dataclass
class HeldPairs:
    """Pairs in memory, searched exactly. `rows`: (n, d), the vectors of their questions."""

    held: Sequence[QAPair]
    rows: Vectors
    matcher: str

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.held)

    def search(self, vectors: Vectors, k: int) -> list[list[tuple[QAPair, float]]]:
        """As `indexes.sources.SearchablePairs`."""
        found = [list(zip(self.held, map(float, own), strict=True)) for own in vectors @ self.rows.T]
        return [sorted(own, key=lambda one: (-one[1], one[0].id))[:k] for own in found]


class Renamed:
    """An encoder under another name: a server that has it is sent texts."""

    name = "another"

    def __init__(self, encoder: Encoder) -> None:
        self._encoder, self.dimension = encoder, encoder.dimension

    def encode_query(self, text: str, skill: Skill) -> Vectors:
        """As the other."""
        return self._encoder.encode_query(text, skill)


class Sample:
    """The sample in the shipped engine, with its defaults; the vectors of its passages; what can be asked of it."""

    def __init__(self, folder: Path) -> None:
        with sample(folder, {"models.threads": 1, "ask.read": 4}, "articles", "firm") as made:
            made.pairs.import_(SAMPLE / "pairs.jsonl", "articles")
            made.pairs.index("articles")
            self.engine: Engine = made.engine()
        (shortcut,), matcher = self.engine.shortcuts, self.engine.retriever.matcher
        assert isinstance(shortcut, PairShortcut) and shortcut.early and matcher
        self.shortcut = shortcut
        self.matcher = matcher
        self.encoder = self.engine.retriever.encoder
        self.passages: dict[str, list[Passage]] = {}
        self.rows: dict[str, HalfVectors] = {}
        with Store(folder / STORE) as store:
            for name in ("articles", "firm"):
                ids = [row.id for row in store.rows(name)]
                self.passages[name] = store.passages(name, ids)
                self.rows |= store.vectors_of(name, self.encoder.name, self.encoder.dimension, ids)
        questions, own = ([*common.rows(SAMPLE / name)] for name in ("questions.jsonl", "pairs.jsonl"))
        self.answered = [(one["question"], one["answer"], one["answers"][0]["passage_id"]) for one in own]
        self.firms = [told for one in questions for told in self._told(one)]
        self.questions = [one["question"] for one in questions]
        self._matched: dict[str, Vectors] = {}
        self._articles: dict[tuple[int, str], Held] = {}

    def _told(self, question: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """The question with an answer as a pair of each of the firm's passages where both stand."""
        documents = {evidence["document"] for evidence in question["evidence"]}
        for one in self.passages["firm"]:
            if documents & {one.document_id, one.id.rpartition(":")[0]}:
                yield from (
                    (question["question"], text, one.id) for text in question["answers"][:1] if text in one.text
                )

    def question(self, rng: random.Random) -> str:
        """One of the sample's, one that the firm's passages answer, or one that a shipped pair does."""
        one, _, _ = rng.choice(rng.choice((self.firms, self.answered)))
        return str(rng.choice((one, one, rng.choice(self.questions))))

    def articles(self, part: int, name: str) -> Held:
        """Half of the public articles, the same for the same `part`; with 0 all of them."""
        if (part, name) not in self._articles:
            ids = sorted({one.document_id for one in self.passages["articles"]})
            some = set(random.Random(part).sample(ids, len(ids) // 2) if part else ids)
            own = [replace(one, enclave=name) for one in self.passages["articles"] if one.document_id in some]
            self._articles[part, name] = Held(own, self.rows)
        return self._articles[part, name]

    def some_of_the_firm(self, rng: random.Random, name: str, asked: str) -> Held:
        """Some of its passages, sometimes none; in half of the cases those that answer what is asked are among them."""
        drawn = {one.id for one in rng.sample(self.passages["firm"], rng.choice((0, 10, 40, 80)))}
        if rng.random() < 0.5:
            drawn |= {id for question, _, id in self.firms if question == asked}
        return Held([replace(one, enclave=name) for one in self.passages["firm"] if one.id in drawn], self.rows)

    def pairs_of(self, rng: random.Random, name: str, held: Held, asked: str) -> HeldPairs:
        """Those that are known of its passages; of the firm's in half of the cases one that asks what is asked."""
        rows = [row for row in (*self.answered, *self.firms) if row[2] in held.stored]
        firm = sorted(held.stored.keys() & {one.id for one in self.passages["firm"]})
        if firm and rng.random() < 0.5:
            id = rng.choice(firm)
            rows.append((asked, rng.choice(held.stored[id].text.split()), id))
        made = [QAPair(f"{name}{n}", text, (answer,), id, name, 0.5) for n, (text, answer, id) in enumerate(rows)]
        for text in {pair.question for pair in made} - self._matched.keys():
            self._matched[text] = self.matcher.encode_questions([text])[0]
        none = np.zeros((0, self.matcher.encode_questions([asked]).shape[1]), np.float32)
        return HeldPairs(made, np.stack([self._matched[p.question] for p in made]) if made else none, self.matcher.name)


@dataclass(frozen=True, slots=True)
class Ask:
    """One question and its terms, with what every enclave holds in each of the two runs."""

    table: EnclaveTable
    there: tuple[str, ...]
    observer: str
    question: str
    terms: Terms
    mode: Any
    beam: dict[str, Any]
    corpora: tuple[Mapping[str, Held], Mapping[str, Held]]
    pairs: tuple[Mapping[str, HeldPairs], Mapping[str, HeldPairs]]
    hidden: frozenset[str]


def draw(rng: random.Random, sample: Sample) -> Ask:
    """A random trial."""
    table, there = rng.choice(TABLES)
    asker = Asker()
    grants = some_grants(rng, table, asker) if rng.random() < 0.3 else ()
    watched = [name for name in there if hidden_from(table[name], table, grants)]
    if not watched:
        return draw(rng, sample)
    observer, question = rng.choice(watched), sample.question(rng)
    hidden = hidden_from(table[observer], table, grants)
    parts = {name: rng.choice((0, 1, 2, 3)) for name in table}
    corpora: tuple[dict[str, Held], dict[str, Held]] = ({}, {})
    pairs: tuple[dict[str, HeldPairs], dict[str, HeldPairs]] = ({}, {})
    for name, enclave in table.items():
        for run in (0, 1):
            if run and name not in hidden:
                corpora[1][name] = corpora[0][name]
                pairs[1].update({name: pairs[0][name]} if name in pairs[0] else {})
                continue
            made = sample.some_of_the_firm(rng, name, question) if enclave.label else sample.articles(parts[name], name)
            corpora[run][name] = made
            if name not in there:
                pairs[run][name] = sample.pairs_of(rng, name, made, question)
    privacy = rng.choice((Privacy.DOCUMENT, Privacy.DOCUMENT, Privacy.DOCUMENT, Privacy.QUERY))
    beam = {"hops": rng.choice((1, 2, 2, 3)), "width": rng.choice((2, 3, 5)), "ahead": rng.choice((0, 10, 50))}
    terms = Terms(asker, privacy, grants=grants, at=NOW)
    mode = rng.choice(("hybrid", *MODES))
    return Ask(table, there, observer, question, terms, mode, beam, corpora, pairs, hidden)


def run(ask: Ask, which: int, sample: Sample, made: list[Slot], number: int) -> tuple[list[bytes], Answer]:
    """Every byte that the observer was sent, a request at a time, and the answer."""
    indexes: dict[str, Any] = dict(ask.corpora[which])
    watched = made[ask.there.index(ask.observer)]
    for place, (name, slot) in enumerate(zip(ask.there, made, strict=False)):
        slot.stored.enclave = indexes[name]
        slot.stored.encoder = sample.encoder if (number + place) % 3 else Renamed(sample.encoder)
        slot.proxy.seen.clear()
        slot.proxy.count = 0
        failing = number % 4 == 1 and which == 1 and name in ask.hidden
        wrong = number % 4 == 3 and slot is watched
        slot.proxy.choose = every_third if wrong else (lambda *_: "drop") if failing else (lambda *_: None)
        indexes[name] = client(slot.proxy.url, sample.encoder, name, timeout=60.0, tries=SETTINGS.tries)
    how = RetrieverSettings(ask.mode)
    held: dict[str, Any] = dict(ask.pairs[which])
    door = Retriever(ask.table, indexes, sample.encoder, Privacy.DOCUMENT, how, pairs=held, matcher=sample.matcher)

    def find(passage: Passage) -> Any:
        index = indexes[passage.enclave]
        return index.document(passage) if isinstance(index, RemoteEnclave) else None

    engine = replace(
        sample.engine,
        retriever=door,
        beam=replace(sample.engine.beam, **ask.beam),
        shortcuts=(replace(sample.shortcut, pairs=replace(sample.shortcut.pairs, door=door, find=find)),),
        find=find,
    )
    try:
        answer = engine.ask(ask.question, ask.terms)
    finally:
        for name in ask.there:
            indexes[name].close()
    return list(watched.proxy.seen), answer


def _broken(how: Gather) -> Callable[..., Evidence]:
    return lambda query, door, beam, *_: how(query, door, beam)


Patch = tuple[object, str, Any]
LIE: tuple[Patch, ...] = (
    (Retriever, "public", lambda door: door),
    (Retriever, "reached", frozenset()),
    (Engine, "_public", lambda *_: True),
)
"""The view of a shortcut shows private text too, and nothing stops an ask for it."""
LEAKS: tuple[tuple[str, tuple[Patch, ...], int], ...] = (
    ("private pairs end an ask", LIE, 40),
    ("mask afterwards", ((engine_module, "gather", _broken(broken.mask)),), 40),
    ("one joint beam", ((engine_module, "gather", _broken(broken.joint)),), 40),
)
"""What is put in place of the engine's own, and the part of the trials."""


def trials(
    count: int, seed: int, sample: Sample, made: list[Slot], leak: Sequence[Patch], tell: Callable[[Any], None]
) -> dict[str, float]:
    """How many of the trials fail, what the observed enclaves were sent, and how many runs ended early."""
    rng, started = random.Random(seed), time.perf_counter()
    figures: dict[str, float] = dict.fromkeys(("trials", "failed", "requests", "by a pair", "read early", "seconds"), 0)
    with ExitStack() as stack:
        for target, name, instead in leak:
            stack.enter_context(mock.patch.object(target, name, instead))
        for number in range(count):
            ask = draw(rng, sample)
            (first, one), (second, other) = (run(ask, which, sample, made, number) for which in (0, 1))
            figures["trials"] += 1
            figures["failed"] += first != second
            figures["requests"] += len(first) + len(second)
            for answer in (one, other):
                figures["read early"] += answer.via == "early"
                figures["by a pair"] += answer.pair is not None and not ask.table[answer.pair.enclave].label
            figures["seconds"] = round(time.perf_counter() - started, 1)
            if number % 100 == 99:
                tell(figures)
    return figures


def main(words: list[str] | None = None) -> int:
    """Run every variant and print a table."""
    parser = common.parser(__doc__, seed=7)
    parser.add_argument("--trials", type=int, default=10000)
    given = parser.parse_args(words)
    figures: dict[str, Any] = {}

    def tell(name: str, row: Mapping[str, float]) -> None:
        figures[name] = dict(row)
        common.write(given.json, figures)

    variants = [
        *((name, leak, max(1, given.trials // part)) for name, leak, part in LEAKS),
        ("shipped", (), given.trials),
    ]
    with tempfile.TemporaryDirectory() as folder, slots() as made:
        sample = Sample(Path(folder))
        for name, leak, count in variants:
            row = trials(count, given.seed, sample, made, leak, lambda row, name=name: tell(name, row))  # type: ignore[misc]
            tell(name, row)
            print(name, row, flush=True)
    return 1 if figures["shipped"]["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
