"""Section trees, and headings of Markdown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.markdown import read_markdown
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
    text, sections, _ = read_markdown(MARKDOWN)
    assert [(section.title, section.depth) for section in sections] == [
        ("A first title", 1),
        ("Text with a rule below it", 2),
        ("One link and snake_case", 2),
        ("Underlined", 1),
        ("Deep", 3),
    ]
    first, long, link, underlined, deep = sections
    assert (
        text[first.start :].startswith("# A") and first.end == underlined.start == link.end and long.end == link.start
    )
    assert deep.end == underlined.end == len(text)


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
    text, sections, _ = read_markdown(text)
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
    text, (section,), _ = draft.finish()
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
    assert read_markdown(said)[0] == "- Motor: 3 kW\n- Weight: 46 kg"
    assert read_markdown("| | | |\n|---|---|---|\n| a | b | c |\n")[0] == "- a; b; c"


def test_tables_of_markdown_are_rows() -> None:
    table = "| Name | *Age* |\n|:-----|----:|\n| [Ada](http://x) | 4 |\n| Bo \\| Co | |\n"
    rows = "Name: Ada; Age: 4\nName: Bo | Co"
    assert read_markdown(f"Before:\n{table}\nAfter.")[0] == f"Before:\n{rows}\n\nAfter."
    assert read_markdown("a | b\r\n--|--\r\n1 | 2\r\n")[0] == "a: 1; b: 2"
    assert read_markdown(f"```\n{table}```\n")[0] == table.strip()
    for kept in ("a | b\nc | d", "a | b\n\n---\n", "## a | b\n\nc | d"):
        assert read_markdown(kept)[0] == kept.rstrip("-\n")
    assert read_markdown("a | b\n---\nc | d")[0] == "## a | b\n\nc | d"
    assert read_markdown("a | b\n--|--\n")[0] == "a; b"


tables = st.lists(
    st.lists(st.sampled_from(["", "ab", "c d", "e; f", "1"]), min_size=1, max_size=2), min_size=1, max_size=5
)


@given(tables, st.booleans())
def test_no_cell_of_a_table_is_lost(rows: list[list[str]], edged: bool) -> None:
    def line(cells: list[str]) -> str:
        return f"| {' | '.join(cells)} |\n" if edged else f"{' | '.join(['.', *cells])}\n"

    said = line(["H", "I"]) + ("|--|--|\n" if edged else "--|--|--\n") + "".join(map(line, rows))
    lines = read_markdown(said)[0].split("\n")
    shown = [cells for cells in rows if any(cells) or not edged]
    assert "--" not in lines and len(lines) == max(len(shown), not shown)
    for line_, cells in zip(lines, shown, strict=False):
        assert all(cell in line_ for cell in cells)


def test_rows_of_tables_are_known_by_their_place() -> None:
    draft = Draft()
    draft.block("  Above.")
    draft.table([["Who", "Nights"], ["Ada", "3"], ["Ben", "2"]])
    draft.table([["1", "2"], ["3", "4"]])
    draft.block("\n Kind: a\nKind: b\nEnd.", [(2, 17, ["Kind"])])
    text, _, known = draft.finish()
    assert [(text[first:last], header) for first, last, header in known["tables"]] == [
        ("Who: Ada; Nights: 3\nWho: Ben; Nights: 2", ["Who", "Nights"]),
        ("Kind: a\nKind: b", ["Kind"]),
    ]
    assert Draft().finish().meta == {}
