"""Conversations with a workspace: what was asked and answered before, and what a question that follows is asked with.

Kept where they have a name, each in one file of `chats/` that nobody else on the machine may read. An answer is kept
with the quotes it rests on, and is there only as long as these stand word for word in documents of the workspace.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from answerable.chains.following import Said, context
from answerable.corpora.database import own_folder
from answerable.corpora.store import Store
from answerable.errors import UsageError
from answerable.privacy.enclaves import QUESTION
from answerable.privacy.flow import first_query, reachable, readable
from answerable.privacy.small_files import SmallFiles
from answerable.text import checked_question
from answerable.types import Answer, Asker, Citation, Enclave, Label, Privacy
from answerable.workspace.settings import Settings
from answerable.workspace.terms import Asking

if TYPE_CHECKING:
    from answerable.workspace.workspace import Workspace

CHATS = "chats"
"""The folder's name in the workspace."""
LONGEST_NAME = 200  # characters


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """A question and what it was answered, None where nothing was; how sure that is (0 to 1), and what it rests on.

    `asked`: the label of the question. `label`: of the answer, with all that it could have come to carry
    (`privacy.flow.reachable`), so that it tells nothing of what was found.
    """

    question: str
    answer: str | None
    confidence: float
    asked: Label
    label: Label
    citations: tuple[Citation, ...] = ()

    def forgotten(self) -> ChatTurn:
        """The question alone."""
        return replace(self, answer=None, confidence=0.0, citations=())

    @property
    def said(self) -> tuple[Said, Said | None]:
        """The question and the answer as `chains.following` takes them."""
        return Said(self.question, self.asked, True), Said(self.answer, self.label) if self.answer else None


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a file holds."""

    asker: tuple[str, ...]
    name: str
    turns: tuple[ChatTurn, ...]


class ChatFolder:
    """Conversations on disk. Every method raises `WorkspaceError` for a file that is unusable.

    `stands`: whether what is cited is still in the workspace, word for word.
    """

    def __init__(self, folder: Path, stands: Callable[[Citation], bool]) -> None:
        self.folder, self._stands = folder, stands
        self._files = SmallFiles(_Kept, _Kept((), "", ()), "a conversation", "remove it")

    def names(self, asker: Asker) -> dict[str, int]:
        """An asker's conversations, in order, and how many turns each has."""
        held = map(self._files.read, self._paths())
        own = {one.name: len(one.turns) for one in held if one.asker == _who(asker)}
        return dict(sorted(own.items()))

    def turns(self, asker: Asker, name: str) -> list[ChatTurn]:
        """Those of a conversation, oldest first; none where there is no such conversation."""
        return [*self._files.read(self._path(asker, name)).turns]

    def add(self, asker: Asker, name: str, turn: ChatTurn) -> None:
        """Keep one more turn."""
        with locked(self._files, self.folder):
            turns = (*self.turns(asker, name), self.held(turn))
            self._files.write(self._path(asker, name), _Kept(_who(asker), name, turns))

    def delete(self, asker: Asker, name: str) -> None:
        """Remove a conversation. Raises `UsageError` where the asker has none of that name."""
        with locked(self._files, self.folder):
            if name not in (known := self.names(asker)):
                raise UsageError(f"no conversation is called {name!r}", hint=f"known: {', '.join(known) or 'none'}")
            self._path(asker, name).unlink()

    def settle(self) -> None:
        """Forget, for good, each answer that rests on something which is gone."""
        if not self.folder.is_dir():
            return
        with locked(self._files, self.folder):
            for path in self._paths():
                kept = self._files.read(path)
                if (left := tuple(map(self.held, kept.turns))) != kept.turns:
                    self._files.write(path, replace(kept, turns=left))

    def held(self, turn: ChatTurn) -> ChatTurn:
        """The turn, without its answer where what that rests on is gone or not known."""
        return turn if turn.citations and all(map(self._stands, turn.citations)) else turn.forgotten()

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("*.json"))

    def _path(self, asker: Asker, name: str) -> Path:
        """A file whose name tells neither who asks nor what about."""
        key = json.dumps([_who(asker), name])
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"


