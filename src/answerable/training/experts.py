"""Experts that learn beside those of an encoder of skills: where each begins, and how it is exported."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import nn

from answerable.encoders.modular import SkillModel, SkillShape, Special, regrown
from answerable.encoders.shipped import MANIFEST, Shipped
from answerable.errors import UsageError
from answerable.training.add_expert import add_expert, add_graph, copied
from answerable.training.export import NOTHING, Axes, Graph, Heads, Run, digest_of, export_skills, graph_of, plain
from answerable.training.loop import ExpertRecipe, Parts, begun, fit
from answerable.training.recipe import Kind, Made, ModelRecipe
from answerable.training.start import (
    MODEL,
    TOKENIZER,
    MeanRecipe,
    begin,
    has_own,
    keep,
    open_run,
    opened,
    write_mean,
)
from answerable.types import Skill

CALIBRATION = "calibration.json"


M = TypeVar("M", bound=nn.Module)
R = TypeVar("R", bound=ModelRecipe)


@dataclass(frozen=True, slots=True)
class ExpertSpec(Generic[M]):
    """An expert of `skill`, which is one of its own by the field `setting` of `SkillShape`.

    `model` builds what is trained around an encoder, whose layers it takes. `called`: what a run of it is, in errors.
    `begins`: the encoder that it begins beside. `joins`: what a manifest says of it, under a name, of a model and the
    tokens it reads; `heads`: the files that stand beside its graph.

    It runs as a graph of the encoder's experts, or, with `graph`, as one of its own: `outputs` of `inputs`, (b, n)
    int64, whose dimensions are rows and, of inputs, tokens, but where `axes` name others. `runs` is what that graph
    computes, of the submodule `of` of the model (else of all of it), which it calls `part`; the encoder is at `within`.
    """

    skill: Skill
    setting: str
    model: Callable[[SkillModel], M]
    called: str
    joins: Callable[[M, int], Mapping[str, Mapping[str, Any]]]
    begins: SkillShape = field(default_factory=lambda: SkillShape(reading=True))
    heads: Callable[[M], Heads] = lambda _: NOTHING
    graph: str = ""
    inputs: tuple[str, ...] = ("ids", "mask")
    outputs: tuple[str, ...] = ()
    axes: Axes = field(default_factory=dict)
    part: str = ""
    of: str = ""
    within: str = ""
    runs: Callable[..., Any] = lambda model, *given: model(*given)


def begin_expert(spec: ExpertSpec[M], start: str, dropout: float) -> tuple[M, Path]:
    """A model to train and the tokenizer it reads with; all is frozen but the expert and what is around.

    `start` is what `start.begin` takes, or the folder of an earlier run of this kind, which is gone on from. Raises
    `UsageError` for a model without experts, none of which could be trained alone.
    """
    folder = Path(start)
    if (folder / MODEL).is_file() and has_own(folder, spec.setting):
        old: Any = open_expert(spec, folder)
        model = spec.model(regrown(old.model, replace(old.model.how, dropout=dropout)))
        model.load_state_dict(old.state_dict())
        tokenizer = folder / TOKENIZER
    else:
        shape = open_run(folder).how if (folder / MODEL).is_file() else spec.begins
        reading = shape.reading or spec.begins.reading
        begun, tokenizer = begin(start, replace(shape, reading=reading, dropout=dropout))
        how = _own(replace(begun.how, dropout=dropout), spec, True)
        model = spec.model(begun if begun.how == how else regrown(begun, how))
    held: Any = model
    encoder: SkillModel = held.model
    if encoder.how.special is Special.NONE:
        what = "the model to start from has no experts, so that none can be trained alone"
        raise UsageError(what, hint="start from others")
    encoder.train_alone([spec.skill])
    return model, tokenizer


def train_expert(
    spec: ExpertSpec[M], recipe: ExpertRecipe, folder: Path, parts: Callable[[M, Path, torch.device], Parts]
) -> M:
    """Train an expert as a recipe says, resuming from `folder` when it holds a checkpoint.

    `parts` makes the run of the model, its tokenizer and the device it is on. The model, its shape and its tokenizer
    stand in `folder`. Raises `UsageError` for a recipe that cannot be used.
    """
    device = begun(recipe.threads, recipe.loop.seed)
    model, tokenizer = begin_expert(spec, recipe.start, recipe.dropout)
    held: Any = model
    keep(held.model, tokenizer, folder)
    fit(recipe.loop, parts(model.to(device), tokenizer, device), folder)
    return model.cpu().eval()


def open_expert(spec: ExpertSpec[M], folder: Path) -> M:
    """What a run left in `folder`, the best if it was judged. Raises `ModelError` when there is none."""
    return opened(folder, spec.model, spec.called)


def expert_kind(recipe: type[R], train: Callable[[R, Path, Path], M], spec: ExpertSpec[M], use: str) -> Kind[R]:
    """The kind of recipe that trains an expert and exports it beside the encoder it began from, to the folder `model`.

    What began from no exported encoder is exported whole. What a run has left can be put into any exported encoder that
    it fits, or exported whole to a folder without one.
    """

    def make(asked: R, data: Path, out: Path) -> Made:
        model, folder = train(asked, data, out), out / "model"
        return _exported(spec, model, asked, out, folder, copied(asked.start, folder), False)

    def export(asked: R, run: Path, folder: Path) -> Made:
        model, beside = open_expert(spec, run), (folder / MANIFEST).is_file()
        return _exported(spec, model, asked, run, folder, beside, is_shared(run / TOKENIZER, folder))

    return Kind(recipe, make, use, export)


def mean_kind(spec: ExpertSpec[Any], use: str) -> Kind[MeanRecipe]:
    """The kind of recipe of what lies between two runs of an expert, exported as `expert_kind` does."""

    def between(recipe: MeanRecipe, _: Path, folder: Path) -> Any:
        write_mean(folder, *recipe.runs())
        return open_expert(spec, folder)

    return replace(expert_kind(MeanRecipe, between, spec, use), needs_data=False)


def _exported(
    spec: ExpertSpec[M], model: M, asked: ModelRecipe, run: Path, folder: Path, beside: bool, shared: bool
) -> Made:
    tokens = getattr(asked, "tokens", 0)
    if beside:
        shipped = put_expert(spec, model, folder, tokens, asked.about)
    else:
        shipped = export_expert(spec, model, folder, run / TOKENIZER, tokens, asked.name, asked.about, shared)
    return Made.of(shipped)


def is_shared(tokenizer: Path, folder: Path) -> bool:
    """Whether a tokenizer of the same content stands beside `folder`."""
    beside = folder.resolve().parent / TOKENIZER
    return beside.is_file() and filecmp.cmp(tokenizer, beside, shallow=False)


def put_expert(spec: ExpertSpec[M], model: M, folder: Path, tokens: int, about: Mapping[str, str] = NOTHING) -> Shipped:
    """Put an expert into the exported encoder in `folder`, which keeps its name.

    `about` joins what the manifest says of it. Raises `ModelError` when it was trained on other weights than those in
    `folder`.
    """
    held: Any = model
    joins = {key: {**told, **about} for key, told in spec.joins(model, tokens).items()}
    if not spec.graph:
        return add_expert(held.model, spec.skill, folder, spec.heads(model), joins)
    name = spec.graph.removesuffix(".onnx")
    return add_graph(held.model, folder, name, expert_graph_of(spec, model), joins, spec.heads(model))


def export_expert(
    spec: ExpertSpec[M],
    model: M,
    out: Path,
    tokenizer: Path,
    tokens: int,
    name: str = "skills",
    about: Mapping[str, str] = NOTHING,
    shared: bool = False,
) -> Shipped:
    """Write a whole model to the folder `out`, with its tokenizer: encoder and expert.

    `tokens` is how long a sequence it reads. `about` joins the manifest: where the weights come from and on what terms.
    """
    held: Any = model
    encoder: SkillModel = held.model
    without = regrown(encoder, _own(encoder.how, spec, False))
    export_skills(without, out, name, tokenizer, about, shared)
    return put_expert(spec, model, out, min(tokens, encoder.trunk.shape.positions))


def expert_graph_of(spec: ExpertSpec[M], model: M) -> Graph:
    """Makes the int8 graph of an expert, of its encoder as graphs compute it."""
    made = plain(model)

    def graph(encoder: SkillModel, work: Path) -> Any:
        made.get_submodule(spec.within).model = encoder
        run = Run(spec.part, made.get_submodule(spec.of), spec.runs)
        axes: dict[str, Mapping[int, str]] = {name: {0: "rows", 1: "tokens"} for name in spec.inputs}
        axes |= {name: {0: "rows"} for name in spec.outputs} | {**spec.axes}
        return graph_of(run, spec.inputs, spec.outputs, axes, work)

    return graph


def named(prefix: str, model: nn.Module) -> str:
    """The name of an expert: a prefix and the beginning of the digest of all weights."""
    return f"{prefix}-{digest_of(model.state_dict())[:8]}"


def calibrate(folder: Path) -> None:
    """Give the reader in `folder` the shipped reader's calibration, unless it has one."""
    from answerable.encoders.choose import SHIPPED

    if not (folder / CALIBRATION).exists():
        shutil.copyfile(SHIPPED / "reader" / CALIBRATION, folder / CALIBRATION)


def _own(how: SkillShape, spec: ExpertSpec[Any], own: bool) -> SkillShape:
    """The shape with an expert of its own for a skill, or without."""
    setting: dict[str, Any] = {spec.setting: own}
    return replace(how, **setting)
