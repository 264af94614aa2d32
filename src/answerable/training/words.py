"""Word lists that lessons are drawn from or made by: `words.toml` beside this file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf8"))
"""The lists by what they are for."""
