"""Headings of Markdown and plain text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.outline import Draft, markdown_sections, nest, text_sections

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


def test_plain_text_headings_must_be_certain() -> None:
    text = (
        "ANNUAL REPORT\n\nWe did well.\n\n1. Sales\n\nThey rose.\n\n1.2 Exports\n\nSo did they.\n\n"
        "Chapter II\n\nOutlook\n-------\n\nA short line\n\nNo. 5 is alive.\n\n2019\n\nNASA\nwas there.\n\n"
    )
    assert [(section.title, section.depth) for section in text_sections(text)] == [
        ("ANNUAL REPORT", 1),
        ("1. Sales", 1),
        ("1.2 Exports", 2),
        ("Chapter II", 1),
        ("Outlook", 2),
    ]


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


@given(st.text(alphabet="#=-` \n\rab~", max_size=60))
def test_any_markdown_has_ordered_sections_within_it(text: str) -> None:
    for sections in (markdown_sections(text), text_sections(text)):
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
