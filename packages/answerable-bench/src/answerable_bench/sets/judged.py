"""The queries as people left them: in their words, without those and the answers they spoke against, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answerable_bench.sets.label import RATINGS, Labels, labels, relevant
from answerable_bench.sets.paraphrase import paraphrased
from answerable_bench.sets.queries import SetQuery
from answerable_bench.sets.validate import FLUENCY, MEANING, NATURALNESS, Verdicts, verdicts


@dataclass(frozen=True, slots=True)
class Judgements:
    """`asked`: the queries in their words; `valid`: those that stand; `kept`: with the answers that stay."""

    asked: Sequence[SetQuery]
    valid: Sequence[SetQuery]
    kept: Sequence[SetQuery]
    verdicts: Mapping[str, Verdicts]
    labels: Mapping[tuple[str, str], Labels]

    def metadata(self, query: SetQuery) -> dict[str, Any]:
        """What was said of a query and its documents, in QUEST's fields; only those that have something."""
        found: dict[str, Any] = {}
        if verdict := self.verdicts.get(query.id):
            found |= {name: verdict.good(name) for name in (FLUENCY, MEANING, NATURALNESS)}
        said = {id: self.labels[query.id, id] for id in query.docs if (query.id, id) in self.labels}
        if said:
            found["relevance_ratings"] = {id: [RATINGS[str(one)] for one in of.ratings] for id, of in said.items()}
            found["evidence_ratings"] = {id: list(of.evidence) for id, of in said.items()}
            found["attributions"] = {
                id: [{one["phrase"]: one["text"]} for one in of.attributions] for id, of in said.items()
            }
            found["attribution_places"] = {
                id: [{name: value for name, value in one.items() if name != "text"} for one in of.attributions]
                for id, of in said.items()
            }
        return found


def judgements(folder: Path) -> Judgements:
    """Everything people said of a build, applied in the order of the rounds."""
    asked = paraphrased(folder)
    said = verdicts(folder, asked)
    valid = [one for one in asked if one.id not in said or said[one.id].stands]
    labelled = labels(folder, valid)
    return Judgements(asked, valid, relevant(valid, labelled), said, labelled)
