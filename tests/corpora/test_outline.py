"""Section trees, and headings of Markdown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.markdown import markdown_rows, markdown_sections
from answerable.corpora.outline import Draft, heading_end, nest
from answerable.types import Section

MARKDOWN = """---
title: not a heading
---
# A *first* title #

Text with a
rule below it
---

## One [link](http://x) and snake_case

```
# not a heading
```

Underlined
==========

### Deep
#hashtag
    # code
##
"""


def test_markdown_headings_and_their_reach() -> None:
    sections = markdown_sections(MARKDOWN)
    assert [(section.title, section.depth) for section in sections] == [
        ("A first title", 1),
        ("One link and snake_case", 2),
        ("Underlined", 1),
        ("Deep", 3),
    ]
    first, link, underlined, deep = sections
    assert MARKDOWN[first.start :].startswith("# A") and first.end == underlined.start == link.end
    assert deep.end == underlined.end == len(MARKDOWN)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 4))))
def test_sections_hold_what_is_below_them(steps: list[tuple[int, int]]) -> None:
    start, headings = 0, []
    for step, depth in steps:
        start += step
        headings.append((start, depth, f"{start}"))
    sections = nest(headings, start + 1)
    for index, section in enumerate(sections):
        below = [other.depth > section.depth for other in sections[index + 1 :] if other.start < section.end]
        assert all(below)
        after = next((other for other in sections[index + 1 :] if other.depth <= section.depth), None)
        assert section.end == (after.start if after else start + 1)


LINES = st.sampled_from(["# A", "## B", "C\n===", "D\n---", "```", "- # d"])


@given(st.lists(LINES | st.text(alphabet="#=-` \n\rab~", max_size=20), max_size=9).map("\n".join))
def test_any_markdown_has_ordered_sections_within_it(text: str) -> None:
    sections = markdown_sections(text)
    starts = [section.start for section in sections]
    assert starts == sorted(set(starts))
    assert all(0 <= section.start < section.end <= len(text) for section in sections)


def test_a_draft_knows_where_its_headings_stand() -> None:
    draft = Draft()
    draft.block("Before.")
    draft.heading("One\n two", 1)
    draft.block("  ")
    draft.block("Text.")
    draft.line("Row.")
    text, (section,) = draft.finish()
    assert text == "Before.\n\nOne two\n\nText.\nRow."
    assert text[section.start : section.end] == "One two\n\nText.\nRow." and section.title == "One two"


def test_a_heading_ends_with_its_line_its_underline_or_its_title() -> None:
    def left(text: str, title: str, start: int = 0) -> str:
        return text[heading_end(text, Section(title, 1, start, len(text))) :]

    assert left("# One *word* #\ntext", "One word") == "\ntext"
    assert left("One\n===\ntext", "One") == "\ntext"
    assert left("One", "One") == ""
    assert left("4.1 Term. It is long.\nVery.", "4.1 Term") == " It is long.\nVery."
    assert left("A long\nheading\ntext", "A long heading") == "\ntext"
    assert left("2 Lenses\ntext", "Lenses") == "\ntext"
    assert left("before One: two three", "One", 7) == " two three"


def test_rows_whose_columns_have_no_names_are_items_that_name_what_they_say() -> None:
    said = "| | |\n|---|---|\n| Motor | 3 kW |\n| **Weight** | 46 kg |\n"
    assert markdown_rows(said) == "- Motor: 3 kW\n- Weight: 46 kg\n"
    assert markdown_rows("| | | |\n|---|---|---|\n| a | b | c |\n") == "- a; b; c\n"


def test_tables_of_markdown_are_rows() -> None:
    table = "| Name | *Age* |\n|:-----|----:|\n| [Ada](http://x) | 4 |\n| Bo \\| Co | |\n"
    rows = "Name: Ada; Age: 4\nName: Bo | Co\n"
    assert markdown_rows(f"Before:\n\n{table}\nAfter.") == f"Before:\n\n{rows}\nAfter."
    assert markdown_rows("a | b\r\n--|--\r\n1 | 2\r\n") == "a: 1; b: 2\n"
    for kept in (
        f"```\n{table}```\n",
        "a | b\nc | d\n",
        "Head\n----\n",
        "a | b\n\n---\n",
        "a | b\n--|--\n",
        "a | b\n---\nc | d",
    ):
        assert markdown_rows(kept) == kept


tables = st.lists(
    st.lists(st.sampled_from(["", "ab", "c d", "e; f", "1"]), min_size=2, max_size=4), min_size=1, max_size=5
)


@given(tables, st.booleans())
def test_no_cell_of_a_table_is_lost(rows: list[list[str]], edged: bool) -> None:
    def line(cells: list[str]) -> str:
        return f"| {' | '.join(cells)} |\n" if edged else f"{' | '.join(cells)} | .\n"

    rewritten = markdown_rows(line(["H", "I"]) + ("|--|--|\n" if edged else "--|--|--\n") + "".join(map(line, rows)))
    lines = rewritten.split("\n")
    assert len(lines) == len(rows) + 1 and "--" not in rewritten
    for said, cells in zip(lines, rows, strict=False):
        assert all(cell in said for cell in cells)
