"""Train the skills from a recipe: examples, negatives, rounds, the loop. `recipes/skills.toml` has questions.

Hard negatives are what words find (BM25), and should not (appendix B.1). Looking goes on where it was interrupted: what
was found stands in a file, a line for each example.

Large batches are in little memory by GradCache (Gao et al. 2021, section 3). Every text of a contrastive batch takes
part in one softmax, so that gradients cannot simply be accumulated: the batch is encoded in pieces, the loss's gradient
taken for each vector, and the pieces are encoded again, now with gradients.
"""

from __future__ import annotations

import json
import logging
import random
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import ClassVar

import torch
from torch import Tensor

from answerable.encoders.modular import SkillModel, SkillShape, Special
from answerable.encoders.segments import Row, Segments
from answerable.encoders.shipped import MANIFEST
from answerable.encoders.wordpieces import pad, plan_batches
from answerable.errors import UsageError
from answerable.training.add_expert import add_expert, copied
from answerable.training.corpora import Corpora, Lexical
from answerable.training.experts import is_shared
from answerable.training.export import export_skills, spans_of
from answerable.training.loop import LoopRecipe, Parts, begun, fit, halved, some
from answerable.training.recipe import Kind, Made, setting
from answerable.training.skills import own, supervised, unsupervised
from answerable.training.skills.batches import Batch, BatchSettings, Side, lay, plan, with_proposals
from answerable.training.skills.example import SkillExample
from answerable.training.start import TOKENIZER, begin, keep, open_run
from answerable.types import Skill

logger = logging.getLogger(__name__)


def encode_rows(model: SkillModel, skill: Skill, rows: Sequence[Row]) -> Tensor:
    """The vectors of some texts (see `SkillModel.forward`), in bf16 arithmetic, on the model's device."""
    device = model.anchor.device
    ids, mask = (torch.from_numpy(array).to(device) for array in pad([row.ids for row in rows]))
    places = torch.tensor([row.places for row in rows], device=device) if rows[0].places else None
    with halved(device):
        vectors: Tensor = model(ids, mask, skill, places)
    return vectors


def backward(model: SkillModel, batch: Batch, tokens: int) -> Tensor:
    """Add the gradients of a batch's loss to the model's; the loss, without its graph.

    At most `tokens` token positions (rows times the longest row) are in memory at a time, or one row.
    """
    pieces = [plan_batches([len(row.ids) for row in side.rows], tokens) for side in batch.sides]
    if all(len(one) == 1 for one in pieces) and sum(len(r.ids) for s in batch.sides for r in s.rows) <= tokens:
        loss = batch.loss([encode_rows(model, side.skill, side.rows) for side in batch.sides], model)
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()
    states: list[list[Tensor]] = []
    with torch.no_grad():
        whole = []
        for side, plan in zip(batch.sides, pieces, strict=True):
            states.append([])
            found = []
            for piece in plan:
                states[-1].append(_random_state(model))
                found.append(encode_rows(model, side.skill, [side.rows[i] for i in piece]))
            order = torch.tensor([i for piece in plan for i in piece], device=found[0].device)
            whole.append(torch.cat(found)[order.argsort()])
    leaves = [vectors.requires_grad_() for vectors in whole]
    loss = batch.loss(leaves, model)
    loss.backward()  # type: ignore[no-untyped-call]
    after = _random_state(model)
    for side, plan, leaf, kept in zip(batch.sides, pieces, leaves, states, strict=True):
        _again(model, side, plan, leaf, kept)
    _set_random_state(model, after)
    return loss.detach()


def _again(model: SkillModel, side: Side, plan: list[list[int]], leaf: Tensor, states: list[Tensor]) -> None:
    """Encode the pieces of a side once more, with the same dropout, and send their vectors' gradients on."""
    gradient = leaf.grad
    if gradient is None:  # a loss that no vector of this side takes part in
        return
    for piece, state in zip(plan, states, strict=True):
        _set_random_state(model, state)
        vectors = encode_rows(model, side.skill, [side.rows[i] for i in piece])
        torch.autograd.backward(vectors, gradient[torch.tensor(piece, device=gradient.device)])


