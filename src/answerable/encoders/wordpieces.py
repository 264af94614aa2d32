"""Texts to token ids, and lists of texts to batches: shared by every encoder that runs a transformer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answerable.errors import ModelError

PASSAGE_TOKENS = 192
"""The most tokens read of a passage, [CLS] and [SEP] counted."""
_CHARACTERS = 32  # the most characters looked at for each token: a token of English text has four or five

Ids = NDArray[np.int64]


def passage_text(title: str, text: str) -> str:
    """What is encoded of a passage: `title. text`."""
    return f"{title}. {text}" if title else text


def tokenizer_in(path: Path) -> Any:
    """The tokenizer in a file, which several models share: it pads and cuts nothing, and nobody may have it do so.

    Raises what tokenizers raises (bare exceptions) where there is none.
    """
    return _tokenizer(str(path.resolve()), path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _tokenizer(path: str, _changed: int) -> Any:
    from tokenizers import Tokenizer

    found = Tokenizer.from_file(path)
    found.no_padding()
    found.no_truncation()
    return found


def cut(text: str, most: int) -> str:
    """As much of a text as can be `most` tokens, without what no tokenizer takes."""
    return text[: most * _CHARACTERS].encode("utf-8", "replace").decode()


class WordPieces:
    """A BERT tokenizer that cuts texts to a number of tokens. Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        """Load a `tokenizer.json`. Raises `ModelError` when it is not one of a BERT model."""
        hint = "use the one its model was trained with"
        try:
            self._tokenizer = tokenizer_in(path)
        except Exception as error:  # tokenizers raises bare exceptions
            raise ModelError(f"{path} is not a tokenizer", hint=hint) from error
        begin, end = self._tokenizer.token_to_id("[CLS]"), self._tokenizer.token_to_id("[SEP]")
        if begin is None or end is None:
            raise ModelError(f"{path} is not a tokenizer of a BERT model", hint=hint)
        self._begin, self._end = begin, end

    def ids(self, texts: Sequence[str], most: int) -> list[list[int]]:
        """Token ids of each text, `[CLS]` first and `[SEP]` last, at most `most` of them."""
        return [[self._begin, *one.ids[: most - 2], self._end] for one in self._encode(texts, most)]

    def _encode(self, texts: Sequence[str], most: int) -> list[Any]:
        return list(self._tokenizer.encode_batch([cut(text, most) for text in texts], add_special_tokens=False))


def plan_batches(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Group row numbers by length, longest first, so that rows times the longest row stays within `tokens`.

    Depends on `lengths` alone; rows of equal length keep their order. A row longer than `tokens` stands alone.
    """
    batches: list[list[int]] = []
    for row in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        if batches and (len(batches[-1]) + 1) * lengths[batches[-1][0]] <= tokens:
            batches[-1].append(row)
        else:
            batches.append([row])
    return batches


def pad(rows: Sequence[Sequence[int]]) -> tuple[Ids, Ids]:
    """Token ids and mask, each (n, longest) int64; the mask is 1 on tokens and 0 on padding."""
    ids, mask = (np.zeros((len(rows), max(map(len, rows))), np.int64) for _ in range(2))
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return ids, mask


def slices(texts: Sequence[tuple[str, str]], size: int = 8192) -> Iterator[Sequence[tuple[str, str]]]:
    """`texts` in slices: bounds what is in memory, and is part of how batches are made."""
    for begin in range(0, len(texts), size):
        yield texts[begin : begin + size]
