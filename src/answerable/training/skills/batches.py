"""Examples to batches: one skill of one data set each, laid out as token ids, with the loss that belongs to it.

Skills learn by equations 1 to 5 of Chain-of-Skills (Ma et al. 2023, section 3.1), all negative log-likelihoods of what
is right among what is offered. A score is an inner product divided by a temperature. Development data are judged by
how well a batch's vectors do what they are for, between 0 and 1.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional as F

from answerable.encoders.expansion import named_spans
from answerable.encoders.modular import SkillModel
from answerable.encoders.segments import Row, Segments
from answerable.training.skills.example import SkillExample, Span, Text
from answerable.types import Skill

LONGEST_NAME = 10
"""Tokens of the longest span proposed (section 3.1)."""
_DRAWN_SPANS = 24
"""How many spans that name nothing are drawn anywhere in a text; the paper does not say."""
_NEAR_SPANS = 6
"""How many are drawn that share a word with a name, for each name: what is left out or too much is the hard part."""


@dataclass(frozen=True, slots=True)
class Side:
    """Texts that go through one expert."""

    skill: Skill
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts to encode, and what is right of them.

    `losing` and `judging` give the loss of the vectors and how good they are (0 to 1), of the model, the vectors of
    each side, in the same order, and what is `known`.
    """

    sides: tuple[Side, ...]
    known: tuple[Tensor, ...]
    losing: Callable[..., Tensor]
    judging: Callable[..., float]

    def loss(self, vectors: Sequence[Tensor], model: SkillModel) -> Tensor:
        """A scalar, the loss of the vectors of each side."""
        return self.losing(model, *vectors, *(one.to(vectors[0].device) for one in self.known))

    def judge(self, vectors: Sequence[Tensor], model: SkillModel) -> float:
        """How good the vectors of each side are, 0 to 1."""
        return self.judging(model, *vectors, *(one.to(vectors[0].device) for one in self.known))


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """`size` queries a batch (the paper's 192), each with at most `hard` negatives of its own; `length` in tokens.

    `proposing` is the share of the linking batches that train span proposal instead (appendix B.2).
    """

    size: int = 192
    hard: int = 1
    length: int = 256
    proposing: float = 0.2


def with_proposals(examples: Sequence[SkillExample]) -> list[SkillExample]:
    """The examples, and each linking one once more as one of span proposal: the same data serve both."""
    linking = [one for one in examples if one.skill is Skill.MENTION]
    return [*examples, *(replace(one, skill=Skill.PROPOSE) for one in linking)]


def plan(examples: Sequence[SkillExample], size: int, seed: int, proposing: float) -> list[list[int]]:
    """Numbers of the examples in batches of `size` of one group, in an order fixed by the seed.

    Examples of span proposal (`with_proposals`) stand in for those of linking in a share `proposing` of the batches.
    Every other example is in one batch; a group's last batch may be smaller, and one of a single example is dropped
    (it would have nothing to stand against).
    """
    rng = random.Random(seed)
    groups: dict[str, list[int]] = defaultdict(list)
    for number, example in enumerate(examples):
        groups[example.group].append(number)
    batches = []
    for name, numbers in sorted(groups.items()):
        skill = examples[numbers[0]].skill
        if skill is Skill.PROPOSE:
            continue
        rng.shuffle(numbers)
        twins = groups.get(f"{examples[numbers[0]].source} {Skill.PROPOSE.value}", [])
        twin = dict(zip(sorted(groups[name]), twins, strict=True)) if skill is Skill.MENTION and twins else {}
        whole = [numbers[i : i + size] for i in range(0, len(numbers), size)]
        proposals = set(rng.sample(range(len(whole)), round(proposing * len(whole)))) if twin else set()
        batches += [[twin[i] for i in one] if n in proposals else one for n, one in enumerate(whole) if len(one) > 1]
    rng.shuffle(batches)
    return batches


def lay(examples: Sequence[SkillExample], segments: Segments, settings: BatchSettings, rng: random.Random) -> Batch:
    """A batch of examples of one group, ready to encode; `rng` draws among their negatives and spans."""
    skill = examples[0].skill
    if skill is Skill.RERANK:
        return _pairs(examples, segments, settings, rng)
    if skill is Skill.PROPOSE:
        return _spans(examples, segments, settings, rng)
    return _retrieval(examples, segments, settings, rng)


