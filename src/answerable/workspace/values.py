"""One value of a setting as its type and in its range, by pydantic, which is loaded when the first one is read."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from enum import EnumType
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, get_args

from answerable.errors import SettingsError
from answerable.records import Key

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_NAMES = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string": "a name",
    "frozen": 'a list of names, such as ["office"]',
}
"""What was wanted, by the first word of pydantic's name for the error."""


NOTHING = Key("")


def convert(said: str, value: Any, kind: Any, key: Key = NOTHING, strict: bool = False) -> Any:
    """`value` as the type `kind`; an empty text is None where that is allowed.

    Numbers and truth may be written as text, but not where it is to be `strict`.
    Raises `SettingsError` that names `said`, a path or a variable, and what is allowed.
    """
    from pydantic import ValidationError

    if value == "" and NoneType in get_args(kind):
        return None
    try:
        adapter = _adapter(kind, key.low, key.high)
        if isinstance(value, str) and not strict:
            return adapter.validate_strings(value)
        return adapter.validate_python(value, strict=not isinstance(value, list) and not isinstance(kind, EnumType))
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
    about, given = wrong["type"].partition("_")[0], f"{said} is {wrong['input']!r}"
    if about in ("enum", "literal"):
        allowed = wrong["ctx"]["expected"].replace("'", "").replace(" or ", ", ")
        raise SettingsError(f"{given}, not one of: {allowed}")
    if about in _NAMES:
        raise SettingsError(f"{given}, not {_NAMES[about]}", hint=key.bounds or key.about)
    raise SettingsError(f"{given}, out of range", hint=key.bounds)


def check_known(name: str, names: Iterable[str], what: str) -> None:
    """Raise `SettingsError` with `what` is wrong unless the name is one of the `names`."""
    if name not in names:
        close = get_close_matches(name, list(names), n=1)
        raise SettingsError(what, hint=f"did you mean {close[0]}?" if close else f"known: {', '.join(names)}")


@cache
def _adapter(kind: Any, low: float | None, high: float | None) -> TypeAdapter[Any]:
    from pydantic import Field, TypeAdapter

    if low is not None:
        kind = Annotated[kind, Field(ge=low, le=high)]
    if kind in (str, str | None):
        kind = Annotated[kind, Field(pattern=r"\S")]
    return TypeAdapter(kind)
