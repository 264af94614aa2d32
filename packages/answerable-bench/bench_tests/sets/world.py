"""A small world of boats with attributes and categories, drawn from a seed."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

from answerable_bench.sets.build import build
from answerable_bench.sets.settings import SetPlan, SetSources
from answerable_bench.stages import Done

RIGS = "cutters sloops yawls ketches schooners luggers barques brigs dories punts".split()
PORTS = "Aberdeen Bergen Cadiz Dover Esbjerg Falmouth Genoa Hull Ilfracombe Jaffa Kiel Lisbon".split()
OWNERS = "Adair Bruun Costa Dahl Eames Ferro".split()
PLAN = SetPlan(
    queries=30, test=0.3, validation=0.2, most=40, large=6, first_most=80, extra=50, crowding=0.5, domain="boats",
    nouns=("boats",), train_atoms=0.4, validation_atoms=0.3,
)  # fmt: skip
SMALL = replace(PLAN, queries=6)
"""For what only looks at which stages are made again."""


def write_boats(path: Path, count: int = 240) -> Path:
    """Boats with one or two rigs, some ports, a year of building and a trade each."""
    rng = random.Random(7)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            rigs, ports = rng.sample(RIGS, rng.randint(1, 2)), rng.sample(PORTS, rng.randint(1, 3))
            text = f"Boat {number} is one of the {' and '.join(rigs)}. She was registered in {', '.join(ports)}."
            record = {
                "_id": f"b{number}",
                "title": f"Boat {number}",
                "text": text,
                "categories": [*rigs, *(f"at:{port}" for port in ports)],
                "year": rng.randint(1890, 1909),
                "trade": [rng.choice(["Fishing", "Pilotage", "Salvage"])],
                "owner": f"{rng.choice('ABCDEFGHIJ')}. {rng.choice(OWNERS)}",
            }
            file.write(json.dumps(record) + "\n")
    return path


def write_names(path: Path) -> Path:
    """Names of the categories: rigs are nouns, ports modifiers."""
    names = {rig: {"name": rig, "kind": "noun"} for rig in RIGS}
    names |= {f"at:{port}": {"name": f"registered in {port}", "kind": "modifier"} for port in PORTS}
    path.write_text(json.dumps(names), "utf-8")
    return path


def quiet(stage: str, done: int, total: int) -> None:
    """No progress."""


def make(folder: Path, plan: SetPlan = PLAN) -> dict[str, Done]:
    """The small world built in `folder / "out"`, by stage."""
    boats, names = folder / "boats.jsonl", folder / "names.json"
    if not boats.exists():
        write_boats(boats)
        write_names(names)
    attributes = (
        "year=boats from {}",
        "year=boats of the {:decade}",
        "year+trade={year} {trade:lower} boats",
        "owner=boats of {}",
    )
    sources = SetSources(boats, names, attributes=attributes)
    return {one.name: one for one in build(sources, folder / "out", plan, quiet)}
