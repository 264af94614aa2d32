"""How the scores of what each enclave returns are spread, by slice and hop (Arora et al. 2022, figure 6).

Where they stand apart, the best passages overall come from one enclave alone, whatever the other holds.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from answerable.evaluation.metrics.confidence import above
from answerable.types import Hop, Skill

Spread = dict[str, dict[int, dict[str, "array[float]"]]]
"""Scores by slice, by hop counted from 1, and by enclave."""
QUARTILES = {"25 %": 25, "median": 50, "75 %": 75}


def by_hop(hops: Iterable[Hop]) -> list[dict[str, list[float]]]:
    """For a record: at each hop, the scores of all that each enclave returned, in the order in which it did.

    An enclave that was refused is left out, and so are searches for what a text names: their scores are others.
    """
    found: list[dict[str, list[float]]] = []
    for hop in hops:
        if hop.refused is None and hop.skill is not Skill.MENTION:
            place = len(hop.query.because)
            found.extend({} for _ in range(place + 1 - len(found)))
            found[place].setdefault(hop.enclave, []).extend(round(hit.score, 6) for hit in hop.hits)
    return found


def add(spread: Spread, slice: str, record: Mapping[str, Any]) -> None:
    """Count a record's scores with those of its slice."""
    for number, enclaves in enumerate(record.get("scores_by_hop", ()), start=1):
        for enclave, scores in enclaves.items():
            spread.setdefault(slice, {}).setdefault(number, {}).setdefault(enclave, array("d")).extend(scores)


def figures(spread: Spread) -> dict[str, Any]:
    """By slice, hop and enclave: how many scores, their quartiles, and `above`, where there are other enclaves.

    That is the chance that one of its scores is above one of theirs (`metrics.above`).
    """
    return {
        slice: {f"hop {number}": _figures(enclaves) for number, enclaves in sorted(hops.items())}
        for slice, hops in sorted(spread.items())
    }


def _figures(enclaves: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    told = {}
    for name, scores in sorted(enclaves.items()):
        others = [score for other, ones in enclaves.items() if other != name for score in ones]
        places = np.percentile(scores, list(QUARTILES.values())).tolist() if len(scores) else []
        chance = above(scores, others)
        told[name] = {
            "passages": len(scores),
            **dict(zip(QUARTILES, places, strict=False)),
            **({} if chance is None else {"above": chance}),
        }
    return told
