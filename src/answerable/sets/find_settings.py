"""How whole sets are found."""

from __future__ import annotations

from dataclasses import dataclass

from answerable.sets.algebra import Logic


@dataclass(frozen=True, slots=True)
class FindSettings:
    """`whole` passages are taken for the query and `each` for every constraint that is not taken away.

    Of the documents they are of, the best `candidates` of each label are judged, each by up to `passages` passages: its
    first, and those that were found. `logic` is how constraints join (`algebra.belonging`). `threshold` (0 to 1): the
    probability from which on a document is a member; None: as many as make the expected F1 greatest, for each query.
    No document below the probability `least` is one then: of many that are unlikely alike the expected F1 gives all.
    A sentence is evidence from the probability `shows` on (0 to 1), if its document has that too; of each constraint at
    most `cited` are given. `left_out`: documents shown for each label that fit but for what is taken away.

    `endpoint`: where a language model may be asked how a query is meant, the `/v1` of an OpenAI-compatible server, as
    `model` there with the key in `key_file`; private questions only where `endpoint_private` says it is for these.
    """

    whole: int = 100
    each: int = 300
    candidates: int = 100
    passages: int = 2
    logic: Logic = "minimum"
    threshold: float | None = None
    least: float = 0.05
    shows: float = 0.2
    cited: int = 2
    left_out: int = 5
    endpoint: str | None = None
    model: str | None = None
    key_file: str | None = None
    endpoint_private: bool = False
