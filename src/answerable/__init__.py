"""Answers from public and private text, with the evidence word for word and a record of where each question went.

    import answerable

    with answerable.open("work", create=True) as workspace:
        workspace.index(["notes/"], enclave="notes")
        answer = workspace.ask("When is the boiler due for service?")
        print(answer.text, answer.confidence, answer.citations)

Importing is cheap and never touches the network: what is heavy is loaded when it is first used. What other packages
would tell their makers is switched off (`answerable.privacy.telemetry`): import this package before onnxruntime.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from answerable.privacy.telemetry import switch_off

switch_off()  # before anything that would tell its maker: nothing above imports it

if TYPE_CHECKING:
    from answerable.corpora.fields import Filter
    from answerable.engine import Engine
    from answerable.errors import AnswerableError
    from answerable.sets.finding import Finding
    from answerable.sets.members import Found, Member
    from answerable.types import (
        Answer,
        Asker,
        Chain,
        Citation,
        Document,
        Enclave,
        Evidence,
        Hit,
        Hop,
        Passage,
        Privacy,
        Query,
        Reading,
    )
    from answerable.workspace.opening import open_workspace as open
    from answerable.workspace.workspace import Workspace

__all__ = [
    "Answer",
    "AnswerableError",
    "Asker",
    "Chain",
    "Citation",
    "Document",
    "Enclave",
    "Engine",
    "Evidence",
    "Filter",
    "Finding",
    "Found",
    "Hit",
    "Hop",
    "Member",
    "Passage",
    "Privacy",
    "Query",
    "Reading",
    "Workspace",
    "open",
]

_LATE = {
    "AnswerableError": ("errors", "AnswerableError"),
    "Engine": ("engine", "Engine"),
    "Filter": ("corpora.fields", "Filter"),
    "Finding": ("sets.finding", "Finding"),
    "Found": ("sets.members", "Found"),
    "Member": ("sets.members", "Member"),
    "Workspace": ("workspace.workspace", "Workspace"),
    "open": ("workspace.opening", "open_workspace"),
}
"""Where the names lie that are not of `types`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'answerable' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _LATE.get(name, ("types", name))
    return getattr(import_module(f"answerable.{module}"), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
