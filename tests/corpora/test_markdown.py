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
        ("![A bell](bell.png) and [the ![A](a.png) tower](https://example.org)", "A bell and the A tower"),
        (
            "# Bells [![rung][a]][b]\n\n[![rung][a]][b]\n[![oiled](c)](d)\nTwo.\n\n[a]: x/y.svg\n[b]: /z",
            "# Bells\n\nTwo.",
        ),
        (r"\*as typed\* and `**code**`", "*as typed* and **code**"),
        ("{func}`read` and {py:meth}`Lamp.light <n>` in a {note}", "read and Lamp.light <n> in a {note}"),
        ("[Anna]: yes, &amp; <b>", "[Anna]: yes, & <b>"),
        (
            "3. one\n\n   > * two\n   >   goes on\n   ```\n   *c*\n     d\n   ```\n4.",
            "3. one\n\n* two\ngoes on\n\n*c*\n  d\n\n4.",
        ),
        ("a\n<!-- *b* -->\nc <!-- d -->", "a\n\nc"),
        ("[lz4] 1.9 and [a lamp][l].\n\n[lz4]: https://example.org 'x'\n[L]: <lamp.md>", "lz4 1.9 and a lamp."),
        (
            "[a] it\n\n[a]: no\n[b]: http://b.example\n[^1]: Yes.",
            "[a] it\n\n[a]: no\n[b]: http://b.example\n[^1]: Yes.",
        ),
        ('[lz4]\n\n[lz4]:\n    <https://example.org>\n    "a"\n\nb', "lz4\n\nb"),
        ("[b] [d]\n\n[a]: http://a\n[b]: http://b\n[c]: c.md\n[d]: /d\n[e]: no", "b d\n\n[e]: no"),
        ("a\n\n[//]: # (nobody reads it)", "a"),
        ("H<sub>2</sub>O<br>at <host> <input> <img src=x><a name=y></a>", "H2O\nat <host> <input>"),
        ("<p align=center><img src=x></p>\n\n<h1>Lamps</h1>\n<p>Lit at <b>six</b>.", "# Lamps\n\nLit at six."),
        ("<details><summary>Oil</summary>\n\n- *two*\n\n</details>", "Oil\n\n- two"),
        ("<my-name>\n*a*", "<my-name>\n*a*"),
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
    said = mark * 2_500
    assert read_markdown(said)[0].count("a") == said.count("a")


def test_tables_are_known_by_their_place() -> None:
    text, _, known = read_markdown(
        "# Trips\n\nWho went:\n\n- so:\n\n| Who | Nights |\n|---|---|\n| *Ada* | 3 |\n| Ben | 2 |\n\nEnd."
    )
    ((first, last, header),) = known["tables"]
    assert (text[first:last], header) == ("Who: Ada; Nights: 3\nWho: Ben; Nights: 2", ["Who", "Nights"])


def test_tables_in_html_are_rows() -> None:
    row = "<table><tr><th>Room<th>Colour<tr><td>Study<td>Blue</table>"
    text, _, known = read_markdown(f"A\n\n<h2>Rooms</h2>\n{row}")
    assert text == "A\n\n## Rooms\n\nRoom: Study; Colour: Blue"
    ((start, end, header),) = known["tables"]
    assert (text[start:end], header) == ("Room: Study; Colour: Blue", ["Room", "Colour"])


def test_it_is_known_where_code_stands() -> None:
    text, _, known = read_markdown("- a\n\n  ```\n  b\n  ```\n\nc\n\n    d\n    e\n\n    \n```\n```\nf `g`")
    assert [text[first:last] for first, last in known["code"]] == ["b", "d\ne"]


def test_html_that_no_page_has_is_said_as_it_stands() -> None:
    deep = "<div>" * 600
    assert read_markdown(deep)[0] == deep
