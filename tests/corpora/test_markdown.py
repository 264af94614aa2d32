"""Markdown as it is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.markdown import read_markdown

PAGE = """\
# The *house*
## Boiler
It is a **Vaillant 832**, put in by [Hamid](https://example.org/h "Hamid's page"),
see <https://example.org/_a_>.

* Warranty: `13 March 2031`
1. Turn the **stopcock**.

Wifi
----
> Ask __Oskar__.

| Room | Colour |
|---|---|
| Study | **Hague** `Blue` |

***
~~~ sh
# no heading *.py
~~~
"""


def test_a_page_is_read_as_it_is_shown() -> None:
    text, sections, _ = read_markdown(PAGE)
    assert text == (
        "# The house\n\n## Boiler\n\nIt is a Vaillant 832, put in by Hamid,\nsee https://example.org/_a_.\n\n"
        "* Warranty: 13 March 2031\n1. Turn the stopcock.\n\n## Wifi\n\nAsk Oskar.\n\n"
        "Room: Study; Colour: Hague Blue\n\n# no heading *.py"
    )
    assert [(one.title, one.depth) for one in sections] == [("The house", 1), ("Boiler", 2), ("Wifi", 2)]
    assert all(text.startswith(f"{'#' * one.depth} {one.title}", one.start) for one in sections)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("***both*** and **a *b* c**", "both and a b c"),
        ("**wrapped\nwords** and _a_b c_", "wrapped\nwords and a_b c"),
        ("**use `x_y`**, [a `b`](<x y>), [c](d(e))", "use x_y, a b, c"),
        ("[![A bell](bell.png)](https://example.org)", "A bell"),
        (r"\*as typed\* and `**code**`", "*as typed* and **code**"),
        ("{func}`read` and {py:meth}`Lamp.light <n>` in a {note}", "read and Lamp.light <n> in a {note}"),
        ("[Anna]: yes, &amp; <b>", "[Anna]: yes, & <b>"),
        (
            "3. one\n\n   > * two\n   >   goes on\n   ```\n   *c*\n     d\n   ```\n4.",
            "3. one\n\n* two\ngoes on\n\n*c*\n  d\n\n4.",
        ),
        ("a\n<!-- *b* -->\nc", "a\n\n<!-- *b* -->\n\nc"),
        ("- a\n  - b\n    - c\n- # d", "- a\n  - b\n    - c\n\n# d"),
        ("    *a*\n\n      b", "*a*\n\n  b"),
    ],
)
def test_marks_are_no_text(said: str, shown: str) -> None:
    assert read_markdown(said)[0] == shown


@pytest.mark.parametrize(
    "said",
    [
        "2*3*4, 5 * 3 * 2 and snake_case_names",
        "Name: ____ Date: ____",
        "https://example.org/_a_/b_c",
        "one * alone, and ** two, a [list] (of) things",
        "- a\n+ b\n* c",
        "1986.",
    ],
)
def test_what_is_no_mark_stays(said: str) -> None:
    assert read_markdown(said)[0] == said


@given(st.text(alphabet="ab *_`[]()<>#-=|\\!\n"))
def test_sections_of_any_text_are_at_their_headings(said: str) -> None:
    text, sections, _ = read_markdown(said)
    assert all(text.startswith(f"{'#' * one.depth} {one.title}", one.start) for one in sections)


@given(st.text(alphabet="ab *_`#-=\\!\n").filter(lambda said: "```" not in said))
def test_no_letter_is_lost(said: str) -> None:
    assert [one for one in read_markdown(said)[0] if one in "ab"] == [one for one in said if one in "ab"]


def test_what_lies_too_deep_is_text() -> None:
    assert read_markdown("> " * 60 + "*a*\nb")[0] == "> " * 10 + "a\nb"
    assert "deep" in read_markdown("".join(f"{'  ' * depth}- deep {depth}\n" for depth in range(300)))[0]
    assert read_markdown("- " * 300 + "a\nb")[0].endswith("- a\nb")


@pytest.mark.parametrize(
    "mark",
    ["`", "*a ", "**a ", "_a ", "[", "[a](", "[a](x ", "![[a]](", "\\*", ">", "> ", "- ", "`a`` ", "![", "<!-- "],
)
def test_no_marks_make_it_stall(mark: str) -> None:
    said = mark * 10_000
    assert read_markdown(said)[0].count("a") == said.count("a")


def test_tables_are_known_by_their_place() -> None:
    text, _, known = read_markdown(
        "# Trips\n\nWho went:\n\n- so:\n\n| Who | Nights |\n|---|---|\n| *Ada* | 3 |\n| Ben | 2 |\n\nEnd."
    )
    ((first, last, header),) = known["tables"]
    assert (text[first:last], header) == ("Who: Ada; Nights: 3\nWho: Ben; Nights: 2", ["Who", "Nights"])
