"""Answer or abstain: the last step of an ask, and always with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from answerable.selective.calibrate import Calibration
from answerable.selective.features import Choice, choices
from answerable.text import asks_to_be_told, choice, chosen
from answerable.types import UNSEARCHED, Candidate, Chain, Hop

PASSAGES = "passages are what a question like this gets"
"""Of one that asks to be told of something, or for somebody's last mails."""

VERDICTS = frozenset({"yes", "no"})


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer given, or None with a reason; its confidence (0 to 1); and the other answers with theirs.

    `best`: the best answer found, given or not; None when there was none. `read`: where it and the others stand, in
    their order.
    """

    text: str | None
    reason: str | None
    confidence: float
    candidate: Candidate | None
    others: tuple[tuple[str, float], ...]
    best: Choice | None = None
    read: tuple[Candidate, ...] = ()


def below(what: str, sure: float, least: float) -> str:
    """That what was found is not sure enough, in as many digits as tell its confidence from the threshold."""
    digits = next((n for n in range(2, 17) if f"{sure:.{n}f}" != f"{least:.{n}f}"), 17)
    return f"the best {what} has confidence {sure:.{digits}f}, below the threshold {least:.{digits}f}"


def unreachable(hops: Sequence[Hop]) -> tuple[str, ...]:
    """A sentence for each enclave on another machine that could not be asked, or not all of it, by name."""
    whole = {hop.refused for hop in hops if hop.refused and hop.unreachable}
    return tuple(sorted(whole.union(*(hop.missing for hop in hops))))


def unasked(hops: Sequence[Hop]) -> tuple[str, ...]:
    """A sentence for the enclaves that the rule of sending kept something from, and those of `unreachable`."""
    refused = sorted({hop.enclave for hop in hops if _by_privacy(hop)})
    withheld = [f"{', '.join(refused)} could not be asked everything under this privacy"] if refused else []
    return (*withheld, *unreachable(hops))


def _by_privacy(hop: Hop) -> bool:
    """Whether a search was refused by the rule of sending. Of enclaves that the asker may not read nothing is told."""
    cleared = hop.query.asker.clearance
    ruled = hop.refused is not None and not hop.refused.endswith(UNSEARCHED) and not hop.unreachable
    return ruled and (cleared is None or hop.enclave in cleared)


def decide(
    question: str,
    candidates: Sequence[Candidate],
    chains: Sequence[Chain],
    hops: Sequence[Hop],
    calibration: Calibration,
    threshold: float | None = None,
) -> Decision:
    """Give the surest answer if its confidence reaches the threshold (the calibration's unless given).

    A question that asks to be told of something gets passages, and no answer is chosen for it. Where one of two things
    is wanted, nothing else is sure at all.
    `candidates` were read from `chains`, which are in the order of retrieval; `hops` are all searches, refused or not.
    """
    least = calibration.threshold if threshold is None else threshold
    rest = "".join(f"; {reason}" for reason in unasked(hops))
    if not any(chain.hits for chain in chains):
        return Decision(None, f"nothing was found for this question{rest}", 0.0, None, ())
    if asks_to_be_told(question):
        return Decision(None, PASSAGES + rest, 0.0, None, ())
    offered = choice(question)

    def sure(one: Choice) -> float:
        return calibration.sure(one) if not offered or chosen(one.text, offered) else 0.0

    ranked = sorted(choices(question, candidates, chains), key=sure, reverse=True)
    if not ranked:
        return Decision(None, f"the passages found hold nothing that answers it{rest}", 0.0, None, ())
    confidences = [*map(sure, ranked)]
    best, read = ranked[0], tuple(one.candidate for one in ranked[:6])
    left = 1 - confidences[0] if best.text in VERDICTS else 1.0  # a yes and a no are never both right
    others = tuple(
        (c.text, min(p, left) if c.text in VERDICTS else p) for c, p in zip(ranked[1:6], confidences[1:6], strict=True)
    )
    return replace(decided(best.candidate, confidences[0], others, read, least, rest), best=best)


def decided(
    best: Candidate,
    sure: float,
    others: tuple[tuple[str, float], ...],
    read: tuple[Candidate, ...],
    least: float,
    rest: str,
    what: str = "answer found",
) -> Decision:
    """The `best` answer where it is as `sure` as the `least` that is given; `others` and it were `read` in order."""
    if sure >= least:
        return Decision(best.text, None, sure, best, others, None, read)
    reason = below(what, sure, least) + rest
    return Decision(None, reason, sure, best, ((best.text, sure), *others), None, read)
