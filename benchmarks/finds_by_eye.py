"""Whether members of sets are right, by reading them: finds to judge, and what the verdicts come to.

    python benchmarks/finds_by_eye.py --workspace DIR --enclave NAME --collection wiki --by NAME [--judge FOLDER] \
        --out FILE
    python benchmarks/finds_by_eye.py --verdicts benchmarks/finds/verdicts.jsonl [--json FILE]

The first finds the queries of `benchmarks/finds/queries.jsonl`, prints the first ten members of each with their text,
and writes a line for each: query, place, document, title, probability; `right` is to be filled in. A query without
members is a line of place 0. The second gives for each name in `by`, and queries with "not" by themselves, the share of
the first ten that is right, over queries with members, how many had none, and the change from the judge before it.
Verdicts hold no text.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import common
from answerable.types import Asker
from answerable.workspace.opening import open_workspace

QUERIES = Path(__file__).parent / "finds" / "queries.jsonl"
BEFORE = {
    "after": "before",
    "now": "after",
    "third": "written too",
    "ships": "third",
    "mail apart": "mail before",
    "mail now": "mail apart",
    "mail third": "mail now",
}
"""The judge that each is held against."""
FIRST = 10
SHOWN = 260


def find(given: argparse.Namespace) -> None:
    """Find each query of the collection; print what is to be read, and write what is to be judged."""
    settings = {"models.reader": "overlap", "search.mode": given.mode, "models.judge": given.judge}
    asker = Asker("reader", frozenset({given.enclave}))
    with open_workspace(given.workspace, settings=settings) as workspace, given.out.open("a") as file:
        for one in common.rows(QUERIES):
            if one["collection"] != given.collection or bool(one.pop("further", False)) is not given.further:
                continue
            found = workspace.find(one["query"], asker=asker, limit=FIRST, evidence=False).found
            print(f"\n## {one['query']}: {found.count}")
            members = [(place, m.document, m.title, m.probability) for place, m in enumerate(found.members, 1)]
            for place, document, title, share in members or [(0, "", "", 0.0)]:
                told = {"place": place, "document": document, "title": title, "probability": round(share, 3)}
                file.write(json.dumps({**one, "by": given.by, **told, "right": None}, ensure_ascii=False) + "\n")
                stored = workspace._store.openings(given.enclave, [document]).get(document) if place else None
                if stored:
                    print(f"{place} {share:.2f} {title} | {stored.text[:SHOWN]!r}", flush=True)


def measured(path: Path) -> dict[str, Any]:
    """What the verdicts come to, for each judge and collection."""
    held: defaultdict[str, defaultdict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    told: defaultdict[str, list[tuple[float, bool]]] = defaultdict(list)
    for row in common.rows(path):
        for name in (row["by"], f"{row['by']}, {row['collection']}"):
            own = held[name][row["query"]]
            if row["place"]:
                own.append(bool(row["right"]))
                told[name].append((row["probability"], bool(row["right"])))
    figures: dict[str, Any] = {}
    for name, queries in sorted(held.items()):
        for part, chosen in (("all", queries), ("not", {q: r for q, r in queries.items() if " not " in q})):
            shares = [sum(right) / len(right) for right in chosen.values() if right]
            counts = {"queries": len(chosen), "none found": sum(not right for right in chosen.values())}
            counts["members"] = sum(map(len, chosen.values()))
            figures.setdefault(name, {})[part] = counts | ({"first ten": common.mean(shares)} if shares else {})
            by, comma, collection = name.partition(",")
            if before := held.get(f"{BEFORE.get(by)}{comma}{collection}"):
                both = [(before[query], own) for query, own in chosen.items() if before[query] and own]
                pairs = [(sum(a) / len(a), sum(b) / len(b)) for a, b in both]
                figures[name][part] |= {"change": common.change(pairs)} if pairs else {}
        figures[name]["believed"] = common.believed(told[name])
    return figures


def main(words: list[str] | None = None) -> None:
    """Find, or count verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, kind in (("workspace", Path), ("enclave", str), ("collection", str), ("by", str), ("out", Path)):
        parser.add_argument(f"--{name}", type=kind)
    parser.add_argument("--judge", default="skills", help="as models.judge")
    parser.add_argument("--mode", choices=("lexical", "hybrid"), default="lexical", help="how documents are found")
    parser.add_argument("--further", action="store_true", help="the queries that nothing was looked at for before")
    parser.add_argument("--verdicts", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(words)
    if given.verdicts is None:
        return find(given)
    return common.tell(given.json, measured(given.verdicts))


if __name__ == "__main__":
    main()