def _random_state(model: SkillModel) -> Tensor:
    return torch.cuda.get_rng_state() if model.anchor.is_cuda else torch.get_rng_state()


def _set_random_state(model: SkillModel, state: Tensor) -> None:
    if model.anchor.is_cuda:
        torch.cuda.set_rng_state(state)
    else:
        torch.set_rng_state(state)


DRAWN = ("wiki", "pool", "tables")
"""Sources without questions, drawn anew each time they are seen."""
SOURCES = (*DRAWN, *supervised.SOURCES, *supervised.OVER_TABLES, own.NAME)


@dataclass(frozen=True, slots=True)
class NegativeSettings:
    """Where negatives come from beside those of the data: `bm25`, at most `most` for an example."""

    bm25: bool = False
    most: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRecipe(LoopRecipe):
    """A recipe of the kind `skills`. `sources` says for each data set and skill how often it is seen.

    In an evaluation `judged` development examples of each data set and skill are looked at. `own`: files of one's own
    questions and corpus. `alone`: the skills whose experts learn, all else being frozen; all learn when it is empty.
    """

    start: str = "minilm"
    judged: int = 256
    model: SkillShape = field(default_factory=SkillShape)
    batch: BatchSettings = field(default_factory=BatchSettings)
    negatives: NegativeSettings = field(default_factory=NegativeSettings)
    sources: Mapping[str, Mapping[Skill, float]] = field(default_factory=dict)
    own: Mapping[str, str] = field(default_factory=dict)
    alone: tuple[Skill, ...] = ()

    ALLOWED: ClassVar[Collection[str]] = SOURCES

    def check(self) -> None:
        """As `Recipe.check`. Raises `ModelError` for a routing that is not known."""
        self.model.experts()
        if self.alone and self.model.special is Special.NONE:
            raise UsageError("a model without experts cannot learn one skill alone", hint="leave out `alone`")


def train_skills(recipe: SkillRecipe, data: Path | None, folder: Path) -> SkillModel:
    """Train as a recipe says, resuming from `folder` when it holds a checkpoint.

    The model, its shape and its tokenizer stand in `folder`. Raises `UsageError` for a recipe or data that cannot be
    used.
    """
    device = begun(recipe.threads, recipe.loop.seed)
    held = Held(recipe, data)
    if recipe.negatives.bm25:
        held.look(folder / "work")
    model, tokenizer = begin(recipe.start, recipe.model)
    if recipe.batch.length > (places := model.trunk.shape.positions):
        raise UsageError(f"the model to start from reads {places} tokens, fewer than [batch] length")
    keep(model, tokenizer, folder)
    segments = Segments(tokenizer)
    examples: list[SkillExample] = []
    batches: list[list[int]] = []
    for number in range(held.epochs()):
        made = with_proposals(held.epoch(number, recipe.loop.seed))
        planned = plan(made, recipe.batch.size, recipe.loop.seed + number, recipe.batch.proposing)
        batches += [[len(examples) + i for i in batch] for batch in planned]
        examples += made
    names = [examples[batch[0]].group for batch in batches]
    logger.info("%d examples in %d batches", len(examples), len(batches))
    model = model.to(device)
    if recipe.alone:
        model.train_alone(recipe.alone)

    def step(numbers: list[int]) -> Tensor:
        rng = random.Random(f"{recipe.loop.seed} {numbers}")  # what a step draws depends on nothing before it
        batch = lay([examples[i] for i in numbers], segments, recipe.batch, rng)
        return backward(model, batch, recipe.loop.tokens)

    judge = _judge(model, segments, recipe, held) if recipe.loop.evaluate_steps else None
    fit(recipe.loop, Parts(model, batches, step, names, judge), folder)
    return model.cpu().eval()


