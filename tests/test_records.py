"""What is made of a record is what it was made of, and what is no such value is named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal

import pytest

from answerable.records import RecordError, of_record, record_of


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Lamp:
    name: str
    height: float = 0.0
    lit: bool | None = None


@dataclass(frozen=True, slots=True)
class Reef:
    lamps: tuple[Lamp, ...]
    label: frozenset[str] = frozenset()
    seen: datetime = datetime(1811, 2, 1, tzinfo=UTC)
    raw: bytes = b""
    colour: Colour = Colour.RED
    kind: Literal["rock", "sand"] = "rock"
    weights: Mapping[str, float] = field(default_factory=dict)
    place: tuple[int, str] = (1, "a")
    free: Any = None


WHOLE = Reef(
    (Lamp("Bell", 35.0, True), Lamp("May")),
    frozenset({"mail", "home"}),
    datetime(2026, 5, 4, 3, 2, 1, 5, UTC),
    b"\0\xff",
    Colour.BLUE,
    "sand",
    {"a": 1.5},
    (2, "b"),
    [1],
)


def test_a_value_comes_back_from_json():
    record = json.loads(json.dumps(record_of(WHOLE)))
    assert record["label"] == ["home", "mail"] and record["colour"] == "blue"
    assert of_record(Reef, record) == WHOLE
    assert of_record(dict[str, Reef], {"x": record}) == {"x": WHOLE}


def test_what_is_left_out_has_its_default_and_a_whole_number_is_a_number():
    made = of_record(Reef, {"lamps": [{"name": "Bell", "height": 35}]})
    assert made == Reef((Lamp("Bell", 35.0),)) and isinstance(made.lamps[0].height, float)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (3, "cannot be used: it is no table"),
        ({}, "lamps is not said"),
        ({"lamps": [], "lamp": 1}, "lamp is a key that is not known"),
        ({"lamps": [{"nam": "Bell"}]}, "lamps.nam is a key that is not known"),
        ({"lamps": {}}, "lamps cannot be {}"),
        ({"lamps": [{"name": None}]}, "lamps.name cannot be None"),
        ({"lamps": [{"name": "x", "height": True}]}, "lamps.height cannot be True"),
        ({"lamps": [{"name": "x", "lit": 1}]}, "lamps.lit cannot be 1"),
        ({"lamps": [], "label": "mail"}, "label cannot be 'mail'"),
        ({"lamps": [], "label": [1]}, "label cannot be 1"),
        ({"lamps": [], "seen": "soon"}, "seen cannot be 'soon'"),
        ({"lamps": [], "seen": 0}, "seen cannot be 0"),
        ({"lamps": [], "raw": "?"}, "raw cannot be '?'"),
        ({"lamps": [], "colour": "green"}, "colour is 'green'"),
        ({"lamps": [], "kind": "mud"}, "kind cannot be 'mud'"),
        ({"lamps": [], "weights": {"a": "much"}}, "weights.a cannot be 'much'"),
        ({"lamps": [], "place": [1]}, r"place cannot be \[1\]"),
    ],
)
def test_what_is_no_such_value_is_named(record: Any, said: str):
    with pytest.raises(RecordError, match=said):
        of_record(Reef, record)


def test_what_could_be_there_is_told():
    with pytest.raises(RecordError) as wrong:
        of_record(Reef, {"lamps": [], "colour": "green"})
    assert wrong.value.hint == "it is one of red, blue"
