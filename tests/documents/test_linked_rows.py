"""Tables with what their cells link to: a paragraph a row, and every span placed in the document it stands in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.markdown import read_markdown
from answerable.corpora.paragraphs import paragraphs
from answerable.corpora.tables import table_document
from answerable.documents.linked import composed, placed
from answerable.types import Document

WRESTLER = "# Svensson\n\nJohan Svensson was a\nwrestler. He was called Rulle."
SPORT = "Wrestling is a sport. It is old."


def page(id_: str, text: str) -> Document:
    text, sections, _ = read_markdown(text)
    return Document(id_, "e", id_, text, id_, "markdown", sections)


PAGES = {"svensson": page("svensson", WRESTLER), "wrestling": page("wrestling", SPORT)}


def table(rows: list[list[object]], **record: object) -> Document:
    made = table_document({"header": ["Medal", "Name", "Sport"], "rows": rows, **record}, "t", "s", "e", 0)
    assert made is not None
    return made


def cell(text: str, *links: str) -> dict[str, object]:
    return {"text": text, "links": list(links)}


MEDALS = table(
    [
        ["Gold", cell("Rudolf Svensson", "svensson"), cell("Wrestling", "wrestling", "nowhere")],
        ["Silver", "Another", cell("Wrestling", "wrestling")],
    ],
    section_text="Of 1932.",
)


def test_rows_are_followed_cell_by_cell() -> None:
    linked = composed(MEDALS, PAGES.get).document
    said = [[linked.text[a:b] for a, b in p.sentences] for p in paragraphs(linked)]
    assert said == [
        ["Of 1932."],
        [
            "Medal: Gold",
            "Name: Rudolf Svensson",
            "Johan Svensson was a wrestler.",
            "He was called Rulle.",
            "Sport: Wrestling",
            "Wrestling is a sport.",
            "It is old.",
        ],
        ["Medal: Silver", "Name: Another", "Sport: Wrestling", "Wrestling is a sport.", "It is old."],
    ]
    assert [p.path for p in paragraphs(linked)][1:] == [
        ("Medal: Gold Name: Rudolf Svensson Sport: Wrestling",),
        ("Medal: Silver Name: Another Sport: Wrestling",),
    ]


def test_spans_are_placed_where_they_stand() -> None:
    made = composed(MEDALS, PAGES.get)
    linked, origins = made.document, made.origins

    def where(words: str, nth: int = 0) -> tuple[str, int, int] | None:
        start = -1
        for _ in range(nth + 1):
            start = linked.text.index(words, start + 1)
        return placed(origins, start, start + len(words))

    assert where("Rulle") == ("svensson", WRESTLER.index("Rulle"), WRESTLER.index("Rulle") + 5)
    assert where("was a wrestler.\nHe was") == ("svensson", WRESTLER.index("was a\n"), WRESTLER.index("He was") + 6)
    assert where("old", 1) == ("wrestling", SPORT.index("old"), SPORT.index("old") + 3)
    assert where("Name: Another") == ("t", MEDALS.text.index("Name: A"), MEDALS.text.index("Another") + 7)
    assert where("Name: Rudolf Svensson\nJohan") is None
    assert where("\nJohan") is None and placed(origins, 4, 4) is None
    assert placed(origins, len(linked.text) - 1, len(linked.text) + 1) is None and placed((), 0, 1) is None


def test_no_more_than_the_opening_of_what_is_linked_is_taken() -> None:
    linked = composed(MEDALS, PAGES.get, words=5).document
    assert "Wrestling is a sport." in linked.text and "It is old." not in linked.text


@pytest.mark.parametrize("find", [lambda _: None, lambda _: MEDALS])
def test_a_table_of_which_nothing_is_found_stays_as_it_is(find) -> None:
    made = composed(MEDALS, find)
    assert made.document is MEDALS and made.origins == () and not made.parts


def test_a_document_without_text_has_no_origin() -> None:
    assert composed(Document("n", "e", "", "", "n"), PAGES.get).origins == ()


def test_links_read_from_a_store_are_lists() -> None:
    stored = Document(
        "t", "e", "", MEDALS.text, "s", "table", (), {**MEDALS.meta, "links": [list(x) for x in MEDALS.meta["links"]]}
    )
    assert composed(stored, PAGES.get).document.text == composed(MEDALS, PAGES.get).document.text


words = st.lists(
    st.sampled_from(["Ada", "is here.", "So; it:", "x: y", "\n", "\n\n", "漢字。", "1. A"]), max_size=12
).map(" ".join)


@given(st.lists(words, min_size=3, max_size=3), words, st.data())
def test_whatever_is_placed_says_the_same(texts: list[str], inside: str, data: st.DataObject) -> None:
    pages = {f"p{number}": page(f"p{number}", text) for number, text in enumerate(texts)}
    rows = [[cell(inside or "-", "p0", "p1"), "b", cell("c", "p2")], [cell("d", "p1"), "", "e; f"]]
    one = table(rows)
    made = composed(one, pages.get)
    linked, origins = made.document, made.origins
    all_ = {**pages, "t": one}
    start = data.draw(st.integers(0, len(linked.text) - 1))
    end = data.draw(st.integers(start + 1, min(len(linked.text), start + 60)))
    if (found := placed(origins, start, end)) is not None:
        id_, first, last = found
        # Between cells the table has a semicolon; between sentences there may be headings.
        there, here = (said.replace(";", " ").split() for said in (all_[id_].text[first:last], linked.text[start:end]))
        assert there[:1] == here[:1] and there[-1:] == here[-1:]
    for paragraph in paragraphs(linked):
        for a, b in paragraph.sentences:
            where = placed(origins, a, b)
            assert where is not None
            assert all_[where[0]].text[where[1] : where[2]].split() == linked.text[a:b].split()
