"""How whole sets are found."""

from __future__ import annotations

from dataclasses import dataclass

from answerable.records import setting


@dataclass(frozen=True, slots=True)
class FindSettings:
    """What each says is beside it. Documents are judged 25 at a time, never fewer than 50 where there are as many;
    those below `least`, which could not be shown, bring nothing to `gain`. `place`: as `algebra.placed`. A sentence is
    evidence from the probability `shows` on, if its document has that too.
    """

    whole: int = setting(100, "passages taken for a set query as it was asked", 1, 1_000)
    each: int = setting(
        300, "passages taken for each of its constraints, and for those that must hold together", 1, 1_000
    )
    candidates: int = setting(1_000, "documents of each label that are judged, at most", 1, 2_000)
    gain: float = setting(
        0.15, "share of the members expected so far that 25 more documents must bring, or looking ends", 0, 1
    )
    passages: int = setting(
        2, "passages of one document that it is judged by: its first, and those that were found", 1, 50
    )
    threshold: float | None = setting(
        None, "probability from which on a document is a member; empty: the best expected F1 decides", 0, 1
    )
    whole_weight: float = setting(
        0.4, "how much the query, judged as it was asked, counts beside its constraints one by one; 0: nothing", 0, 1
    )
    place: float = setting(
        0.3, "how much a document's place among those found counts beside what it is judged by; 0: nothing", 0, 2
    )
    least: float = setting(
        0.07, "probability below which no document is a member, where the expected F1 decides", 0, 0.5
    )
    shows: float = setting(0.1, "probability from which on a sentence is evidence for a constraint", 0, 1)
    cited: int = setting(2, "sentences shown for each constraint of a member, at most", 1, 10)
    left_out: int = setting(5, "documents of each label shown that fit but for what is taken away", 0, 100)
