"""The extractive reader: points at the start and the end of the answer in a chain of passages.

Twelve layers with start, end and kind-of-answer heads (Devlin et al. 2019, sections 4.2 and 4.3), trained by
`recipes/reader.toml`, run as int8 ONNX. A yes or no is given to polar questions only, and only a span to others.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.citations import COMMON
from answerable.corpora.tables import borders, cell_spans, rows_in
from answerable.encoders.adapter import adapted
from answerable.encoders.session import Feed, Session
from answerable.encoders.wordpieces import pad, tokenizer_in
from answerable.errors import ModelError
from answerable.readers.layout import Laid, Layout
from answerable.readers.reader import best_first
from answerable.text import is_polar, normalise_answer, words
from answerable.types import Candidate, Chain

_WHOLE = (
    re.compile(r"(?:(?<![\w.])\.)?\d+(?:[.,:]\d+)*"),
    re.compile(
        r"(?<![\w.+-])[\w.+-]+@\w[\w.-]*\w|(?<!\w)\w+://\S*[\w/]|(?<![\w-])-(?:-[^\W_][\w-]*|[a-zA-Z](?![\w-]))"
        r"|(?<!\w)\w+(?:(?:\.(?=[a-z0-9])|_+)\w+)+"
    ),
)
"""What no answer cuts in two: numbers; addresses, options and names with marks within, as people copy them. Each is
looked for where a word begins alone, or a long word would be gone through from each of its letters."""
_MARK = re.compile(r"(?:[-*•‣▪]|\d{1,3}[.)])[ \t]+(?=\S)")
_BRACKETS = {"(": ")", "[": "]", "<": ">", "{": "}"}
LONGEST_ANSWER = 30  # tokens
PER_CHAIN = 3
MOST_ROWS = 6
"""Rows of a passage that are read alone."""
SPAN, YES, NO, NONE = range(4)  # rows of the kind head, as in answerable.training.reading

Floats = NDArray[np.float32]


class SpanReader:
    """Reads chains with the shipped model, or with one trained by the same recipe."""

    name, english = "span", True

    def __init__(self, model: Path, tokenizer: Path, threads: int = 0, digest: str = "") -> None:
        """Load `model` (ONNX), with the adapter beside it if there is one, and `tokenizer` (JSON).

        `digest`: SHA-256 of the two together, if it is known (`encoders.adapter.adapted`). Raises `ModelError` when one
        is missing or damaged.
        """
        for path in (model, tokenizer):
            if not path.is_file():
                raise ModelError(f"the reader's file {path.name} is missing", hint="reinstall answerable")
        try:
            self._layout = Layout(tokenizer_in(tokenizer))
            self._session = Session(adapted(model, digest), threads)
        except ModelError:
            raise
        except Exception as error:  # onnxruntime and tokenizers raise bare exceptions of their own
            raise ModelError(f"the reader in {model.parent.name} is damaged", hint="reinstall answerable") from error

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        """Up to `PER_CHAIN` answers of each chain, best first. Rows of a table that a question is of are read one
        by one as well.

        A score is the log-odds of the answer against "not in these passages", as the mean of what two heads say: that
        of the span's ends (Devlin et al. 2019, section 4.3), and that of the kind of answer.
        """
        chains = [chain for chain in chains if chain.hits]
        if not chains or not question.strip():
            return []
        cuts = [(number, cut) for number, chain in enumerate(chains) for cut in (chain, *row_by_row(chain, question))]
        texts = [question]
        for _, cut in cuts:
            for hit in cut.hits:
                texts += [self._layout.head(hit.passage.title), hit.passage.text]
        tokens = self._layout.tokens(texts)
        cursor, laid, shown = 1, [], []
        for number, cut in cuts:
            parts = [(tokens[cursor + 2 * i], tokens[cursor + 2 * i + 1]) for i in range(len(cut.hits))]
            cursor += 2 * len(cut.hits)
            windows = self._layout.windows(tokens[0], parts)
            laid += windows
            shown += [(number, cut, [text.offsets for _, text in parts])] * len(windows)
        polar = is_polar(question)
        answers: list[list[Candidate]] = [[] for _ in chains]
        for one, (number, cut, offsets), (start, end, kind) in zip(laid, shown, self._logits(laid), strict=True):
            if polar and kind is not None:
                found = _polar(cut, kind)
            else:
                found = best_spans(cut, one, offsets, start, end)
                found = found if kind is None else _weighed(found, kind)
            answers[number] += [replace(candidate, chain=chains[number]) for candidate in found]
        return best_first(best for found in answers for best in _foremost(found, polar))

    def _logits(self, laid: Sequence[Laid]) -> list[tuple[Floats, Floats, Floats | None]]:
        """Start (n,), end (n,) and kind (4,) logits of each layout; None for a model that tells no kinds."""
        found = self._session.run_all([_feed(one) for one in laid])
        return [(start[0], end[0], kind[0]) for start, end, kind in found]


def _feed(laid: Laid) -> Feed:
    """One layout alone: in a batch a score would depend a little on others, and it would take no less time."""
    ids, mask = pad([laid.ids])
    types, _ = pad([laid.types])
    return {"ids": ids, "types": types, "mask": mask}


def _foremost(candidates: Iterable[Candidate], whole: bool) -> list[Candidate]:
    """The best with different words, at most `PER_CHAIN`; of spans, and not `whole` passages, none overlaps another."""
    found: dict[str, Candidate] = {}
    for one in best_first(candidates):
        clash = (one.hit == other.hit and one.start < other.end and other.start < one.end for other in found.values())
        if whole or not any(clash):
            found.setdefault(normalise_answer(one.text), one)
        if len(found) == PER_CHAIN:
            break
    return [*found.values()]


def row_by_row(chain: Chain, question: str) -> list[Chain]:
    """The chain with one row alone of the table that one of its passages is of, the last that is of several: for each
    of those, at most `MOST_ROWS`, whose cells share most words with the question or the titles of the other passages.
    None where none shares any.
    """
    tables = [(at, rows) for at, hit in enumerate(chain.hits) if len(rows := rows_in(hit.passage.text)) > 1]
    if not tables:
        return []
    at, rows = tables[-1]
    passage = chain.hits[at].passage
    titles = [hit.passage.title for number, hit in enumerate(chain.hits) if number != at]
    wanted = {*words(" ".join([question, *titles]))} - COMMON
    shared = [len(wanted & _cell_words(passage.text[a:b])) for a, b in rows]
    most = max(shared)
    near = [row for row, count in zip(rows, shared, strict=True) if count == most > 0][:MOST_ROWS]
    cut = [replace(passage, text=passage.text[a:b], start=passage.start + a, end=passage.start + b) for a, b in near]
    return [
        replace(chain, hits=(*chain.hits[:at], replace(chain.hits[at], passage=one), *chain.hits[at + 1 :]))
        for one in cut
    ]


def _cell_words(row: str) -> set[str]:
    """The words of a row's cells, without the names of its columns."""
    cells = (row[a:b] for a, b in cell_spans(row, 0, len(row)))
    return {word for cell in cells for word in words(cell.partition(": ")[2] or cell)}


