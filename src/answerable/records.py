"""What the fields of dataclasses declare: what a setting means and may be; and values as plain records, for JSON and
TOML, and back again, by their types.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Key:
    """What a setting means, and the range of a number."""

    about: str
    low: float | None = None
    high: float | None = None

    @property
    def bounds(self) -> str:
        """The range in words; empty where there is none."""
        return "" if self.low is None or self.high is None else f"from {_digits(self.low)} to {_digits(self.high)}"


def _digits(number: float) -> str:
    return f"{int(number):,}" if number == int(number) else f"{number:g}"


def setting(default: Value, about: str, low: float | None = None, high: float | None = None) -> Value:
    """A field of settings with its default and its `Key`, which stands in the field's metadata."""
    return field(default=default, metadata={"key": Key(about, low, high)})


class RecordError(ValueError):
    """What a record has that is no such value; `hint`: what it could have."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


def record_of(value: Any) -> Any:
    """A value as JSON holds it, field by field: sets as lists in order, bytes in base64, moments in ISO 8601."""
    if is_dataclass(value):
        return {one.name: record_of(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {key: record_of(one) for key, one in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [*map(record_of, value)]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value.isoformat() if isinstance(value, datetime) else value


def of_record(kind: Any, value: Any, place: str = "") -> Any:
    """The value of a type that a record says. Raises `RecordError`, naming the `place` in it, for one of another type,
    and for a dataclass's fields that are not known or not there."""
    origin, parts = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _filled(kind, value, place)
    if kind is Any or (isinstance(value, _plain(kind)) and isinstance(value, bool) <= (kind is bool)):
        return float(value) if kind is float else value
    if origin is UnionType:
        return None if value is None and NoneType in parts else of_record(parts[0], value, place)
    if origin is Literal and value in parts:
        return value
    if origin is tuple and isinstance(value, list | tuple):
        kinds = parts[:1] * len(value) if parts[-1] is ... else parts
        if len(kinds) == len(value):
            return tuple(of_record(one, each, place) for one, each in zip(kinds, value, strict=True))
    if origin is frozenset and isinstance(value, list):
        return frozenset(of_record(parts[0], one, place) for one in value)
    if origin in (dict, Mapping) and isinstance(value, Mapping):
        inner = f"{place}." if place else ""
        return {
            of_record(parts[0], key, place): of_record(parts[1], one, f"{inner}{key}") for key, one in value.items()
        }
    if kind in _WRITTEN and isinstance(value, str):
        try:
            return _WRITTEN[kind](value)
        except ValueError as error:
            raise RecordError(f"{place} cannot be {value!r}") from error
    if isinstance(kind, type) and issubclass(kind, Enum):
        try:
            return kind(value)
        except ValueError:
            said = ", ".join(str(one.value) for one in kind)
            raise RecordError(f"{place} is {value!r}", f"it is one of {said}") from None
    raise RecordError(f"{place} cannot be {value!r}")


_WRITTEN = {bytes: lambda text: base64.b64decode(text, validate=True), datetime: datetime.fromisoformat}
_hints = cache(get_type_hints)


def _filled(kind: Any, value: Any, place: str) -> Any:
    """A dataclass from a table."""
    hints, inner = _hints(kind), f"{place}." if place else ""
    if not isinstance(value, Mapping):
        raise RecordError(f"[{place}] cannot be used: it is no table")
    if unknown := value.keys() - {one.name for one in fields(kind)}:
        known = ", ".join(sorted(one.name for one in fields(kind)))
        raise RecordError(f"{inner}{min(unknown)} is a key that is not known", f"keys: {known}")
    for one in fields(kind):
        if one.default is MISSING and one.default_factory is MISSING and one.name not in value:
            raise RecordError(f"{inner}{one.name} is not said")
    return kind(**{key: of_record(hints[key], one, f"{inner}{key}") for key, one in value.items()})


def _plain(kind: Any) -> tuple[type, ...]:
    """What is taken for a value of a plain type: for any number, a whole one too."""
    return (int, float) if kind is float else (kind,) if kind in (int, str, bool, NoneType) else ()