class Held:
    """The examples of a recipe, those of one's own questions and passages too, with the negatives found so far."""

    def __init__(self, recipe: SkillRecipe, data: Path | None) -> None:
        """Raises `UsageError` where the sources of the recipe need data or questions that are not given."""
        if data is None and set(recipe.sources) - {own.NAME}:
            raise UsageError("this recipe needs the folder of training data", hint="give it with --data")
        if own.NAME in recipe.sources and not recipe.own:
            raise UsageError("the source 'own' needs questions and a corpus", hint="give --questions and --corpus")
        self._recipe, self._corpora, self._own = recipe, Corpora(data or Path()), list[SkillExample]()
        self._base: dict[tuple[str, Skill, str], list[SkillExample]] = {}
        if recipe.own:
            corpus = own.read_corpus(Path(recipe.own["corpus"]))
            self._corpora.add(own.NAME, corpus)
            self._own = own.read_questions(Path(recipe.own["questions"]), corpus)

    def look(self, folder: Path) -> None:
        """Look for negatives of all questions, train and development; `folder` keeps what was found."""
        for source, skills in self._recipe.sources.items():
            for skill in skills if source not in DRAWN else ():
                for part in ("train", "development"):
                    found = self.examples(source, skill, part)
                    made = with_negatives(found, self._corpora, folder, self._recipe.negatives.most)
                    self._base[source, skill, part] = made

    def examples(self, source: str, skill: Skill, part: str, seed: int = 0, much: float = 1.0) -> list[SkillExample]:
        """The examples of one source and skill: a share `much` of them, drawn by the seed."""
        rng = random.Random(f"{source} {skill.value} {seed}")
        if source in DRAWN:
            return unsupervised.drawn(source, skill, self._corpora, part, rng, much)
        if (source, skill, part) not in self._base:
            if source == own.NAME:
                made = own.part_of(self._own, skill, part)
            elif source in supervised.OVER_TABLES:
                made = supervised.over_tables(source, skill, self._corpora, part)
            else:
                made = supervised.questions(source, skill, self._corpora, part)
            self._base[source, skill, part] = made
        whole = self._base[source, skill, part]
        return whole if much >= 1.0 else rng.sample(whole, round(len(whole) * much))

    def epoch(self, number: int, seed: int) -> list[SkillExample]:
        """What is seen in one epoch: a source seen 2.5 times is whole in the first two and half in the third."""
        found: list[SkillExample] = []
        for source, wanted in self._recipe.sources.items():
            for skill, epochs in wanted.items():
                much = min(1.0, epochs - number)
                if much > 0:
                    made = self.examples(source, skill, "train", seed + number, much)
                    logger.info("epoch %d, %s %s: %d examples", number + 1, source, skill.value, len(made))
                    found += made
        return found

    def epochs(self) -> int:
        """How many epochs there are, the last perhaps in part."""
        most = max((epochs for wanted in self._recipe.sources.values() for epochs in wanted.values()), default=0.0)
        return int(-(-most // 1))


def _judge(
    model: SkillModel, segments: Segments, recipe: SkillRecipe, held: Held
) -> Callable[[], dict[str, float]] | None:
    """The evaluation on development examples: mean reciprocal rank, and F1 of proposed spans, for each group."""
    groups: dict[str, list[SkillExample]] = defaultdict(list)
    for source, wanted in recipe.sources.items():
        for skill in wanted:
            much = 0.2 if source in DRAWN else 1.0
            for one in with_proposals(held.examples(source, skill, "development", recipe.loop.seed, much)):
                if not recipe.alone or one.skill in recipe.alone:
                    groups[one.group].append(one)
    rng = random.Random(recipe.loop.seed)
    batches: dict[str, list[Batch]] = {}
    for name, found in sorted(groups.items()):
        kept = some(rng, found, recipe.judged)
        parts = [kept[i : i + recipe.batch.size] for i in range(0, len(kept), recipe.batch.size)]
        batches[name] = [lay(part, segments, recipe.batch, rng) for part in parts if len(part) > 1]

    def judge() -> dict[str, float]:
        model.eval()
        return {name: fmean(_judged(model, batch) for batch in found) for name, found in batches.items() if found}

    return judge if any(batches.values()) else None


@torch.no_grad()
def _judged(model: SkillModel, batch: Batch, rows: int = 64) -> float:
    vectors = []
    for side in batch.sides:
        parts = [side.rows[i : i + rows] for i in range(0, len(side.rows), rows)]
        vectors.append(torch.cat([encode_rows(model, side.skill, part) for part in parts]))
    return batch.judge(vectors, model)


def _make(recipe: SkillRecipe, data: Path | None, out: Path) -> Made:
    """Train and export. What only finds names leaves the encoder it began from what it was."""
    trained, folder = train_skills(recipe, data, out), out / "model"
    beside = recipe.alone == (Skill.PROPOSE,) and copied(recipe.start, folder)
    return _exported(trained, recipe, out / TOKENIZER, folder, beside, False)


def _export(recipe: SkillRecipe, run: Path, folder: Path) -> Made:
    beside = recipe.alone == (Skill.PROPOSE,) and (folder / MANIFEST).is_file()
    return _exported(open_run(run), recipe, run / TOKENIZER, folder, beside, is_shared(run / TOKENIZER, folder))


def _exported(
    model: SkillModel, recipe: SkillRecipe, tokenizer: Path, folder: Path, beside: bool, shared: bool
) -> Made:
    if beside:
        shipped = add_expert(model, Skill.PROPOSE, folder, spans_of(model), {"proposing": 0.0})
    else:
        shipped = export_skills(model, folder, recipe.name, tokenizer, recipe.about, shared=shared)
    return Made.of(shipped)


KINDS = {"skills": Kind(SkillRecipe, _make, setting("encoder"), _export, needs_data=False)}


SKIPPED = (Skill.PROPOSE,)
_STEP = 512
_DEEP = 4
"""How many times more passages are looked at than are kept: some are positives or hold the answer."""


def with_negatives(examples: Sequence[SkillExample], corpora: Corpora, folder: Path, most: int) -> list[SkillExample]:
    """The examples with up to `most` negatives found before those they had.

    A mention is looked for by its words, an expanded query with its passages. An example without a corpus, or of span
    proposal, stays as it is. `bm25.jsonl` in `folder` is read first and what is missing added.
    """
    file = folder / "bm25.jsonl"
    found = _read(file)
    missing: dict[str, list[SkillExample]] = defaultdict(list)
    for one in examples:
        if one.corpus and one.skill not in SKIPPED and one.key not in found:
            missing[one.corpus].append(one)
    folder.mkdir(parents=True, exist_ok=True)
    for corpus, group in sorted(missing.items()):
        withheld = corpora.withheld if corpus == "wiki" else ()
        passages = {id_: text for id_, text in corpora.corpus(corpus).items() if id_ not in withheld}
        search = Lexical(passages, folder / f"bm25-{corpus}")
        logger.info("looking for negatives of %d queries in %s", len(group), corpus)
        for at in range(0, len(group), _STEP):
            lines = []
            for one in group[at : at + _STEP]:
                ids = search.best(_words(one), _DEEP * most)
                found[one.key] = [id_ for id_ in ids if one.wrong(passages[id_])][:most]
                lines.append(json.dumps({"key": one.key, "ids": found[one.key]}) + "\n")
            with file.open("a", encoding="utf8") as out:
                out.writelines(lines)
    return [_joined(one, corpora, found.get(one.key, ())) for one in examples]


def _joined(one: SkillExample, corpora: Corpora, ids: Sequence[str]) -> SkillExample:
    if not ids:
        return one
    passages = corpora.corpus(one.corpus)
    return replace(one, negatives=tuple(dict.fromkeys([*(passages[id_] for id_ in ids), *one.negatives])))


def _read(file: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    if file.exists():
        whole = file.read_bytes()
        kept = whole[: whole.rfind(b"\n") + 1]  # a line that was being written when the run ended is written again
        if len(kept) < len(whole):
            file.write_bytes(kept)
        for line in kept.decode().splitlines():
            row = json.loads(line)
            found[row["key"]] = row["ids"]
    return found


def _words(one: SkillExample) -> str:
    if one.span:
        return one.query[slice(*one.span)]
    return " ".join([one.query, *(f"{title} {text}" for title, text in one.evidence)])
