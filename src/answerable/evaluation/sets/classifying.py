"""The paper's systems: a retriever brings candidates, a classifier keeps those that fit the whole query. And every
system that finds sets, opened by name over a workspace.

    for each of the k best documents:  p = judge(query, text of the document)
    set = documents with p at or above one threshold for all queries, tuned on queries set apart for it

The paper reads the first 512 tokens of a document; by overlapping pieces, a document counts as its best piece. Malaviya
et al. 2023, sections 4.3 and 5 and figure 3.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from answerable.encoders.choose import SHIPPED
from answerable.encoders.wordpieces import tokenizer_in
from answerable.errors import UsageError
from answerable.evaluation.names import Part, SetSystemName, Understood
from answerable.evaluation.sets.systems import Candidates, Finding, Gathering, Proposed, Retrieving, SetSystem
from answerable.evaluation.tasks import finding as tasks
from answerable.evaluation.tasks.asking import over, settings_of
from answerable.indexes.index import Mode
from answerable.sets.expression import Expression
from answerable.sets.judge import Floats, Judge
from answerable.workspace.models import judge_of, open_judge
from answerable.workspace.workspace import Workspace

TOKENS = 512
"""Of a document that are read at once (appendix A)."""
CANDIDATES = 100


@dataclass(frozen=True, slots=True)
class ClassifierSettings:
    """`mode`: how candidates are ranked; `candidates`: how many are read; `part`: how much of each, by `tokens`."""

    mode: Mode = "lexical"
    candidates: int = CANDIDATES
    part: Part = Part.FIRST
    tokens: int = TOKENS

    def __post_init__(self) -> None:
        if self.candidates < 1 or self.tokens < 2:
            raise UsageError(f"{self.candidates} candidates of {self.tokens} tokens", hint="at least 1 of 2 tokens")


class Pieces:
    """Cuts texts by the shipped tokenizer's tokens, about as many as any English subword model makes of them."""

    def __init__(self, path: Path) -> None:
        """`path`: a `tokenizer.json`."""
        self._tokenizer = tokenizer_in(path)

    def of(self, text: str, tokens: int, part: Part) -> list[str]:
        """The first `tokens` of a text, or all of it in pieces of so many, each beginning in the middle of the last."""
        clean = text.encode("utf-8", "replace").decode()
        return [clean[start:end] for start, end in self.spans(clean, tokens, part)]

    def spans(self, text: str, tokens: int, part: Part) -> list[tuple[int, int]]:
        """The characters [start, end) of each piece, in order, at least one; every token stands in one with `ALL`."""
        places = self._tokenizer.encode(text, add_special_tokens=False).offsets
        if len(places) <= tokens:
            return [(0, len(text))]
        if part is Part.FIRST:
            return [(0, places[tokens - 1][1])]
        step = tokens // 2
        starts = range(0, len(places) - tokens + step, step)
        return [(places[at][0], places[min(at + tokens, len(places)) - 1][1]) for at in starts]


class Classifying(SetSystem):
    """A retriever and a classifier. Without a `threshold` it gives no set: such runs are what one is tuned on."""

    name = "classifier"

    def __init__(
        self,
        candidates: Candidates,
        judge: Judge,
        pieces: Pieces,
        settings: ClassifierSettings = ClassifierSettings(),
        threshold: float | None = None,
    ) -> None:
        self._candidates, self._judge, self._pieces = candidates, judge, pieces
        self._how, self._threshold = settings, threshold
        self.gives = threshold is not None
        self.settings = {**asdict(settings), "threshold": threshold}
        encoder = {} if settings.mode == "lexical" else {"encoder": candidates.encoder}
        self.models = {"judge": judge.name, **encoder}

    def find(self, query: str, meant: Expression | None = None) -> Proposed:
        """Candidates by their probability, ties as they were retrieved."""
        found = self._candidates.ranked(query, self._how.mode, self._how.candidates)
        began = time.perf_counter()
        documents, texts, owners = [], [], []
        for number, hit in enumerate(found.hits):
            passage = hit.passage
            stored = self._candidates.document(passage)
            title, text = (stored.title, stored.text) if stored else (passage.title, passage.text)
            documents.append(passage.document_id)
            for piece in self._pieces.of(text, self._how.tokens, self._how.part):
                texts.append((title, piece))
                owners.append(number)
        fits = best_piece(self._judge.judge([query], texts)[:, 0] if texts else np.zeros(0, np.float32), owners)
        order = np.argsort(-fits, kind="stable").tolist()
        judged = tuple((documents[i], float(fits[i])) for i in order)
        parts = {"search": found.seconds, "judge": time.perf_counter() - began}
        chosen = None if self._threshold is None else tuple(id for id, p in judged if p >= self._threshold)
        return Proposed(tuple(id for id, _ in judged), chosen, judged, parts=parts)


def best_piece(fits: Floats, owners: Sequence[int]) -> Floats:
    """(documents,) float32: the greatest of each document's pieces; `owners` says of each piece whose it is."""
    best = np.zeros(max(owners, default=-1) + 1, np.float32)
    np.maximum.at(best, np.asarray(owners, np.int64), fits)
    return best


MODES: dict[SetSystemName, Mode] = {
    SetSystemName.BM25: "lexical",
    SetSystemName.DENSE: "dense",
    SetSystemName.HYBRID: "hybrid",
}
"""The systems that only retrieve, and how they rank."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which system, and how. `judge`: by name, None for that of the workspace. `threshold`: of a classifier."""

    system: SetSystemName
    classifier: ClassifierSettings = field(default_factory=ClassifierSettings)
    judge: str | None = None
    threshold: float | None = None
    understood: Understood = Understood.PARSED
    evidence: bool = True


def open_system(workspace: Workspace, asked: Asked, candidates: Candidates) -> SetSystem:
    """The system over a workspace, with candidates that several may share. `find` is that of the workspace as it is set
    there; ablations are settings of `[find]`, and where expressions come from.

    Raises `UsageError` for a model that is not there.
    """
    if asked.system in MODES:
        return Retrieving(asked.system.value, candidates, MODES[asked.system])
    if asked.system is SetSystemName.CLASSIFIER:
        return _classifier(workspace, asked, candidates)
    if asked.system is SetSystemName.CANDIDATES:
        return Gathering(workspace, asked.understood)
    return Finding(workspace, asked.understood, asked.evidence)


def open_finding(workspace: Workspace, asked: Asked) -> tasks.Finding:
    """The task `finding` by that system. Raises as `open_system`."""
    system, held = open_system(workspace, asked, Candidates(workspace)), settings_of(workspace)["enclaves"]
    return tasks.Finding(system, held, over(workspace, partial(open_finding, asked=asked)))


def _classifier(workspace: Workspace, asked: Asked, candidates: Candidates) -> Classifying:
    given = workspace.settings
    judge = open_judge(asked.judge, given.models.threads) if asked.judge else judge_of(given)
    return Classifying(candidates, judge, Pieces(SHIPPED / "tokenizer.json"), asked.classifier, asked.threshold)
