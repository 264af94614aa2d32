"""Inputs of our own with what the official programs make of them; `make_cases.py` says how they were made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def load(name: str) -> Any:
    return json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf8"))
