"""Train a verifier of answers: the reader's own right and wrong answers, judged by what they were read in.

Every question of a source is read by a reader in its own passages and in others that have its words; its answers are
right where they are among the source's and stand in its own passages. So the verifier learns from the errors that it is
there to find. Some questions are read without their own passages, as where nothing answers them, and some right
answers are laid before another question, which has another name or number. `recipes/verifier.toml` is it.
"""

from __future__ import annotations

import json
import logging
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.choose import SHIPPED
from answerable.encoders.modular import SkillModel
from answerable.encoders.verifier import GRAPH, VERIFY, Claim, Laid, claim, lay, marks
from answerable.encoders.wordpieces import WordPieces, pad, plan_batches
from answerable.evaluation.metrics.answers import agrees
from answerable.readers.reader import Reader
from answerable.readers.span import SpanReader
from answerable.selective.features import choices
from answerable.training.corpora import Lexical
from answerable.training.experts import ExpertSpec, expert_kind, named, train_expert
from answerable.training.fit import ExpertRecipe, Parts, batches_by_length
from answerable.training.reading import NO, SPAN, YES, PoolPassage, Reading, load_pool
from answerable.training.recipe import setting
from answerable.training.sources import load_source
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill

logger = logging.getLogger(__name__)
_TOKENS = 8192
_NAMED = re.compile(r"(?<=\s)(?:[A-Z][\w'-]+(?: [A-Z][\w'-]+)*|\d[\d,.]*)")
"""Names and numbers of a question, but for what it begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyRecipe(ExpertRecipe):
    """A recipe of the kind `verifier`.

    `sources`: how many questions of each source of reading are read. `near`: further passages for each question, those
    with most of its words. `most`: answers of one question. `alone`: the share of questions read without their own
    passages, half of these in passages of any kind. `swapped`: the share of right answers that are also laid before the
    question with a name or a number of another in place of its own, and are wrong there. In an evaluation `judged`
    development questions of each source that has any are looked at.
    """

    sources: Mapping[str, int] = field(default_factory=dict)
    near: int = 3
    most: int = 7
    alone: float = 0.15
    swapped: float = 0.4


@dataclass(frozen=True, slots=True)
class Lesson:
    """A claim, whether it is right, and the question that it is one answer to."""

    id: str
    source: str
    claim: Claim
    right: bool


class VerifyModel(nn.Module):
    """Rows of a claim to log-odds that it is right, by [CLS] and the answer's tokens, named and where they stand."""

    def __init__(self, model: SkillModel) -> None:
        """The layers are those of `model`, not a copy."""
        super().__init__()
        self.model = model
        self.head = nn.Linear(3 * model.trunk.shape.width, 1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: Tensor, mask: Tensor, marks: Tensor) -> Tensor:
        """(b, n) int64 three times, the last as `encoders.verifier.marks`, to (b,) float32."""
        hidden = self.model.trunk(ids, mask, Skill.VERIFY).float()
        own = torch.stack([marks == 1, marks == 2], dim=1).float()
        means = (own / own.sum(-1, keepdim=True).clamp(min=1.0)) @ hidden
        out: Tensor = self.head(torch.cat([hidden[:, 0], means[:, 0], means[:, 1]], dim=-1)).squeeze(-1)
        return out


INPUTS = ("ids", "mask", "marks")
VERIFYING = ExpertSpec(
    Skill.VERIFY,
    "verifying",
    VerifyModel,
    "verifier of answers",
    lambda model, _: {VERIFY: {"name": named("verify", model)}},
    graph=GRAPH,
    inputs=INPUTS,
    outputs=("logits",),
    axes={**{name: {0: "rows", 1: "tokens"} for name in INPUTS}, "logits": {0: "rows"}},
    part="verifier",
)
"""A verifier of answers: `verify.onnx`, which gives log-odds; its expert begins as that of reading."""


def train_verifier(recipe: VerifyRecipe, data: Path, folder: Path) -> VerifyModel:
    """Train a verifier, as `train_expert`; in `work` stands what was read, and is not read again."""

    def parts(model: VerifyModel, tokenizer: Path, device: torch.device) -> Parts:
        pieces = WordPieces(tokenizer)
        made = [*lessons(recipe, data, folder / "work", "train")]
        rows = lay(pieces, [one.claim for one in made])
        logger.info("%d answers, %d of them right", len(made), sum(one.right for one in made))

        def loss(numbers: list[int]) -> Tensor:
            with torch.autocast(device.type, torch.bfloat16):
                out = model(*_inputs([rows[i] for i in numbers], device))
            wanted = torch.tensor([float(made[i].right) for i in numbers], device=device)
            return F.binary_cross_entropy_with_logits(out, wanted)

        batches = batches_by_length([len(row.ids) for row in rows], recipe.loop)
        judged = _judging(model, pieces, recipe, data, folder / "work") if recipe.loop.evaluate_steps else None
        return Parts(model, batches, loss, judge=judged)

    return train_expert(VERIFYING, recipe, folder, parts)


def lessons(recipe: VerifyRecipe, data: Path, work: Path, part: str) -> Iterator[Lesson]:
    """The reader's answers to questions of a part; read once, and then taken from `work`."""
    path = work / f"{part}.jsonl"
    if not path.exists():
        work.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        with open(unfinished, "w", encoding="utf8") as file:
            for one in _read(recipe, data, work, part):
                file.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")
        unfinished.rename(path)
    for line in path.read_text(encoding="utf8").splitlines():
        row = json.loads(line)
        held = row["claim"]
        others = tuple((title, text) for title, text in held.pop("others"))
        yield Lesson(row["id"], row["source"], Claim(**held, others=others), row["right"])


