"""A BART or a T5 that turns texts into others, by the extra `transformers`: opened, and searched with a beam.

    probability = exp(log P(text) / its tokens, the end counted)

Only a model that is named as one of the Hub is ever downloaded: `bart:facebook/bart-base`, `t5:google/t5-v1_1-base`.
A folder is opened as it lies there, without a look at the network.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from answerable.encoders.shipped import MANIFEST, open_shipped, sha256, taught_label
from answerable.encoders.wordpieces import plan_batches
from answerable.errors import MissingExtraError, ModelError
from answerable.types import PUBLIC, Label

FAMILIES = ("bart", "t5")
"""The kinds of model that can be opened, by `model_type` in their folder, or by the word before a name of the Hub."""
BATCH_TOKENS = 4096
_WORSE = -1e8
"""Below every sum of log-probabilities: what a beam has that found nothing."""


class Seq2Seq:
    """A model with its tokenizer. `name` identifies the weights, `about` is its manifest, empty where it has none."""

    def __init__(self, name: str, threads: int = 0) -> None:
        """`name`: a folder in the form of Hugging Face, or `bart:` or `t5:` and a name of the Hub.

        Raises `MissingExtraError` without the extra `transformers`, `ModelError` for weights that are missing, damaged
        or of another kind, and for a model of the Hub that is not here and cannot be downloaded.
        """
        hub = hub_name(name)
        if hub is None and family_of(Path(name)) is None:
            hint = f"the folder of one, or {FAMILIES[0]}:NAME or {FAMILIES[1]}:NAME of the Hugging Face Hub"
            raise ModelError(f"{name} holds no BART or T5", hint=hint)
        self.torch, transformers = libraries()
        self.about = {} if hub or not (Path(name) / MANIFEST).is_file() else open_shipped(Path(name)).about
        self.label: Label = PUBLIC if hub else taught_label(Path(name))
        self.tokenizer, self.model = _loaded(self.torch, transformers, hub, name)
        self.model.generation_config = _plain(transformers, self.model)
        self.device = self.torch.device("cuda" if self.torch.cuda.is_available() else "cpu")
        self.model = self.model.eval().to(self.device)
        if threads:
            self.torch.set_num_threads(threads)
        self.name = str(self.about.get("name") or _identity(name))

    def require(self, task: str, recipe: str) -> None:
        """Raise `ModelError` for a model that was trained here for another task; one without a manifest may be any."""
        if self.about and self.about.get("task") != task:
            what = f"the model {self.name} was trained for another task ({self.about.get('task')}) than {task}"
            raise ModelError(what, hint=f"answerable train {recipe}")

    def tokens(self, texts: Sequence[str], most: int) -> list[list[int]]:
        """Token ids of each text with the marks of its beginning and end that the model wants, at most `most`."""
        if not texts:
            return []
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        found: list[list[int]] = self.tokenizer(clean, truncation=True, max_length=most)["input_ids"]
        return found

    def padded(self, rows: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """(n, longest) int64 token ids and mask, on the device; the mask is 1 on tokens and 0 on padding."""
        longest = max(map(len, rows))
        ids = self.torch.full((len(rows), longest), self.model.config.pad_token_id, dtype=self.torch.long)
        mask = self.torch.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = self.torch.tensor(row)
            mask[number, : len(row)] = 1
        return ids.to(self.device), mask.to(self.device)

    def say(self, rows: Sequence[Sequence[int]], beams: int, most: int) -> list[list[tuple[str, float]]]:
        """For each row of token ids up to `beams` texts of at most `most` tokens, with their probabilities, best first.

        Each text once. One that had not come to its end by then is left out. Batches depend on the lengths of `rows`
        alone, and move a probability in its last digits: equal rows give what is equal to the last of them.
        """
        found: list[list[tuple[str, float]]] = [[] for _ in rows]
        with self.torch.inference_mode():
            for batch in plan_batches([len(row) for row in rows], max(1, BATCH_TOKENS // beams)):
                ids, mask = self.padded([rows[i] for i in batch])
                texts = self._searched(ids, mask, beams, most)
                for place, row in enumerate(batch):
                    found[row] = _each_once(texts[place * beams : (place + 1) * beams])
        return found

    def _searched(self, ids: Any, mask: Any, beams: int, most: int) -> list[tuple[str, float] | None]:
        """(n * beams) texts with their probabilities, None for what has no end."""
        made = self.model.generate(
            input_ids=ids,
            attention_mask=mask,
            num_beams=max(2, beams),
            num_return_sequences=beams,
            max_new_tokens=most,
            return_dict_in_generate=True,
            output_scores=True,
        )
        ended = (made.sequences[:, 1:] == self.model.config.eos_token_id).any(1).tolist()
        scores = made.sequences_scores.tolist()
        texts = self.tokenizer.batch_decode(
            made.sequences, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return [
            (" ".join(text.split()), math.exp(min(0.0, score))) if end and score > _WORSE else None
            for text, score, end in zip(texts, scores, ended, strict=True)
        ]


def hub_name(name: str) -> str | None:
    """The name on the Hub of a model that is named as one of it: `bart:facebook/bart-base`. None for a folder."""
    family, colon, rest = name.partition(":")
    return rest if colon and family in FAMILIES else None


def family_of(folder: Path) -> str | None:
    """`bart` or `t5`, where a folder holds one as Hugging Face keeps it."""
    try:
        about = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    family = about.get("model_type") if isinstance(about, dict) else None
    return family if family in FAMILIES else None


def libraries() -> tuple[Any, Any]:
    """torch and transformers. Raises `MissingExtraError` unless both are installed."""
    try:
        import torch
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtraError("a BART or a T5", "transformers") from error
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers


def _loaded(torch: Any, transformers: Any, hub: str | None, name: str) -> tuple[Any, Any]:
    how: dict[str, Any] = {"local_files_only": hub is None, "trust_remote_code": False}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(hub or name, **how)
        opened = transformers.AutoModelForSeq2SeqLM.from_pretrained  # never a pickle, which could run code
        model = opened(hub or name, dtype=torch.float32, use_safetensors=True, **how)
    except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
        if hub:
            what = f"the model {hub} is not on this machine and could not be downloaded"
            raise ModelError(what, hint="download it where there is a network, and name its folder") from error
        raise ModelError(f"{name} holds no BART or T5 that can be opened", hint="the folder of one") from error
    return tokenizer, model


def _plain(transformers: Any, model: Any) -> Any:
    """Beam search by the probability for each token alone: what a model's own folder asks for besides is left out."""
    own, start = model.generation_config, getattr(model.config, "decoder_start_token_id", None)
    return transformers.GenerationConfig(
        decoder_start_token_id=start if own.decoder_start_token_id is None else own.decoder_start_token_id,
        bos_token_id=getattr(model.config, "bos_token_id", None),
        eos_token_id=model.config.eos_token_id,
        pad_token_id=model.config.pad_token_id,
        do_sample=False,
        length_penalty=1.0,
        early_stopping=False,
    )


def _identity(name: str) -> str:
    """What identifies weights without a manifest: a digest of them, or the Hub's name."""
    weights = Path(name) / "model.safetensors"
    return f"{Path(name).name}-{sha256(weights)[:12]}" if weights.is_file() else name


def _each_once(texts: Sequence[tuple[str, float] | None]) -> list[tuple[str, float]]:
    """Texts that say something, the best of equal ones; ties by the text."""
    best: dict[str, float] = {}
    for one in texts:
        if one is not None and one[0]:
            best[one[0]] = max(one[1], best.get(one[0], 0.0))
    return sorted(best.items(), key=lambda one: (-one[1], one[0]))
