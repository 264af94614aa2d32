import json
from pathlib import Path

import pytest

from answerable.datasets.records import lines
from answerable.errors import FormatError, UsageError
from answerable_bench.sets.categories import (
    DOCUMENTS,
    attribute_name,
    document_ids,
    read_categories,
    write_categories,
)
from answerable_bench.sets.settings import SetPlan, SetSources
from bench_tests.sets.world import quiet


def gathered(folder: Path, records: list[dict], least: int = 1, **more) -> dict[str, set[str]]:
    (folder / "docs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    paths = {}
    for name in ("names", "graph"):
        if name in more:
            paths[name] = folder / f"{name}.json"
            paths[name].write_text(json.dumps(more.pop(name)), "utf-8")
    counts = write_categories(SetSources(folder / "docs.jsonl", **paths, **more), folder, SetPlan(least=least), quiet)
    ids, found = document_ids(folder), read_categories(folder)
    assert counts["documents"] == len(ids) and counts["categories"] == len(found)
    return {one.name: {ids[number] for number in one.members} for one in found}


def doc(id: str, *categories: str, **more) -> dict:
    return {"_id": id, "title": id.upper(), "text": f"Text of {id}", "categories": list(categories), **more}


def test_documents_lose_their_categories_and_a_repeated_one_brings_its_own(tmp_path: Path):
    found = gathered(tmp_path, [doc("a", "x", "x"), doc("b", "x", "y"), doc("a", "y"), doc("c", year=1950)])
    assert found == {"x": {"a", "b"}, "y": {"a", "b"}}
    rows = [row.fields for row in lines(tmp_path / DOCUMENTS)]
    assert rows[0] == {"_id": "a", "title": "A", "text": "Text of a"} and len(rows) == 3


def test_parents_hold_what_their_children_hold_and_names_alike_are_one(tmp_path: Path):
    names = {
        "x": {"name": "ships", "kind": "noun"},
        "z": {"name": "Ships"},
        "y": {"name": "at sea", "kind": "modifier"},
    }
    records = [doc("a", "x"), doc("b", "y"), doc("c", "z")]
    found = gathered(tmp_path, records, names=names, graph={"x": ["y", "x"], "y": ["top_of_all"]})
    assert found == {"ships": {"a", "c"}, "at sea": {"a", "b"}, "top of all": {"a", "b"}}
    kinds = {one.name: one.kind for one in read_categories(tmp_path)}
    assert kinds == {"ships": "noun", "at sea": "modifier", "top of all": "noun"}


def test_small_categories_go_and_attributes_make_some(tmp_path: Path):
    records = [doc("a", "x", year=1931), doc("b", year=1932), doc("c", year=1932)]
    attributes = ("year=of {}", "year=of the {:decade}")
    assert gathered(tmp_path, records, least=2, attributes=attributes) == {
        "of 1932": {"b", "c"},
        "of the 1930s": {*"abc"},
    }


def test_what_is_not_of_its_form_is_named(tmp_path: Path):
    with pytest.raises(FormatError, match="record 1 is not a list of categories"):
        gathered(tmp_path, [doc("a", "x")], graph={"x": "y"})
    with pytest.raises(FormatError, match="neither noun nor modifier"):
        gathered(tmp_path, [doc("a", "x")], names={"x": {"name": "ships", "kind": "verb"}})
    with pytest.raises(UsageError, match="have no categories"):
        gathered(tmp_path, [doc("a")])
    with pytest.raises(UsageError, match="holds no document"):
        gathered(tmp_path, [])


FILM = {"year": 1932, "genres": ["Comedy", "Science Fiction", "Comedy"], "cast": ["Boris Karloff"], "none": None}


def names(written: str) -> list[str]:
    return [name for name, _ in attribute_name(written).named(FILM)]


def test_values_become_names():
    assert names("year=films from {}") == ["films from 1932"]
    assert names("year=films of the {:decade}") == ["films of the 1930s"]
    assert names("genres={:lower} films") == ["comedy films", "science fiction films"]
    assert names("cast=films starring {}") == ["films starring Boris Karloff"]
    assert names("year+genres={year} {genres:lower} films") == ["1932 comedy films", "1932 science fiction films"]
    assert names("none=films of {}") == names("missing=films of {}") == []


def test_a_combination_is_made_of_what_single_names_are_made_of():
    ((_, year),) = attribute_name("year=films of the {:decade}").named(FILM)
    combined = dict(attribute_name("genres+year={genres:lower} films of the {year:decade}").named(FILM))
    genres = dict(attribute_name("genres={:lower} films").named(FILM))
    assert set(combined["comedy films of the 1930s"]) == {*year, *genres["comedy films"]}


@pytest.mark.parametrize(
    "written", ["films", "year", "=x {}", "year=films", "year={} {}", "a+b={a}", "year={:roman}", "year={", "a={b}"]
)
def test_what_is_not_of_the_form_is_refused(written: str):
    with pytest.raises(UsageError, match="the attribute"):
        attribute_name(written)


def test_a_value_may_hold_braces():
    ((name, _),) = attribute_name("year=films {}").named({"year": "{x} {"})
    assert name == "films {x} {"
