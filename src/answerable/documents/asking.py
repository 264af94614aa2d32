"""What an ask would answer if one document were all there is: its passages found by words, read and weighed as there.

A walk is led to a few places; where these hold no answer that is sure, others may. How sure such an answer is was
fitted to what an ask reads, and so it is read as an ask reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from answerable.chains.beam import BeamSettings, foremost, gather
from answerable.corpora.passages import split
from answerable.encoders.hashed import HashedEncoder
from answerable.indexes.in_memory import HeldPassages
from answerable.privacy.enclaves import EnclaveTable, mirror
from answerable.privacy.flow import first_query
from answerable.readers.reader import Reader
from answerable.readers.resting import resting, telling
from answerable.retriever import Retriever
from answerable.selective.calibrate import Calibration
from answerable.selective.decide import Decision, decide
from answerable.types import Asker, Document

_ALONE = "document"
"""The enclave that a document is while it is asked; nothing of it is sent, and who may read it was settled before."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How an ask is made: how sure an answer of the reader is, how far the beam looks, how many chains are read, and
    the least confidence of an answer that is given."""

    calibration: Calibration
    beam: BeamSettings = BeamSettings()
    read: int = 12
    threshold: float = 0.5

    def decide(self, reader: Reader, passages: HeldPassages, question: str) -> Decision:
        """The answer, standing in the passages that it needs; or none, with the reason. `passages`: of `alone`."""
        table = EnclaveTable([mirror(_ALONE)])
        door = Retriever(table, {_ALONE: passages}, HashedEncoder())
        query = first_query(question, Asker(), door.privacy, table)
        chains = foremost(gather(query, door, self.beam).chains, self.read)
        found = decide(question, telling(reader, question, chains), chains, (), self.calibration, self.threshold)
        if found.text is None or found.candidate is None:
            return found
        return replace(found, candidate=resting(reader, question, found.candidate))


def alone(document: Document) -> HeldPassages:
    """The passages of a document as those of an enclave that holds nothing else, to be found by their words."""
    return HeldPassages([replace(one, enclave=_ALONE) for one in split(document)], {})
