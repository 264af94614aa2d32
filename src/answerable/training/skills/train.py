"""Train the skills from a recipe: examples, negatives, rounds, the loop. `recipes/skills.toml` has questions."""

from __future__ import annotations

import logging
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from answerable.encoders.modular import SkillModel, SkillShape, Special
from answerable.encoders.segments import Segments
from answerable.errors import UsageError
from answerable.training.loop import LoopSettings, train
from answerable.training.skills import many, own, supervised, tables, unsupervised
from answerable.training.skills.batches import Batch, BatchSettings, lay, plan, with_proposals
from answerable.training.skills.cache import backward, encode_rows
from answerable.training.skills.example import SkillExample
from answerable.training.skills.mine import LexicalSearches, ModelSearches, Searches, with_negatives
from answerable.training.skills.shelf import Shelf
from answerable.training.skills.start import begin, keep, open_run, skill_shape
from answerable.types import Skill

logger = logging.getLogger(__name__)
DRAWN = ("wiki", "pool", "tables")
"""Sources without questions, drawn anew each time they are seen."""
MINED = 128
"""The most tokens read of a passage or a query in mining: encoding all passages takes the time."""
FIRST = (Skill.SINGLE, Skill.EXPANDED, Skill.MENTION)
"""What the model of the first round learns: it only has to find negatives (appendix B.1)."""


