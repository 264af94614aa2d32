"""Answer recall at k: whether an answer stands in one of the k best passages, as DPR's script decides it.

A text is brought to Unicode's form NFD and cut into tokens: runs of letters, numbers and marks, and each other visible
character by itself; blanks and control characters only separate. An answer stands in a text when its tokens do, in a
row and without regard to case. "New York" thus stands in "NEW YORK-born", and "art" does not stand in "party".

An answer without any token stands in every text, since the script finds an empty row everywhere. The script looks at
the text of a passage alone, without its title, unless told otherwise: join them before calling to count the title.

Sources: Karpukhin et al. 2020, section 5.1 (top-k accuracy); `has_answer` in their dpr/data/qa_validation.py with
`match_type="string"`, and the SimpleTokenizer of DrQA. Categories of characters are those of Python's own Unicode
tables, so that a character newer than these separates.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence


class _Spacing(dict[int, str]):
    """For `str.translate`: what belongs to words as it is, other visible characters set apart, the rest a space."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = unicodedata.category(character)[0]
        self[code] = character if kind in "LNM" else " " if kind in "ZC" else f" {character} "
        return self[code]


_SPACING = _Spacing()


def tokens(text: str) -> list[str]:
    """The tokens of a text, in order and in lower case."""
    return [token.lower() for token in unicodedata.normalize("NFD", text).translate(_SPACING).split(" ") if token]


def answer_rank(texts: Iterable[str], answers: Iterable[str]) -> int | None:
    """Rank, from 1, of the first text in which an answer stands; None when there is none."""
    rows = _rows(answers)
    return next((rank for rank, text in enumerate(texts, start=1) if _holds(text, rows)), None)


def _rows(answers: Iterable[str]) -> list[str]:
    """Each answer's tokens in a row with a space on either side of each; '' for an answer without tokens."""
    return [f" {' '.join(row)} " if row else "" for row in map(tokens, answers)]


def _holds(text: str, rows: Sequence[str]) -> bool:
    if not rows:
        return False
    row = f" {' '.join(tokens(text))} "  # tokens hold no spaces, so that a row of tokens is a piece of this string
    return any(answer in row for answer in rows)
