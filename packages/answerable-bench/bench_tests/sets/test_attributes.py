import pytest

from answerable.errors import UsageError
from answerable_bench.sets.categories import attribute_name

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