def _retrieval(
    examples: Sequence[SkillExample], segments: Segments, settings: BatchSettings, rng: random.Random
) -> Batch:
    """Queries against the positives and negatives of the whole batch, each passage once."""
    skill, length = examples[0].skill, settings.length
    if skill is Skill.MENTION:
        held = segments.spans([(one.query, [one.span or (0, 0)]) for one in examples], length)
        kept = [i for i, row in enumerate(held) if row.places[0] != (0, 0)]
        examples, queries = [examples[i] for i in kept], [held[i] for i in kept]
    else:
        queries = [Row(row.ids) for row in segments.joined([(one.query, one.evidence) for one in examples], length)]
    offered: dict[Text, int] = {}
    for one in examples:
        offered.setdefault(one.positives[0], len(offered))
    for one in examples:
        for negative in rng.sample(one.negatives, min(settings.hard, len(one.negatives))):
            offered.setdefault(negative, len(offered))
    right = torch.tensor([offered[one.positives[0]] for one in examples])
    blocked = torch.zeros(len(examples), len(offered), dtype=torch.bool)
    for row, one in enumerate(examples):
        for text in (*one.positives, *one.evidence):
            if text in offered:
                blocked[row, offered[text]] = True
    other = Skill.ENTITY if skill is Skill.MENTION else Skill.PASSAGE
    return Batch(
        (Side(skill, queries), Side(other, segments.passages(list(offered), length))),
        (right, blocked),
        lambda model, query, text, right, blocked: contrast(query, text, right, blocked, model.how.temperature),
        lambda model, *given: reciprocal_rank(*given),
    )


def _pairs(examples: Sequence[SkillExample], segments: Segments, settings: BatchSettings, rng: random.Random) -> Batch:
    """Each question with its positive and with its negatives; one without takes another question's positive."""
    pairs: list[tuple[str, list[Text]]] = []
    group: list[int] = []
    is_right: list[bool] = []
    for number, one in enumerate(examples):
        others = rng.sample(one.negatives, min(max(1, settings.hard), len(one.negatives)))
        if not others:
            foreign = [e.positives[0] for e in examples if one.wrong(e.positives[0])]
            others = [rng.choice(foreign)] if foreign else []
        for text in (one.positives[0], *others):
            pairs.append((one.query, [text]))
            group.append(number)
            is_right.append(text == one.positives[0])
    return Batch(
        (Side(Skill.RERANK, segments.joined(pairs, settings.length)),),
        (torch.tensor(group), torch.tensor(is_right)),
        lambda model, *given: rerank(*given),
        lambda model, *given: pair_reciprocal_rank(*given),
    )


def _spans(examples: Sequence[SkillExample], segments: Segments, settings: BatchSettings, rng: random.Random) -> Batch:
    """Each text once, with [CLS], the spans known to name something, and spans drawn that do not.

    What looks like a name and is not known as one is not drawn: more often than not it names a page that is not here.
    """
    names: dict[str, set[Span]] = defaultdict(set)
    for one in examples:
        names[one.query].update(one.names or ([one.span] if one.span else ()))
    rows, known = [], []
    asked = [(text, sorted(spans), _unsure(text, spans)) for text, spans in names.items()]
    laid = segments.spans([(text, [*sure, *unsure]) for text, sure, unsure in asked], settings.length)
    for row, (_, sure, _) in zip(laid, asked, strict=True):
        right = [place for place in dict.fromkeys(row.places[: len(sure)]) if place != (0, 0)]
        wrong = _drawn(len(row.ids) - 2, right, set(row.places), rng)
        rows.append(Row(row.ids, ((0, 0), *right, *wrong)))
        known.append(len(right))
    most = max(len(row.places) for row in rows)
    is_span = torch.tensor([[k < len(row.places) for k in range(most)] for row in rows])
    is_name = torch.tensor([[0 < k <= count for k in range(most)] for count in known])
    return Batch(
        (Side(Skill.PROPOSE, [Row(row.ids, row.places + ((0, 0),) * (most - len(row.places))) for row in rows]),),
        (is_name, is_span),
        lambda model, *given: propose(model.anchor, *given),
        lambda model, *given: names_f1(model.anchor, *given),
    )


def _unsure(text: str, known: Collection[Span]) -> list[Span]:
    """What is written like a name and shares no character with one that is known."""
    return [one for one in named_spans(text) if all(one[1] <= start or end <= one[0] for start, end in known)]


