"""Asks of small worlds with a language model elsewhere, which writes down all it is sent; and ways to leak to it.

everything  what is private goes into the prompt too
joint       one prompt from all that was read, of which what may not be sent is taken out afterwards
retry       asked again with more passages where no answer was found
count       told how many passages were left out
unsure      asked only where the reader is not sure by itself
"""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from answerable.chains.beam import foremost, gather
from answerable.engine import AskSettings, Engine, Terms
from answerable.errors import RemoteError
from answerable.privacy.enclaves import QUESTION
from answerable.privacy.grants import Grant, for_question, standing
from answerable.readers.asked import AskedReader, Heard, Talks
from answerable.readers.overlap import OverlapReader
from answerable.remote.host import LLM, LlmSettings
from answerable.retriever import Retriever, RetrieverSettings
from answerable.selective.calibrate import Calibration
from answerable.types import Answer, Document, Enclave, Passage
from tests.laws.worlds import NOW, MemoryEnclave, TinyEncoder, Trial, corpus, draw, hidden_from

ELSEWHERE: Enclave = LlmSettings("https://model.example/v1", "m").enclave
READING = Calibration((12.0,), -8.0, 0.5, "nothing: enough shared words")
Patch = tuple[str, Any]
"""What stands in the place of a method of the engine."""


def reply(messages: Sequence[Mapping[str, str]]) -> str:
    """What a model says to messages: by their bytes alone, an answer with quotes or false ones, nothing or nonsense."""
    told = messages[1]["content"]
    passages, kind = json.loads(told)["passages"], zlib.crc32(told.encode()) % 8
    if kind == 0:
        return "I cannot."
    chosen = passages[kind % len(passages)]
    quote = "no such words" if kind == 1 else " ".join(chosen["text"].split()[:2])
    said = [{"text": quote, "quotes": [{"passage": chosen["number"] + (kind == 2), "quote": quote}]}]
    return json.dumps({"answer": said if kind > 3 else []})


@dataclass
class Watched:
    """A model in memory. `sent`: all of it, in order."""

    sent: list[bytes] = field(default_factory=list)

    def reply(self, messages: Any, schema: Any, most: int) -> str:
        body = json.dumps([messages, schema, most]).encode()
        self.sent.append(body)
        if zlib.crc32(body) % 11 == 0:
            raise RemoteError("the model at model.example cannot be asked: nothing answers")
        return reply(messages)


@dataclass(frozen=True)
class AskedTrial:
    """A question asked twice of a world with a model elsewhere; only text differs that may not be sent there.

    `read`: chains that are read. `room`: tokens of the model. `failing`: hidden enclaves fail in the second run.
    """

    trial: Trial
    grants: tuple[Grant, ...]
    read: int
    room: int
    failing: bool

    def run(self, which: int, model: Talks, leak: Sequence[Patch] = ()) -> Answer | None:
        """One of the two runs; None where a hidden enclave failed. Leaks are methods in the place of the engine's."""
        trial = self.trial
        hidden = hidden_from(ELSEWHERE, trial.table, self.grants) if self.failing and which else frozenset()
        indexes = {name: MemoryEnclave(name, held, [], name in hidden) for name, held in trial.corpora[which].items()}
        ranking = RetrieverSettings(trial.mode)
        door = Retriever(trial.table, indexes, TinyEncoder(), settings=ranking, modes=trial.modes)
        kind = type("Leaking", (Engine,), dict(leak)) if leak else Engine
        asked = AskedReader(model, ELSEWHERE, "the model", self.room)
        parts = (OverlapReader(), READING, _stored, trial.beam, AskSettings(read=self.read))
        engine = kind(door, *parts, asked=asked)
        terms = Terms(trial.asker, trial.privacy, grants=self.grants, at=NOW)
        try:
            answer: Answer = engine.ask(trial.question, terms)
        except OSError:
            assert hidden
            return None
        return answer


def _stored(one: Passage) -> Document:
    return Document(one.document_id, one.enclave, one.title, one.text, "file")