def _polar(chain: Chain, kind: Floats) -> list[Candidate]:
    """Yes and no, each against "neither": log p / (1 - p_yes - p_no)."""
    logs = kind.astype(np.float64) - np.logaddexp.reduce(kind.astype(np.float64))
    neither = float(np.logaddexp(logs[0], logs[3]))
    last = len(chain.hits) - 1
    passage = chain.hits[last].passage
    return [
        Candidate(text, float(logs[row]) - neither, chain, last, passage.start, passage.end)
        for text, row in (("yes", YES), ("no", NO))
    ]


def _weighed(found: Sequence[Candidate], kind: Floats) -> list[Candidate]:
    """The spans with the mean of their score and what the kind says of there being one."""
    there = float(kind[SPAN] - kind[NONE])
    return [replace(one, score=(one.score + there) / 2) for one in found]


def best_spans(chain: Chain, laid: Laid, offsets: list[Any], start: Floats, end: Floats) -> list[Candidate]:
    """The best spans inside one passage's text, with different words; none may cross passages or cells of a table, or
    overlap another: the second answer is another answer, and not the first with a word more.

    `offsets` are, for each passage, the characters of its text's tokens; `start` and `end` (n,) the logits of `laid`.
    """
    null = float(start[0] + end[0])
    found: list[tuple[float, int, int, int]] = []
    for number, (place, first, shown) in enumerate(laid.places):
        starts, ends = start[place : place + shown], end[place : place + shown]
        best_starts = np.argsort(-starts, kind="stable")[:12]
        best_ends = np.argsort(-ends, kind="stable")[:12]
        cells, at = borders(chain.hits[number].passage.text), offsets[number]
        for i in best_starts:
            for j in best_ends:
                if i <= j < i + LONGEST_ANSWER and _within(cells, at[i + first][0], at[j + first][1]):
                    found.append((float(starts[i] + ends[j]) - null, number, int(i) + first, int(j) + first))
    found.sort(key=lambda f: (-f[0], f[1:]))
    candidates: list[Candidate] = []
    seen: set[str] = set()
    taken: list[tuple[int, int, int]] = []
    for score, number, i, j in found:
        if any(number == other and i <= last and first <= j for other, first, last in taken):
            continue
        passage = chain.hits[number].passage
        begin, stop = whole(passage.text, offsets[number][i][0], offsets[number][j][1])
        text = passage.text[begin:stop]
        words = normalise_answer(text)
        if not words or words in seen:
            continue
        seen.add(words)
        taken.append((number, i, j))
        candidates.append(Candidate(text, score, chain, number, passage.start + begin, passage.start + stop))
        if len(candidates) == PER_CHAIN:
            break
    return candidates


def _within(borders: Sequence[int], begin: int, stop: int) -> bool:
    return bisect_right(borders, begin) == bisect_left(borders, stop)


def whole(text: str, begin: int, stop: int) -> tuple[int, int]:
    """The span [begin, stop) of characters, with the rest of a number, an address or a name with marks within that it
    would cut: "89.60" and not "89"; without the mark of the list item that it begins with, and without a bracket at an
    end whose other half lies outside."""
    first, last = begin, stop
    while first and not text[first - 1].isspace():
        first -= 1
    while last < len(text) and not text[last].isspace():
        last += 1
    for pattern in _WHOLE:
        for one in pattern.finditer(text, first, last):
            if one.start() < begin < one.end():
                begin = one.start()
            if one.start() < stop < one.end():
                stop = one.end()
    if (mark := _MARK.match(text, begin, stop)) and not text[text.rfind("\n", 0, begin) + 1 : begin].strip():
        begin = mark.end()
    for opening, closing in _BRACKETS.items():
        said = text[begin:stop]
        if said.startswith(opening) and closing not in said:
            begin += 1
        elif said.endswith(closing) and opening not in said:
            stop -= 1
    return begin, stop
