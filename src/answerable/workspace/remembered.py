"""What askers called good or bad, kept in `remembered/`: two small files for each asker, which nobody else on the
machine may read. One holds the last answers, of which something may be said, the other what was said.

An answer is there only as long as all it cites stands word for word in the workspace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from answerable.chains.shortcuts import NOTHING, Recalled
from answerable.corpora.fields import fields_of
from answerable.corpora.store import Store
from answerable.engine import Terms
from answerable.errors import UsageError
from answerable.privacy.flow import first_query, reachable
from answerable.privacy.small_files import SmallFiles
from answerable.qapairs.answering import PairEngine
from answerable.qapairs.calibration import open_calibration
from answerable.qapairs.remembered import Judged, Remembered, who
from answerable.retriever import Retriever
from answerable.text import checked_question, normalise_question
from answerable.types import Answer, Asker, Chain, Citation, Hit, Query, Skill
from answerable.workspace.chats import locked, plain
from answerable.workspace.models import matcher_of, verifier_of
from answerable.workspace.settings import Settings
from answerable.workspace.terms import asker_of

REMEMBERED = "remembered"
"""The folder's name in the workspace."""
LAST = 5
"""Answers of an asker of which something may still be said."""
NONE = ".none"
"""The ending of a file that is there where none of them was the last to be given."""


class RememberedAnswers:
    """Answers that were judged, and the last that may be, of one workspace: a `chains.shortcuts.Memory`.

    `workspace`: has the settings as they are now; `door()`: to its indexes. Every method raises `WorkspaceError` for a
    file that is unusable.
    """

    def __init__(self, folder: Path, workspace: Judging, store: Store, door: Callable[[], Retriever]) -> None:
        self.folder, self._workspace, self._store, self._door = folder, workspace, store, door
        self._opened: Remembered | None = None
        way_out = "remove it: what is in it is then forgotten"
        self._files = SmallFiles[tuple[Judged, ...]](tuple[Judged, ...], (), "remembered answers", way_out)

    def note(self, question: str, terms: Terms, answer: Answer) -> None:
        """Keep an answer for a while, so that it can be judged: one that stands alone, and can be checked. After one
        that cannot be kept none is the last."""
        settings = self._workspace.settings
        one = None if terms.filter else _judged(checked_question(question), terms, answer, settings)
        path = self._path(who(terms.asker), "last")
        if settings.pairs.remember and one and self.standing(one):
            with locked(self._files, self.folder):
                others = [kept for kept in self._read(path) if kept.id != one.id]
                self._files.write(path, (*others[1 - LAST :], one))
                path.with_suffix(NONE).unlink(missing_ok=True)
        elif path.exists():
            with locked(self._files, self.folder):
                path.with_suffix(NONE).touch(0o600)

    def judge(
        self, asker: Asker, good: bool, question: str | None = None, answer: Answer | str | None = None
    ) -> Judged:
        """Say of the last answer of an asker, or of the last to a question, or of this one, whether it is good.

        Raises `UsageError` where none of the last answers is meant.
        """
        own = who(asker)
        with locked(self._files, self.folder):
            held = [*self._read(self._path(own, "good")), *self._read(self._path(own, "last"))]
            if question is not None:
                held = [one for one in held if normalise_question(one.question) == normalise_question(question)]
            elif answer is None:
                last = self._path(own, "last")
                held = [] if last.with_suffix(NONE).exists() else self._read(last)
            if answer is not None:
                text = answer if isinstance(answer, str) else answer.text
                cited = None if isinstance(answer, str) else plain(answer.citations)
                held = [one for one in held if one.answer == text and cited in (None, one.citations)]
            if not held:
                what = (
                    "no answer is kept for this question" if question is not None else "no answer was given just before"
                )
                hint = (
                    f"ask first, or name the question of one of the last {LAST} answers; none is kept that was given "
                    "with a filter, in a conversation, from another machine or by passages alone"
                )
                raise UsageError(f"{what} that could be called good or bad", hint=hint)
            known = self._opened and self._opened.pairs.door.matcher
            matcher = known or matcher_of(self._workspace.settings)[0]
            vector = np.asarray(matcher.encode_questions([held[-1].question])[0], np.float16).tobytes()
            one = replace(held[-1], good=good, matcher=matcher.name, vector=vector)
            path = self._path(own, "good")
            self._files.write(path, (*(kept for kept in self._read(path) if kept.id != one.id), one))
            return one

    def of(self, asker: Asker) -> list[Judged]:
        """What an asker called good or bad, oldest first."""
        return [one for one in self._read(self._path(who(asker), "good")) if one.told(asker)]

    def forget(self, asker: Asker, id: str) -> Judged:
        """Take back what an asker said of an answer. Raises `UsageError` where nothing was said."""
        path = self._path(who(asker), "good")
        with locked(self._files, self.folder):
            held = {one.id: one for one in self._read(path)}
            if id not in held:
                raise UsageError(f"nothing is remembered as {id!r}", hint="answerable remembered lists what is")
            self._files.write(path, tuple(one for one in held.values() if one.id != id))
            return held[id]

    def settle(self) -> None:
        """Forget, for good, each answer that rests on something which changed or is gone."""
        if self.folder.is_dir():
            with locked(self._files, self.folder):
                for path in self.folder.glob("*.json"):
                    held = self._read(path)
                    if len(left := [one for one in held if self.standing(one)]) < len(held):
                        self._files.write(path, tuple(left))

    def recall(self, query: Query, public: bool) -> Recalled:
        """As `Memory.recall`; nothing where pairs are not to answer. Opens models where something was judged."""
        if not self._workspace.settings.pairs.answer or not any(self.folder.glob("*.good.json")):
            return NOTHING
        door, opened = self._door(), self._opened
        if opened is None or opened.pairs.door.enclaves is not door.enclaves:
            self._opened = opened = Remembered(self._pairs(door), self._all, self.standing)
        return opened.recall(query, public)

    def _pairs(self, door: Retriever) -> PairEngine:
        """What weighs a remembered answer: as what weighs pairs, without any."""
        settings = self._workspace.settings
        matcher, reranker = matcher_of(settings)
        reads = reranker if settings.pairs.rerank else None
        calibration = open_calibration(matcher.name, reads.name if reads else "")
        return PairEngine(
            replace(door, matcher=matcher), reads, verifier_of(settings), calibration, settings=settings.pairs
        )

    def standing(self, one: Judged) -> tuple[Chain | None, tuple[Citation, ...]] | None:
        """What an answer was read in and what it cites, as stored now, with its fields; None where that changed."""
        table, cited, hits = self._workspace.settings.table(), list[Citation](), list[Hit]()
        for citation in one.citations:
            document = self._store.document(citation.enclave, citation.document)
            if document is None or document.text[citation.start : citation.end] != citation.text:
                return None
            cited.append(replace(citation, fields=fields_of(document)))
        for enclave, id in one.passages:
            passages = self._store.passages(enclave, [id])
            if not passages or enclave not in table:
                return None
            hits.append(Hit(passages[0], 1.0, table[enclave].label, Skill.MATCH))
        return Chain(tuple(hits), 1.0, one.label) if hits else None, tuple(cited)

    def _all(self) -> Sequence[Judged]:
        return [one for path in sorted(self.folder.glob("*.good.json")) for one in self._read(path)]

    def _path(self, own: str, what: str) -> Path:
        """A file whose name does not tell who asks."""
        return self.folder / f"{hashlib.sha256(own.encode()).hexdigest()[:24]}.{what}.json"

    def _read(self, path: Path) -> list[Judged]:
        return [*self._files.read(path)]