def draw_asked(rng: random.Random) -> AskedTrial:
    """A random trial with grants to the model now and then, in which something is hidden from it."""
    trial = draw(rng, sparse=rng.random() < 0.5, granting=rng.random() < 0.3)
    words = sorted({QUESTION}.union(*(one.label for one in trial.table.values())))
    grants = [standing(trial.asker, rng.sample(words, 1), LLM, NOW) for _ in range(rng.choice((0, 0, 1)))]
    grants += [
        for_question(trial.asker, LLM, NOW, rng.sample(words, rng.choice((0, 1)))) for _ in range(rng.choice((0, 1)))
    ]
    hidden = hidden_from(ELSEWHERE, trial.table, grants)
    if not hidden:
        return draw_asked(rng)
    most = rng.choice((3, 8))
    common = {name: corpus(rng, name, 1, most) for name in trial.table if name not in hidden}
    first, second = ({**common, **{name: corpus(rng, name, 1, most) for name in sorted(hidden)}} for _ in range(2))
    trial = replace(trial, corpora=(first, second))
    room, failing = rng.choice((1024, 1024, 8192)), rng.random() < 0.25
    return AskedTrial(trial, tuple(grants), rng.choice((1, 2, 4, 12)), room, failing)


# ---------------------------------------------------------------- ways to leak


def _everything(self: Engine, query: Any, door: Retriever, beam: Any, others: Any) -> Any:
    assert self.asked
    host, chains = replace(ELSEWHERE, admits=frozenset({"*"})), _chains(self, query, door, beam, others)
    return replace(self.asked, host=host).ask(query, door, chains, self.find)


def _joint(self: Engine, query: Any, door: Retriever, beam: Any, others: Any) -> Any:
    assert self.asked
    return self.asked.ask(query, door, _chains(self, query, door, beam, others), self.find)


def _count(self: Engine, query: Any, door: Retriever, beam: Any, others: Any) -> Any:
    assert self.asked
    chains = gather(query, door, beam, others).chains
    fit = [one for one in chains if self.asked.admits(query, one.label, door)]
    telling = replace(query, text=f"{query.text} ({len(chains) - len(fit)} passages are left out)")
    return self.asked.ask(telling, door, fit[: self.settings.read], self.find)


def _retry(self: Engine, query: Any, door: Retriever, *rest: Any) -> Any:
    found = Engine._read(self, query, door, *rest)
    if found.text is None and self.asked:
        known = door.view(self.asked.known(query, door))
        self.asked.ask(query, door, gather(query, known, self.beam).chains, self.find)
    return found


def _unsure(self: Engine, query: Any, door: Retriever, beam: Any, others: Any) -> Any:
    read = self.reader.read(query.text, _chains(self, query, door, beam, others))
    sure = [one for one in read if one.score > 0.2]
    return Heard() if sure else Engine.outside(self, query, door, beam, others)


def _chains(self: Engine, query: Any, door: Retriever, beam: Any, others: Any) -> Any:
    return foremost(gather(query, door, beam, others).chains, self.settings.read)


LEAKS: Mapping[str, tuple[Patch, ...]] = {
    "everything": (("outside", _everything),),
    "joint": (("outside", _joint),),
    "retry": (("_read", _retry),),
    "count": (("outside", _count),),
    "unsure": (("outside", _unsure),),
}

Make = Callable[[], tuple[Talks, list[bytes]]]
"""A model for one run, and the list that all it is sent goes to."""


def watched() -> tuple[Talks, list[bytes]]:
    """One in memory."""
    model = Watched()
    return model, model.sent


def differ(trial: AskedTrial, leak: Sequence[Patch] = (), make: Make = watched) -> tuple[bool, int, Answer | None]:
    """Whether the model can tell the two runs apart, how much it was sent in the first, and its answer."""
    seen, answers = [], []
    for which in (0, 1):
        model, sent = make()
        before = len(sent)
        answers.append(trial.run(which, model, leak))
        seen.append(sent[before:])
    return seen[0] != seen[1], len(seen[0]), answers[0]
