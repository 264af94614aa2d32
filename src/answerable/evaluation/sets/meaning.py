"""What a query of a data set asks for, and the documents that fit each of its constraints, where the data tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from answerable.datasets.examples import Example
from answerable.datasets.records import lines
from answerable.errors import FormatError, UsageError
from answerable.evaluation.metrics.violations import Sets
from answerable.sets.expression import And, Atom, Expression, Minus, Or, read_expression, signed

TEMPLATES: Mapping[str, str] = {
    "_": "A",
    "_ or _": "A ∪ B",
    "_ that are also _": "A ∩ B",
    "_ that are not _": "A \\ B",
    "_ or _ or _": "A ∪ B ∪ C",
    "_ that are also both _ and _": "A ∩ B ∩ C",
    "_ that are also _ but not _": "A ∩ B \\ C",
}
"""The seven templates of table 1, as the data set writes them and as the paper does."""
_MARK = re.compile(r"<mark>(.*?)</mark>", re.S)


def meant(example: Example) -> Expression | None:
    """What the query asks for: the data's `expression`, else its marked constraints in its template, else None.

    Raises `FormatError` for an `expression` that cannot be read.
    """
    if printed := example.meta.get("expression"):
        try:
            return read_expression(printed)
        except UsageError as error:
            raise FormatError(f"the query {example.id}: its expression cannot be read") from error
    marked = [" ".join(text.split()) for text in _MARK.findall(example.meta.get("original_query", ""))]
    return _composed(example.kind, [Atom(text) for text in marked if text])


def _composed(template: str, atoms: list[Atom]) -> Expression | None:
    """The tree of one of `TEMPLATES` with these atoms; None for another template or number of them."""
    if template.count("_") != len(atoms):
        return None
    match template:
        case "_":
            return atoms[0]
        case "_ or _" | "_ or _ or _":
            return Or(tuple(atoms))
        case "_ that are also _" | "_ that are also both _ and _":
            return And(tuple(atoms))
        case "_ that are not _":
            return Minus(atoms[0], atoms[1])
        case "_ that are also _ but not _":
            return Minus(And((atoms[0], atoms[1])), atoms[2])
    return None


def template(expression: Expression) -> str | None:
    """Which of `TEMPLATES` a tree is of, as the data set writes it, or None."""
    atoms = [Atom(text) for text, _ in signed(expression)]
    return next((name for name in TEMPLATES if _composed(name, atoms) == expression), None)


def read_atoms(path: Path) -> dict[str, frozenset[str]]:
    """The documents of each constraint: JSONL of `atom` and `docs`. Raises `FormatError` when it is something else."""
    found: dict[str, frozenset[str]] = {}
    for row in lines(path):
        found[row.text("atom")] = frozenset(row.texts("docs"))
    if not found:
        raise FormatError(f"{path} names no constraint", hint="lines of `atom` and `docs`")
    return found


def asked_alone(examples: Iterable[Example]) -> Sets:
    """The documents of each constraint that is a query of its own in the data: all that QUEST tells of constraints.

    Documents without text are in no corpus, so that a query some of whose documents have none tells too.
    """
    found: dict[str, frozenset[str]] = {}
    for example in examples:
        expression = meant(example)
        if isinstance(expression, Atom) and example.answers:
            found[expression.text] = found.get(expression.text, frozenset()) | frozenset(example.answers)
    return found
