"""What evaluations share on the command line: where a run is kept, how questions are sliced, where rankings are cut."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answerable.cli.shell import Shell
from answerable.errors import UsageError

if TYPE_CHECKING:
    from answerable.evaluation.examples import Example
    from answerable.evaluation.tasks.task import SliceOf


def place_of(shell: Shell, report: Path | None) -> Path:
    """Where a run is kept that was given no place: with the report, in the workspace, or in ./runs."""
    from answerable.settings import FILE_NAME

    if report is not None:
        return report
    return shell.folder / "runs" if (shell.folder / FILE_NAME).is_file() else Path("runs")


def sliced(by: str, split: Path | None) -> SliceOf:
    """How questions are sliced: by a split's hops, by kind, or by a field of the data's own."""
    if split is not None:
        from answerable.evaluation.enclave_splits import labels

        named = labels(split)
        return lambda example: named.get(example.id, "")
    if by == "kind":
        return lambda example: example.kind

    def field_of(example: Example) -> str:
        value = example.meta.get(by, "")
        return value if isinstance(value, str) else str(value)

    return field_of


def cuts_of(at: str | None, usual: tuple[int, ...]) -> tuple[int, ...]:
    """Places to cut a ranking at, from "1,5,20". Raises `UsageError` for what is none."""
    from answerable.evaluation.tasks.task import cuts

    return cuts(_number(part) for part in at.split(",")) if at else usual


def _number(part: str) -> int:
    try:
        return int(part)
    except ValueError:
        raise UsageError(f"{part!r} is no whole number", hint="--at 1,5,20") from None


def only(given: Mapping[str, Any], takes: frozenset[str], what: str) -> None:
    """Raise `UsageError` for an option that was given and means nothing here."""
    for name, value in given.items():
        if value is not None and name not in takes:
            raise UsageError(f"{what} takes no --{name}", hint="leave it out")
