"""What a setting means and what it may be, said beside the field that holds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

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
        return "" if self.low is None or self.high is None else f"from {_plain(self.low)} to {_plain(self.high)}"


def _plain(number: float) -> str:
    return f"{int(number):,}" if number == int(number) else f"{number:g}"


def setting(default: Value, about: str, low: float | None = None, high: float | None = None) -> Value:
    """A field of settings with its default and its `Key`, which stands in the field's metadata."""
    return field(default=default, metadata={"key": Key(about, low, high)})
