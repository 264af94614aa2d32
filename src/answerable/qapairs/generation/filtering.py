"""Whether a question finds the answer it was made from: in its own passage, or anywhere (PAQ, section 3.4).

Where the reader is one that this was fitted to (`fitted_to`), it must read the answer so surely that the pair is
rather right than not: of the questions that find their answer, half are badly put or ask of something else.

Globally a corpus is asked the questions that were made of it, with one hop and few passages. Questions made of private
text are asked with its label. Nor may private text settle which public questions are kept, so only enclaves are
searched whose text is no more private than that of the questions. No grant counts, no pair is looked at, and enclaves
on other machines are left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from answerable.chains.merging import best_hits
from answerable.privacy.audit_records import Sent
from answerable.privacy.flow import first_query
from answerable.qapairs.calibration import PairCalibration, read_calibrations
from answerable.qapairs.generation.parts import Generated
from answerable.readers.reader import Reader
from answerable.retriever import Retriever
from answerable.text import is_polar, normalise_answer
from answerable.types import PUBLIC, Asker, Candidate, Chain, Enclave, Hit, Passage, Privacy, Query, Skill

READ = 3
"""Passages read for a question."""
FILE = Path(__file__).with_name("filter.json")
WEIGHED = ("read",)
"""What tells how probable it is that a pair is right: the reader's score of its answer."""


def fitted_to(weights: str, path: Path = FILE) -> PairCalibration | None:
    """How probable it is that a pair is right, fitted on pairs that were judged one by one to the reader's weights of
    this name, which stands in the place of a matcher's; None where nothing was. Raises `ModelError` where the file
    cannot be read."""
    return read_calibrations(path, WEIGHED).get((weights, ""))


class LocalFilter:
    """Keeps the questions whose answer a reader finds in their own passage, as surely as `fit` says."""

    name = "local"

    def __init__(self, reader: Reader, fit: PairCalibration | None = None) -> None:
        self._reader, self._fit = reader, fit

    def consistent(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[float]]:
        """As `Filter` promises: by the reader's best answer in its own passage."""
        return [[chance(score, self._fit) for score in row] for row in self.scores(passages, made)]

    def scores(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[float | None]]:
        """The score of that answer, None where it is another."""
        return [
            [_score(self._best(passage, one.question), one.answer.text) for one in row]
            for passage, row in zip(passages, made, strict=True)
        ]

    def _best(self, passage: Passage, question: str) -> Candidate | None:
        alone = Chain((Hit(passage, 0.0, PUBLIC, Skill.SINGLE),), 0.0, PUBLIC)
        found = self._reader.read(question, [alone])
        return found[0] if found else None


class GlobalFilter:
    """Keeps the questions whose answer is found by the question alone, as surely as `fit` says, in the enclaves that
    the label of the text they were made of allows. The source passage is never handed over.
    """

    name = "global"

    def __init__(
        self, door: Retriever, enclave: Enclave, reader: Reader, fit: PairCalibration | None = None, read: int = READ
    ) -> None:
        """`door`: every enclave as the workspace has it. `enclave`: whose text the questions are made of. `read`:
        passages taken for a question, and read one by one."""
        within = frozenset(name for name, one in door.enclaves.items() if one.label <= enclave.label and not one.remote)
        self._asker = Asker("pairs", within, enclave.label)
        self._door = door.under(Privacy.DOCUMENT)
        self._label, self._reader, self._fit, self._read = enclave.label, reader, fit, read

    def consistent(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[float]]:
        """As `Filter` promises: by the best answer that asking it finds."""
        return [[chance(score, self._fit) for score in row] for row in self.scores(passages, made)]

    def scores(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[float | None]]:
        """The score of that answer, None where another is found."""
        asked = [(one.question, one.answer.text) for row in made for one in row]
        scored = iter(self.finds(asked))
        return [[next(scored) for _ in row] for row in made]

    def finds(self, asked: Sequence[tuple[str, str]]) -> list[float | None]:
        """For each (question, answer), the score of that answer where it is the best read; read only as far as that is
        open."""
        found = self._found([question for question, _ in asked])
        return [self._if_best(question, answer, found[question]) for question, answer in asked]

    def _found(self, questions: Sequence[str]) -> dict[str, list[Chain]]:
        """The best passages for each question, best first, as chains."""
        door, found = replace(self._door, journal=None).remembering(), {}
        queries = [first_query(one, self._asker, door.privacy, door.enclaves) for one in dict.fromkeys(questions)]
        self._write_down(queries)
        door.prepare(queries, Skill.SINGLE, into=self._label)
        for query in queries:
            hops = door.search(query, Skill.SINGLE, self._read, into=self._label)
            hits = best_hits(hit for hop in hops for hit in hop.hits)[: self._read]
            found[query.text] = [Chain((hit,), hit.score, query.label | hit.label) for hit in hits]
        return found

    def _write_down(self, queries: Sequence[Query]) -> None:
        """A line of the journal for each enclave, before it is asked: of all these questions together."""
        sent = Sent("\n".join(query.text for query in queries), None, self._door.settings.mode, self._read)
        for enclave in self._door.enclaves.values() if queries else ():
            if queries[0].label | enclave.label == self._label:
                ruling = self._door.decision(queries[0], enclave)
                self._door.write_down(enclave, Skill.SINGLE, [(queries[0], ruling, sent if ruling.allowed else None)])
        if self._door.journal:
            self._door.journal.flush()

    def _if_best(self, question: str, answer: str, chains: Sequence[Chain]) -> float | None:
        """The score of an answer if it is the best of all that are read from these passages.

        It is only if it is the best of a passage that has its words, and better than that of every other passage. So
        passages that have its words are read first, and reading ends where it cannot be any more, or not surely. A yes
        or a no has no words in a passage, and all are read.
        """
        meant, everywhere = normalise_answer(answer), is_polar(question)
        having = [everywhere or meant in normalise_answer(chain.hits[0].passage.text) for chain in chains]
        ordered = [chain for chain, has in sorted(zip(chains, having, strict=True), key=lambda one: not one[1])]
        best: Candidate | None = None
        for number, chain in enumerate(ordered):
            if number >= sum(having) and not chance(_score(best, answer), self._fit):
                return None
            found = self._reader.read(question, [chain])
            if found and (best is None or (-found[0].score, found[0].text) < (-best.score, best.text)):
                best = found[0]
        return _score(best, answer)


def agrees(found: str | None, answer: str) -> bool:
    """Whether an answer that was found is the one that was meant. Nothing agrees with one that has no words."""
    meant = normalise_answer(answer)
    return bool(meant) and found is not None and normalise_answer(found) == meant


def _score(found: Candidate | None, answer: str) -> float | None:
    return found.score if found is not None and agrees(found.text, answer) else None


def chance(score: float | None, fit: PairCalibration | None) -> float:
    """How probable it is that a pair is right whose answer is read with this score, None where another one is: 0 below
    the threshold of `fit`, and 1 for any score where there is none."""
    if score is None or fit is None:
        return float(score is not None)
    right = fit.confidence((score,))
    return right if right >= fit.threshold else 0.0
