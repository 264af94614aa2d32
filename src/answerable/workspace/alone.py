"""A document by itself: what an ask answers of it, as if it were all that a workspace holds.

Its passages are found by their words: with vectors besides as many questions were answered rightly, and these take long
to make.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from answerable.corpora.passages import split
from answerable.encoders.hashed import HashedEncoder
from answerable.engine import Engine
from answerable.indexes.in_memory import HeldPassages
from answerable.privacy.enclaves import EnclaveTable, mirror
from answerable.readers.reader import Reader
from answerable.readers.spelling import spelling_for
from answerable.retriever import Retriever
from answerable.selective.calibrate import Calibration
from answerable.types import Answer, Document, Excerpt, Privacy
from answerable.workspace import late
from answerable.workspace.settings import Settings

_ALONE = "document"
"""What stands for the enclave of a document that is in none. Who may read it was settled before; nothing is sent."""


def alone(settings: Settings, reader: Reader, calibration: Calibration, document: Document) -> Callable[[str], Answer]:
    """What answers questions of one document, by the settings of an ask. Its answers carry no label."""
    name = document.enclave or _ALONE
    held = HeldPassages([replace(one, enclave=name) for one in split(document)], {})
    door = Retriever(EnclaveTable([mirror(name)]), {name: held}, HashedEncoder())
    engine = Engine(
        door,
        reader,
        calibration,
        lambda passage: document,
        replace(settings.beam, link=0),  # which wants an encoder
        replace(settings.ask, privacy=Privacy.NONE, threshold=settings.read.threshold),
        spelling=spelling_for(reader),
        beside=late.beside(settings, reader),
    )

    def ask(question: str) -> Answer:
        found = engine.ask(question)
        if document.enclave:
            return found
        cited = tuple(replace(one, enclave="") for one in found.citations)
        return replace(found, citations=cited, passages=tuple(map(_outside, found.passages)))

    return ask


def _outside(one: Excerpt) -> Excerpt:
    return replace(one, hit=replace(one.hit, passage=replace(one.hit.passage, enclave="")))
