"""Whether a question finds the answer it was made from: in its own passage, or anywhere (PAQ, section 3.4).

Globally a corpus is asked the questions that were made of it, with one hop and few passages. Questions made of private
text are asked with its label. Nor may private text settle which public questions are kept, so only enclaves are
searched whose text is no more private than that of the questions. No grant counts, no pair is looked at, and enclaves
on other machines are left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answerable.chains.merging import best_hits
from answerable.privacy.audit_records import Sent
from answerable.privacy.flow import first_query
from answerable.qapairs.generation.parts import Generated
from answerable.readers.reader import Reader
from answerable.retriever import Retriever
from answerable.text import is_polar, normalise_answer
from answerable.types import PUBLIC, Asker, Candidate, Chain, Enclave, Hit, Passage, Privacy, Query, Skill

READ = 3
"""Passages read for a question."""


class LocalFilter:
    """Keeps the questions whose answer a reader finds in their own passage."""

    name = "local"

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def consistent(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[bool]]:
        """For each passage, for each question made of it, whether the reader's best answer is its own."""
        return [
            [agrees(self._best(passage, one.question), one.answer.text) for one in row]
            for passage, row in zip(passages, made, strict=True)
        ]

    def _best(self, passage: Passage, question: str) -> str | None:
        alone = Chain((Hit(passage, 0.0, PUBLIC, Skill.SINGLE),), 0.0, PUBLIC)
        found = self._reader.read(question, [alone])
        return found[0].text if found else None


class GlobalFilter:
    """Keeps the questions whose answer is found by the question alone, in the enclaves that the label of the text they
    were made of allows. The source passage is never handed over.
    """

    name = "global"

    def __init__(self, door: Retriever, enclave: Enclave, reader: Reader, read: int = READ) -> None:
        """`door`: every enclave as the workspace has it. `enclave`: whose text the questions are made of. `read`:
        passages taken for a question, and read one by one."""
        within = frozenset(name for name, one in door.enclaves.items() if one.label <= enclave.label and not one.remote)
        self._asker = Asker("pairs", within, enclave.label)
        self._door = door.under(Privacy.DOCUMENT)
        self._label, self._reader, self._read = enclave.label, reader, read

    def consistent(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[bool]]:
        """For each passage, for each question made of it, whether asking it finds its answer."""
        asked = [(one.question, one.answer.text) for row in made for one in row]
        verdicts = iter(self.finds(asked))
        return [[next(verdicts) for _ in row] for row in made]

    def finds(self, asked: Sequence[tuple[str, str]]) -> list[bool]:
        """For each (question, answer), whether that answer is the best read; read only as far as that is open."""
        found = self._found([question for question, _ in asked])
        return [self._is_best(question, answer, found[question]) for question, answer in asked]

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

    def _is_best(self, question: str, answer: str, chains: Sequence[Chain]) -> bool:
        """Whether of all answers read from these passages this one is the best.

        It is only if it is the best of a passage that has its words, and better than that of every other passage. So
        passages that have its words are read first, and reading ends where it cannot be any more. A yes or a no has
        no words in a passage, and all are read.
        """
        meant, everywhere = normalise_answer(answer), is_polar(question)
        having = [everywhere or meant in normalise_answer(chain.hits[0].passage.text) for chain in chains]
        ordered = [chain for chain, has in sorted(zip(chains, having, strict=True), key=lambda one: not one[1])]
        best: Candidate | None = None
        for number, chain in enumerate(ordered):
            if number >= sum(having) and (best is None or normalise_answer(best.text) != meant):
                return False
            found = self._reader.read(question, [chain])
            if found and (best is None or (-found[0].score, found[0].text) < (-best.score, best.text)):
                best = found[0]
        return bool(meant) and best is not None and normalise_answer(best.text) == meant


def agrees(found: str | None, answer: str) -> bool:
    """Whether an answer that was found is the one that was meant. Nothing agrees with one that has no words."""
    meant = normalise_answer(answer)
    return bool(meant) and found is not None and normalise_answer(found) == meant
