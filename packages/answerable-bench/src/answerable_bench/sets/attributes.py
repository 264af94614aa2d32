"""Categories from attributes, in words: "films from 1932", "comedy films", and "1932 comedy films" of two at once.

A name is written `FIELD=WORDS` with the field's value for `{}`, or `FIELD+FIELD=WORDS` with a `{FIELD}` for each. A
value can be put in lower case (`{:lower}`) and a year made its decade (`{:decade}`, "1930s").

Source: Malaviya et al. 2023, section 3.1, whose category names are of these forms, some of them conjunctive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from answerable.errors import UsageError

_HINT = "like year='films from {}' or year+genres='{year} {genres:lower} films'"
_PLACE = re.compile(r"\{(\w*)(?::(\w+))?\}")


def _decade(value: str) -> str:
    return f"{value[:-1]}0s" if re.fullmatch(r"\d{4}", value) else ""


CHANGES: Mapping[str, Callable[[str], str]] = {"": str, "lower": str.lower, "decade": _decade}
"""What may be done to a value; an empty result names no category."""


@dataclass(frozen=True, slots=True)
class AttributeName:
    """How categories are named after the values of one or more fields. `places`: (field, change) as they stand."""

    written: str
    fields: tuple[str, ...]
    words: str
    places: tuple[tuple[str, str], ...]

    @property
    def kind(self) -> str:
        """What its categories have in common: the fields with what is done to them."""
        return "+".join(f"{field}:{change}" if change else field for field, change in sorted(self.places))

    def named(self, record: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each category of a record: its name, and the single values it is made of (as `field:change=value`)."""
        values = [
            [
                (changed, f"{field}:{change}={changed}")
                for one in _values(record, field)
                if (changed := _made(one, change))
            ]
            for field, change in self.places
        ]
        for chosen in product(*values):
            words = _PLACE.sub("{}", self.words).format(*(value for value, _ in chosen))
            yield " ".join(words.split()), tuple(base for _, base in chosen)


def attribute_name(written: str) -> AttributeName:
    """Read `FIELD=WORDS`. Raises `UsageError` where it is not of that form."""
    given, equals, words = written.partition("=")
    fields = tuple(field.strip() for field in given.split("+"))
    places = tuple((name or fields[0], change) for name, change in _PLACE.findall(words))
    wrong = f"the attribute {written!r}"
    if not equals or not all(fields) or re.search(r"[{}]", _PLACE.sub("", words)):
        raise UsageError(f"{wrong} is not written FIELD=WORDS", hint=_HINT)
    if {field for field, _ in places} != set(fields) or len(places) != len(fields):
        raise UsageError(f"{wrong} does not have each of its fields once", hint=_HINT)
    for _, change in places:
        if change not in CHANGES:
            raise UsageError(f"{wrong} asks for {change!r}", hint=f"one of {', '.join(filter(None, CHANGES))}")
    return AttributeName(written, fields, words.strip(), places)


def _made(value: str, change: str) -> str:
    return CHANGES[change](value).strip()


def _values(record: Mapping[str, Any], field: str) -> list[str]:
    """The values of a field, each once: a text, a whole number or a list of them; what is missing has none."""
    found = record.get(field)
    given = found if isinstance(found, list) else [found]
    return list(dict.fromkeys(str(one).strip() for one in given if isinstance(one, str | int) and str(one).strip()))