def _read(recipe: VerifyRecipe, data: Path, work: Path, part: str) -> Iterator[Lesson]:
    pool = load_pool(data / "multihop/passages.jsonl.gz")
    rng, asked = random.Random(f"{recipe.loop.seed} {part}"), list[Reading]()
    for name, count in recipe.sources.items():
        held = load_source(name, data, pool, part)
        asked += rng.sample(held, min(len(held), count if part == "train" else recipe.judged))
    rng.shuffle(asked)
    texts = _texts(asked, pool, rng)
    beside = Lexical(texts, work / f"bm25-{part}")
    reader = SpanReader(SHIPPED / "reader" / "model.onnx", SHIPPED / "tokenizer.json", recipe.threads)
    named = sorted({name for one in asked for name in _NAMED.findall(one.question)})
    for number, one in enumerate(asked):
        found = [texts[id] for id in beside.best(one.question, recipe.near + len(one.passages))]
        alone = rng.random() < recipe.alone
        if alone and rng.random() < 0.5:
            found = rng.sample([*texts.values()], recipe.near)
        near = [text for text in found if text not in one.passages][: recipe.near]
        for lesson in claims(one, near, reader, recipe.most, alone=alone):
            yield lesson
            if lesson.right and rng.random() < recipe.swapped and (other := swapped(lesson, named, rng)):
                yield other
        if number % 500 == 0:
            logger.info("%s: %d of %d questions read", part, number, len(asked))


def _texts(asked: Sequence[Reading], pool: Mapping[str, PoolPassage], rng: random.Random) -> dict[str, tuple[str, str]]:
    """The passages of all questions, and others besides."""
    further = rng.sample([*pool.values()], min(len(pool), 15_000))
    every = dict.fromkeys([text for one in asked for text in one.passages])
    every |= dict.fromkeys((one.title, one.text) for one in further)
    return {str(number): text for number, text in enumerate(every)}


def claims(
    asked: Reading, near: Sequence[tuple[str, str]], reader: Reader, most: int, alone: bool = False
) -> Iterator[Lesson]:
    """The reader's best answers to a question, over its passages (not `alone`) and each of those that are `near`.

    One that is right, but stands in a passage of which that is not known, is left out.
    """
    own = _chain(asked.passages, "own")
    beside = [_chain([text], f"near{number}") for number, text in enumerate(near)]
    chains = beside if alone else [own, *beside]
    for one in choices(asked.question, reader.read(asked.question, chains), chains)[:most]:
        at_home, right = one.candidate.chain.key == own.key, is_right(asked, one.text)
        if at_home or not right or asked.kind in (YES, NO):
            yield Lesson(asked.id, asked.source, claim(asked.question, one.candidate), right and at_home)


def swapped(lesson: Lesson, named: Sequence[str], rng: random.Random) -> Lesson | None:
    """A right answer laid before its question with another name or number; None where the question has none."""
    one = lesson.claim
    held = [*_NAMED.finditer(one.question)]
    if not held:
        return None
    old, read = rng.choice(held), " ".join([one.heading, one.before, one.within, one.after, str(one.others)])
    for _ in range(20):
        new = rng.choice(named)
        if new[0].isdigit() == old[0][0].isdigit() and new not in read and new not in one.question:
            question = one.question[: old.start()] + new + one.question[old.end() :]
            return Lesson(f"{lesson.id} with {new}", lesson.source, replace(one, question=question), False)
    return None


def is_right(asked: Reading, said: str) -> bool:
    """Whether an answer is among those of a question's source."""
    if asked.kind in (YES, NO):
        return said == ("yes" if asked.kind == YES else "no")
    return asked.kind == SPAN and agrees(said, asked.answers)


def _chain(passages: Sequence[tuple[str, str]], name: str) -> Chain:
    hits = (
        Hit(Passage(f"{name}-{n}", f"{name}-{n}", "", title, text, 0, len(text)), 0.0, PUBLIC, Skill.SINGLE)
        for n, (title, text) in enumerate(passages)
    )
    return Chain(tuple(hits), 0.0, PUBLIC)


def _inputs(rows: Sequence[Laid], device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    ids, mask = pad([row.ids for row in rows])
    first, second, third = (torch.from_numpy(one).to(device) for one in (ids, mask, marks(rows, ids.shape[1])))
    return first, second, third


def _judging(
    model: VerifyModel, pieces: WordPieces, recipe: VerifyRecipe, data: Path, work: Path
) -> Callable[[], Mapping[str, float]]:
    held = [*lessons(recipe, data, work, "development")]
    rows = lay(pieces, [one.claim for one in held])
    return lambda: judge(model, rows, held)


@torch.no_grad()
def judge(model: VerifyModel, rows: Sequence[Laid], held: Sequence[Lesson]) -> dict[str, float]:
    """For each source the share (0 to 1) of its questions with a right answer whose best answer by the verifier is."""
    model.eval()
    device, scores = model.head.weight.device, [0.0] * len(rows)
    for batch in plan_batches([len(row.ids) for row in rows], _TOKENS):
        with torch.autocast(device.type, torch.bfloat16):
            out = model(*_inputs([rows[i] for i in batch], device)).float().cpu().tolist()
        for number, score in zip(batch, out, strict=True):
            scores[number] = score
    asked: defaultdict[tuple[str, str], list[tuple[float, bool]]] = defaultdict(list)
    for one, score in zip(held, scores, strict=True):
        asked[one.source, one.id].append((score, one.right))
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for (source, _), answers in asked.items():
        if any(right for _, right in answers):
            found[source].append(max(answers)[1])
    return {source: sum(each) / len(each) for source, each in sorted(found.items())}


KINDS = {"verifier": expert_kind(VerifyRecipe, train_verifier, VERIFYING, setting("verifier"))}
