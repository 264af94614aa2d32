from __future__ import annotations

import gzip
import io
import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.datasets import records
from answerable.datasets.load import load
from answerable.errors import FormatError, UsageError

from .samples import HOTPOT, SECRET, jsonl, whole

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=6,
)


class Slow(io.StringIO):
    """Gives a few characters at a time, however many are asked for."""

    def read(self, size: int | None = -1) -> str:
        return super().read(3)


@settings(max_examples=40)
@given(st.lists(VALUES, max_size=6), st.sampled_from([None, 1]))
def test_values_read_one_by_one_are_those_read_whole(values: list[Any], indent: int | None) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=False)
    assert list(records.JsonText(Slow(text), Path("x")).items()) == values


@settings(max_examples=40)
@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=6))
def test_names_of_an_object_come_in_order_with_or_without_their_values(value: dict[str, Any]) -> None:
    text = json.dumps(value, indent=1)
    assert list(records.JsonText(Slow(text), Path("x")).names()) == list(value)
    source = records.JsonText(Slow(text), Path("x"))
    assert {name: source.value() for name in source.names()} == value


@pytest.mark.parametrize("text", ["[1, 2", "[1 2]", "[1,]", '{"a": }', "{1: 2}", "[nul]", ""])
def test_broken_json_is_an_error(text: str) -> None:
    source = records.JsonText(io.StringIO(text), Path("some.json"))
    with pytest.raises(FormatError, match=r"some\.json is not JSON"):
        list(source.items() if text[:1] != "{" else source.names())


def test_an_array_is_not_held_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_CHUNK", 64)
    path = tmp_path / "many.json"
    path.write_text("[" + ",".join(json.dumps({"n": n}) for n in range(1000)) + ', {"n": broken')
    found = records.elements(path)
    assert [record.field("n", int) for record in islice(found, 1000)] == list(range(1000))
    with pytest.raises(FormatError, match="breaks off"):
        next(found)


def test_lines_count_records_and_name_the_broken_one(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text('\ufeff{"a": 1}\n\n  \n{"a": 2}\r\n{"a": "' + SECRET + "\n", encoding="utf-8")
    found = records.lines(path)
    assert [next(found).fields, next(found).fields] == [{"a": 1}, {"a": 2}]
    with pytest.raises(FormatError, match=r"some\.jsonl: record 3 is not JSON") as raised:
        next(found)
    assert SECRET not in str(raised.value)
    with pytest.raises(FormatError, match="record 1 is not a JSON object"):
        list(records.lines(jsonl(tmp_path / "list.jsonl", [[1]])))


@pytest.mark.parametrize("spoil", [lambda b: b[:-12], lambda b: b[:20] + b"\xff" * 9 + b[29:]])
def test_damaged_files_are_an_error(tmp_path: Path, spoil: Any) -> None:
    path = tmp_path / "some.jsonl.gz"
    path.write_bytes(spoil(gzip.compress(b'{"a": 1}\n' * 500)))
    with pytest.raises(FormatError, match=r"some\.jsonl\.gz .*"):
        list(records.lines(path))


def test_text_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "latin.jsonl"
    path.write_bytes('{"a": "Übung"}\n'.encode("latin-1"))
    with pytest.raises(FormatError, match="not UTF-8"):
        list(records.lines(path))
    with pytest.raises(UsageError, match="check the path"):
        list(records.lines(tmp_path / "none.jsonl"))


def test_rows_want_their_columns(tmp_path: Path) -> None:
    path = tmp_path / "some.tsv"
    path.write_text('id\ttext\ttitle\n1\t"a ""b""\tc"\td\n2\te\n')
    found = records.rows(path, ("id", "text", "title"))
    assert next(found).fields == {"id": "1", "text": 'a "b"\tc', "title": "d"}
    with pytest.raises(FormatError, match="record 2 has 2 columns, not 3"):
        next(found)


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        (None, str, "is empty"), (3, str, "is not text"), ("3", int, "is not a whole number"),
        ({}, list, "is not a list"),
        (True, int, "is not a whole number"), ("true", bool, "is not true or false"), ([], dict, "is not an object"),
    ],
)  # fmt: skip
def test_a_field_is_of_its_type(value: Any, kind: type, said: str) -> None:
    record = records.Record({"a": value}, Path("some.json"), 7, "qas 2")
    with pytest.raises(FormatError, match=rf"some\.json: record 7 \(qas 2\): the field `a` {said}"):
        record.field("a", kind)


def test_fields_with_several_names() -> None:
    record = records.Record({"id": 7, "b": "x", "score": 3, "none": None}, Path("f"), 1)
    assert (record.name("_id", "id"), record.text("a", "b"), record.field("score", float)) == ("7", "x", 3.0)
    assert (record.words("none"), record.words("gone")) == ("", "")
    with pytest.raises(FormatError, match="the field `c` or `d` is missing"):
        record.text("c", "d")


def test_a_published_name_is_held_to_its_contents(tmp_path: Path) -> None:
    article = {"data": [{"paragraphs": []}]}
    with pytest.raises(FormatError, match=r"dev-v1\.1\.json is not the published .*rename it"):
        list(load(whole(tmp_path / "dev-v1.1.json", article), "squad"))
    assert list(load(whole(tmp_path / "mine.json", article), "squad")) == []


def test_sentences_join_as_their_data_set_wants() -> None:
    assert records.joined(("A b.", " C d.")) == "A b. C d."
    assert records.joined(("A b.", "C d.")) == "A b. C d."
    assert records.joined(()) == ""


def test_a_file_of_one_record_may_be_an_array_or_a_line(tmp_path: Path) -> None:
    line, array = jsonl(tmp_path / "a", [HOTPOT]), whole(tmp_path / "b", [HOTPOT])
    assert list(load(line, "hotpotqa")) == list(load(array, "hotpotqa"))