class Chat:
    """A conversation of one asker; made by `Workspace.chat`. One thread at a time may speak."""

    def __init__(self, workspace: Workspace, kept: ChatFolder, asker: Asker, name: str | None) -> None:
        if name is not None and not 0 < len(name.strip()) <= LONGEST_NAME:
            raise UsageError("a conversation's name is empty or too long", hint=f"at most {LONGEST_NAME} characters")
        self._workspace, self._kept, self._said = workspace, kept, list[ChatTurn]()
        self.asker, self.name = asker, name

    @property
    def turns(self) -> tuple[ChatTurn, ...]:
        """What was said, oldest first. An answer is there as long as what it rests on is, and may be read."""
        turns = self._said if self.name is None else self._kept.turns(self.asker, self.name)
        return tuple(turn if self._may_read(turn) else turn.forgotten() for turn in map(self._kept.held, turns))

    def context(self, question: str) -> tuple[Said, ...]:
        """What a question would be asked with: nothing where it stands alone."""
        return context(question, [turn.said for turn in self.turns])

    def ask(self, question: str, **asking: Unpack[Asking]) -> Answer:
        """Answer a question, which may follow on those before it. `asking`, and what is raised, as of `Workspace.ask`.

        What was read before keeps its label: it goes where that is admitted, and nowhere else.
        """
        line, opened = checked_question(question), self._workspace
        asking["said"] = self.context(line)
        answer = opened.ask(line, self.asker, **asking)
        privacy, table = Privacy(asking.get("privacy") or opened.settings.ask.privacy), opened.enclaves()
        query = first_query(line, self.asker, privacy, table)
        label, cited = answer.label | reachable(query, table), plain(answer.citations)
        turn = ChatTurn(line, answer.text, answer.confidence, query.label, label, cited)
        if self.name is None:
            self._said.append(turn)
        else:
            self._kept.add(self.asker, self.name, turn)
        return answer

    def _may_read(self, turn: ChatTurn) -> bool:
        return all(readable(self.asker, Enclave(name)).allowed for name in turn.label - {QUESTION})


def retold(
    workspace: Workspace, asker: Asker, question: str, turns: Sequence[tuple[str, str | None]]
) -> tuple[Said, ...]:
    """What a question is asked with in a conversation that somebody else kept: earlier questions with their answers.

    A question counts as the one that is asked. An answer counts as all that the asker may read: what it rests on is
    not known here, and that it was given at all may tell.
    """
    table = workspace.enclaves()
    query = first_query(question, asker, workspace.settings.ask.privacy, table)
    everything = reachable(query, table)
    return context(
        question, [(Said(ask, query.label, True), Said(told, everything) if told else None) for ask, told in turns]
    )


def stands(cited: Citation, settings: Settings, store: Store) -> bool:
    """Whether a quote is in the store word for word; one of an enclave that is not held there is taken to stand."""
    declared = settings.enclaves.get(cited.enclave)
    if declared is not None and (declared.remote or declared.index is not None):
        return True
    document = store.document(cited.enclave, cited.document)
    return document is not None and document.text[cited.start : cited.end] == cited.text


def plain(citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """Citations as they are kept: without the fields of their documents."""
    return tuple(replace(one, fields=None) for one in citations)


@contextmanager
def locked(files: SmallFiles[Any], folder: Path) -> Iterator[None]:
    """The one who writes such files into a folder, which is made for its owner alone."""
    from filelock import FileLock  # takes longer to load than most that only reads

    with files.explained(folder):
        own_folder(folder)
        with FileLock(folder / "lock", mode=0o600):
            for left in folder.glob(".*.json.*"):  # of a process that was killed: others write under the lock
                left.unlink(missing_ok=True)
            yield


def _who(asker: Asker) -> tuple[str, ...]:
    """Whose a conversation is: of whoever is so called, or of the owner."""
    return (asker.name,) if asker.clearance is not None else ()
