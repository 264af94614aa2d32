"""Where a skill model begins, and where it is kept: MiniLM, another BERT's folder, or an earlier run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import nn

from answerable.encoders.choose import encoder_folder
from answerable.encoders.modular import ModularTrunk, SkillModel, SkillShape, from_trunk, regrown
from answerable.encoders.pretrained import minilm_folder
from answerable.encoders.shipped import MANIFEST
from answerable.encoders.trunk import Trunk, TrunkShape, load_trunk
from answerable.errors import ModelError, UsageError
from answerable.records import of_record
from answerable.training.recipe import ModelRecipe
from answerable.training.restore import restore_skills

MODEL, TOKENIZER = "model.json", "tokenizer.json"
BERT = "a BERT's folder has config.json, tokenizer.json and model.safetensors or onnx/model.onnx"
M = TypeVar("M", bound=nn.Module)
WEIGHTS = ("best.pt", "checkpoint.pt")
"""What a run leaves, the better first."""


def begin(start: str, how: SkillShape) -> tuple[SkillModel, Path]:
    """A model of the shape `how` that goes on from `start`, and the tokenizer it reads with.

    `start` is `minilm`, `skills` (what ships), the folder of an earlier run or of an exported encoder of skills, the
    folder of a BERT (config.json, model.safetensors and tokenizer.json). Raises `ModelError` when it is none of these
    or has another architecture.
    """
    if start == "minilm":
        return _from_bert(minilm_folder(), how)
    folder = encoder_folder(start)
    if (folder / MANIFEST).is_file():
        model, tokenizer = restore_skills(folder)
        return regrown(model, how), tokenizer
    if (folder / MODEL).is_file():
        return regrown(open_run(folder), how), folder / TOKENIZER
    return _from_bert(folder, how)


def opened(folder: Path, made: Callable[[SkillModel], M], called: str) -> M:
    """What a run left in `folder`, the best if it was judged: `made` around an encoder, with its weights.

    Raises `ModelError` when there is none.
    """
    try:
        about = json.loads((folder / MODEL).read_text(encoding="utf8"))
        trunk, how = of_record(TrunkShape, about["trunk"]), of_record(SkillShape, about["skills"])
        model = made(SkillModel(ModularTrunk(trunk, how)))
        model.load_state_dict(weights(folder))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise ModelError(f"{folder} holds no trained {called}", hint="train one: answerable train") from error
    return model


def open_run(folder: Path) -> SkillModel:
    """The encoder of skills that a run left in `folder`. Raises as `opened`."""
    return opened(folder, lambda model: model, "skill model")


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """The weights that a run left in `folder`, plain ones. Raises `OSError` when there are none."""
    path = next((folder / name for name in WEIGHTS if (folder / name).is_file()), folder / WEIGHTS[0])
    found: dict[str, torch.Tensor] = torch.load(path, weights_only=True, map_location="cpu")["model"]
    return summed(found)


def summed(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Weights of a model without factors that computes the same: those of each `LowRank` become its product's."""
    made = {name.replace(".whole.", "."): value for name, value in state.items()}
    for name in state:
        if name.endswith(".whole.weight"):
            part = name.removesuffix(".whole.weight")
            made[f"{part}.weight"] = state[name] + made.pop(f"{part}.up") @ made.pop(f"{part}.down")
    return made


def mean_of(*runs: tuple[Path, float]) -> dict[str, torch.Tensor]:
    """The weights between those of several runs, each with its share of them, 0 to 1, which together are 1 (Wortsman et
    al. 2022): of a stage and the one before it, what was learned last weighs less, and what was known is kept.

    Raises `UsageError` for folders that hold no models of one shape.
    """
    try:
        states = [(weights(folder), share) for folder, share in runs]
        parts = {name: [share * state[name].float() for state, share in states] for name in states[0][0]}
        return {name: torch.stack(each).sum(0) for name, each in parts.items()}
    except (OSError, KeyError, RuntimeError, IndexError) as error:
        named = ", ".join(str(folder) for folder, _ in runs)
        raise UsageError(f"{named or 'no folder'} hold no models of one shape", hint="name folders of runs") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanRecipe(ModelRecipe):
    """A recipe of what lies the `share` (0 to 1) of the way from what the run `first` has left to that of `last`."""

    first: str
    last: str
    share: float

    def runs(self) -> tuple[tuple[Path, float], tuple[Path, float]]:
        """Both runs, as `mean_of` takes them."""
        return (Path(self.first), 1.0 - self.share), (Path(self.last), self.share)


def write_mean(folder: Path, *runs: tuple[Path, float]) -> None:
    """Write `mean_of` some runs of an expert to `folder`, a run like the others. Raises as it does."""
    torch.save({"model": mean_of(*runs)}, folder / WEIGHTS[0])
    for name in (MODEL, TOKENIZER):
        shutil.copyfile(runs[-1][0] / name, folder / name)


def has_own(folder: Path, setting: str) -> bool:
    """Whether a run left a model with an expert of its own for what this setting of `SkillShape` says."""
    try:
        return bool(json.loads((folder / MODEL).read_text(encoding="utf8"))["skills"].get(setting))
    except (ValueError, KeyError, AttributeError):
        return False  # which opening it will refuse


def keep(model: SkillModel, tokenizer: Path, folder: Path) -> None:
    """Write what `open_run` needs beside the weights: the shape and the tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    about = {"trunk": asdict(model.trunk.shape), "skills": asdict(model.how)}
    (folder / MODEL).write_text(json.dumps(about, indent=1) + "\n", encoding="utf8")
    if tokenizer.resolve() != (folder / TOKENIZER).resolve():
        shutil.copyfile(tokenizer, folder / TOKENIZER)


def _from_bert(folder: Path, how: SkillShape) -> tuple[SkillModel, Path]:
    if not (folder / TOKENIZER).is_file():
        raise ModelError(f"{folder / TOKENIZER} is missing", hint=BERT)
    return from_trunk(load_bert(folder), how), folder / TOKENIZER


def load_bert(folder: Path, dropout: float = 0.0) -> Trunk:
    """The trunk of a BERT's folder. Raises `ModelError` for a folder that is none."""
    config = folder / "config.json"
    if not config.is_file():
        raise ModelError(f"{config} is missing", hint=BERT)
    shape = bert_shape(json.loads(config.read_text(encoding="utf8")), folder)
    found = [folder / name for name in ("model.safetensors", "onnx/model.onnx") if (folder / name).is_file()]
    if not found:
        raise ModelError(f"{folder / 'model.safetensors'} is missing", hint=BERT)
    return load_trunk(found[0], shape, dropout)


def bert_shape(config: dict[str, Any], folder: Path) -> TrunkShape:
    """The sizes in a Hugging Face config.json. Raises `ModelError` when it is not a BERT's."""
    if config.get("model_type") != "bert" or config.get("hidden_act", "gelu") != "gelu":
        raise ModelError(f"{folder} holds a model of type {config.get('model_type')!r}, not a BERT with gelu")
    try:
        return TrunkShape(
            vocabulary=int(config["vocab_size"]),
            width=int(config["hidden_size"]),
            layers=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            inner=int(config["intermediate_size"]),
            positions=int(config["max_position_embeddings"]),
            types=int(config.get("type_vocab_size", 2)),
            norm_eps=float(config.get("layer_norm_eps", 1e-12)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"the config.json in {folder} does not say the sizes of a BERT") from error
