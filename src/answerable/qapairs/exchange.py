"""Pairs in files: the formats of PAQ's release and of NQ-open, and an enclave's pairs written to them and read back.

    {"question": ..., "answer": [...]} a line, as `PAQ.jsonl` and NQ-open: read
    the same with the passage, the characters and the probability of each, as `PAQ.metadata.jsonl`: read and written

What PAQ's own programs do not look at stands beside what they do: enclave and label on every line of JSON, and the
probability itself beside its logarithm, which is PAQ's `passage_score`. Files may be compressed with gzip when read.
The rules of every export hold: labels stay, enclaves are never mixed.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import IO, Any

from answerable.corpora.export import require_same
from answerable.corpora.passages import document_of
from answerable.corpora.store import Store
from answerable.errors import BusyError, EnclaveError, FormatError, UsageError, WorkspaceError
from answerable.indexes.index import Progress, silent
from answerable.printing import as_json, replacing
from answerable.types import Enclave, Label, QAPair

LONGEST_LINE = 1_000_000
"""Bytes of a line that is still read."""
ASKED = 1.0
"""The probability of a pair from a file that says nothing of it: somebody asked it, or chose it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A pair as a file has it. `places`: passage ids with the character at which the first answer begins there.

    `names`: all passages and documents that it says it is of. `label`: the private enclaves whose text it holds, as far
    as the file says.
    """

    number: int
    question: str
    answers: tuple[str, ...]
    score: float = ASKED
    places: tuple[tuple[str, int], ...] = ()
    label: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def as_line(pair: QAPair, enclave: Enclave, documents: Sequence[str] = ()) -> str:
    """A pair as a line of text, its end included. `documents`: those that a pair without a passage belongs to."""
    owner: dict[str, Any] = {"enclave": enclave.name, "label": sorted(enclave.label)}
    owner |= {"documents": [*documents]} if documents else {}
    first = {
        "passage_id": pair.passage_id or None,
        "offset": pair.start if pair.passage_id else None,
        "text": pair.answers[0],
        "extractor": "",
    }
    others = [{**first, "offset": None, "text": text} for text in pair.answers[1:]]
    made = {
        "question": pair.question,
        "subsets": [],
        "answer": pair.answers[0],
        "passage_score": math.log(pair.score) if pair.score > 0 else None,
        "answers": [first, *others],
        "score": pair.score,
    }
    return as_json({**made, **owner}) + "\n"


def read_lines(path: Path) -> Iterator[Line]:
    """The pairs of a file in any of the formats. Raises `FormatError` that names the line, `UsageError`."""
    number, found = 0, False
    try:
        with _opened(path) as file:
            while raw := file.readline(LONGEST_LINE + 1):
                number += 1
                text = _decoded(raw, number)
                if text.strip():
                    found = True
                    yield _checked(_of_json(text, number))
    except _Wrong as error:
        raise FormatError(f"{path.name}, line {number}: {error}") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(f"{path.name} is damaged or cut off after line {number}") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or type(error).__name__}") from error
    if not found:
        raise FormatError(f"{path.name} holds no pairs")


class _Wrong(Exception):
    """What is wrong with a line; never its text."""


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    with ExitStack() as stack:
        file: Any = stack.enter_context(open(path, "rb"))
        zipped = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        if zipped:
            file = stack.enter_context(gzip.GzipFile(fileobj=file))
        if file.read(262)[257:] == b"ustar":
            raise UsageError(f"{path.name} is an archive of files", hint="unpack it and import the file in it")
        file.seek(0)
        yield file


def _decoded(raw: bytes, number: int) -> str:
    if len(raw) > LONGEST_LINE:
        raise _Wrong(f"it is longer than {LONGEST_LINE:,} bytes")
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise _Wrong("it is not UTF-8") from None


def _of_json(text: str, number: int) -> Line:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        raise _Wrong("it is not JSON") from None
    if not isinstance(values, dict):
        raise _Wrong("it is not a JSON object")
    label = values.get("label") or []
    if not isinstance(label, list) or not all(isinstance(one, str) for one in label):
        raise _Wrong("its label is not a list of names")
    whole = values.get("answer", values.get("canonical_answer"))
    given = [whole] if isinstance(whole, str) else whole if whole is not None else []
    places: list[tuple[str, int]] = []
    names = values.get("documents") or []
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise _Wrong("its documents are not a list of ids")
    if isinstance(spans := values.get("answers"), list) and isinstance(given, list):
        given = list(given)
        for span in spans:
            if isinstance(span, str):
                given.append(span)
                continue
            if not isinstance(span, dict):
                raise _Wrong("its answers are neither texts nor objects")
            given.append(span.get("text"))
            passage, offset = span.get("passage_id"), span.get("offset")
            names += [str(passage)] if passage is not None else []
            if passage is not None and type(offset) is int and offset >= 0 and span.get("text") == given[0]:
                places.append((str(passage), offset))
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise _Wrong("its answers are not texts")
    answers = tuple(dict.fromkeys(given)) if spans is not None else tuple(given)
    return Line(number, values.get("question", ""), answers, _score(values), tuple(places), tuple(label), tuple(names))


def _score(values: dict[str, Any]) -> float:
    """The probability a line gives: itself, or from PAQ's logarithm of it."""
    score, logarithm = values.get("score"), values.get("passage_score")
    for one in (score, logarithm):
        if one is not None and (isinstance(one, bool) or not isinstance(one, int | float) or math.isnan(one)):
            raise _Wrong("its score is no number")
    if score is not None:
        if not 0 <= score <= 1:
            raise _Wrong("its score is not from 0 to 1")
        return float(score)
    if logarithm is None:
        return ASKED
    if logarithm > 0:
        raise _Wrong("its passage_score is not the logarithm of a probability")
    return math.exp(logarithm)


