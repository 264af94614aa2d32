"""The extractive reader: points at the start and the end of the answer in a chain of passages.

Twelve layers with start, end and kind-of-answer heads (Devlin et al. 2019, sections 4.2 and 4.3), trained by
`recipes/reader.toml`, run as int8 ONNX. A yes or no is given to polar questions only, and only a span to others.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.citations import COMMON
from answerable.corpora.tables import borders, cell_spans, is_row, rows_in
from answerable.encoders.adapter import adapted
from answerable.encoders.session import Feed, Session
from answerable.encoders.wordpieces import pad, tokenizer_in
from answerable.errors import ModelError
from answerable.readers.layout import Laid, Layout
from answerable.readers.reader import best_first
from answerable.text import columns, is_polar, normalise_answer, words
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
Span = tuple[int, int]


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
        by one as well. Lines that stand under each other each say something for themselves: what seems to answer in one
        of them is read there alone.

        A score is the log-odds of the answer against "not in these passages", as the mean of what two heads say: that
        of the span's ends (Devlin et al. 2019, section 4.3), and that of the kind of answer.
        """
        chains = [chain for chain in chains if chain.hits]
        if not chains or not question.strip():
            return []
        polar = is_polar(question)
        found = self._read(question, polar, [(chain, *row_by_row(chain, question)) for chain in chains])
        lines = [[_lines(hit.passage.text) if not polar else [] for hit in chain.hits] for chain in chains]
        best = [_foremost(own[chain], polar) for chain, own in zip(chains, found, strict=True)]
        alone = [[_alone(one, of) for one in own] for own, of in zip(best, lines, strict=True)]
        again = [
            dict.fromkeys(cut for cut in own if cut and cut not in done) for own, done in zip(alone, found, strict=True)
        ]
        for own, more in zip(found, self._read(question, polar, again), strict=True):
            own |= more
        told = (_told(*one) for one in zip(chains, found, lines, strict=True))
        return best_first(best for one in told for best in _foremost(one, polar))

    def _read(self, question: str, polar: bool, cuts: Sequence[Iterable[Chain]]) -> list[dict[Chain, list[Candidate]]]:
        """What is found in each of the cuts of each chain."""
        every = [(number, cut) for number, own in enumerate(cuts) for cut in own]
        found: list[dict[Chain, list[Candidate]]] = [{cut: [] for cut in own} for own in cuts]
        texts = [question]
        for _, cut in every:
            for hit in cut.hits:
                texts += [self._layout.head(hit.passage.title), hit.passage.text]
        tokens = self._layout.tokens(texts) if every else []
        cursor, laid, shown = 1, [], []
        for number, cut in every:
            parts = [(tokens[cursor + 2 * i], tokens[cursor + 2 * i + 1]) for i in range(len(cut.hits))]
            cursor += 2 * len(cut.hits)
            windows = self._layout.windows(tokens[0], parts)
            laid += windows
            shown += [(number, cut, [text.offsets for _, text in parts])] * len(windows)
        for one, (number, cut, offsets), (start, end, kind) in zip(laid, shown, self._logits(laid), strict=True):
            if polar and kind is not None:
                found[number][cut] += _polar(cut, kind)
            else:
                spans = best_spans(cut, one, offsets, start, end)
                found[number][cut] += spans if kind is None else _weighed(spans, kind)
        return found

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
    """The chain with one row alone of the table that one of its passages is of, the last that is of several, or of the
    lines that stand under each other there: for each of those, at most `MOST_ROWS`, whose cells share most words with
    the question or the titles of the other passages. None where none shares any.
    """
    tables = [(at, rows) for at, hit in enumerate(chain.hits) if (rows := _rows(hit.passage.text))]
    if not tables:
        return []
    at, rows = tables[-1]
    passage = chain.hits[at].passage
    titles = [hit.passage.title for number, hit in enumerate(chain.hits) if number != at]
    wanted = {*words(" ".join([question, *titles]))} - COMMON
    shared = [len(wanted & _cell_words(passage.text[a:b])) for a, b in rows]
    most = max(shared)
    near = [row for row, count in zip(rows, shared, strict=True) if count == most > 0][:MOST_ROWS]
    return [_cut(chain, at, a, b) for a, b in near]


def _rows(text: str) -> list[Span]:
    """Where rows of a table are in a passage of several, or else lines whose parts stand under each other."""
    rows = rows_in(text)
    return rows if len(rows) > 1 else _lines(text)


def _lines(text: str) -> list[Span]:
    """Where lines whose parts stand under each other are in a passage of several."""
    lines = columns(text)
    return lines if len(lines) > 1 else []


def _cut(chain: Chain, at: int, start: int, end: int) -> Chain:
    """The chain with only these characters of one of its passages."""
    hit = chain.hits[at]
    whole = hit.passage
    one = replace(whole, text=whole.text[start:end], start=whole.start + start, end=whole.start + end)
    return replace(chain, hits=(*chain.hits[:at], replace(hit, passage=one), *chain.hits[at + 1 :]))


def _alone(one: Candidate, lines: Sequence[Sequence[Span]]) -> Chain | None:
    """The chain of a candidate with the line alone that it stands in, of the lines of each passage; None where it
    stands in none. A row of a table may mean something beside others: the first, or the largest."""
    own, at = lines[one.hit], one.start - one.chain.hits[one.hit].passage.start
    number = bisect_right(own, (at, len(one.chain.hits[one.hit].passage.text))) - 1
    return _cut(one.chain, one.hit, *own[number]) if number >= 0 and at < own[number][1] else None


def _told(
    chain: Chain, found: Mapping[Chain, Sequence[Candidate]], lines: Sequence[Sequence[Span]]
) -> Iterator[Candidate]:
    """What is found in a chain and in its cuts: in a line that was read alone, only what was read there."""
    for cut, own in found.items():
        for one in own:
            if cut != chain or _alone(one, lines) not in found:
                yield replace(one, chain=chain)


def _cell_words(row: str) -> set[str]:
    """The words of a row's cells, without the names of its columns."""
    cells = (row[a:b] for a, b in cell_spans(row, 0, len(row))) if is_row(row.strip()) else [f": {row}"]
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
