"""Whether sets of mail keep to senders, recipients and dates, held against the headers of the mailbox itself.

    python benchmarks/mail_finds.py --data DIR --workspace DIR [--json FILE]

A mailbox of 1,450 mails in a private enclave, 400 paragraphs of an encyclopaedia beside it, and the queries of
`benchmarks/finds/mail.jsonl`, written by hand. `fit` says of each which headers a member must have, in addresses and
days; where it is `whole`, every mail with such headers is a member, and for the others a judge of text decides which
are. Headers are read by the standard library, not by what is measured. Of mails with equal text the store has the
first.
"""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import getaddresses, parsedate_to_datetime
from itertools import islice
from pathlib import Path
from typing import Any

import common
from answerable.types import Asker
from answerable.workspace.opening import open_workspace

QUERIES = Path(__file__).parent / "finds" / "mail.jsonl"
MAILS, LONGEST, BESIDE, EACH = 1_450, 330, 400, 97
"""Mails, words of the longest, paragraphs beside them, and one of how many those are."""


def main(words: list[str] | None = None) -> None:
    """Index where nothing is, then find each query."""
    given = common.parser(__doc__, "data", "workspace").parse_args(words)
    headers = _indexed(given.data, given.workspace)
    table, asker = common.Table(), Asker()
    with open_workspace(given.workspace / "ws") as workspace:
        ids = [id for id, _, _ in workspace.library._store.documents("mail")]
        stored = {id: headers[workspace.library.document(asker, "mail", id).meta["message_id"]] for id in ids}
        for one in common.rows(QUERIES):
            found = workspace.find(one["query"], asker=asker, evidence=False).found
            given_ = [member.document for member in found.members if member.enclave == "mail"]
            fitting = {id for id, header in stored.items() if fits(header, one["fit"])}
            right = sum(id in fitting for id in given_)
            row = {"query": one["query"], "members": len(given_), "elsewhere": len(found.members) - len(given_)}
            row |= {"headers fit": right / len(given_)} if given_ else {}
            row |= {"found": right / len(fitting)} if one.get("whole") else {}
            table.add(row | {"seconds": found.seconds})
    common.write(given.json, {"queries": table, "parts": _parts(table)})


def fits(header: Message, wanted: dict[str, Any]) -> bool:
    """Whether the headers of a mail are as wanted: how addresses or the name begin, days since and until which."""
    ((name, value),) = wanted.items()
    if name in ("all", "any"):
        return (all if name == "all" else any)(fits(header, part) for part in value)
    if name == "not":
        return not fits(header, value)
    if name in ("since", "until"):
        day = parsedate_to_datetime(header["Date"]).date().isoformat()
        return (day >= str(value)) if name == "since" else (day < str(value))
    if name == "called":
        return str(header["X-From"]).startswith(value)
    lines = [str(one) for field in {"from": ["From"], "to": ["To", "Cc"]}[name] for one in header.get_all(field, ())]
    return any(address.lower().startswith(value) for _, address in getaddresses(lines))


def _parts(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Averages over all queries, over those that headers answer, and over those with a part that text answers."""
    parts = {
        "all": rows,
        "by fields": [row for row in rows if "found" in row],
        "with text": [row for row in rows if "found" not in row],
    }
    told: dict[str, dict[str, Any]] = {}
    for name, some in parts.items():
        told[name] = {"queries": len(some), "elsewhere": sum(row["elsewhere"] for row in some)}
        told[name] |= {"headers fit": common.mean(row["headers fit"] for row in some if "headers fit" in row)}
        told[name] |= {"found": common.mean(row["found"] for row in some)} if name == "by fields" else {}
    return told


def _indexed(data: Path, place: Path) -> dict[str, Message]:
    """The headers of each mail by its id, once all of it is indexed."""
    raw = re.split(rb"^(?=From )", gzip.decompress((data / "enron" / "lokay-m.mbox.gz").read_bytes()), flags=re.M)[1:]
    mails = [one for one in raw if len(one.split()) <= LONGEST][:MAILS]
    if not (place / "ws").is_dir():
        _write(place / "corpus" / "mail" / "lokay.mbox", b"".join(mails))
        with gzip.open(data / "wiki" / "passages.jsonl.gz") as file:
            beside = b"".join(islice((line for number, line in enumerate(file) if number % EACH == 0), BESIDE))
        _write(place / "corpus" / "wiki" / "wiki.jsonl", beside)
        for path, enclave, kind in (("wiki/wiki.jsonl", "wiki", "--mirror"), ("mail/lokay.mbox", "mail", "--private")):
            command = [sys.executable, "-m", "answerable", "-w", place / "ws", "index", place / "corpus" / path]
            subprocess.run([*map(str, command), "-e", enclave, kind], check=True)
    parsed = [BytesHeaderParser().parsebytes(one.partition(b"\n")[2]) for one in mails]
    return {one["Message-ID"].strip("<>"): one for one in parsed}


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


if __name__ == "__main__":
    main()