class Judging:
    """What a workspace is told of its answers."""

    settings: Settings
    remembered: RememberedAnswers

    def good(
        self, answer: Answer | None = None, question: str | None = None, asker: Asker | str | None = None
    ) -> Judged:
        """Remember an answer: this one, or the last to this question, or the asker's last. The same question, in other
        words too, then gets it at once, as long as what it cites stands; so do others who may read all it rests on.

        Raises `UsageError` if it is none of the asker's last answers.
        """
        return self.remembered.judge(asker_of(self.settings, asker), True, question, answer)

    def bad(
        self, answer: Answer | None = None, question: str | None = None, asker: Asker | str | None = None
    ) -> Judged:
        """Never give this asker that answer again to this question, or to one that asks the same. Else as `good`."""
        return self.remembered.judge(asker_of(self.settings, asker), False, question, answer)


def _judged(question: str, terms: Terms, answer: Answer, settings: Settings) -> Judged | None:
    """An answer as it is kept; None for one that cites nothing, or something that does not lie here."""
    chain = answer.chain.hits if answer.chain else ()
    places = {one.enclave for one in answer.citations} | {hit.passage.enclave for hit in chain}
    if answer.text is None or not answer.citations or any(not _here(settings, name) for name in places):
        return None
    query = first_query(question, terms.asker, terms.privacy or settings.ask.privacy, table := settings.table())
    public = answer.via in ("pair", "early", "remembered") and answer.label <= query.label
    label = answer.label if public else answer.label | reachable(query, table)
    passages = tuple((hit.passage.enclave, hit.passage.id) for hit in chain)
    judged = Judged(question, answer.text, label, plain(answer.citations), passages, who(terms.asker))
    return replace(judged, worked=answer.via == "table")


def _here(settings: Settings, enclave: str) -> bool:
    declared = settings.enclaves.get(enclave)
    return declared is not None and not declared.remote and declared.index is None
