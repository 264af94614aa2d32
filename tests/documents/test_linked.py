from __future__ import annotations

from answerable.corpora.tables import table_document
from answerable.documents.linked import composed, placed_all
from answerable.types import Citation, Document

PAGE = Document("page", "e", "Page", "Rolf Ek was a wrestler. He was strong.", "pages.jsonl")
CELL = {"text": "Rolf Ek", "links": ["page", "nowhere"]}


def table(*rows: list[object]) -> Document:
    made = table_document({"title": "Medals", "header": ["Medal", "Name"], "rows": list(rows)}, "t", "t.jsonl", "e", 0)
    assert made is not None
    return made


def find(target: str) -> Document | None:
    return PAGE if target == "page" else None


def citation(text: str, words: str) -> Citation:
    start = text.index(words)
    return Citation(words, "t", "e", start, start + len(words), "Medals", "t.jsonl")


def test_what_is_found_is_cited_where_it_stands() -> None:
    medals = table(["Gold", CELL])
    made = composed(medals, find)
    read = made.document.text
    there = made.cited(citation(read, "He was strong."))
    assert there is not None and (there.document, there.title, there.source) == ("page", "Page", "pages.jsonl")
    assert there.text == PAGE.text[there.start : there.end] == "He was strong."
    cell = made.cited(citation(read, "Medal: Gold"))
    assert cell is not None and cell.document == "t" and medals.text[cell.start : cell.end] == "Medal: Gold"


def test_what_stands_in_two_documents_is_not_cited_and_nothing_twice() -> None:
    made = composed(table(["Gold", CELL]), find)
    across = citation(made.document.text, "Ek\nRolf")
    assert made.cited(across) is None
    here = citation(made.document.text, "He was strong.")
    assert len(placed_all(made, [here, across, here])) == 1


def test_other_documents_are_read_as_they_are() -> None:
    plain = table(["Gold", "Rolf Ek"])
    for document in (PAGE, plain, table(["Gold", {"text": "Rolf Ek", "links": ["nowhere"]}])):
        made = composed(document, find)
        assert made.document is document and made.origins == ()
        here = citation(document.text, "Rolf Ek")
        assert made.cited(here) is here
