"""`finding`: whole sets for queries with "and", "or" and "not", found by one system in a workspace (QUEST)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from answerable.datasets.examples import Example
from answerable.errors import UsageError
from answerable.evaluation.metrics import ranking
from answerable.evaluation.metrics.hotpot import set_scores
from answerable.evaluation.runs import Record
from answerable.evaluation.sets.meaning import meant
from answerable.evaluation.sets.systems import SetSystem
from answerable.evaluation.tasks.passages import name_of
from answerable.evaluation.tasks.task import Elsewhere, Scores, Survey, Task
from answerable.sets.expression import atoms, canonical, printed, read_expression

KEPT = 1000
"""Documents of a ranking that a run keeps."""


class Finding(Task):
    """A system over the queries whose documents are all in the corpus (those that the data calls covered).

    Precision, recall and F1 are of the set, a mean over queries; count gap is how far its size is from the gold one, as
    a share of the larger of the two. Recall and MRecall at k are of the ranking. Where the system says how it
    understood a query and the data tells what it means: expression, whether these are the same tree, and constraints,
    whether they name the same ones.
    """

    name = "finding"

    def __init__(self, system: SetSystem, enclaves: Mapping[str, Any], elsewhere: Elsewhere | None = None) -> None:
        """`enclaves`: what the workspace holds, for the run's header; `elsewhere`: where else it can be done."""
        self.elsewhere = elsewhere
        self._system = system
        self.settings = {"system": system.name, **system.settings, "enclaves": dict(enclaves)}
        self.models = system.models

    @staticmethod
    def require(survey: Survey) -> None:
        """Raise `UsageError` when no query has documents."""
        if not survey.supported:
            raise UsageError(f"{survey.about['name']} says of no query which documents fit", hint="give QUEST's form")

    def record(self, example: Example) -> Record:
        """The set, the ranking, the probabilities, how the query was understood, and the seconds by part."""
        if not example.supporting:
            return {"reason": "not all of its documents have text", "ranking": []}
        try:
            found = self._system.find(example.question, meant(example))
        except UsageError as error:
            nothing: Record = {"reason": error.args[0], "ranking": []}
            return nothing | ({"docs": []} if self._system.gives else {})
        gold = frozenset(example.supporting)
        record: Record = {"ranking": [name_of(id, gold) for id in found.ranking[:KEPT]]}
        if found.chosen is not None:
            record["docs"] = [name_of(id, gold) for id in found.chosen]
        if found.judged:
            record["judged"] = [[name_of(id, gold), round(probability, 6)] for id, probability in found.judged]
        if found.expression is not None:
            record["expression"] = printed(found.expression)
        if found.expected is not None:
            record["expected"] = round(found.expected, 3)
        parts = {name: round(seconds, 6) for name, seconds in found.parts.items()}
        return record | {"parts": parts, "seconds": round(found.seconds, 6)}

    @staticmethod
    def scores(example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
        """See the class."""
        gold = example.supporting
        if not gold:
            return {}
        found: Scores = {}
        if "docs" in record:
            one = set_scores(record["docs"], gold)
            gap = abs(len(record["docs"]) - len(gold)) / max(len(record["docs"]), len(gold))
            found = {"precision": one.precision, "recall": one.recall, "F1": one.f1, "count gap": gap}
        found |= cut_scores(record["ranking"], gold, at)
        expression = meant(example)
        if expression is not None and "expression" in record:
            said = read_expression(record["expression"])
            one_word, other_word = ({text.casefold() for text in atoms(tree)} for tree in (said, expression))
            found["expression"] = float(canonical(said) == canonical(expression))
            found["constraints"] = float(one_word == other_word)
        return found

    @staticmethod
    def whole(pairs: Iterable[tuple[Example, Mapping[str, Any]]]) -> Scores:
        """`count error`: by how many documents sets are too large or too small, a mean; `expected count error`: the
        same of the number that the system reckons with."""
        given, expected = [], []
        for example, record in pairs:
            if example.supporting and "docs" in record:
                given.append(abs(len(record["docs"]) - len(example.supporting)))
                if "expected" in record:
                    expected.append(abs(record["expected"] - len(example.supporting)))
        means = {"count error": given, "expected count error": expected}
        return {name: sum(values) / len(values) for name, values in means.items() if values}


def cut_scores(documents: Sequence[str], gold: Collection[str], at: Sequence[int]) -> Scores:
    """Recall and MRecall of a ranking at each k."""
    relevant = dict.fromkeys(gold, 1)
    found = {f"recall@{k}": ranking.recall(documents, relevant, k) for k in at}
    return found | {f"MRecall@{k}": ranking.mrecall(documents, relevant, k) for k in at}
