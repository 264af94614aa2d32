"""Cases for people to judge, as a table that any spreadsheet opens, and the shares of what they judged.

Two kinds: pairs as they were made (PAQ, table 2 and appendix A.3), with the sentence that their answer stands in; and
questions beside the pair that answered them (section 5.2.5). The last column is empty, for one of the words that the
file's first column names.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.errors import FormatError, UsageError
from answerable.evaluation.metrics.significance import wilson
from answerable.evaluation.report import write_text
from answerable.printing import safe_cell
from answerable.text import sentences
from answerable.types import Passage, QAPair

MADE = ("correct", "grammar", "ambiguous", "wrong")
"""Of a pair: it says what the passage says and can be answered without it; the same in wrong grammar; it could mean
something else; it does not say what the passage says, or the answer is not one to it."""
MATCHED = ("paraphrase", "related", "other")
"""Of two questions: they ask the same; about the same thing; neither."""
_VERDICT = "verdict"
_COLUMNS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    MADE: ("one of", "question", "answer", "sentence", "title", "passage", _VERDICT),
    MATCHED: ("one of", "asked", "gold", "question", "answer", "right", "confidence", _VERDICT),
}


def drawn(ones: Sequence[Any], count: int, seed: int = 0) -> list[Any]:
    """So many of a list, drawn with `seed`, in order; all of them where there are fewer."""
    chosen = sorted(random.Random(seed).sample(range(len(ones)), min(count, len(ones))))
    return [ones[place] for place in chosen]


def write_made(pairs: Iterable[QAPair], passages: Mapping[str, Passage], path: Path) -> Path:
    """Pairs with the sentence of each. `passages` by id. Raises `WorkspaceError` when the file cannot be written."""
    rows = []
    for pair in pairs:
        passage = passages.get(pair.passage_id)
        said = sentence_of(pair, passage) if passage else ""
        rows.append((pair.question, pair.answers[0], said, passage.title if passage else "", pair.passage_id))
    return _write(MADE, rows, path)


def sentence_of(pair: QAPair, passage: Passage) -> str:
    """The sentence of a passage that a pair's answer stands in; the whole passage where it is in none."""
    spans = sentences(passage.text)
    return next((passage.text[a:b] for a, b in spans if a <= pair.start and pair.end <= b), passage.text)


def write_matched(ones: Iterable[tuple[Example, Mapping[str, Any]]], path: Path) -> Path:
    """Questions with what `evaluation.qapairs.matching` kept of them, and the pair's question."""
    rows = []
    for example, record in ones:
        pair, right = record["pair"], record["scores"]["EM"] == 1.0
        told = (example.question, " / ".join(example.answers), pair["question"] if pair else "", record["guess"])
        rows.append((*told, "yes" if right else "no", f"{record['confidence']:.3f}"))
    return _write(MATCHED, rows, path)


def _write(verdicts: tuple[str, ...], rows: Iterable[Sequence[str]], path: Path) -> Path:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS[verdicts])
    for row in rows:
        writer.writerow([" | ".join(verdicts), *(safe_cell(" ".join(cell.split())) for cell in row), ""])
    write_text(path, text.getvalue()).chmod(0o600)  # it may hold private text
    return path


def read_judged(path: Path) -> dict[str, Any]:
    """The shares of a file whose last column was filled in, as one object.

    `judged` rows and `unjudged` ones, which have no verdict yet; `verdicts`, how often each was given (`count`), and
    its `share` of all that were judged with the 95 % interval, `low` to `high`; `whole`, what is right in substance.
    For pairs that is `accurate`: correct, or correct but for its grammar. For questions it is `paraphrase`, of those
    that were answered rightly, as the paper counts. Raises `UsageError` for no such file or none of the kind,
    `FormatError` for a word that is no verdict.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{path} cannot be read as a table") from error
    columns = tuple(rows[0]) if rows else ()
    kind = next((one for one, names in _COLUMNS.items() if set(names) <= set(columns)), None)
    if kind is None:
        raise UsageError(
            f"{path} is no table of cases to judge", hint="answerable evaluate pairs --sample N writes one"
        )
    said = [(row, " ".join((row[_VERDICT] or "").lower().split())) for row in rows]
    for number, (_, word) in enumerate(said, start=2):
        if word and word not in kind:
            raise FormatError(f"row {number} of {path}: {word!r} is no verdict", hint=f"one of {', '.join(kind)}")
    judged = [(row, word) for row, word in said if word]
    if not judged:
        raise UsageError(f"nothing in {path} is judged yet", hint=f"fill in the column `{_VERDICT}`")
    verdicts = [_share(word, [one == word for _, one in judged]) for word in kind]
    if kind is MADE:
        whole = _share("accurate", [word in MADE[:2] for _, word in judged])
    else:
        right = [word for row, word in judged if row["right"] == "yes"]
        whole = _share("paraphrase of those right", [word == MATCHED[0] for word in right])
    counts = {"judged": len(judged), "unjudged": len(said) - len(judged)}
    return {"of": "made" if kind is MADE else "matched", **counts, "verdicts": verdicts, "whole": whole}


def _share(verdict: str, marks: Sequence[bool]) -> dict[str, Any]:
    count, (low, high) = sum(marks), wilson(sum(marks), len(marks))
    share = count / len(marks) if marks else 0.0
    return {"verdict": verdict, "count": count, "share": share, "low": low, "high": high}