def _drawn(tokens: int, names: Sequence[Span], taken: Collection[Span], rng: random.Random) -> list[Span]:
    """Different spans of at most `LONGEST_NAME` of the tokens 1 to `tokens`, none of them taken."""
    found: dict[Span, None] = {}
    if tokens:
        firsts = [rng.randint(1, tokens) for _ in range(_DRAWN_SPANS)]
        drawn = [(first, first + rng.randrange(LONGEST_NAME)) for first in firsts]
        for first, last in names:
            for _ in range(_NEAR_SPANS):
                begin = rng.randint(max(1, first - 2), last)
                drawn.append((begin, rng.randint(max(begin, first), min(last + 2, begin + LONGEST_NAME - 1))))
        for first, last in drawn:
            if (place := (first, min(tokens, last))) not in taken:
                found.setdefault(place)
    return list(found)


_NEVER = -1e9
"""A score that counts for nothing in a softmax, and stays finite."""


def contrast(queries: Tensor, candidates: Tensor, right: Tensor, blocked: Tensor, temperature: float = 1.0) -> Tensor:
    """Equations 1 and 4, retrieval and linking: each query against every candidate of the batch.

    `queries` (b, d), `candidates` (m, d): the positives and hard negatives of all queries, since those of one are
    in-batch negatives of the others. `right` (b,) int64 is each query's own positive; `blocked` (b, m) is true where
    a candidate is right as well (another positive of the question, or the same passage again) and must not count.
    """
    scores = queries @ candidates.T / temperature
    own = F.one_hot(right, candidates.shape[0]).bool()
    loss: Tensor = F.cross_entropy(scores.masked_fill(blocked & ~own, _NEVER), right)
    return loss


def propose(anchor: Tensor, spans: Tensor, is_name: Tensor, is_span: Tensor) -> Tensor:
    """Equations 2 and 3, span proposal: half the loss of the names, half that of the threshold.

    `anchor` (d,) is s; `spans` (b, k, d) are a text's spans, the first being [CLS], the threshold. `is_span` (b, k) is
    true where there is a span at all, `is_name` (b, k) where it names an entity. Each name stands against the negatives
    of its text, [CLS] among them, and not against other names; [CLS] stands against the other negatives.
    """
    scores = spans @ anchor
    negative = is_span & ~is_name
    against = torch.logsumexp(scores.masked_fill(~negative, _NEVER), dim=1, keepdim=True)
    of_names = torch.logaddexp(scores, against) - scores
    positive = is_name & is_span
    names = (of_names * positive).sum() / positive.sum().clamp_min(1)
    threshold = (against[:, 0] - scores[:, 0]).mean()
    return (names + threshold) / 2


def rerank(ends: Tensor, group: Tensor, is_right: Tensor) -> Tensor:
    """Equation 5, reranking: a passage read with its question against other passages read with the same question.

    `ends` (p, 2, d) are the vectors of [CLS] and of the first [SEP] of each pair; `group` (p,) int64 numbers the
    questions from 0; `is_right` (p,) is true for the one right pair of each question.
    """
    scores = (ends[:, 0] * ends[:, 1]).sum(-1)
    same = group[is_right][:, None] == group[None, :]
    among = torch.logsumexp(scores[None, :].masked_fill(~same, _NEVER), dim=1)
    return (among - scores[is_right]).mean()


def reciprocal_rank(queries: Tensor, candidates: Tensor, right: Tensor, blocked: Tensor) -> float:
    """Mean over queries (b, d) of 1 / rank of the right one of the candidates (m, d); ties count against it.

    `right` (b,) and `blocked` (b, m) are as in `losses.contrast`.
    """
    scores = queries @ candidates.T
    own = scores.gather(1, right[:, None])
    rivals = (scores >= own) & ~blocked
    rivals.scatter_(1, right[:, None], False)
    return float((1.0 / (1.0 + rivals.sum(1))).mean())


def names_f1(anchor: Tensor, spans: Tensor, is_name: Tensor, is_span: Tensor) -> float:
    """F1 of the spans that score above their text's [CLS], against those that are names; as in `losses.propose`."""
    scores = spans @ anchor
    said = (scores > scores[:, :1]) & is_span
    said[:, 0] = False
    both = float((said & is_name).sum())
    return 2 * both / max(1.0, float(said.sum() + (is_name & is_span).sum()))


def pair_reciprocal_rank(ends: Tensor, group: Tensor, is_right: Tensor) -> float:
    """Mean over questions of 1 / rank of the right pair among the question's pairs; as in `losses.rerank`."""
    scores = (ends[:, 0] * ends[:, 1]).sum(-1)
    same = group[is_right][:, None] == group[None, :]
    rivals = same & ~is_right[None, :] & (scores[None, :] >= scores[is_right][:, None])
    return float((1.0 / (1.0 + rivals.sum(1).to(torch.float32))).mean())
