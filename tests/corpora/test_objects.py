"""JSON: lists of objects as tables or documents, anything else as lines that say where a value stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.errors import FormatError
from answerable.tables.cells import Table
from tests.corpora.reading import read, write

ORDERS = """{"exported": "2025-06-01", "orders": [
    {"order_id": 1001, "client": {"name": "Ada Lund", "city": "Bergen"}, "price": 45.50, "paid": true, "tags": ["a"]},
    {"order_id": 1002, "client": {"name": "Bo Ek", "city": "Oslo"}, "price": 60.00, "note": null, "tags": []}]}"""
CONTACTS = """[{"name": "Ada Lund", "phones": [{"kind": "home", "no": "1"}, {"kind": "work", "no": "2"}]},
    {"id": "b", "phones": [{"kind": "home", "no": "3"}, {"kind": "work", "no": "4"}], "home": {"city": "Oslo"}}, {}]"""


def test_a_list_of_flat_objects_is_a_table_under_what_stands_beside_it(tmp_path: Path) -> None:
    (document,), _ = read(write(tmp_path / "orders-2025.json", ORDERS))
    assert (document.kind, document.title, document.id) == ("table", "orders 2025", "orders-2025.json")
    assert document.text == (
        "exported: 2025-06-01\n"
        "order id: 1001; price: 45.50; paid: true; tags: a; client name: Ada Lund; client city: Bergen\n"
        "order id: 1002; price: 60.00; client name: Bo Ek; client city: Oslo"
    )
    table = Table.of(document)
    assert table is not None and table.rows[1] == ("1002", "60.00", "", "", "Bo Ek", "Oslo")


def test_of_other_lists_each_object_is_a_document(tmp_path: Path) -> None:
    documents, _ = read(write(tmp_path / "people.json", CONTACTS))
    assert [(one.id, one.title, one.kind) for one in documents] == [
        ("people.json#0", "Ada Lund", "record"),
        ("people.json#b", "people b", "record"),
    ]
    assert documents[0].text == "name: Ada Lund\n\nphones kind: home\nphones no: 1\n\nphones kind: work\nphones no: 2"
    assert documents[1].text.endswith("\n\nhome city: Oslo") and documents[1].meta["record"] == 1
    long = f'[{{"title": "Boiler", "said": "{"It hums. " * 80}"}}, {{"title": "Roof", "said": "It leaks."}}]'
    assert [one.title for one in read(write(tmp_path / "notes.json", long))[0]] == ["Boiler", "Roof"]


def test_several_lists_are_parted_from_what_stands_beside_them(tmp_path: Path) -> None:
    data = '{"by": "Bo", "a": [{"x": 1}, {"x": 2}], "b": {"c": [{"y": [{"z": 3}, {"z": 4}]}]}}'
    documents, _ = read(write(tmp_path / "n.json", data))
    assert [(one.id, one.title, one.text) for one in documents] == [
        ("n.json#a", "n, a", "x: 1\nx: 2"),
        ("n.json#0", "n, b c 0", "y z: 3\n\ny z: 4"),
        ("n.json", "n", "by: Bo"),
    ]


def test_anything_else_is_a_line_for_each_leaf(tmp_path: Path) -> None:
    data = """{"name": "tides", "files": ["dist", "docs"], "private": false, "scripts": {"test": "vitest run"},
        "said": ["%s", "Two\\nlines"], "authors": [{"name": "Ada"}], "at": [[1.50, 2], [3, 4]]}"""
    (document,), _ = read(write(tmp_path / "package.json", data % ("long " * 20)))
    assert (document.kind, document.title) == ("text", "tides")
    assert document.text.split("\n\n") == [
        "name: tides\nfiles: dist, docs\nprivate: false",
        "scripts test: vitest run",
        f"said: {'long ' * 20}".strip(),
        "said: Two\nlines",
        "authors name: Ada",
        "at: 1.50, 2",
        "at: 3, 4",
    ]
    (document,), _ = read(write(tmp_path / "n.json", '["a"]'))
    assert document.text == "a"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ('{"a": 1,\n}', "n.json is not JSON: line 2, column 1"),
        ('{"a": null, "b": {}}', "n.json holds no text"),
        ("[[" * 50 + "]]" * 50, "n.json is nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(tmp_path: Path, data: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        read(write(tmp_path / "n.json", data))


def test_what_an_export_says_of_whose_text_it_is_stays(tmp_path: Path) -> None:
    data = '[{"enclave": "mail", "label": ["mail"], "text": "It burns."}, {"enclave": "wiki", "label": []}]'
    documents, _ = read(write(tmp_path / "n.json", data))
    assert all(one.meta["label"] == ["mail"] for one in documents)
