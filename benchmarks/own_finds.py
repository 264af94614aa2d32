"""Sets over what people keep, held against documents that were read: mails, notes, rules, manuals and papers.

    python benchmarks/own_finds.py --workspace DIR [--half report] [--judge FOLDER] [--json FILE]

DIR is what `everyday.py prepare` made. The queries of `benchmarks/finds/own.jsonl.gz` were written by one reader over
nine collections of the developing half, and by another over six of the other; others read what a find looks at for
each and told which are `right` and which `wrong`. `first ten`: of the first ten members (or fewer) the per cent that is
right, those that nobody read left out, over queries with such members; `unread`: how many those were. `found`: of what
is right the per cent that is given, as far as to the fortieth member. `none`: queries that are given nothing though
something is right; `rightly none`: those that are given nothing and of which nothing is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import common
from answerable.sets.expression import signed
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from everyday_corpora import HALVES, MAIL, half_of

QUERIES = Path(__file__).parent / "finds" / "own.jsonl.gz"
FIRST, MOST = 10, 40


@dataclass(frozen=True, slots=True)
class Given:
    """A query with what is known of it, and the documents that were given, best first."""

    collection: str
    negated: bool
    right: frozenset[str]
    wrong: frozenset[str]
    given: tuple[str, ...]

    @property
    def read(self) -> list[bool]:
        """Whether each of the first ten that were read is right."""
        return [one in self.right for one in self.given[:FIRST] if one in self.right | self.wrong]


def find(workspace: Workspace, row: dict[str, Any]) -> Given:
    """What a query is given; rows of a table count as their document."""
    found = workspace.find(row["query"], limit=MOST, evidence=False).found
    given = tuple(dict.fromkeys(f"{one.enclave}/{one.document}" for one in found.members))
    negated = any(taken for _, taken in signed(found.expression))
    return Given(row["collection"], negated, frozenset(row["right"]), frozenset(row["wrong"]), given)


def measured(some: Sequence[Given]) -> dict[str, Any]:
    """What queries come to together."""
    held = [one.read for one in some if one.read]
    known = [one for one in some if one.right]
    return {
        "queries": len(some),
        "first ten": common.mean((sum(own) / len(own) for own in held), 100),
        "members": sum(len(own) for own in held),
        "unread": sum(len(one.given[:FIRST]) - len(one.read) for one in some),
        "found": common.mean((len(one.right & {*one.given}) / len(one.right) for one in known), 100),
        "none": sum(not one.given for one in known),
        "rightly none": sum(not one.given for one in some if not one.right),
    }


def main(words: list[str] | None = None) -> None:
    """Find each query in its collection, and print the figures."""
    parser = common.parser(__doc__, "workspace", limit=200)
    parser.add_argument("--half", choices=HALVES, default=HALVES[0], help="of the everyday set (develop)")
    parser.add_argument("--judge", default="skills", help="the model that judges (skills)")
    given = parser.parse_args(words)
    rows = [row for row in common.rows(QUERIES) if half_of(row["collection"]) == given.half][: given.limit]
    found: list[Given] = []
    for name in dict.fromkeys(row["collection"] for row in rows):
        with open_workspace(given.workspace / name / "workspace", settings={"models.judge": given.judge}) as workspace:
            found += [find(workspace, row) for row in rows if row["collection"] == name]
    parts = {
        "all": found,
        "not": [one for one in found if one.negated],
        "mail": [one for one in found if one.collection in MAIL],
        "no mail": [one for one in found if one.collection not in MAIL],
    }
    common.tell(given.json, {name: measured(own) for name, own in parts.items() if own}, len(found))


if __name__ == "__main__":
    main()
