"""Sets as plain records: for JSON, and as rows of a table."""

from __future__ import annotations

import csv
import io
from typing import Any

from answerable.printing import safe_cell
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.trace import records
from answerable.records import citation_record
from answerable.sets.expression import printed, signed
from answerable.sets.members import Found, Member
from answerable.types import Asker


def found_record(found: Found, viewer: Asker, enclaves: EnclaveTable) -> dict[str, Any]:
    """`find --json`: query, expression, alternatives, items, left_out, count, expected, interval, considered, label,
    unreachable, note, hops and seconds.

    Hops are redacted for the viewer (`privacy.trace`); the rest was read with the asker's own clearance.
    """
    return {
        **count_record(found),
        "alternatives": [
            {"expression": printed(expression), "probability": round(probability, 4)}
            for expression, probability in found.alternatives
        ],
        "items": [member_record(member) for member in found.members],
        "left_out": [member_record(member) for member in found.left_out],
        "hops": records(found.hops, viewer, enclaves),
    }


def count_record(found: Found) -> dict[str, Any]:
    """`find --count --json`: how many there are, how many are to be expected, and of how many that is said."""
    return {
        "query": found.query,
        "expression": printed(found.expression),
        "count": found.count,
        "expected": round(found.expected, 2),
        "interval": list(found.interval),
        "considered": found.considered,
        "label": sorted(found.label),
        "unreachable": list(found.unreachable),
        "note": found.note,
        "seconds": round(found.seconds, 4),
    }


def member_record(member: Member) -> dict[str, Any]:
    """A member with its evidence, constraint by constraint; `start` and `end` count characters of the document."""
    return {
        "document": member.document,
        "title": member.title,
        "enclave": member.enclave,
        "source": member.source,
        "label": sorted(member.label),
        "probability": round(member.probability, 4),
        "shown": member.evidence.value,
        "evidence": [
            {
                "constraint": one.constraint,
                "negated": one.negated,
                "probability": round(one.probability, 4),
                "citations": [citation_record(citation) for citation in one.citations],
            }
            for one in member.supports
        ],
    }


def table(found: Found) -> str:
    """The members as CSV with a line of names: what each is, and for every constraint the sentences that show it.

    No cell begins as a formula does: an apostrophe stands before what would.
    """
    told = dict.fromkeys(signed(found.expression))
    heads = [f"not: {text}" if taken else text for text, taken in told]
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["title", "document", "enclave", "source", "label", "probability", "shown", *map(safe_cell, heads)])
    for one in found.members:
        names = (one.title, one.document, one.enclave, one.source, " ".join(sorted(one.label)))
        said = [" … ".join(" ".join(cited.text.split()) for cited in own.citations) for own in one.supports]
        shown = (f"{one.probability:.4f}", one.evidence.value)
        writer.writerow([*map(safe_cell, names), *shown, *map(safe_cell, said)])
    return file.getvalue()
