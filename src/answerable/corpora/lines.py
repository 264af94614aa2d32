"""JSONL: one record a line, a passage (`_id`, `title`, `text`, as BEIR has it) or a table with header and rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from answerable.corpora.sources import Faults, Limits, Report, clean, distinct, lines, open_stream, short_name
from answerable.corpora.tables import table_document
from answerable.text import one_line
from answerable.types import Document

MANIFEST = "export.json"
"""What stands beside the lines of an export (`corpora.export`) and says of which enclave they are."""
_IDS = ("_id", "id")
_TEXTS = ("text", "contents", "content", "body")


def read_jsonl(
    path: Path, source: str, enclave: str, limits: Limits, report: Report, start: int = 0
) -> Iterator[Document]:
    """The records of a JSONL file from line `start` on (0-based), each with its line number as `meta["record"]`.

    Ids are `source#_id`; a record without one is called by its line number, and an id that comes again gets `~2`.
    What an export says of whose text it is stays with the document, as `meta["label"]`.
    Lines that cannot be used are reported and passed over.
    """
    seen: dict[str, int] = {}
    with Faults(source, report) as faults, open_stream(path, source, limits) as stream:
        for number, line in enumerate(lines(stream, limits.max_record)):
            if line is not None and line.isspace():
                continue
            record = "it is longer than the limit for a record" if line is None else _parse(line)
            if isinstance(record, str):
                if number >= start:
                    faults.add(f"line {number + 1}", record)
                continue
            if repeats(record):
                continue
            name = distinct(name_in(record, number), seen)
            if number < start:
                continue
            document = _document(record, f"{source}#{name}", source, enclave, number)
            if document is None:
                faults.add(f"line {number + 1}", "it has neither text nor table rows")
            elif label := labels_in(record):
                yield replace(document, meta={**document.meta, "label": label})
            else:
                yield document


def _parse(line: bytes) -> dict[str, Any] | str:
    """The record of a line, or the reason why there is none."""
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except RecursionError:
        return "it is nested too deeply"
    except UnicodeDecodeError:
        return "it is not UTF-8"
    except ValueError:
        return "it is not JSON"
    return record if isinstance(record, dict) else "it is not a JSON object"


def repeats(record: Mapping[str, Any]) -> bool:
    """Whether it is a passage of an export (`corpora.export`), whose text its document has said already."""
    return record.get("type") == "passage" and record.keys() >= {"enclave", "label", "document", "start", "end"}


def labels_in(record: Mapping[str, Any]) -> list[str]:
    """The private enclaves whose text a record is, as an export says on every line; none for any other record."""
    label = record.get("label") if "enclave" in record else None
    return sorted(word for word in label if isinstance(word, str)) if isinstance(label, list) else []


def name_in(record: Mapping[str, Any], number: int) -> str:
    """What a record calls itself, or its number."""
    for key in _IDS:
        value = record.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return short_name(one_line(clean(str(value))))
    return str(number)


def _document(record: dict[str, Any], id_: str, source: str, enclave: str, number: int) -> Document | None:
    if isinstance(record.get("rows"), list):
        return table_document(record, id_, source, enclave, number)
    text = next((value for key in _TEXTS if isinstance(value := record.get(key), str) and value.strip()), None)
    if text is None:
        return None
    title = record.get("title")
    meta: dict[str, Any] = {"record": number}
    if isinstance(url := record.get("url"), str) and url:
        meta["url"] = clean(url)
    told = one_line(clean(title)) if isinstance(title, str) else ""
    return Document(id_, enclave, told, clean(text), source, "record", (), meta)
