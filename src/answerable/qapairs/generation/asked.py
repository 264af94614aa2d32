"""Questions of a passage by a language model behind an OpenAI-compatible address, where one is configured.

The model gets the text of a passage with its answers, where the rule of sending lets it. Each time it is written down
in the journal before. A reply that is not of the form asked for is asked for once more and then passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from answerable.errors import WorkspaceError
from answerable.privacy.audit_log import AuditLog, new_ask
from answerable.privacy.audit_records import Sent
from answerable.privacy.flow import sendable
from answerable.qapairs.generation.parts import Extracted, Generated
from answerable.remote.chat import Chat
from answerable.text import normalise_answer, one_line, words
from answerable.types import Asker, Enclave, Label, Passage, Privacy, Query, Skill

_TRIES = 2
_MOST = 4  # questions of one answer
_LONGEST = 300  # characters of a question
_TASK = """Below are a passage and numbered answers that stand in it. For each answer write up to {most} questions that
people might type into a search engine and that have this answer. Whoever is asked does not see the passage: name what
the question is about, never write "the passage" or "the text", and do not use the words of the answer. Reply with one
JSON object and nothing else, with the number of each answer and a list of its questions, the best first; an empty list
where no good question can be asked:
{{"1": ["...?"], "2": []}}

Title: {title}
Passage: {text}

Answers:
{answers}"""
_OF_THE_TEXT = re.compile(r"\b(?:this|the|above|given) (?:passage|text|paragraph|article|excerpt)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedGenerator:
    """Asks the language model at `host` for the questions of each passage. `labels`: of each enclave; text of others is
    not sent. A score is the answer's / the place of a question among those of that answer: the model tells no
    probability.
    """

    chat: Chat
    host: Enclave
    labels: Mapping[str, Label]
    journal: AuditLog | None = None
    _ask: str = field(default_factory=new_ask)

    @property
    def name(self) -> str:
        """Which model is asked."""
        return f"asked:{self.chat.model}"

    def generate(self, passages: Sequence[Passage], answers: Sequence[Sequence[Extracted]]) -> list[list[Generated]]:
        """As `Generator` promises, as far as the model says the same each time.

        Raises `WorkspaceError` where the server cannot be asked, or the journal not be written: what was made before
        stays with whoever keeps it.
        """
        with self.journal.flushing() if self.journal else nullcontext():
            return [self._asked(passage, ones) for passage, ones in zip(passages, answers, strict=True)]

    def _asked(self, passage: Passage, answers: Sequence[Extracted]) -> list[Generated]:
        if not answers or passage.enclave not in self.labels:
            return []
        listed = "\n".join(f"{number}. {one_line(one.text)}" for number, one in enumerate(answers, start=1))
        prompt = _TASK.format(most=_MOST, title=one_line(passage.heading), text=one_line(passage.text), answers=listed)
        made = []
        query = Query("", Asker(), self.labels[passage.enclave])
        for answer, questions in zip(answers, self._told(prompt, len(answers), query), strict=False):
            fit = [one for one in dict.fromkeys(map(one_line, questions)) if asks(one, answer.text)]
            ranked = enumerate(fit[:_MOST], start=1)
            made += [Generated(one, answer, answer.score / place, self.name) for place, one in ranked]
        return made

    def _told(self, prompt: str, count: int, query: Query) -> list[list[str]]:
        """The questions of each answer, nothing after bad replies or where it may not be sent. Raises `WorkspaceError`
        if the last did not come."""
        ruling = sendable(query, self.host, Privacy.DOCUMENT)
        asked = (query, ruling, Sent(prompt, None, "pairs", 1) if ruling.allowed else None)
        for left in range(_TRIES - 1, -1, -1):
            (line,) = self.journal.searches(self._ask, Skill.READ, self.host, [asked]) if self.journal else (None,)
            if not ruling.allowed:
                break
            try:
                told = understood(self.chat.say(prompt, hint="the same command goes on where it stopped"), count)
            except WorkspaceError:
                if not left:
                    raise
                continue
            if told is not None:
                if self.journal:
                    self.journal.found(line, sum(map(len, told)))
                return told
        return []


def understood(said: str, count: int) -> list[list[str]] | None:
    """The questions of answers 1 to `count` in a model's reply; None where it is not of the form asked for.

    A fence of three backticks around the object is borne with, and an answer that is left out has no questions.
    """
    text = re.sub(r"\A```(?:json)?\s*\n|\n?```\Z", "", said.strip()).strip()
    try:
        told: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    known = {str(number) for number in range(1, count + 1)}
    if not isinstance(told, dict) or not set(told) <= known:
        return None
    for questions in told.values():
        if not isinstance(questions, list) or not all(isinstance(one, str) for one in questions):
            return None
    return [told.get(str(number), []) for number in range(1, count + 1)]


def asks(question: str, answer: str) -> bool:
    """Whether a text is one question, understood without a passage, that does not give its answer away."""
    if not question.endswith("?") or len(question) > _LONGEST or len(words(question)) < 3:
        return False
    if _OF_THE_TEXT.search(question):
        return False
    gone = normalise_answer(answer)
    return bool(gone) and f" {gone} " not in f" {normalise_answer(question)} "
