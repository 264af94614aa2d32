"""JSONL: passages, tables, faults, and going on in the middle."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from answerable.corpora.formats import Limits
from tests.corpora.reading import read, write


def jsonl(*records: object) -> str:
    return "\n".join(record if isinstance(record, str) else json.dumps(record) for record in records) + "\n"


def test_records_become_documents(tmp_path: Path) -> None:
    data = jsonl({"_id": "/wiki/A b", "title": " A \n b ", "text": "Text.", "url": "u"}, {"id": 7, "text": "More."})
    documents, reports = read(write(tmp_path / "n.jsonl.gz", gzip.compress(data.encode())))
    assert not reports
    assert [(d.id, d.title, d.text, d.kind) for d in documents] == [
        ("n.jsonl.gz#/wiki/A b", "A b", "Text.", "record"),
        ("n.jsonl.gz#7", "", "More.", "record"),
    ]
    assert documents[0].meta == {"record": 0, "url": "u"}


def test_faulty_lines_are_told_and_passed_over(tmp_path: Path) -> None:
    data = jsonl(
        "{", "[1]", {"_id": "x"}, "[" * 100_000, {"_id": "a", "text": "good"}, "", {"_id": "b", "text": "good"}
    )
    documents, reports = read(write(tmp_path / "n.jsonl", data))
    assert [d.id for d in documents] == ["n.jsonl#a", "n.jsonl#b"]
    assert reports == [
        "skipped line 1 of n.jsonl: it is not JSON",
        "skipped line 2 of n.jsonl: it is not a JSON object",
        "skipped line 3 of n.jsonl: it has neither text nor table rows",
        "skipped 1 more record of n.jsonl",
    ]


def test_a_line_over_the_limit_is_passed_over_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    with path.open("wb") as file:
        file.write(b'{"_id": "long", "text": "')
        for _ in range(40):
            file.write(b"x" * 2**20)
        file.write(b'"}\n{"_id": "a", "text": "good"}')
    documents, reports = read(path, Limits(max_record=1000))
    assert [d.id for d in documents] == ["n.jsonl#a"] and documents[0].meta["record"] == 1
    assert reports == ["skipped line 1 of n.jsonl: it is longer than the limit for a record"]


def test_text_that_no_store_can_hold_is_mended(tmp_path: Path) -> None:
    documents, _ = read(
        write(tmp_path / "n.jsonl", '{"_id": "a", "title": "\\ud800t", "text": "x\\u0000y \\ud83d\\ude00"}\n')
    )
    assert (documents[0].title, documents[0].text) == ("\ufffdt", "x\ufffdy \U0001f600")


def test_reading_goes_on_where_it_stopped(tmp_path: Path) -> None:
    records = [{"_id": str(n % 3), "text": f"Text {n}."} for n in range(8)]
    path = write(tmp_path / "n.jsonl", jsonl(*records[:4], "{broken", *records[4:]))
    whole, _ = read(path)
    assert len({d.id for d in whole}) == 8, "an id that comes again must not be the same"
    for position, document in enumerate(whole):
        rest, _ = read(path, start=document.meta["record"] + 1)
        assert rest == whole[position + 1 :]


def test_tables_keep_rows_links_and_offsets(tmp_path: Path) -> None:
    table = {
        "_id": "t1",
        "title": "Some Actor",
        "section": "Films -- Television",
        "section_text": "Roles on  screen.",
        "intro": "Some Actor was born in 1959.",
        "header": ["Year", "Title:", ""],
        "rows": [
            [{"text": "1997", "links": []}, {"text": "A  Film", "links": ["/wiki/A_Film"]}, {"text": "", "links": []}],
            ["1998", None, "a note", "beyond the header"],
            "no row",
        ],
    }
    (document,), reports = read(write(tmp_path / "n.jsonl", jsonl(table)))
    assert document.kind == "table" and not reports
    assert document.title == "Some Actor, Films, Television"
    assert document.text.split("\n") == [
        "Roles on screen.",
        "Year: 1997; Title: A Film",
        "Year: 1998; a note; beyond the header",
    ]
    ((start, end, target),) = document.meta["links"]
    assert document.text[start:end] == "A Film" and target == "/wiki/A_Film"


def test_a_header_that_is_no_list_is_none(tmp_path: Path) -> None:
    lines = [{"_id": str(n), "header": header, "rows": [["x"]]} for n, header in enumerate((-1, True, "ab", {"a": 1}))]
    documents, reports = read(write(tmp_path / "n.jsonl", "".join(json.dumps(line) + "\n" for line in lines)))
    assert [document.text for document in documents] == ["x"] * 4 and not reports


def test_an_id_that_comes_again_never_takes_one_that_is_given(tmp_path: Path) -> None:
    """Whichever comes first, and when reading goes on in the middle."""
    data = jsonl(*({"_id": name, "text": "t"} for name in ("a", "a", "a~2", "b~2", "b", "b", "a")))
    path = write(tmp_path / "n.jsonl", data)
    ids = [d.id.removeprefix("n.jsonl#") for d in read(path)[0]]
    assert ids == ["a", "a~2", "a~2~2", "b~2", "b", "b~3", "a~3"]
    assert [d.id.removeprefix("n.jsonl#") for d in read(path, start=3)[0]] == ids[3:]
