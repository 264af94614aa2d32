"""The tables of docs/settings.md, made from the code. `python -m tests.docs.settings` writes them."""

from __future__ import annotations

import json
import types
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from answerable.workspace.settings import SECTIONS, Known, keys
from tests.docs.rooms import with_between

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
BEGIN, END = "<!-- settings -->\n", "<!-- end of settings -->"
ABOUT = {
    "ask": "How a question is answered, and when it is not: [the risk](chatting.md), [privacy](privacy.md).",
    "beam": "How far and how wide a search goes: [what each costs and buys](privacy.md#how-to-buy-accuracy-back).",
    "search": "How passages are ranked; an enclave may have [its own](commands.md#rank-each-enclave-in-its-own-way).",
    "models": "Which models are used: [those that ship](models.md), [those of your own](own-models.md).",
    "read": "How [one long document](reading.md) is read.",
    "find": "How [whole sets](finding.md#settings) are found.",
    "pairs": "How [pairs](pairs.md) are made, and when they answer.",
    "llm": "[A language model of your own](own-models.md#a-language-model-of-your-own) that answers.",
    "limits": "What one [file](formats.md) may cost. Whatever is larger is passed over, and said so.",
    "journal": "What is [written down](keeping.md#the-journal) of searches.",
    "remote": "How long [an enclave on another machine](remote.md) is waited for.",
    "serve": "How a [workspace](serving.md) or [an enclave](remote.md) is served.",
    "store": "Where what is indexed lies: [stores](stores.md).",
    "work": "Where the hours of work are done: [a cluster](cluster.md).",
}
"""What is said of each section, and where more is."""


def _may_be(known: Known) -> str:
    """The values that a setting takes, as far as its type and range say."""
    if known.key.bounds:
        return known.key.bounds
    of_union = get_origin(known.kind) in (Union, types.UnionType)
    (kind, *_) = [one for one in get_args(known.kind) if one is not type(None)] if of_union else [known.kind]
    return ", ".join(_named(kind)) or ("a text" if kind is str else "")


def _named(kind: Any) -> tuple[str, ...]:
    if get_origin(kind) is Literal:
        return get_args(kind)
    if kind is bool:
        return ("true", "false")
    return tuple(one.value for one in kind) if isinstance(kind, type) and issubclass(kind, Enum) else ()


def tables() -> str:
    """A heading, a sentence and a table for each section, in the order of the file."""
    lines = []
    for section in SECTIONS:
        lines += [
            "",
            f"## [{section}]",
            "",
            ABOUT[section],
            "",
            "| setting | default | may be | what it is |",
            "|---|---|---|---|",
        ]
        for path, known in keys().items():
            if path.partition(".")[0] == section:
                default = "" if known.default is None else f"`{json.dumps(known.default)}`"
                lines.append(f"| `{path}` | {default} | {_may_be(known)} | {known.key.about} |")
    return "\n".join(lines).lstrip() + "\n\n"


def page() -> str:
    """The whole page with the tables as they should be."""
    return with_between(PAGE, BEGIN, tables(), END)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
