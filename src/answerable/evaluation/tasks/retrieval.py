"""`retrieval`: what is found for a question, unread: by words, by vectors or by both, in one hop or more."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from answerable.chains.beam import gather
from answerable.datasets.examples import Example
from answerable.engine import OWNER
from answerable.errors import UsageError
from answerable.evaluation.metrics import ranking
from answerable.evaluation.runs import Record
from answerable.evaluation.spread import by_hop
from answerable.evaluation.tasks import passages
from answerable.evaluation.tasks.asking import models_of, over, settings_of
from answerable.evaluation.tasks.task import Scores, Survey, Task
from answerable.privacy.flow import first_query
from answerable.text import checked_question
from answerable.workspace.settings import checked
from answerable.workspace.workspace import Workspace

DEEP = 100  # passages taken where one hop is measured: as far as recall@100 looks
DEEPEST = 20_000
"""Passages of one hop, at most. A document has as many places as passages: for recall@1000 take some thousands."""


class Retrieval(Task):
    """The beam alone, over a workspace. A document's rank is that of the first of its passages.

    The settings are the workspace's, as for an ask. With one hop, `k` passages make a ranking (`DEEP` unless told
    otherwise, `DEEPEST` at most); with more, each chain is extended by `k`, as for an ask, and the documents are ranked
    as they are met when the chains are read best first.
    """

    name = "retrieval"

    def __init__(self, workspace: Workspace, k: int | None = None) -> None:
        """Raises `UsageError` for a number of passages that is out of range."""
        engine = workspace.engine()
        privacy = workspace.settings.ask.privacy
        self._enclaves, self._privacy = workspace.enclaves(), privacy
        self._retriever, self._taught = engine.retriever.under(privacy), engine.taught
        self._beam = replace(engine.beam, keep_short=False)
        if self._beam.hops > 1:
            self._beam = replace(self._beam, k=self._beam.k if k is None else checked("beam.k", k))
        else:
            depth = DEEP if k is None else k
            if not 1 <= depth <= DEEPEST:
                raise UsageError(f"k is {depth:,} passages", hint=f"from 1 to {DEEPEST:,} where there is one hop")
            self._beam = replace(self._beam, k=depth, width=depth)
        used = {"k": self._beam.k, "width": self._beam.width, "keep_short": False}
        told = {**settings_of(workspace), **used}
        self.settings = {name: value for name, value in told.items() if name not in ("read", "threshold")}
        self.models = {"encoder": models_of(workspace)["encoder"]}
        self.elsewhere = over(workspace, partial(Retrieval, k=k))

    @staticmethod
    def require(survey: Survey) -> None:
        """Raise `UsageError` when the data says neither what is relevant nor what the answers are."""
        if not survey.supported and not survey.answered:
            raise UsageError(
                f"{survey.about['name']} says neither which documents are relevant nor what the answers are",
                hint="give questions with supporting documents, answers or qrels",
            )

    def record(self, example: Example) -> Record:
        """The documents found with their scores, the chains, the scores of each enclave, leaks and seconds."""
        began = time.perf_counter()
        try:
            asked = first_query(checked_question(example.question), OWNER, self._privacy, self._enclaves)
            query = self._taught.asked(asked, self._enclaves)
        except UsageError as error:
            return {"reason": error.args[0], "ranking": [], "chains": []}
        evidence = gather(query, self._retriever, self._beam)
        seconds = round(time.perf_counter() - began, 6)
        return {
            **passages.found(example, evidence.chains, max(DEEP, self._beam.k)),
            "scores_by_hop": by_hop(evidence.hops),
            "leaks": passages.leaks(evidence.hops, self._enclaves),
            "seconds": seconds,
        }

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
        """nDCG@10, MAP, MRR, recall and MRecall at each k; passage EM and paths; answer recall.

        Only what the ranking is deep enough for: with one hop, no cut beyond `k`.
        """
        depths = [k for k in at if self._beam.hops > 1 or k <= self._beam.k]
        scores: dict[str, float] = {}
        if example.supporting:
            ids = [id for id, _ in record["ranking"]]
            relevant = relevance(example)
            scores = ranking_scores(ids, relevant, depths)
            scores |= passages.path_scores(example, record, depths)
        return scores | passages.answer_scores(record, depths)


def relevance(example: Example) -> dict[str, int]:
    """The grade of each relevant document: 1 unless the data set grades them."""
    grades = example.meta.get("relevance", {})
    return {id: grades.get(id, 1) for id in example.supporting}


def ranking_scores(ids: Sequence[str], relevant: Mapping[str, int], at: Sequence[int]) -> dict[str, float]:
    """nDCG@10, MAP, MRR and recall at each k; where several are relevant MRecall too."""
    scores = {
        "nDCG@10": ranking.ndcg(ids, relevant, 10),
        "MAP": ranking.average_precision(ids, relevant),
        "MRR": ranking.reciprocal_rank(ids, relevant),
        **{f"recall@{k}": ranking.recall(ids, relevant, k) for k in at},
    }
    return scores | ({f"MRecall@{k}": ranking.mrecall(ids, relevant, k) for k in at} if len(relevant) > 1 else {})
