"""Documents laid out, and the picture of a question's way."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.types import LEFT_OUT, Document, Section
from answerable.web.drawing import Edge, lines, picture
from answerable.web.laying import WINDOW, blocks, outline, pages_of


def _document(text: str, kind: str = "text", sections: tuple[Section, ...] = (), **meta: object) -> Document:
    return Document("d", "e", "t", text, "s", kind, sections, meta)


def _said(made: list) -> str:
    pieces = [piece for one in made for piece in one.get("pieces", ())]
    return "".join(text for text, _ in pieces)


@pytest.mark.parametrize("text", ["", "a\n" * WINDOW, "a" * (3 * WINDOW + 1), "short"])
def test_the_pages_of_a_text_are_all_of_it(text: str) -> None:
    cuts = pages_of(text)
    assert cuts[0] == 0 and cuts[-1] == len(text) and cuts == sorted(cuts)
    assert all(b - a <= WINDOW for a, b in pairwise(cuts))


def test_what_is_cited_is_marked_across_paragraphs_and_nothing_else() -> None:
    text = "First one.\n\nSecond one here.\n\nThird."
    for start in range(len(text)):
        for end in (start, start + 1, start + 14):
            made = blocks(_document(text), 0, len(text), (start, end))
            marked = "".join(piece for one in made for piece, cited in one["pieces"] if cited)
            assert marked == text[start:end].replace("\n", ""), (start, end)
            assert _said(made) == text.replace("\n", "")


@given(st.data())
def test_all_of_a_document_is_laid_out_and_what_is_cited_is_marked(data: st.DataObject) -> None:
    text = data.draw(st.text(st.sampled_from("ab:> \n;#"), max_size=60))
    place = st.integers(0, len(text))
    kind = data.draw(st.sampled_from(["text", "mail", "pdf"]))
    starts = sorted(data.draw(st.sets(place, max_size=3)))
    sections = tuple(Section(text[at : at + 2].strip("\n"), 1, at, len(text)) for at in starts)
    cited = data.draw(st.tuples(place, place))
    document = _document(text, kind, sections, pages=sorted(data.draw(st.sets(place, max_size=3))))
    pieces = [one for block in blocks(document, 0, len(text), cited) for one in block.get("pieces", ())]
    fields = [row for block in blocks(document, 0, len(text), cited) for row in block.get("rows", ())]
    said = "".join(row["name"] + ":" + "".join(one for one, _ in row["pieces"]) for row in fields)
    said += "".join(one for one, _ in pieces)
    bare = str.maketrans("", "", " \n#")
    assert said.translate(bare) == text.translate(bare)
    marked = "".join(one for one, is_cited in pieces if is_cited).translate(bare)
    assert marked in text[slice(*sorted(cited))].translate(bare)


def test_mail_has_fields_and_quoted_lines() -> None:
    text = "From: Kim <kim@example.org>\nSubject: a: b\n\nYes.\n\nKim wrote:\n> And you?\n> Well?"
    head, *rest = blocks(_document(text, "mail"), 0, len(text), (6, 9))
    assert [row["name"] for row in head["rows"]] == ["From", "Subject"]
    assert head["rows"][0]["pieces"][0] == ("Kim", True) and head["rows"][1]["pieces"] == [("a: b", False)]
    assert [one["kind"] for one in rest] == ["text", "text", "quoted"]
    assert blocks(_document("Hello there.\n\nFrom: me", "mail"), 0, 22, None)[0]["kind"] == "text"


def test_a_table_has_its_columns_and_the_cell_that_is_cited() -> None:
    text = "name: Hook; height m: 35\nname: Kõpu; note: a; b"
    document = _document(text, "table", header=["name", "height_m", "note"])
    (made,) = blocks(document, 0, len(text), (text.index("35"), 24))
    assert made["columns"] == ["name", "height m", "note"]
    assert made["rows"][0]["cells"] == [[("Hook", False)], [("35", True)], []]
    assert made["rows"][1]["cells"] == [[("Kõpu", False)], [], [("a; b", False)]]
    assert [row["cited"] for row in made["rows"]] == [True, False]


def test_headings_and_pages_stand_where_they_begin() -> None:
    text = "# One\n\nText of one.\n\n## Two\n\nText of two."
    sections = (Section("One", 1, 0, len(text)), Section("Two", 2, 21, len(text)))
    document = _document(text, "pdf", sections, pages=[0, 21])
    made = blocks(document, 0, len(text), None)
    assert [(one["kind"], one.get("number")) for one in made if one["kind"] == "page"] == [("page", 1), ("page", 2)]
    assert [one["pieces"] for one in made if one["kind"] == "heading"] == [[("One", False)], [("Two", False)]]
    assert [one["lit"] for one in outline(document, {25: 0.5})] == [True, True]
    assert [one["lit"] for one in outline(document, {3: 0.5})] == [True, False]


def _hop(enclave: str, because: tuple[str, ...] = (), refused: str | None = None) -> dict:
    passages = [{"title": f"of {name}", "document": "d", "enclave": name} for name in because]
    rest = {"skill": "expanded" if because else "single", "reason": "why", "held": None, "ahead": 0, "hits": []}
    return {"enclave": enclave, "label": list(because), "because": passages, "refused": refused, **rest}


def test_hops_of_one_kind_are_one_line_and_one_arrow() -> None:
    hops = [_hop("wiki"), _hop("mail"), *[_hop("wiki", ("mail",), "carries mail")] * 5]
    said = lines(hops)
    assert [(one.enclave, one.asked) for one in said] == [("wiki", True), ("mail", True), ("wiki", False)]
    assert [one.times for one in said] == [1, 1, 5]
    assert said[2].what == "the question with “of mail”, carrying mail" and said[2].why == "carries mail"
    places = [{"name": name, "kind": "private", "label": []} for name in ("wiki", "mail")]
    drawn = picture(places, [edge for one in said for edge in one.edges])
    assert [(one["from"], one["to"], one["sent"], one["times"]) for one in drawn["edges"]] == [
        ("", "wiki", True, 1),
        ("", "mail", True, 1),
        ("mail", "wiki", False, 5),
    ]


def test_what_a_filter_leaves_out_is_said_once_and_crossed_out_nowhere() -> None:
    left_out = f"wiki {LEFT_OUT}"
    said = lines([_hop("wiki", (), left_out), _hop("mail"), *[_hop("wiki", ("mail",), left_out)] * 5])
    assert [(one.enclave, one.asked, one.what, one.times) for one in said] == [
        ("wiki", False, "anything", 1),
        ("mail", True, "the question", 1),
    ]
    assert said[0].why == left_out and said[0].edges == ()


def test_a_place_that_is_not_shown_is_not_drawn() -> None:
    edges = [Edge("", "mail", True, ""), Edge("mail", "wiki", False, ""), Edge("", "wiki", True, "")]
    drawn = picture([{"name": "wiki", "kind": "public", "label": []}], edges)
    assert [one["said"] for one in drawn["edges"]] == ["the question to wiki"]
    assert all(0 <= one["y"] <= drawn["height"] and 0 <= one["x"] <= drawn["width"] for one in drawn["edges"])


WRAPPED = (
    "The keeper of the light was asked to come to the house on\n"
    "  the hill, where the lamp had not been lit since the day\n  before."
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (WRAPPED, "flowing"),
        (WRAPPED.replace("\n  the hill", "\n  - the hill"), "text"),
        (WRAPPED.replace("lamp had", "lamp    had"), "text"),
        (WRAPPED.replace("\n  before", "\n    before"), "text"),
        ("Roses are red,\nviolets are blue.", "text"),
        ("One line.", "text"),
    ],
)
def test_lines_that_a_width_ended_may_end_elsewhere(text: str, kind: str) -> None:
    assert [one["kind"] for one in blocks(_document(text), 0, len(text), None)] == [kind]