def _checked(line: Line) -> Line:
    if not isinstance(line.question, str) or not line.question.strip():
        raise _Wrong("it has no question")
    if not line.answers or not all(one.strip() for one in line.answers):
        raise _Wrong("it has no answer, or an empty one")
    try:
        "\0".join((line.question, *line.answers, *line.label, *line.names)).encode()
    except UnicodeEncodeError:
        raise _Wrong("it holds characters that are no Unicode text") from None
    return line


_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ExportedPairs:
    """What was written where."""

    enclave: str
    label: Label
    pairs: int
    file: Path


@dataclass(frozen=True, slots=True)
class ImportedPairs:
    """What came from a file. `placed`: pairs that belong to a passage here. `removed`: what the source had before."""

    enclave: str
    source: str
    pairs: int
    placed: int
    removed: int


def export_pairs(store: Store, enclave: Enclave, target: Path) -> ExportedPairs:
    """Write the pairs of an enclave to `target`, by key.

    An earlier export of the same enclave is replaced. Raises `UsageError` for an ending that is not `.jsonl`,
    `EnclaveError` where another enclave's export stands, `BusyError` where its documents change at this moment.
    """
    if not store.current(enclave.name) and store.pair_count(enclave.name):
        raise BusyError(f"others are changing what {enclave.name} holds, or it is out of reach", hint="run it again")
    if target.suffix != ".jsonl":
        raise UsageError(f"{target} does not end as pairs do", hint="name a file that ends in .jsonl")
    try:
        require_same(target, enclave.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        count = 0
        with replacing(target) as file:
            for key, pair in store.pairs(enclave.name):
                line = as_line(pair, enclave, () if pair.passage_id else store.pair_owners(key))
                file.write(line.encode())
                count += 1
    except OSError as error:
        raise WorkspaceError(f"{target} cannot be written: {error.strerror or type(error).__name__}") from error
    return ExportedPairs(enclave.name, enclave.label, count, target)


def import_pairs(
    store: Store, enclave: Enclave, path: Path, source: str | None = None, progress: Progress = silent
) -> ImportedPairs:
    """Keep the pairs of a file, in place of those that came from the same source before, all of them or none.

    A pair belongs to a passage where the file names one that is here and has the answer at its characters, else to the
    documents of the passages it names, here or not: their deletion takes it along. Lines that say the same count once.
    Raises `FormatError` naming the line, `EnclaveError` for private text in a public enclave.
    """
    source = source or path.name
    lines, done, count, placed = read_lines(path), 0, 0, 0
    with store.write(enclave.name) as transaction:
        removed = transaction.remove_pairs(enclave.name, source)
        while part := list(islice(lines, _AT_ONCE)):
            pairs, owners = list[QAPair](), dict[str, set[str]]()
            for line, pair in _pairs(store, enclave, path.name, source, part):
                pairs.append(pair)
                placed += bool(pair.passage_id)
                if line.names and not pair.passage_id:
                    owners.setdefault(pair.id, set()).update(map(document_of, line.names), line.names)
            count += transaction.put_imported(enclave.name, source, pairs, owners)
            done += len(part)
            progress("pairs", done, 0)
    return ImportedPairs(enclave.name, source, count, placed, removed)


def _pairs(
    store: Store, enclave: Enclave, name: str, source: str, lines: Sequence[Line]
) -> Iterator[tuple[Line, QAPair]]:
    wanted = list(dict.fromkeys(passage for line in lines for passage, _ in line.places))
    texts = {passage.id: passage.text for passage in store.passages(enclave.name, wanted)}
    for line in lines:
        if line.label and not enclave.label:
            raise EnclaveError(
                f"{name}, line {line.number} holds private text of {', '.join(line.label)}, "
                f"and {enclave.name} is public",
                hint="import it into a private enclave",
            )
        answer, passage, start = line.answers[0], "", 0
        for where, offset in line.places:
            if where in texts and texts[where][offset : offset + len(answer)] == answer:
                passage, start = where, offset
                break
        end = start + len(answer) if passage else 0
        id = _id(source, line, passage, start)
        yield line, QAPair(id, line.question, line.answers, passage, enclave.name, line.score, start, end)


def _id(source: str, line: Line, passage: str, start: int) -> str:
    """128 bits of what a line says and where it is from."""
    content = "\0".join((source, passage, str(start), line.question, *line.answers))
    return blake2b(content.encode(), digest_size=16).hexdigest()
