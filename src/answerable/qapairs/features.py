"""What is known of a match before its answer is given: the features of its confidence (PAQ, section 5.2.4).

The paper decides by the score alone. Beside it stands what tells a lone match from one that others bear out, and what
the two questions do not share.
"""

from __future__ import annotations

from collections.abc import Sequence

from answerable.selective.features import squash
from answerable.text import normalise_answer, words
from answerable.types import Hit, QAPair

NAMES = (
    "score",
    "gap",
    "margin",
    "agreeing",
    "reranked",
    "rerank_margin",
    "rank",
    "covered",
    "added",
    "equal",
    "asked",
    "length",
)
"""The features, in order:
score: the matcher's inner product with the pair's question.
gap: how far the next pair is below it (negative where a nearer one was passed over).
margin: the same to the best pair with another answer; 1 where all agree.
agreeing: share of the five best pairs that give this answer.
reranked: the reranker's score, squashed to (0, 1); 0 without one.
rerank_margin: its difference to the best pair with another answer, squashed; 0 without one.
rank: 1 / (1 + place among the pairs found).
covered: share of the words asked that stand in the pair's question or answer.
added: share of the words of the pair's question that were not asked.
equal: 1 where both questions have the same words in the same order.
asked: the pair's own score: how likely somebody asks it.
length: words of the question, of 30."""
AGREEING = 5
_COMMON = frozenset(
    "a an the of in on at to for by is are was were be been do does did has have had what which who whom whose when "
    "where how why that this it its s and".split()
)


def features(question: str, hits: Sequence[Hit], place: int, reranked: Sequence[float]) -> tuple[float, ...]:
    """Those of the hit at `place` among `hits`, which are in the order of choosing; `reranked` is theirs, or empty."""
    chosen = pair_of(hits[place])
    own = answer_key(chosen)
    others = [number for number in range(len(hits)) if number != place]
    against = [number for number in others if answer_key(pair_of(hits[number])) != own]
    asked, said = words(question), words(chosen.question)
    wanted, held = {*asked} - _COMMON, {*said} - _COMMON
    answering = held | {word for answer in chosen.answers for word in words(answer)}
    foremost = [answer_key(pair_of(hit)) for hit in hits[:AGREEING]]
    score = hits[place].score
    return (
        score,
        score - max((hits[number].score for number in others), default=0.0),
        score - max(hits[number].score for number in against) if against else 1.0,
        sum(key == own for key in foremost) / len(foremost),
        squash(reranked[place]) if reranked else 0.0,
        squash(reranked[place] - max((reranked[number] for number in against), default=-8.0)) if reranked else 0.0,
        1 / (1 + place),
        len(wanted & answering) / len(wanted) if wanted else 0.0,
        len(held - wanted) / len(held) if held else 0.0,
        float(asked == said),
        chosen.score,
        min(len(asked), 30) / 30,
    )


def pair_of(hit: Hit) -> QAPair:
    """The pair of a hit by `Skill.MATCH`. Raises `ValueError` for any other."""
    if hit.pair is None:
        raise ValueError("a hit that is not of a pair")
    return hit.pair


def answer_key(pair: QAPair) -> str:
    """What equal answers have in common."""
    return normalise_answer(pair.answers[0]) or pair.answers[0]
