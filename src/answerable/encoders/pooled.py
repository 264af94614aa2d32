"""A bi-encoder in a folder of sentence-transformers: pooling, prompts and length as its own files say.

Vectors are of length 1 whatever the folder says of that: what is compared is the cosine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from answerable.encoders.encoder import Asked, Passages, Vectors
from answerable.encoders.expansion import expanded_text
from answerable.encoders.pretrained import Pretrained
from answerable.encoders.wordpieces import passage_text, slices
from answerable.errors import ModelError
from answerable.types import Skill

_RUN = {"Transformer", "Pooling", "Normalize"}
_PROMPTS = (
    (re.compile(r"\be5-(?!.*instruct)", re.IGNORECASE), ("query: ", "passage: ")),
    (
        re.compile(r"\bbge-(small|base|large)-en", re.IGNORECASE),
        ("Represent this sentence for searching relevant passages: ", ""),
    ),
)
"""Of models that say in prose alone what is to stand before a query and before a passage."""


class PooledEncoder:
    """Unit vectors of queries and passages from a folder, or from a model of the Hub."""

    def __init__(self, named: str, threads: int = 0) -> None:
        """Open the model on `threads` processors (0: all). Raises as `Pretrained`, and `ModelError` for a folder
        without `modules.json`, or with one that asks for what is not done here."""
        self._model = model = Pretrained(named, "AutoModel", threads)
        self._pool = _POOLING[_pooling(model)]
        told = model.told("config_sentence_transformers.json")
        self._asking, self._held = _prompts(told, f"{named} {model.config.get('_name_or_path', '')}")
        self._lower = bool(model.told("sentence_bert_config.json").get("do_lower_case"))
        self.name = model.name
        self.dimension = int(self._vectors(["."], alone=True).shape[1])

    def encode_query(self, text: str, skill: Skill, passages: Passages = ()) -> Vectors:
        """(dimension,) float32, of length 1; all skills are alike here. Of passages it takes the names."""
        vector: Vectors = self.encode_queries([(text, skill, passages)])[0]
        return vector

    def encode_queries(self, queries: Sequence[Asked]) -> Vectors:
        """(n, dimension) float32: each as `encode_query` gives it, each a batch of its own."""
        texts = [self._asking + expanded_text(text, passages) for text, _, passages in queries]
        return self._vectors(texts, alone=True)

    def encode_passages(self, texts: Passages) -> Vectors:
        """(n, dimension) float32 unit rows of `title. text`, in order. Equal lists give equal rows."""
        parts = [self._vectors([self._held + passage_text(*one) for one in part]) for part in slices(texts)]
        return np.concatenate([np.zeros((0, self.dimension), np.float32), *parts])

    def _vectors(self, texts: Sequence[str], alone: bool = False) -> Vectors:
        rows = [one.ids for one in self._model.encoded([text.lower() if self._lower else text for text in texts])]
        out = np.zeros((len(texts), getattr(self, "dimension", 0)), np.float32)
        for batch, outputs, mask in self._model.run(rows, alone=alone):
            pooled = self._pool(_hidden(outputs), mask[:, :, None])
            unit = pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
            if not out.shape[1]:
                out = np.zeros((len(texts), unit.shape[1]), np.float32)
            out[batch] = unit
        return out


def _hidden(outputs: Mapping[str, Vectors]) -> Vectors:
    """(n, tokens, width) the vectors of the last layer's tokens."""
    for name in ("last_hidden_state", "token_embeddings"):
        if name in outputs:
            return outputs[name]
    raise ModelError("the model gives no vectors of tokens", hint="a graph with the output last_hidden_state")


def _mean(hidden: Vectors, mask: Vectors) -> Vectors:
    summed: Vectors = (hidden * mask).sum(1) / np.maximum(mask.sum(1), 1e-9)
    return summed


_POOLING: Mapping[str, Callable[[Vectors, Vectors], Vectors]] = {
    "mean": _mean,
    "mean_sqrt_len": _mean,  # of length 1 the same
    "cls": lambda hidden, mask: hidden[:, 0],
    "max": lambda hidden, mask: np.where(mask > 0, hidden, -np.inf).max(1),
    "lasttoken": lambda hidden, mask: hidden[
        np.arange(len(hidden)), np.maximum(mask[:, :, 0].sum(1).astype(int) - 1, 0)
    ],
}


def _pooling(model: Pretrained) -> str:
    """How the folder's vectors are made, one of `_POOLING`. Raises `ModelError`."""
    try:
        modules = json.loads((model.folder / "modules.json").read_text(encoding="utf-8"))
        kinds = {str(one["type"]).rsplit(".", 1)[-1]: str(one["path"]) for one in modules}
    except (OSError, ValueError, LookupError, TypeError) as error:
        what = f"{model.folder} has no modules.json that says how vectors are made"
        raise ModelError(what, hint="the folder of a model of sentence-transformers") from error
    strange = sorted({*kinds} - _RUN) or sorted({"Transformer", "Pooling"} - {*kinds})
    how: dict[str, Any] = {} if strange else model.told(f"{kinds['Pooling']}/config.json")
    named = [str(one).removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
             for one, on in how.items() if one.startswith("pooling_mode_") and on]  # fmt: skip
    modes = named or [str(how.get("pooling_mode", "mean"))]
    if strange or len(modes) > 1 or modes[0] not in _POOLING or how.get("include_prompt") is False:
        asked = ", ".join(strange or modes)
        raise ModelError(f"{model.folder} makes vectors in a way that is not done here ({asked})", hint="another model")
    return modes[0]


def _prompts(told: Mapping[str, Any], called: str) -> tuple[str, str]:
    """What stands before a query and before a passage: by the folder's own files, or else as its makers say."""
    prompts = told.get("prompts")
    prompts = {str(name): str(text) for name, text in prompts.items()} if isinstance(prompts, dict) else {}
    usual = prompts.get(str(told.get("default_prompt_name")), "")
    held = next((prompts[name] for name in ("passage", "document") if prompts.get(name)), usual)
    own = (prompts.get("query") or usual, held)
    return own if any(own) else next((known for shape, known in _PROMPTS if shape.search(called)), own)
