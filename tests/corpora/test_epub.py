"""EPUB books of both versions: reading order, chapters, what they say of themselves, and what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.errors import FormatError
from tests.corpora.packing import packed
from tests.corpora.reading import read, write

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>"""
NCX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd">
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><navMap>
  <navPoint id="n1" playOrder="1"><navLabel><text>The  Rock</text></navLabel><content src="Text/one%20a.xhtml#top"/>
    <navPoint id="n2"><navLabel><text>A part of it</text></navLabel><content src="Text/one%20a.xhtml#part"/></navPoint>
  </navPoint></navMap></ncx>"""
NAV = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>
<nav epub:type="toc"><ol><li><a href="Text/one%20a.xhtml"><i>The</i> Rock</a></li></ol></nav></body></html>"""


def page(body: str) -> str:
    head = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'
    return f"{head}<head><title>Lamps</title></head><body>{body}</body></html>"


def book(contents: str, more: str = "", spine: str = "") -> dict[str, str | bytes]:
    """A book of two chapters, of which the manifest names the second one first."""
    opf = f"""<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="2.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Lamps of the North</dc:title>
<dc:creator>Ann Lee</dc:creator><dc:creator>Bo Ek</dc:creator><dc:date>1907-05-04T00:00:00Z</dc:date></metadata>
<manifest><item id="two" href="Text/two.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="Text/one%20a.xhtml" media-type="application/xhtml+xml"/>
<item id="art" href="cover.jpg" media-type="image/jpeg"/>{contents}{more}</manifest>
<spine toc="ncx"><itemref idref="art"/><itemref idref="one"/><itemref idref="two"/>{spine}</spine></package>"""
    return {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/content.opf": opf,
        "OEBPS/toc.ncx": NCX,
        "OEBPS/nav.xhtml": NAV,
        "OEBPS/Text/one a.xhtml": page("<p>Bell Rock was lit in 1811.</p><h2>Its lamp</h2><p>Of brass.</p>"),
        "OEBPS/Text/two.xhtml": page("<h1>The Isle</h1><p>Skerryvore is taller.</p>"),
    }


ITEMS = {
    "2": '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
    "3": '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>',
}


@pytest.mark.parametrize("version", ITEMS)
def test_a_book_is_read_in_order_under_its_chapters(tmp_path: Path, version: str) -> None:
    (document,), reports = read(write(tmp_path / "b.epub", packed(book(ITEMS[version]))))
    assert document.title == "Lamps of the North" and document.kind == "epub" and reports == []
    assert document.text == (
        "The Rock\n\nBell Rock was lit in 1811.\n\nIts lamp\n\nOf brass.\n\nThe Isle\n\nSkerryvore is taller."
    )
    sections = [(one.title, one.depth, document.text[one.start : one.end].strip()) for one in document.sections]
    assert sections == [
        ("The Rock", 1, "The Rock\n\nBell Rock was lit in 1811.\n\nIts lamp\n\nOf brass."),
        ("Its lamp", 2, "Its lamp\n\nOf brass."),
        ("The Isle", 1, "The Isle\n\nSkerryvore is taller."),
    ]
    assert document.meta == {"record": 0, "creator": "Ann Lee, Bo Ek", "date": "1907-05-04"}


def test_chapters_that_cannot_be_read_are_told_and_the_others_are(tmp_path: Path) -> None:
    lost = '<item id="x" href="x.xhtml" media-type="application/xhtml+xml"/>'
    files = book(ITEMS["2"], lost, '<itemref idref="x"/><itemref idref="nothing"/>')
    files["OEBPS/Text/two.xhtml"] = bytes(range(256)) * 9  # as encryption leaves it
    (document,), reports = read(write(tmp_path / "b.epub", packed(files)))
    assert "Bell Rock" in document.text and "Skerryvore" not in document.text
    assert reports == ["skipped 2 chapters of b.epub: encrypted, damaged or not there"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"META-INF/container.xml": "<container/>"}, "does not say what it is made of"),
        ({"META-INF/container.xml": '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'}, "container.xml is damaged"),
        ({"OEBPS/content.opf": "<package"}, "content.opf is damaged"),
        ({"OEBPS/content.opf": "<package/>"}, "no text"),
        ({"OEBPS/content.opf": " " * 5_000_000}, "bomb"),
    ],
)
def test_what_is_no_book_is_refused(tmp_path: Path, change: dict[str, str], reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read(write(tmp_path / "b.epub", packed(book(ITEMS["2"]) | change)))
