"""Texts to vectors by the encoder half of a T5 model: the paper's dual encoder, by the extra `transformers`.

    vector = mean of the last layer over the text's tokens, of length 1; queries and documents by the same weights

Source: Ni et al. 2022 (the mean); Malaviya et al. 2023, section 4.3 and appendix A (64 tokens of a query, 512 of a
document).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from answerable.encoders.encoder import Asked, Passages, Vectors
from answerable.encoders.expansion import expanded_text
from answerable.encoders.shipped import MANIFEST, open_shipped, sha256
from answerable.encoders.wordpieces import passage_text, plan_batches
from answerable.errors import MissingExtraError, ModelError
from answerable.types import Skill

QUERY_TOKENS, DOCUMENT_TOKENS = 64, 512
BATCH_TOKENS = 8192
T5 = "t5"
HUB = "t5:"
"""Before the name of a model of the Hugging Face Hub, which is downloaded when it is not here: `t5:google/...`."""


def is_t5(name: str) -> bool:
    """Whether a name is that of a T5: a folder in the form of Hugging Face, or `t5:` and a name of the Hub."""
    if name.startswith(HUB):
        return True
    try:
        about = json.loads((Path(name) / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(about, dict) and about.get("model_type") == T5


class T5Parts:
    """A T5 and its tokenizer: what its encoder and its judge open."""

    def __init__(self, name: str, head: str, threads: int = 0) -> None:
        """`head`: the class of `transformers` that loads the weights. `name` as for `is_t5`.

        Raises `MissingExtraError` without the extra `transformers`, `ModelError` for weights that are missing, damaged
        or do not fit.
        """
        torch, transformers = libraries()
        place = name.removeprefix(HUB)
        try:
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(place)
            self.model = getattr(transformers, head).from_pretrained(place, dtype=torch.float32)
        except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
            raise ModelError(f"{place} holds no T5 model that can be opened", hint="the folder of one") from error
        self.torch = torch
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = self.model.eval().to(self.device)
        if threads:
            torch.set_num_threads(threads)
        self.name = identity(name)

    def tokens(self, texts: Sequence[str], most: int) -> list[list[int]]:
        """Token ids of each text, at most `most` of them with the end of the text, which is always there."""
        if not texts:
            return []
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        found: list[list[int]] = self.tokenizer(clean, truncation=True, max_length=most)["input_ids"]
        return found

    def batches(self, rows: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], Any, Any]]:
        """Row numbers of like length with their ids and mask, each (n, longest) on the device."""
        for batch in plan_batches([len(row) for row in rows], BATCH_TOKENS):
            yield batch, *self.padded([rows[i] for i in batch])

    def padded(self, rows: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """(n, longest) int64 token ids and mask, padded with the model's own token for it."""
        longest = max(map(len, rows))
        ids = self.torch.full((len(rows), longest), self.tokenizer.pad_token_id, dtype=self.torch.long)
        mask = self.torch.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = self.torch.tensor(row)
            mask[number, : len(row)] = 1
        return ids.to(self.device), mask.to(self.device)


class T5Encoder:
    """Unit vectors of queries and passages from a T5, trained by `recipes/t5-dual-encoder.toml`."""

    def __init__(self, name: str, threads: int = 0) -> None:
        """Raises as `T5Parts` does."""
        self._parts = T5Parts(name, "T5EncoderModel", threads)
        self.name = self._parts.name
        self.dimension = int(self._parts.model.config.d_model)

    def encode_query(self, text: str, skill: Skill, passages: Passages = ()) -> Vectors:
        """(dimension,) float32, of length 1, of the first 64 tokens; all skills are alike here."""
        vector: Vectors = self.encode_queries([(text, skill, passages)])[0]
        return vector

    def encode_queries(self, queries: Sequence[Asked]) -> Vectors:
        """(n, dimension) float32: each as `encode_query` gives it, each a batch of its own."""
        texts = [expanded_text(text, passages) for text, _, passages in queries]
        rows = [self._encode([text], QUERY_TOKENS) for text in texts]
        return np.concatenate(rows) if rows else np.zeros((0, self.dimension), np.float32)

    def encode_passages(self, texts: Passages) -> Vectors:
        """(n, dimension) float32 unit rows of the first 512 tokens of `title. text`, in order."""
        return self._encode([passage_text(*text) for text in texts], DOCUMENT_TOKENS)

    def _encode(self, texts: Sequence[str], most: int) -> Vectors:
        out = np.zeros((len(texts), self.dimension), np.float32)
        with self._parts.torch.inference_mode():
            for batch, ids, mask in self._parts.batches(self._parts.tokens(texts, most)):
                hidden = self._parts.model(input_ids=ids, attention_mask=mask).last_hidden_state
                out[batch] = pooled(hidden, mask).cpu().numpy()
        return out


def pooled(hidden: Any, mask: Any) -> Any:
    """(n, width) of length 1: the mean of (n, tokens, width) over the tokens of a mask."""
    summed = (hidden.float() * mask[:, :, None]).sum(1)
    return summed / summed.norm(dim=1, keepdim=True).clamp_min(1e-12)


def identity(name: str) -> str:
    """What identifies the weights: a manifest's name, a digest of the weights, or the Hub's name."""
    folder = Path(name)
    if name.startswith(HUB):
        return name
    if (folder / MANIFEST).is_file():
        return open_shipped(folder).name
    weights = folder / "model.safetensors"
    return f"{folder.name}-{sha256(weights)[:12]}" if weights.is_file() else folder.name


def libraries() -> tuple[Any, Any]:
    """torch and transformers. Raises `MissingExtraError` unless both are installed."""
    try:
        import torch
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtraError("a T5 model", "transformers") from error
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers
