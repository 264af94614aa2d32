"""What the journal says: a record for every search that left for an enclave or was refused, and for every grant.

A line of the journal is a JSON object that ends with its own SHA-256 and holds that of the line before, so that a line
which was changed, taken out, put in or moved shows. What a chain alone cannot show is that its end was cut off, or that
all of it was written anew: for that, note the last hash elsewhere and have it looked for.

Records hold labels, numbers and a digest of what was sent; its text only where that was asked for. Pure functions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.flow import Decision
from answerable.privacy.grants import Grant, grant_record
from answerable.privacy.trace import may_see
from answerable.types import EVERYTHING, Asker, Enclave, Query, Skill

Record = dict[str, Any]
FIRST = "0" * 64
"""What stands for the hash of the line before the first."""
_HASH = b',"hash":"'


@dataclass(frozen=True, slots=True)
class Sent:
    """All that one search hands to an enclave. `vector`: its bytes, None when none was made. `shards`: the addresses of
    the servers that are asked, where several hold it together."""

    text: str
    vector: bytes | None
    mode: str
    k: int
    shards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a journal is whole: lines that are, the last hash, and what is wrong with the next one, if anything.

    `torn`: bytes after the last whole line, which a crash left; they are cut off when the next line is written.
    """

    lines: int
    head: str
    broken: str | None
    torn: int


def search_record(
    at: datetime, ask: str, query: Query, skill: Skill, enclave: Enclave, decision: Decision, sent: Sent | None
) -> Record:
    """A search that is about to be sent, or with None a refusal, which sends nothing. Its text is left out.

    `ask`: what the searches of one question have in common. `sha256` is that of the text in UTF-8, `vector` that of
    the vector as it is sent; `bytes` counts both. `shards` is there where there are several.
    """
    text = b"" if sent is None else sent.text.encode("utf8", "surrogatepass")
    vector = b"" if sent is None or sent.vector is None else sent.vector
    return {
        **_begun("search", at),
        "ask": ask,
        "asker": query.asker.name,
        "asked_under": sorted(query.asker.label),
        "enclave": enclave.name,
        "host": "yours" if enclave.admits == EVERYTHING and not enclave.remote else "elsewhere",
        "label": sorted(query.label),
        "skill": skill.value,
        "hop": len(query.because) + 1,
        "allowed": sent is not None,
        "rule": decision.reason,
        "grants": list(decision.grants),
        "sha256": sha256(text).hexdigest() if sent else None,
        "vector": sha256(vector).hexdigest() if vector else None,
        "bytes": len(text) + len(vector),
        "mode": sent.mode if sent else None,
        "k": sent.k if sent else None,
        **({"shards": list(sent.shards)} if sent and sent.shards else {}),
    }


def found_record(at: datetime, sent: str, hits: int, silent: Sequence[str] = ()) -> Record:
    """What came back for the search whose line has the hash `sent`. A search without one brought nothing back.

    `silent`: the addresses of the servers that gave nothing, where others did.
    """
    return {**_begun("found", at), "of": sent, "hits": hits, **({"silent": list(silent)} if silent else {})}


def granted_record(at: datetime, grant: Grant, question: str | None = None) -> Record:
    """A grant that was given, for one question (whose digest is kept) or standing."""
    digest = None if question is None else sha256(question.encode("utf8", "surrogatepass")).hexdigest()
    told = {key: value for key, value in grant_record(grant).items() if key != "revoked"}
    return {**_begun("grant", at), **told, "question": digest}


def revoked_record(at: datetime, grant: Grant) -> Record:
    """A grant that was taken back."""
    told = grant_record(grant)
    return _begun("revoke", at) | {name: told[name] for name in ("id", "asker", "lifts", "to")}


def stored_record(at: datetime, enclave: str, root: str) -> Record:
    """What an enclave holds from now on, by the root over the seals of its documents (`corpora.seals`)."""
    return {**_begun("stored", at), "enclave": enclave, "root": root}


