"""Pairs of an enclave to a file and back, under the rules of every export: labels stay, enclaves are never mixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from answerable.corpora.export import replacing, require_same
from answerable.corpora.passages import document_of
from answerable.corpora.store import Store
from answerable.errors import EnclaveError, UsageError, WorkspaceError
from answerable.indexes.index import Progress, silent
from answerable.qapairs.formats import Line, Style, as_line, read_lines
from answerable.types import Enclave, Label, QAPair

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ExportedPairs:
    """What was written where."""

    enclave: str
    label: Label
    pairs: int
    style: Style
    file: Path


@dataclass(frozen=True, slots=True)
class ImportedPairs:
    """What came from a file. `placed`: pairs that belong to a passage here. `removed`: what the source had before."""

    enclave: str
    source: str
    pairs: int
    placed: int
    removed: int


def export_pairs(store: Store, enclave: Enclave, target: Path, style: Style | None = None) -> ExportedPairs:
    """Write the pairs of an enclave to `target`, by key; without a style as its ending says.

    An earlier export of the same enclave is replaced. Raises `UsageError` for an ending that is neither `.jsonl` nor
    `.tsv`, `EnclaveError` where private text would lose its label or stands another enclave's export.
    """
    style = style or ("tsv" if target.suffix == ".tsv" else "metadata")
    if target.suffix != (".tsv" if style == "tsv" else ".jsonl"):
        raise UsageError(f"{target} does not end as {style} pairs do", hint="name a file that ends in .jsonl or .tsv")
    if style == "tsv" and enclave.label:
        raise EnclaveError(
            f"{enclave.name} is private, and tsv has no place for its label", hint="export it to a file in .jsonl"
        )
    if style == "tsv" and target.exists():
        raise UsageError(f"{target} exists", hint="name a new file")
    try:
        require_same(target, enclave.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        count = 0
        with replacing(target) as file:
            for key, pair in store.pairs(enclave.name):
                file.write(as_line(pair, enclave, style, () if pair.passage_id else store.pair_owners(key)))
                count += 1
    except OSError as error:
        raise WorkspaceError(f"{target} cannot be written: {error.strerror or type(error).__name__}") from error
    return ExportedPairs(enclave.name, enclave.label, count, style, target)


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
    with store.write() as transaction:
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
