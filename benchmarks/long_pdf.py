"""A long PDF with chapters, sections, running heads and varied sentences, to measure long documents with.

Nothing in it is anybody's text. `pages_of` gives the headings and lines it is made of: what to expect of reading it.
"""

from __future__ import annotations

import random
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PLACES = "Arle Bevin Corrow Dunmere Eskdale Farrow Gellan Harl Istow Jarrow Kelby Lorne Marsk Norrin Ostby Pell".split()
NAMES = "Ada Bruno Celia Dmitri Edith Farid Greta Hugo Imre Jonna Karel Lise Marek Nadia Otto Petra".split()
THINGS = "bridge mill canal harbour archive school market chapel library station tunnel orchard weir ferry".split()
DEEDS = "built sold repaired surveyed opened closed painted measured described inherited moved flooded".split()
TOPICS = "Water Trade Winters Letters Roads Harvests Schools Lamps Measures Ferries Accounts Maps".split()
ENDS = (
    "because the {thing} at {place} had failed",
    "after {name} of {place} had asked for it twice",
    "with {number} workers and a debt of {money} crowns",
    "although the council of {place} voted against it",
    "so that the road to {place} could stay open in winter",
    "which nobody in {place} remembered by then",
)
LINES, WIDTH = 46, 92


@dataclass(frozen=True, slots=True)
class Part:
    """A heading of depth 1 or 2, or a paragraph (depth 0)."""

    depth: int
    text: str


def sentence(rng: random.Random) -> str:
    """One sentence, unlike most others."""
    fill = {
        "thing": rng.choice(THINGS),
        "place": rng.choice(PLACES),
        "name": rng.choice(NAMES),
        "number": rng.randint(3, 900),
        "money": rng.randint(10, 99000),
    }
    end = rng.choice(ENDS).format(**fill)
    who = f"{rng.choice(NAMES)} {rng.choice(PLACES)}"
    deed = f"{rng.choice(DEEDS)} the {rng.choice(THINGS)} of {rng.choice(PLACES)}"
    return f"In {rng.randint(1650, 1990)} {who} {deed} {end}."


def parts_of(seed: int) -> Iterator[Part]:
    """Chapters without end: headings and the paragraphs below them, in order."""
    rng = random.Random(seed)
    chapter = 0
    while True:
        chapter += 1
        yield Part(1, f"{chapter} {rng.choice(TOPICS)} of {rng.choice(PLACES)} and {rng.choice(PLACES)}")
        for section in range(1, rng.randint(4, 8)):
            yield Part(2, f"{chapter}.{section} {rng.choice(TOPICS)} before {rng.randint(1650, 1990)}")
            for _ in range(rng.randint(3, 9)):
                yield Part(0, " ".join(sentence(rng) for _ in range(rng.randint(3, 9))))


def pages_of(count: int, seed: int = 0) -> list[list[Part]]:
    """What stands on each of `count` pages: headings, and paragraphs as lines (a Part a line)."""
    pages: list[list[Part]] = []
    page: list[Part] = []
    for part in parts_of(seed):
        lines = [part.text] if part.depth else textwrap.wrap(part.text, WIDTH)
        # No heading stands at the foot of a page, and none is parted from what it heads.
        if page and part.depth and len(page) > LINES - 6:
            pages.append(page)
            page = []
        for line in lines:
            if len(page) >= LINES:
                pages.append(page)
                page = []
            page.append(Part(part.depth, line))
        if not part.depth:
            page.append(Part(0, ""))
        if len(pages) >= count:
            return pages[:count]
    return pages


def write_pdf(path: Path, count: int, seed: int = 0) -> list[Part]:
    """Write a PDF of `count` pages without bookmarks; its headings, in order."""
    pages = pages_of(count, seed)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
    ]
    kids = []
    for number, page in enumerate(pages, 1):
        shown = [
            f"BT /F1 8 Tf 72 760 Td (The chronicle of the lower valley) Tj ET BT /F1 8 Tf 300 30 Td ({number}) Tj ET"
        ]
        height = 735
        for part in page:
            size = (10, 18, 13)[part.depth]
            font = "F2" if part.depth else "F1"
            height -= 15 if part.text else 8
            if part.text:
                shown.append(f"BT /{font} {size} Tf 72 {height} Td ({part.text}) Tj ET")
        stream = "\n".join(shown).encode("latin-1")
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects) + 2} 0 R "
            "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(pages)} >>".encode()
    path.write_bytes(assembled(objects))
    return [part for page in pages for part in page if part.depth]


def assembled(objects: list[bytes]) -> bytes:
    """A PDF file of numbered objects, the first of them its catalog."""
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    return bytes(out)