def torn_record(at: datetime, torn: bytes) -> Record:
    """The end of a line that a crash left, and that was cut off."""
    return {**_begun("torn", at), "bytes": len(torn), "sha256": sha256(torn).hexdigest()}


def _begun(kind: str, at: datetime) -> Record:
    return {"kind": kind, "at": at.isoformat(timespec="milliseconds")}


def chained(record: Mapping[str, Any], before: str) -> tuple[bytes, str]:
    """The record's line, which follows the line whose hash is `before`, and the hash of it."""
    text = json.dumps({**record, "before": before}, separators=(",", ":"))
    body = text.encode("ascii")[:-1]
    own = sha256(body).hexdigest()
    return body + _HASH + own.encode() + b'"}\n', own


def hash_of(line: bytes) -> str:
    """The hash a line ends with; of one that ends otherwise, a hash that no line has."""
    body, _, end = line.rstrip(b"\n").rpartition(_HASH)
    return end[:64].decode("ascii", "replace") if body and end[64:] == b'"}' else sha256(line).hexdigest()


def read_line(line: bytes) -> Record | None:
    """The record in a line; None when it is none, or was changed."""
    body, _, end = line.rstrip(b"\n").rpartition(_HASH)
    if sha256(body).hexdigest().encode() + b'"}' != end:
        return None
    try:
        record = json.loads(body + b"}")
    except ValueError:
        return None
    return record if isinstance(record, dict) and {"kind", "at", "before"} <= record.keys() else None


def verified(lines: Iterable[bytes], noted: str | None = None) -> Verdict:
    """The first thing that is wrong with the lines of a journal, by its number from 1.

    `noted`: a hash written down earlier, which must still be that of a line.
    """
    count, head, torn, seen = 0, FIRST, 0, noted in (None, FIRST)
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            torn = len(line)
            break
        record = read_line(line)
        if record is None:
            return Verdict(count, head, f"line {number} was changed, or is no record", 0)
        if record.get("before") != head:
            what = f"line {number} does not follow line {number - 1}" if count else "line 1 is not the first"
            return Verdict(count, head, f"{what}: lines were taken out, put in or moved", 0)
        count, head = number, hash_of(line)
        seen = seen or head == noted
    missing = None if seen else "no line has the hash that was noted: the end was cut off, or all was written anew"
    return Verdict(count, head, missing, torn)


def shown(lines: Iterable[bytes], viewer: Asker, enclaves: EnclaveTable) -> list[Record]:
    """The records that this viewer may see, in order, each search with its hits (None: nothing came back).

    The rule is that of a trace (`trace.may_see`). What is left out leaves no count: no hash, no number and no
    fraction of a second is shown by which it could be told. Lines that are no records are left out.
    """
    found: dict[str, Record] = {}
    entries: list[Record] = []
    for line in lines:
        record = read_line(line) if line.endswith(b"\n") else None
        if record is None:
            continue
        if record["kind"] == "stored":
            continue  # of what an enclave holds; nothing that was sent
        if record["kind"] == "found":
            if record["of"] in found:
                found[record["of"]]["hits"] = record["hits"]
                if "silent" in record and viewer.clearance is None:
                    found[record["of"]]["silent"] = record["silent"]
        elif _may_see(record, viewer, enclaves):
            entry = {key: value for key, value in record.items() if key not in ("before", "asked_under")}
            if viewer.clearance is not None:
                entry.pop("shards", None)  # where an enclave lies is told its owner alone
            entry["at"] = datetime.fromisoformat(entry["at"]).isoformat(timespec="seconds")
            if record["kind"] == "search":
                entry["hits"] = None
                found[hash_of(line)] = entry
            entries.append(entry)
    return entries


def _may_see(record: Record, viewer: Asker, enclaves: EnclaveTable) -> bool:
    """A search by the rule of traces; a grant if it is the viewer's or they may read everything; else the latter."""
    if record["kind"] == "search":
        asker = Asker(record["asker"], label=frozenset(record["asked_under"]))
        return may_see(record["enclave"], frozenset(record["label"]), asker, viewer, enclaves)
    return viewer.clearance is None or record.get("asker") == viewer.name
