"""The paper's systems: a retriever brings candidates, a classifier keeps those that fit the whole query. And every
system that finds sets, opened by name over a workspace.

    for each of the k best documents:  p = judge(query, text of the document)
    set = documents with p at or above one threshold for all queries, tuned on queries set apart for it

The first 512 tokens of a document are read. Malaviya et al. 2023, sections 4.3 and 5 and figure 3.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

import numpy as np

from answerable.encoders.choose import SHIPPED
from answerable.encoders.wordpieces import tokenizer_in
from answerable.evaluation.names import SetSystemName, Understood
from answerable.evaluation.sets.systems import Candidates, Finding, Gathering, Proposed, Retrieving, SetSystem
from answerable.evaluation.tasks import finding as tasks
from answerable.evaluation.tasks.asking import over, settings_of
from answerable.indexes.index import Mode
from answerable.sets.expression import Expression
from answerable.sets.judge import Judge
from answerable.workspace.models import judge_of, open_judge
from answerable.workspace.workspace import Workspace

TOKENS = 512
"""Of a document that are read (appendix A)."""
CANDIDATES = 100
"""So many documents are read."""


class Classifying(SetSystem):
    """A retriever and a classifier. Without a `threshold` it gives no set: such runs are what one is tuned on."""

    name = "classifier"

    def __init__(
        self,
        candidates: Candidates,
        judge: Judge,
        mode: Mode = "lexical",
        threshold: float | None = None,
    ) -> None:
        self._candidates, self._judge = candidates, judge
        self._tokenizer = tokenizer_in(SHIPPED / "tokenizer.json")
        self._mode, self._threshold = mode, threshold
        self.gives = threshold is not None
        how = {"mode": mode, "candidates": CANDIDATES, "part": "first", "tokens": TOKENS}
        self.settings = {**how, "threshold": threshold}
        encoder = {} if mode == "lexical" else {"encoder": candidates.encoder}
        self.models = {"judge": judge.name, **encoder}

    def find(self, query: str, meant: Expression | None = None) -> Proposed:
        """Candidates by their probability, ties as they were retrieved."""
        found = self._candidates.ranked(query, self._mode, CANDIDATES)
        began = time.perf_counter()
        documents, texts = [], []
        for hit in found.hits:
            passage = hit.passage
            stored = self._candidates.document(passage)
            title, text = (stored.title, stored.text) if stored else (passage.title, passage.text)
            documents.append(passage.document_id)
            texts.append((title, self._beginning(text)))
        fits = self._judge.judge([query], texts)[:, 0] if texts else np.zeros(0, np.float32)
        order = np.argsort(-fits, kind="stable").tolist()
        judged = tuple((documents[i], float(fits[i])) for i in order)
        parts = {"search": found.seconds, "judge": time.perf_counter() - began}
        chosen = None if self._threshold is None else tuple(id for id, p in judged if p >= self._threshold)
        return Proposed(tuple(id for id, _ in judged), chosen, judged, parts=parts)

    def _beginning(self, text: str) -> str:
        """The first tokens of a text by the shipped tokenizer, about as many as any English subword model makes."""
        clean = text.encode("utf-8", "replace").decode()
        places = self._tokenizer.encode(clean, add_special_tokens=False).offsets
        return clean if len(places) <= TOKENS else clean[: places[TOKENS - 1][1]]


MODES: dict[SetSystemName, Mode] = {
    SetSystemName.BM25: "lexical",
    SetSystemName.DENSE: "dense",
    SetSystemName.HYBRID: "hybrid",
}
"""The systems that only retrieve, and how they rank."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which system, and how. Of a classifier, `mode`: how its candidates are ranked; `judge`: by name, None for that of
    the workspace; `threshold`."""

    system: SetSystemName
    mode: Mode = "lexical"
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
    return Classifying(candidates, judge, asked.mode, asked.threshold)
