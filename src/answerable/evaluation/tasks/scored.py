"""Tasks that score predictions made elsewhere, and refuse to make their own while the capability is not built.

One class a task, since each has measures of its own; `predicted` chooses among them. A prediction's record is the
prediction, so that its run can be compared with any other of the same task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from answerable.datasets.examples import Example
from answerable.errors import UsageError
from answerable.evaluation.metrics import hotpot, ranking, sharc
from answerable.evaluation.metrics.answers import exact, f1
from answerable.evaluation.metrics.evidence import Annotation, answer_f1, evidence_f1
from answerable.evaluation.metrics.sets import set_scores
from answerable.evaluation.runs import Record
from answerable.evaluation.tasks.predictions import Predictions
from answerable.evaluation.tasks.retrieval import relevance

NOT_YET: Mapping[str, str] = {
    "tables": "asking tables",
}
"""Tasks whose capability is not there, in words."""
MISSING_REPLY = "missing"
"""What ShARC's script puts for a reply that is not there: a question of one word."""


class Predicted:
    """Answers made elsewhere: EM and F1 (SQuAD's; where there are facts to find, HotpotQA's, with joint scores)."""

    correct: ClassVar[str | None] = "EM"
    models: Mapping[str, str] = {}

    def __init__(self, name: str, predictions: Predictions) -> None:
        self.name = name
        self.settings = predictions.settings()
        self._predictions = predictions

    def record(self, example: Example) -> Record:
        """The prediction."""
        return self._predictions.of(example)

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> dict[str, float]:
        """EM and F1, whether anything was said, and for predicted facts their scores and the joint ones."""
        said = record["answer"]
        answered = {"answered": float(said is not None)}
        if not example.facts or not example.answers:
            return {**answered, "EM": exact(said or "", example.answers), "F1": f1(said or "", example.answers)}
        answer = hotpot.MISSING if said is None else hotpot.answer_scores(said, example.answers)
        scores = {**answered, "EM": answer.em, "F1": answer.f1}
        if "facts" not in record:
            return scores
        facts = [(str(title), int(number)) for title, number in record["facts"]]
        supporting = hotpot.supporting_scores(facts, example.facts)
        joint = hotpot.MISSING if said is None else hotpot.joint_scores(answer, supporting)
        return {
            **scores,
            "facts EM": supporting.em,
            "facts F1": supporting.f1,
            "joint EM": joint.em,
            "joint F1": joint.f1,
        }


class Pairs(Predicted):
    """Question pairs: the share of questions that were matched at all, and EM over all and over those matched."""

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> dict[str, float]:
        """Coverage, EM, EM of what was covered."""
        said = record["answer"]
        correct = exact(said or "", example.answers)
        scores = {"coverage": float(said is not None), "EM": correct}
        return scores if said is None else {**scores, "EM of covered": correct}


class Ranked(Predicted):
    """Rankings made elsewhere (`docs`, best first), measured as `retrieval` measures ours."""

    correct: ClassVar[str | None] = None

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> dict[str, float]:
        """nDCG@10, MAP, MRR, recall and MRecall at each k; nothing where nothing is relevant."""
        ids, relevant = record.get("docs", []), relevance(example)
        if not relevant:
            return {}
        scores = {
            "nDCG@10": ranking.ndcg(ids, relevant, 10),
            "MAP": ranking.average_precision(ids, relevant),
            "MRR": ranking.reciprocal_rank(ids, relevant),
            **{f"recall@{k}": ranking.recall(ids, relevant, k) for k in at},
        }
        return scores | ({f"MRecall@{k}": ranking.mrecall(ids, relevant, k) for k in at} if len(relevant) > 1 else {})


class Finding(Predicted):
    """Sets made elsewhere (`docs`): precision, recall and F1 of the set, and of its ranking recall and MRecall."""

    correct: ClassVar[str | None] = None

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> dict[str, float]:
        """As QUEST measures them: a mean over queries."""
        said, gold = record.get("docs", []), example.answers
        if not gold:
            return {}
        found = set_scores(said, gold)
        relevant = dict.fromkeys(gold, 1)
        scores = {"precision": found.precision, "recall": found.recall, "F1": found.f1}
        scores |= {f"recall@{k}": ranking.recall(said, relevant, k) for k in at}
        return scores | {f"MRecall@{k}": ranking.mrecall(said, relevant, k) for k in at}


class Navigating(Predicted):
    """Answers from long documents made elsewhere: answer F1, and where they bring evidence, evidence F1 (QASPER)."""

    correct: ClassVar[str | None] = None

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> dict[str, float]:
        """The best over the annotators, as the official script takes it; without annotations, over the answers."""
        said = record["answer"]
        answered = {"answered": float(said is not None)}
        annotations = example.meta.get("annotations", ())
        if not annotations:
            return {**answered, "EM": exact(said or "", example.answers), "F1": f1(said or "", example.answers)}
        if said is None:
            return {**answered, "F1": 0.0, "evidence F1": 0.0}
        value, kind = answer_f1(said, [Annotation(one["answer"], one["type"]) for one in annotations])
        found = {**answered, "F1": value, f"F1 {kind}": value}
        if "evidence" in record:
            found["evidence F1"] = evidence_f1(record["evidence"], [one["evidence"] for one in annotations])
        return found


class Conversing(Predicted):
    """Replies to conversations about rules made elsewhere (ShARC): yes, no, irrelevant, or a follow-up question."""

    correct: ClassVar[str | None] = "Easy"

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> dict[str, float]:
        """Easy, and Strict where the text that must be found is known and the predictions say what was found."""
        said, gold = record["answer"] or MISSING_REPLY, _reply(example)
        found = {"Easy": sharc.easy(said, gold)}
        if "snippet" in example.meta and "evidence" in record:
            found["Strict"] = sharc.strict(said, gold, record["evidence"], (example.meta["snippet"],))
        return found

    def whole(self, pairs: Iterable[tuple[Example, Mapping[str, Any]]]) -> dict[str, float]:
        """Micro and macro accuracy of the decisions, BLEU of the follow-up questions."""
        said, gold = [], []
        for example, record in pairs:
            said.append(record["answer"] or MISSING_REPLY)
            gold.append(_reply(example))
        return {
            "micro accuracy": sharc.micro_accuracy(said, gold),
            "macro accuracy": sharc.macro_accuracy(said, gold),
            "BLEU 1": sharc.follow_up_bleu(said, gold, 1),
            "BLEU 4": sharc.follow_up_bleu(said, gold, 4),
        }


def _reply(example: Example) -> str:
    return example.answers[0] if example.answers else MISSING_REPLY


_TASKS: Mapping[str, type[Predicted]] = {
    "reading": Predicted,
    "asking": Predicted,
    "retrieval": Ranked,
    "tables": Predicted,
    "finding": Finding,
    "navigating": Navigating,
    "conversing": Conversing,
    "pairs": Pairs,
}


def predicted(name: str, predictions: Predictions) -> Predicted:
    """The task `name` over predictions made elsewhere. Raises `UsageError` for a task that has none."""
    if name not in _TASKS:
        raise UsageError(f"{name} takes no predictions", hint=f"predictions are scored for {', '.join(_TASKS)}")
    return _TASKS[name](name, predictions)


def not_yet(name: str) -> UsageError:
    """The one sentence for a capability that is not there."""
    return UsageError(
        f"{NOT_YET[name]} is not built yet, so {name} cannot be evaluated", hint="score a file with --predictions FILE"
    )
