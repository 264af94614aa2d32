"""A Notion export, as Markdown and as HTML, whole and in parts."""

from __future__ import annotations

from pathlib import Path

from tests.corpora.packing import packed
from tests.corpora.reading import read, write

HOME, LAMPS, TABLE, ROW = (f"{digit * 31}{digit}" for digit in "abcd")
PAGES: dict[str, str | bytes] = {
    f"Work {HOME}.md": f"# Work (2021)\n\n[Lamps (old)](Work%20{HOME}/Lamps%20(old)%20{LAMPS}.md) and "
    "[a site](https://example.org/a)\n\n![Untitled](Work%20x/Untitled.png)\n",
    f"Work {HOME}/Lamps (old) {LAMPS}.md": "Of brass.\n\n| Year | Order |\n| --- | --- |\n| 1811 | first |\n",
    f"Work {HOME}/Orders {TABLE}.csv": "\ufeffName,Status\nA lens,Open\n",
    f"Work {HOME}/Orders {TABLE}_all.csv": "\ufeffName,Status\nA lens,Open\nA lamp,Done\n",
    f"Work {HOME}/Orders {TABLE}/A lens {ROW}.md": "# A lens\n\nStatus: Open\nDue: May 4, 2021\n\nTo be cut.\n",
    f"Work {HOME}/Untitled.png": b"\x89PNG",
    f"Work {HOME}/Empty {'e' * 32}.md": "\n",
}


def test_pages_and_databases_are_called_without_their_ids(tmp_path: Path) -> None:
    documents, reports = read(write(tmp_path / "Export-1.zip", packed(PAGES)))
    told = {one.id: (one.title, one.kind, one.meta["folder"]) for one in documents}
    assert told == {
        f"Export-1.zip#{HOME}": ("Work (2021)", "markdown", ""),
        f"Export-1.zip#{LAMPS}": ("Lamps (old)", "markdown", "Work"),
        f"Export-1.zip#{TABLE}": ("Orders", "table", "Work"),
        f"Export-1.zip#{ROW}": ("A lens", "markdown", "Work / Orders"),
    }
    texts = {one.title: one.text for one in documents}
    assert texts["Work (2021)"] == "# Work (2021)\n\nLamps (old) and a site"
    assert texts["Lamps (old)"] == "Of brass.\n\nYear: 1811; Order: first"
    assert texts["Orders"] == "Name: A lens; Status: Open\nName: A lamp; Status: Done"
    assert reports == ["skipped page 2 of Export-1.zip: it is empty, too large or damaged"]


def test_parts_in_an_archive_are_read_like_one(tmp_path: Path) -> None:
    half = {name: data for name, data in PAGES.items() if "Orders" in name}
    rest = {name: data for name, data in PAGES.items() if name not in half}
    name = "ExportBlock-a8b2c3d4-0000-4000-8000-00000000000{0}-Part-{0}.zip"
    outer = {name.format(1): packed(rest), name.format(2): packed(half)}
    path = write(tmp_path / "Export-1.zip", packed(outer))
    whole, _ = read(path)
    assert {one.title for one in whole} == {"Work (2021)", "Lamps (old)", "Orders", "A lens"}
    assert read(path, start=whole[1].meta["record"] + 1)[0] == whole[2:]


def test_as_html(tmp_path: Path) -> None:
    html = (
        "<html><head><title>Lamps</title></head><body><h1>Lamps</h1><p>Of <a href='x.html'>brass</a>.</p></body></html>"
    )
    (document,), _ = read(write(tmp_path / "e.zip", packed({"index.html": "<p>All", f"Lamps {LAMPS}.html": html})))
    assert (document.title, document.text, document.kind) == ("Lamps", "Lamps\n\nOf brass.", "html")
