"""HTML of manuals: lists of definitions, boxes, and what only leads elsewhere."""

from __future__ import annotations

from answerable.corpora.outline import Written
from answerable.corpora.passages import split
from answerable.corpora.web import html_text
from answerable.text import sentences
from answerable.types import Document

LONG = "Says how long a lamp burns before it is changed. " * 6


def page(body: str, head: str = "") -> Written:
    return html_text(f"<html><head><title>n</title>{head}</head><body>{body}</body></html>", "n")[1]


def sections(written: Written) -> list[tuple[str, int]]:
    return [(section.title, section.depth) for section in written.sections]


def test_terms_and_what_is_said_of_them_are_lines_of_their_own() -> None:
    lists = "<dl><dt>-a<dt>--all<dd>Takes all.<dt>-q<dd><p>Says nothing.</p><p>Not even errors.</p></dl><p>End"
    assert page(lists).text == "-a\n--all\n\nTakes all.\n\n-q\n\nSays nothing.\n\nNot even errors.\n\nEnd"
    text = page(
        "<dl><dt>www-data<dd>Some web servers run as www-data.<dt>wick<dd><ul><li>Cotton<li>Wool</ul></dl>"
    ).text
    assert text == "www-data\n\nSome web servers run as www-data.\n\nwick\n\nCotton\nWool"
    assert [text[slice(*one)] for one in sentences(text)][:2] == ["www-data", "Some web servers run as www-data."]


def test_terms_of_which_much_is_said_are_headings_that_end_with_their_list() -> None:
    written = page(f"<h2>Settings</h2><dl><dt>burn<dt>hours<dd>{LONG}<dt>wick<dd><p>{LONG}</p></dl><p>All of them.</p>")
    assert sections(written) == [("Settings", 2), ("burn, hours", 3), ("wick", 3)]
    settings, burn, wick = written.sections
    assert burn.end == wick.start and written.text[wick.start : wick.end].strip().endswith(LONG.strip())
    assert written.text[wick.end : settings.end].strip() == "All of them."
    document = Document("n", "notes", "n", written.text, "n", "html", written.sections, {})
    paths = [passage.section for passage in split(document)]
    assert paths == ["Settings > burn, hours", "Settings > wick", "Settings"]


def test_lists_of_definitions_lie_in_each_other() -> None:
    inner = f"<dl><dt>light()<dd>{LONG}</dl>"
    assert sections(page(f"<h1>Lamps</h1><dl><dt>class Lamp<dd><p>{LONG}</p>{inner}<p>More.</p></dl>")) == [
        ("Lamps", 1),
        ("class Lamp", 2),
        ("light()", 3),
    ]


def test_terms_of_which_nothing_is_said_are_kept() -> None:
    assert page("<p>a</p><dl><dt>b</dl><p>c</p><dl></dl><dl><dt><h3>d</h3><dd>e</dl>").text == "a\n\nb\n\nc\n\nd\n\ne"


def test_the_heading_of_a_box_takes_nothing_that_stands_below_the_box() -> None:
    box = "<div class=note><h3>Note</h3><p>Mind the glass.</p></div>"
    oil = "<div><h3>Oil</h3></div><p>Three.</p>"
    written = page(f"<h1>Lamps</h1><div><h3>Wicks</h3></div><p>One.</p>{box}<p>Two.</p>{oil}")
    assert sections(written) == [("Lamps", 1), ("Wicks", 3), ("Oil", 3)]
    assert "One.\n\nNote\n\nMind the glass.\n\nTwo." in written.text


def test_menus_and_marks_to_link_by_are_no_text() -> None:
    menu = "<ul><li><a href=index.html>Home</a><li><a href=/about>About</a></ul>"
    related = "<div role=navigation><h3>Where to</h3></div>"
    written = page(f"{related}{menu}<h1>Lamps<a href=#lamps>¶</a></h1><p>Glass <a href=http://a/b>§</a>.</p>{menu}")
    assert written.text == "Lamps\n\nGlass .\nHome\nAbout"
    assert page(menu).text == "Home\nAbout"
    assert page("<ul><li><a href=https://example.org>A page</a></ul><h1>Lamps</h1>").text == "A page\n\nLamps"


def test_a_table_by_which_pages_are_turned_is_no_text() -> None:
    row = "<tr><td><a href=1.html>Prev</a><td>Lamps<td><a href=3.html>Next</a></tr>"
    turning = f"<table>{row}<tr><td>a<td>b<td>c</table>"
    assert page(f"{turning}<h1>Lamps</h1>", "<link rel=prev href=1.html><link rel=next href=3.html>").text == "Lamps"
    assert "Prev" in page(f"{turning}<h1>Lamps</h1>").text


def test_links_by_which_pages_are_turned_are_no_text() -> None:
    links = "Next: <a href=b rel=next accesskey=n>Oil</a>, Up: <a href=c rel=up>All</a> &nbsp; [<a href=d>Index</a>]"
    assert (
        page(f"<div class=header><p>{links}</p></div><h3>Lamps</h3><p>Lit.</p><div><p>{links}</p></div>").text
        == "Lamps\n\nLit."
    )
    again = "<hr><div><p>Next: <a href=b>Oil</a>, [<a href=d>Index</a>]</p></div>"
    assert page(f"<div><p>{links}</p></div><p>Lit.</p>{again}").text == "Lit."
    assert page(f"<p>Lit.</p>{again}", "<link rel=up href=c><link rel=next href=b>").text == "Lit."
    assert page(f"<p>Lit.</p>{again}").text == "Lit.\n\nNext: Oil, [Index]"
    said = "<p>The next page is <a href=b.html rel=next>Oil</a>.</p><p>Press <a accesskey=s href=x>save</a>.</p>"
    assert page(said).text == "The next page is Oil.\n\nPress save."
    assert page("<div><h1>Lamps</h1><a rel=next href=b>Oil</a></div>").text == "Lamps\n\nOil"


def test_a_table_of_contents_is_no_text() -> None:
    items = "<li>A <a href=#a>Lamps</a><ul><li><a href=#b>Glass</a></ul><li><a href=#c>Oil</a>"
    text = "<h2 id=a>Lamps</h2><h3 id=b>Glass</h3><p>Clear.</p><h2 id=c>Oil</h2><p>Thick.</p>"
    shown = "Lamps\n\nGlass\n\nClear.\n\nOil\n\nThick."
    assert page(f"<ul>{items}</ul>{text}").text == shown
    assert page(f"<div><p><b>Table of Contents</b></p><ul>{items}</ul></div>{text}").text == shown
    terms = "<dl><dt><a href=#a>Lamps</a><dd><dl><dt><a href=#b>Glass</a></dl></dl>"
    assert page(f"<h2>Contents</h2>{terms}{text}").text == shown
    assert page(f"<h1>A manual</h1>{terms}{text}").text == f"A manual\n\n{shown}"


def test_lists_that_say_more_than_where_something_stands_are_text() -> None:
    assert page("<ul><li><a href=#a>Lamps</a>, lit<li><a href=#b>Oil</a></ul>").text == "Lamps, lit\nOil"
    assert page("<ul><li id=a><a href=#a>Lamps</a><li id=b><a href=#b>Oil</a></ul>").text == "Lamps\nOil"
    assert page(
        "<div><ul><li><a href=#a>Lamps</a><li><a href=#b>Oil</a></ul><p>They burn for days on end.</div>"
    ).text == ("They burn for days on end.")
