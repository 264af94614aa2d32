"""Bookmarks as Firefox and Chrome export them."""

from __future__ import annotations

from pathlib import Path

from answerable.corpora.fields import fields_of
from tests.corpora.reading import read, write

FIREFOX = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file.
     It will be read and overwritten.
     DO NOT EDIT! -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'self'; script-src 'none'; img-src data: *; object-src 'none'"></meta>
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks Menu</H1>

<DL><p>
    <DT><A HREF="place:sort=8&maxResults=10" ADD_DATE="1616161616">Recent</A>
    <DT><H3 ADD_DATE="1616161616" PERSONAL_TOOLBAR_FOLDER="true">Work &amp; play</H3>
    <DL><p>
        <DT><H3 ADD_DATE="1616161616">Towers</H3>
        <DL><p>
            <DT><A HREF="https://example.org/bell?a=1&amp;b=2" ADD_DATE="989000000"
                ICON="data:image/png;base64,AA==" TAGS="stone,Scotland">Bell Rock &#39;light&#39;</A>
            <DD>Lit in 1811, of
sandstone.
        </DL><p>
        <DT><A HREF="https://example.org/lamps" ADD_DATE="0"></A>
    </DL><p>
    <HR>    <DT><A HREF="javascript:alert(1)">Run</A>
    <DT><A HREF="https://example.org/lamps" ADD_DATE="1616161616000000">Lamps</A>
</DL>
"""


def test_each_bookmark_is_a_document_with_its_address_folder_and_day(tmp_path: Path) -> None:
    documents, reports = read(write(tmp_path / "bookmarks.html", FIREFOX))
    bell, untitled, lamps = documents
    assert reports == [] and {one.kind for one in documents} == {"bookmark"}
    assert bell.title == "Bell Rock 'light'" and bell.id == "bookmarks.html#https://example.org/bell?a=1&b=2"
    assert bell.text == (
        "Bell Rock 'light'\nAddress: https://example.org/bell?a=1&b=2\nFolder: Work & play / Towers\n"
        "Tags: stone, Scotland\nAdded: 2001-05-04\n\nLit in 1811, of sandstone."
    )
    assert bell.meta["folder"] == "Work & play / Towers" and bell.meta["tags"] == ["stone", "Scotland"]
    assert (told := fields_of(bell)) and told.date == "2001-05-04"
    assert untitled.title == "https://example.org/lamps" and untitled.meta["folder"] == "Work & play"
    assert lamps.id == "bookmarks.html#https://example.org/lamps~2" and lamps.meta["date"] == "2021-03-19"
    assert lamps.text == "Lamps\nAddress: https://example.org/lamps\nAdded: 2021-03-19"


def test_reading_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = write(tmp_path / "bookmarks.html", FIREFOX)
    whole, _ = read(path)
    assert [one for start in (1, 3) for one in read(path, start=start)[0]] == whole[1:]


def test_a_page_that_is_none_is_a_page(tmp_path: Path) -> None:
    (document,), _ = read(write(tmp_path / "a.html", f"<!-- {FIREFOX[:30]} --><h1>Lamps</h1><p>Of brass.</p>"))
    assert document.kind == "html" and document.title == "Lamps"
