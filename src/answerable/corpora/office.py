"""Word documents (.docx): paragraphs, headings, tables and notes, read with bounds that a bomb cannot pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.parsers import expat

from answerable.corpora.archives import Archive, opened
from answerable.corpora.outline import Draft
from answerable.corpora.sources import File, Limits, Report, clean
from answerable.errors import FormatError
from answerable.text import one_line
from answerable.types import Document

_WORD_SPACES = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
_HEADING_NAME = re.compile(r"heading ?([1-9])$", re.IGNORECASE)
_NOTES = ("footnote", "endnote")
_DEEPEST_STYLE = 12
_WIDEST_CELL = 64
_WIDEST_ROW = 2000
"""Columns of a row up to which a wide cell counts for several."""
_MOST_ELEMENTS = 5_000_000


def read_docx(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """A Word document as one document, titled by its Title paragraph, else its first heading, else its file name."""
    with opened(path, source, limits, "Word document") as archive:
        styles = _StyleReader()
        if "word/styles.xml" in archive.names:
            _parse(archive.read("word/styles.xml"), source, styles.start)
        styles.inherit()
        reader = _BodyReader(
            styles.depths, styles.lists, {one: said for kind in _NOTES for one, said in _notes(archive, kind)}
        )
        _parse(archive.read("word/document.xml"), source, reader.start, reader.end, reader.data)
    yield reader.draft.document(source, enclave, "docx", reader.title, {})


def _notes(archive: Archive, kind: str) -> Iterator[tuple[tuple[str, str], str]]:
    """What each footnote or endnote says, by its kind and number."""
    name = f"word/{kind}s.xml"
    for note in archive.tree(name).iter(kind) if name in archive.names else ():
        said = one_line(clean("".join(one.text or "" if one.tag == "t" else " " for one in note.iter())))
        if said:
            yield (kind, next((value for key, value in note.items() if key.endswith("}id")), "")), said


def _parse(
    xml: bytes,
    source: str,
    opens: Callable[[str, dict[str, str]], None],
    closes: Callable[[str], None] = lambda name: None,
    says: Callable[[str], None] = lambda text: None,
) -> None:
    """Read a WordprocessingML file: `opens` and `closes` are told elements by their local names, with attributes that
    are without their namespaces, `says` the characters. A document type, and with it any entity, is refused."""
    parser = expat.ParserCreate(namespace_separator=" ")

    def local(name: str) -> str:
        space, _, rest = name.rpartition(" ")
        return rest if space in _WORD_SPACES else f"-{rest}"

    def refuse(*_: object) -> None:
        raise FormatError(f"{source} declares a document type, which no Word document does")

    left = _MOST_ELEMENTS

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise FormatError(f"{source} holds more than {_MOST_ELEMENTS:,} elements")
        opens(local(name), {key.rpartition(" ")[2]: value for key, value in attributes.items()})

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: closes(local(name))
    parser.CharacterDataHandler = says
    parser.buffer_text = True
    try:
        parser.Parse(xml, True)
    except expat.ExpatError as error:
        raise FormatError(f"{source} holds damaged XML") from error


class _StyleReader:
    """Which paragraph styles are headings: `depths` maps a style id to 1 to 9, or 0 for the title of the document.

    `lists` are the styles of items of lists. A style is what the style it is based on is, unless it says otherwise.
    """

    def __init__(self) -> None:
        self.depths: dict[str, int] = {}
        self.lists: set[str] = set()
        self._style = ""
        self._based: dict[str, str] = {}

    def inherit(self) -> None:
        """Hand down what styles are to those based on them, once all of them are read."""
        for style in self._based:
            chain = [style]
            while (base := self._based.get(chain[-1])) and base not in chain and len(chain) < _DEEPEST_STYLE:
                chain.append(base)
            depth = next((self.depths[one] for one in chain if one in self.depths), None)
            if depth is not None:
                self.depths.setdefault(style, depth)
            elif any(one in self.lists for one in chain):
                self.lists.add(style)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        if name == "style":
            self._style = attributes.get("styleId", "")
        elif name == "basedOn" and self._style:
            self._based[self._style] = value
        elif name == "numPr" and self._style:
            self.lists.add(self._style)
        elif name == "name" and self._style:
            if match := _HEADING_NAME.match(value):
                self.depths[self._style] = int(match.group(1))
            elif value.lower() == "title":
                self.depths[self._style] = 0
        elif name == "outlineLvl" and self._style and value.isdecimal() and int(value) < 9:
            self.depths.setdefault(self._style, int(value) + 1)


class _BodyReader:
    """Writes paragraphs, headings and table rows to a draft."""

    def __init__(self, depths: dict[str, int], lists: set[str], notes: dict[tuple[str, str], str]) -> None:
        self._notes = notes
        self._below: list[str] = []
        self.draft = Draft()
        self.title = ""
        self._depths = depths
        self._lists = lists
        self._item = False
        self._text: list[str] = []
        self._depth: int | None = None
        self._collect = False
        self._skipped = 0
        self._tables = 0
        self._span = 1
        self._rows: list[list[str]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        # A drawing brings its text box twice, for new and for old programs: the old one is `Fallback`.
        if name == "-Fallback" or self._skipped:
            self._skipped += 1
        elif name == "p":
            if not self._tables:
                self._text.clear()
            self._depth = None
            self._item = False
        elif name == "t":
            self._collect = True
        elif name in ("tab", "br", "cr"):
            self._text.append("\t" if name == "tab" else "\n")
        elif name.endswith("Reference") and (
            note := self._notes.get((name.removesuffix("Reference"), attributes.get("id", "")))
        ):
            self._below.append(note)
        elif name == "pStyle":
            style = attributes.get("val", "")
            match = _HEADING_NAME.match(style)
            self._depth = self._depths.get(style, int(match.group(1)) if match else None)
            self._item = self._item or style in self._lists
        elif name == "numPr":
            self._item = True
        elif name == "outlineLvl" and (value := attributes.get("val", "")).isdecimal() and int(value) < 9:
            self._depth = int(value) + 1
        elif name == "tbl":
            self._tables += 1
        elif name == "tr" and self._tables == 1:
            self._rows.append([])
        elif name == "tc" and self._tables == 1:
            self._text.clear()
            self._span = 1
        elif name == "gridSpan" and self._tables == 1:
            value = attributes.get("val", "")
            self._span = min(int(value), _WIDEST_CELL) if value.isdecimal() else 1

    def end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
        elif name == "t":
            self._collect = False
        elif name == "p":
            if self._tables:
                self._text.append(" ")
            else:
                self._paragraph()
        elif name == "tc" and self._tables == 1 and self._rows:
            # The cells below a wide one stay below their own headers.
            span = self._span if len(self._rows[-1]) < _WIDEST_ROW else 1
            self._rows[-1] += [one_line("".join(self._text)), *[""] * (span - 1)]
            self._text.clear()
        elif name == "tbl":
            self._tables -= 1
            if not self._tables:
                self._table()

    def data(self, text: str) -> None:
        if self._collect and not self._skipped:
            self._text.append(text)

    def _paragraph(self) -> None:
        text = "".join(self._text).strip()
        self._text.clear()
        if self._depth is None:
            # An item stands right below what leads into the list, as in every other format.
            (self.draft.line if self._item else self.draft.block)(text)
        else:
            if self._depth == 0 and not self.title:
                self.title = one_line(text)
            self.draft.heading(text, max(self._depth, 1))
        self._note()

    def _note(self) -> None:
        """What notes say to a paragraph or a table, right below it."""
        for note in self._below:
            self.draft.line(note)
        self._below.clear()

    def _table(self) -> None:
        rows = [row for row in self._rows if any(row)]
        self._rows.clear()
        self._text.clear()
        self.draft.table(rows)
        self._note()
