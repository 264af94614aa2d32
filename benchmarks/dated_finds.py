"""Whether sets of people keep to when they were born or died, held against the first words of their articles.

    python benchmarks/dated_finds.py --data DIR --workspace DIR [--limit N] [--json FILE]

6,000 first paragraphs of an encyclopaedia, every 29th of 178,775, and queries like "people born in the 1930s" and
"people who died before 1900", made by a rule. When somebody was born and died is read by another rule from what stands
behind the name: "( born 5 July 1930 )", "( 25 September 1881 - 19 October 1936 )". Of the members: the share of those
whose dates are known that fit (`fit`), and of those without (`unknown`); of all who are known to fit the share that is
given (`found`), by a find as it ships, which stops where looking on brings little.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import subprocess
import sys
from itertools import islice
from typing import Any

import common
from answerable.workspace.opening import open_workspace

PEOPLE, EACH = 6_000, 29
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = rf"(?:(?:\d{{1,2}} )?{_MONTH} ?(?:\d{{1,2}})? ?,? ?)?(\d{{4}})"
_BORN = re.compile(rf"\bborn (?:on )?{_DATE}")
_LIVED = re.compile(rf"\( ?(?:[^()]{{0,80}}?[;,] )?{_DATE} ?[–-] ?{_DATE} ?\)")
_SOMEBODY = re.compile(r"\b(?:is|was) (?:an?|the) ")
_THINGS = re.compile(r"\b(?:album|film|band|war|company|team|season|ship|reign|dynasty|magazine|newspaper)\b")
_LATEST = 2020

Lives = dict[str, tuple[int, int | None]]


def queries() -> list[tuple[str, int, int, int]]:
    """Each query with whether it asks for births (0) or deaths (1), and the years that fit."""
    made = [(f"people born in the {year}s", 0, year, year + 9) for year in range(1850, 2000, 10) if year != 1900]
    made += [(f"people who died in the {year}s", 1, year, year + 9) for year in range(1910, 2020, 10)]
    for way, said in enumerate(("people born", "people who died")):
        made += [(f"{said} before {year}", way, 0, year - 1) for year in (1800, 1850, 1900)]
        made += [(f"{said} after {year}", way, year + 1, _LATEST) for year in (1985, 2000, 2010)]
    return made


def lives(rows: list[dict[str, Any]]) -> Lives:
    """Of whom the first words say it, the years of birth and of death."""
    found: Lives = {}
    for row in rows:
        first = row["text"][:300]
        lived, born = _LIVED.search(first), _BORN.search(first)
        if _SOMEBODY.search(first) and not _THINGS.search(first) and (lived or born):
            found[row["_id"]] = (int(lived[1]), int(lived[2])) if lived else (int(born[1]), None)  # type: ignore[index]
    return found


def main(words: list[str] | None = None) -> None:
    """Index where nothing is, then find each query."""
    given = common.parser(__doc__, "data", "workspace", limit=100).parse_args(words)
    with gzip.open(given.data / "wiki" / "passages.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in islice(islice(file, 0, None, EACH), PEOPLE)]
    if not (given.workspace / "ws").is_dir():
        given.workspace.mkdir(parents=True, exist_ok=True)
        (given.workspace / "wiki.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        command = [sys.executable, "-m", "answerable", "-w", given.workspace / "ws", "index"]
        subprocess.run([*map(str, [*command, given.workspace / "wiki.jsonl"]), "-e", "wiki", "--mirror"], check=True)
    known, table = lives(rows), common.Table()
    with open_workspace(given.workspace / "ws") as workspace:
        every = queries()
        for query, way, first, last in random.Random(1).sample(every, min(given.limit, len(every))):
            fitting = {id for id, dates in known.items() if first <= (dates[way] or -1) <= last}
            found = workspace.find(query, evidence=False).found
            ids = [member.document.partition("#")[2] for member in found.members]
            told = [id for id in ids if id in known]
            row = {"query": query, "known": len(fitting), "members": len(ids), "seconds": found.seconds}
            row |= {"fit": sum(id in fitting for id in told) / len(told)} if told else {}
            row |= {"found": sum(id in fitting for id in ids) / len(fitting)} if fitting else {}
            row |= {"unknown": 1 - len(told) / len(ids)} if ids else {}
            table.add(row)
    common.write(given.json, {"queries": table, "parts": parts(table)})


def parts(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Averages over queries for a decade of births and of deaths, and for all years before or after one."""
    every = {
        "births in a decade": "born in",
        "deaths in a decade": "died in",
        "before a year": "before",
        "after a year": "after",
    }
    told: dict[str, dict[str, Any]] = {}
    for name, said in every.items():
        some = [row for row in rows if said in row["query"]]
        told[name] = {"queries": len(some), "members": sum(row["members"] for row in some)}
        told[name] |= {
            kind: common.mean(row[kind] for row in some if kind in row) for kind in ("fit", "found", "unknown")
        }
    return told


if __name__ == "__main__":
    main()
