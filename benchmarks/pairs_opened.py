"""A set of pairs_sets.py, opened: its corpus, its questions, what was made of it, and what answers from that."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.evaluation.qapairs.matching import Matching, evenly, rate
from answerable.evaluation.qapairs.outcomes import Outcomes, outcomes
from answerable.evaluation.qapairs.systems import ByVectors, PairSystem, as_pairs, by_early, by_pairs
from answerable.evaluation.runs import writing
from answerable.evaluation.tasks.task import fill, header
from answerable.qapairs.lookup import Matcher, PairReranker
from answerable.qapairs.pair_settings import PairSettings
from answerable.qapairs.verify import Verifier
from answerable.types import QAPair
from answerable.workspace.models import open_matcher, verifier_of
from answerable.workspace.opening import open_workspace
from answerable.workspace.qapairs import early_reader
from answerable.workspace.workspace import Workspace
from making import Variant
from pairs_sets import CORPUS

MOST = 2
"""Questions of one answer in the largest variant."""
ALL = Variant(MOST, "global")
"""The pairs that are answered from: several for an answer, those that the engine answers alike."""
TIMED = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of a set as an evaluation has them."""

    about: dict[str, Any]
    ones: tuple[Example, ...]

    @property
    def questions(self) -> int:
        """How many there are."""
        return len(self.ones)

    def examples(self) -> Iterator[Example]:
        """In order."""
        yield from self.ones


@dataclass(frozen=True, slots=True)
class Set:
    """One set, opened: its corpus, its questions, what was made of it, and the models."""

    folder: Path
    corpus: Path
    workspace: Workspace
    asked: Asked
    training: tuple[QAPair, ...]
    matcher: Matcher
    reranker: PairReranker | None

    @property
    def verify(self) -> Verifier:
        """What tells whether two questions ask the same, beside this matcher."""
        return verifier_of(self.workspace.settings)

    @property
    def made(self) -> Path:
        """The run of everything that was made."""
        return self.corpus / "made.jsonl"

    def run(self, system: PairSystem, of: Mapping[str, Any]) -> Outcomes:
        """Ask a system every question that its run does not have yet."""
        task = Matching(system, dict(of))
        head = header(task, self.asked)
        path = self.folder / "runs" / f"{system.name}-{head.key[:8]}.jsonl"
        with writing(path, head) as kept:
            fill(task, self.asked, kept)
        found = outcomes(self.asked, path)
        em = 100 * sum(found.right) / len(found.right)
        print(f"{self.folder.name:<12}{system.name:<10}EM {em:5.1f}  {of}", file=sys.stderr, flush=True)
        return found

    def timed(self, system: PairSystem) -> float:
        """Questions a second, the median of three times."""
        return rate(system, [one.question for one in evenly(list(self.asked.ones), TIMED)])

    @property
    def reads_early(self) -> bool:
        """Whether it is known how far to trust what is read early beside pairs of this matcher."""
        return early_reader(self.workspace.engine().reader, self.matcher.name, PairSettings()) is not None

    def early(self, ones: Sequence[QAPair], least: float | None = None) -> PairSystem:
        """The same, read again, and then what stands in the first passages found: an ask before it searches on."""
        settings = PairSettings(early_threshold=least)
        held = exactly(ones, self.matcher)
        return by_early(self.workspace, held, self.matcher, self.reranker, settings, self.verify)

    def answering(self, ones: Sequence[QAPair], rerank: bool, settings: PairSettings = PairSettings()) -> PairSystem:
        """What answers from these pairs as a workspace would, each of them compared with the question."""
        door = self.workspace.engine().retriever
        reads = self.reranker if rerank else None
        return by_pairs(door, exactly(ones, self.matcher), self.matcher, reads, settings, verify=self.verify)


def exactly(pairs: Sequence[QAPair], matcher: Matcher) -> dict[str, ByVectors]:
    """The pairs of each enclave, every one of them compared with a question."""
    by_enclave: dict[str, list[QAPair]] = {}
    for pair in pairs:
        by_enclave.setdefault(pair.enclave, []).append(pair)
    return {name: ByVectors(ones, matcher) for name, ones in by_enclave.items()}


@contextmanager
def opened(work: Path, name: str, questions: int | None) -> Iterator[Set]:
    """A set that was prepared and made."""
    folder = work / name
    if not (folder / "set.json").is_file():
        sys.exit(f"error: {folder} holds no set; python benchmarks/pairs_sets.py makes it")
    corpus = work / CORPUS.get(name, name)
    with open_workspace(corpus / "ws", settings={"pairs.answer": False}) as workspace:
        ones = tuple(evenly(list(load(folder / "questions.jsonl", "nq-open")), questions))
        asked = Asked({"name": name, "questions": len(ones), "ids": [one.id for one in ones]}, ones)
        models = workspace.settings.models
        yield Set(
            folder,
            corpus,
            workspace,
            asked,
            as_pairs(load(folder / "training.jsonl", "nq-open")),
            *open_matcher(models.matcher, models.threads),
        )
