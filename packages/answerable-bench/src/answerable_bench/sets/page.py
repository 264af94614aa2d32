"""The page of a round: one HTML file that works without a network and keeps what was answered in the browser."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answerable_bench.grammar import sentences

if TYPE_CHECKING:
    from answerable_bench.sets.forms import Round, Task

_FORM = Path(__file__).with_name("page.html")
_HERE = "/*data*/null"


def page(one: Round, tasks: Sequence[Task], annotator: str) -> str:
    """The page with its tasks. Nothing in a task can end the script that holds it."""
    told: dict[str, Any] = {
        "round": one.name,
        "title": one.title,
        "instructions": list(one.instructions),
        "annotator": annotator,
        "columns": list(one.columns),
        "keys": list(one.keys),
        "asked": [{"name": q.name, "text": q.text, "choices": [list(c) for c in q.choices]} for q in one.asked],
        "sentences": one.sentences,
        "tasks": [_shown(one, task) for task in tasks],
    }
    named = hashlib.sha256(json.dumps([one.name, [[task[key] for key in one.keys] for task in tasks]]).encode())
    told["state"] = f"answerable sets {one.name} {named.hexdigest()[:12]}"
    data = json.dumps(told, ensure_ascii=False)
    for letter in "<>&\u2028\u2029":
        data = data.replace(letter, f"\\u{ord(letter):04x}")
    return _FORM.read_text("utf-8").replace(_HERE, data)


def _shown(one: Round, task: Task) -> dict[str, Any]:
    """The columns of a task; instead of numbered sentences the sentences one by one, to be pointed at."""
    if not one.sentences:
        return dict(task)
    cut = [found.text for found in sentences(task[f"plain {one.sentences}"])]
    return {name: task[name] for name in one.columns if name != one.sentences} | {"cut": cut}