@dataclass(frozen=True, slots=True)
class NegativeSettings:
    """Where negatives come from: `bm25`, and `rounds` of mining with the model of the round before.

    At most `most` of each kind for an example. `sources` are mined (all that have a corpus when empty); `steps` is how
    long a round trains that only serves to mine.
    """

    bm25: bool = False
    rounds: int = 0
    most: int = 8
    sources: tuple[str, ...] = ()
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe of the kind `skills`, checked. `sources` says for each data set and skill how often it is seen."""

    start: str
    shape: SkillShape
    batch: BatchSettings
    loop: LoopSettings
    negatives: NegativeSettings
    sources: Mapping[str, Mapping[Skill, float]]
    threads: int
    judged: int
    """How many development examples of each data set and skill are looked at in an evaluation."""
    own: Mapping[str, str]
    alone: tuple[Skill, ...]
    """The skills whose experts learn, all else being frozen; all learn when it is empty."""


def read(recipe: Mapping[str, Any]) -> Recipe:
    """Check a recipe. Raises `UsageError` for a key, a source or a skill that is not known."""
    known = {"kind", "start", "threads", "judged", "model", "batch", "loop", "negatives", "sources", "own", "alone"}
    if unknown := set(recipe) - known:
        raise UsageError(f"the recipe has a key that is not known: {min(unknown)}")
    named = {*DRAWN, *supervised.SOURCES, *tables.SOURCES, own.NAME}
    sources: dict[str, dict[Skill, float]] = {}
    for source, skills in recipe.get("sources", {}).items():
        if source not in named:
            raise UsageError(f"there is no source {source!r}", hint=f"sources are {', '.join(sorted(named))}")
        try:
            sources[source] = {Skill(skill): float(epochs) for skill, epochs in skills.items()}
        except (ValueError, AttributeError) as error:
            raise UsageError(f"[sources.{source}] of the recipe cannot be used: {error}") from error
    try:
        batch, loop = BatchSettings(**recipe.get("batch", {})), LoopSettings(**recipe.get("loop", {}))
        given = dict(recipe.get("negatives", {}))
        negatives = NegativeSettings(**{**given, "sources": tuple(given.get("sources", ()))})
    except TypeError as error:
        raise UsageError(f"the recipe has a setting that is not known: {error}") from error
    threads, judged = int(recipe.get("threads", 2)), int(recipe.get("judged", 256))
    shape = skill_shape(recipe.get("model", {}))
    start = str(recipe.get("start", "minilm"))
    try:
        alone = tuple(Skill(name) for name in recipe.get("alone", ()))
    except ValueError as error:
        raise UsageError(f"`alone` of the recipe cannot be used: {error}") from error
    if alone and shape.special is Special.NONE:
        raise UsageError("a model without experts cannot learn one skill alone", hint="leave out `alone`")
    return Recipe(start, shape, batch, loop, negatives, sources, threads, judged, recipe.get("own", {}), alone)


def train_skills(given: Mapping[str, Any], data: Path | None, folder: Path) -> SkillModel:
    """Train as a recipe says, resuming from `folder` when it holds a checkpoint.

    Rounds that only serve to find negatives stand in `folder/round-1` and so on; the model, its shape and its tokenizer
    in `folder`. Raises `UsageError` for a recipe or data that cannot be used.
    """
    recipe = read(given)
    torch.set_num_threads(recipe.threads)
    device = many.join()
    shelf, mine = _shelf(recipe, data)
    held = Held(recipe, shelf, mine)
    work = folder / "work"
    if recipe.negatives.bm25:
        many.once(partial(held.look, work / "bm25.jsonl", LexicalSearches(shelf, work)))
    for number in range(1, recipe.negatives.rounds + 1):
        place = folder / f"round-{number}"
        shape = replace(recipe.shape, routing="pretraining")
        loop = replace(recipe.loop, most=recipe.negatives.steps or recipe.loop.most)
        model, segments = _train(recipe, shape, loop, held, FIRST, place, device)
        mined = ModelSearches(model, segments, shelf, work / f"round-{number}", min(MINED, recipe.batch.length))
        file, only = work / f"mined-{number}.jsonl", recipe.negatives.sources
        many.once(partial(held.look, file, mined, only))
    model, _ = _train(recipe, recipe.shape, recipe.loop, held, tuple(Skill), folder, device)
    return model.cpu().eval()


def _shelf(recipe: Recipe, data: Path | None) -> tuple[Shelf, list[SkillExample]]:
    """The data, with the user's own passages beside them, and the user's own questions."""
    if data is None and set(recipe.sources) - {own.NAME}:
        raise UsageError("this recipe needs the folder of training data", hint="give it with --data")
    shelf = Shelf(data or Path())
    if not recipe.own:
        if own.NAME in recipe.sources:
            raise UsageError("the source 'own' needs questions and a corpus", hint="give --questions and --corpus")
        return shelf, []
    corpus = own.read_corpus(Path(recipe.own["corpus"]))
    shelf.add(own.NAME, corpus)
    return shelf, own.read_questions(Path(recipe.own["questions"]), corpus)


class Held:
    """The examples of a recipe, with the negatives found for them so far."""

    def __init__(self, recipe: Recipe, shelf: Shelf, mine: list[SkillExample]) -> None:
        self._recipe, self._shelf, self._own = recipe, shelf, mine
        self._base: dict[tuple[str, Skill, str], list[SkillExample]] = {}

    def look(self, file: Path, searches: Searches, sources: Sequence[str] = ()) -> None:
        """Look for negatives of all questions (of some sources), train and development."""
        for source, skills in self._recipe.sources.items():
            for skill in skills if source not in DRAWN and (not sources or source in sources) else ():
                for part in ("train", "development"):
                    found = self.examples(source, skill, part)
                    made = with_negatives(found, self._shelf, file, searches, self._recipe.negatives.most)
                    self._base[source, skill, part] = made

    def examples(self, source: str, skill: Skill, part: str, seed: int = 0, much: float = 1.0) -> list[SkillExample]:
        """The examples of one source and skill: a share `much` of them, drawn by the seed."""
        rng = random.Random(f"{source} {skill.value} {seed}")
        if source in DRAWN:
            return unsupervised.drawn(source, skill, self._shelf, part, rng, much)
        if (source, skill, part) not in self._base:
            if source == own.NAME:
                made = own.part_of(self._own, skill, part)
            elif source in tables.SOURCES:
                made = tables.over_tables(source, skill, self._shelf, part)
            else:
                made = supervised.questions(source, skill, self._shelf, part)
            self._base[source, skill, part] = made
        whole = self._base[source, skill, part]
        return whole if much >= 1.0 else rng.sample(whole, round(len(whole) * much))

    def epoch(self, number: int, seed: int, skills: Sequence[Skill]) -> list[SkillExample]:
        """What is seen in one epoch: a source seen 2.5 times is whole in the first two and half in the third."""
        found: list[SkillExample] = []
        for source, wanted in self._recipe.sources.items():
            for skill, epochs in wanted.items():
                much = min(1.0, epochs - number)
                if skill in skills and much > 0:
                    made = self.examples(source, skill, "train", seed + number, much)
                    logger.info("epoch %d, %s %s: %d examples", number + 1, source, skill.value, len(made))
                    found += made
        return found

    def epochs(self) -> int:
        """How many epochs there are, the last perhaps in part."""
        most = max((epochs for wanted in self._recipe.sources.values() for epochs in wanted.values()), default=0.0)
        return int(-(-most // 1))


def _train(
    recipe: Recipe,
    shape: SkillShape,
    loop: LoopSettings,
    held: Held,
    skills: Sequence[Skill],
    folder: Path,
    device: torch.device,
) -> tuple[SkillModel, Segments]:
    """One run of the loop in `folder`, or what an earlier one has left there when it was done."""
    torch.manual_seed(loop.seed)
    begun = begin(recipe.start, shape)
    segments = Segments(begun.tokenizer)
    if recipe.batch.length > begun.model.trunk.shape.positions:
        places = begun.model.trunk.shape.positions
        raise UsageError(f"the model to start from reads {places} tokens, fewer than [batch] length")
    done = folder / "done"
    if done.exists():
        return open_run(folder).to(device), segments
    keep(begun.model, begun.tokenizer, folder)
    examples: list[SkillExample] = []
    batches: list[list[int]] = []
    for number in range(held.epochs()):
        made = with_proposals(held.epoch(number, loop.seed, skills))
        begin_at = len(examples)
        planned = plan(made, recipe.batch.size, loop.seed + number, 0.0 if skills is FIRST else recipe.batch.proposing)
        batches += [[begin_at + i for i in batch] for batch in planned]
        examples += made
    if not batches:
        raise UsageError("the recipe's sources gave nothing to learn from", hint="give it sources, and their data")
    names = [examples[batch[0]].group for batch in batches]
    logger.info("%d examples in %d batches", len(examples), len(batches))
    model = begun.model.to(device)
    if recipe.alone:
        model.train_alone(recipe.alone)
    settings = recipe.batch

    def step(numbers: list[int]) -> Tensor:
        rng = random.Random(f"{loop.seed} {numbers}")  # what a step draws depends on nothing before it
        batch = lay([examples[i] for i in numbers], segments, settings, rng)
        loss = backward(model, batch, loop.tokens)
        many.average(model)
        return loss

    judge = _judge(model, segments, recipe, held, skills) if loop.evaluate_steps else None
    mine = many.share(batches)
    train(model, mine, step, folder, loop, names=many.share(names), evaluate=judge, writes=many.first())
    if many.first():
        done.touch()
    return model, segments


def _judge(
    model: SkillModel, segments: Segments, recipe: Recipe, held: Held, skills: Sequence[Skill]
) -> Callable[[], dict[str, float]] | None:
    """The evaluation on development examples: mean reciprocal rank, and F1 of proposed spans, for each group."""
    groups: dict[str, list[SkillExample]] = defaultdict(list)
    for source, wanted in recipe.sources.items():
        for skill in wanted:
            if skill in skills:
                much = 0.2 if source in DRAWN else 1.0
                found = with_proposals(held.examples(source, skill, "development", recipe.loop.seed, much))
                for one in found:
                    if one.skill in (recipe.alone or skills):
                        groups[one.group].append(one)
    rng = random.Random(recipe.loop.seed)
    batches: dict[str, list[Batch]] = {}
    for name, found in sorted(groups.items()):
        kept = rng.sample(found, min(recipe.judged, len(found)))
        parts = [kept[i : i + recipe.batch.size] for i in range(0, len(kept), recipe.batch.size)]
        batches[name] = [lay(part, segments, recipe.batch, rng) for part in parts if len(part) > 1]

    def judge() -> dict[str, float]:
        model.eval()
        return {name: _mean([_judged(model, batch) for batch in found]) for name, found in batches.items() if found}

    return judge if any(batches.values()) else None


@torch.no_grad()
def _judged(model: SkillModel, batch: Batch, rows: int = 64) -> float:
    vectors = []
    for side in batch.sides:
        parts = [side.rows[i : i + rows] for i in range(0, len(side.rows), rows)]
        vectors.append(torch.cat([encode_rows(model, side.skill, part) for part in parts]))
    return batch.judge(vectors, model)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
