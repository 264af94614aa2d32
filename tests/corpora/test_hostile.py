"""Small files made to stall or swell what reads them: each takes little work and memory, and the others are read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from answerable.corpora import office
from answerable.corpora.formats import Limits
from answerable.corpora.ingest import ingest
from answerable.corpora.mail import read_eml
from answerable.corpora.sources import charset
from answerable.corpora.store import Store
from answerable.corpora.tables import row_lines
from answerable.errors import FormatError
from answerable.text import sentences
from tests.corpora.reading import read, write
from tests.corpora.test_office import docx

OPENS = "From a@b.example Mon Jan  1 10:00:00 2024\n"
MAIL = "From: a@b.example\nTo: c@d.example\nSubject: Lamp\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n"
PUNYCODE = "abcdefghi" * 30_000
WIDE = 'Content-Type: multipart/mixed; boundary="b{}"\n\n--b{}\n'
PAGES = {
    "header.jsonl": json.dumps({"_id": "a", "header": ["h" * 270_000], "rows": [["1"]] * 20_000}),
    "names.jsonl": json.dumps({"_id": "i" * 100_000, "title": "t" * 100_000, "text": "It burns. " * 10_000}),
    "paths.json": json.dumps({"h" * 270_000: {"b" * 80: [[{"a": 1}]] * 14_000}}),
    "header.md": "h" * 100_000 + "|b\n-|-\n" + "a|c\n" * 5_000,
    "header.csv": "a" * 79 + ",b\n" + "1,\n" * 20_000,
    "digits.csv": "1" * 130_000 + "x,b\n1,2\n3,4\n",
    "rule.md": "a|b\n-" + " " * 131_000 + "x\nb|c\n",
    "links.md": "a|b\n-|-\n" + "[" * 10_000 + "|" + "[](" * 5_000 + "\n",
    "roles.rst": "::a" * 40_000,
    "rows.html": ("<table><tr>" + f"<td rowspan=64>{'w' * 100}" * 64 + "<tr>" * 63 + "</table>") * 30,
    "heading.html": "<h2>a</h2><h1>" + "head " * 20_000 + "</h1>" + "<p>It burns all night." * 8000,
    "chinese.txt": "字。" * 20_000,
    "numbers.txt": "1. 2.5 " * 30_000,
    "quotes.txt": "“a. ' “" * 20_000,
    "pages.txt": "a 1 2 3 4\n\f" * 15_000,
    "line.mbox": OPENS + MAIL + "\n\nFrom " + "00:00 " * 22_000 + "x\n",
    "id.mbox": OPENS + MAIL + f"Message-ID: <{'i' * 60_000}>\n\n" + "It burns. " * 20_000,
    "body.eml": MAIL + "Content-Type: text/plain; charset=punycode\n\n" + PUNYCODE,
    "name.eml": MAIL + "Content-Disposition: attachment; filename*=punycode''" + PUNYCODE + "\n\nIt burns.",
    "charset.eml": MAIL + "Content-Type: text/plain; charset*=punycode''" + PUNYCODE + "\n\nIt burns.",
    "quoted.eml": MAIL + 'Content-Type: text/plain; x="' + ';"' * 100_000 + "\n\nIt burns.",
    "nested.eml": MAIL + "".join(WIDE.format(n, n) for n in range(200)) + "\n" + "a\n" * 20_000,
    "forwarded.eml": MAIL + "Content-Type: message/rfc822\n\n" * 10_000 + "\nIt burns.",
    "people.eml": MAIL.replace("c@d.example", "a@b," * 100_000) + "\nIt burns.",
    "quoting.eml": MAIL + "\nIt burns.\n\nFrom: " + "[" * 100_000 + "\nTo: a\nSent: x\nSubject: y\n\nNot now.",
    "page.html": f"<meta charset=punycode><p>{PUNYCODE}",
}
"""By name, what is read and gives text."""
REFUSED = {
    "attributes.html": (f"<p {' '.join(f'a{n}' for n in range(80_000))}>x", "a tag of more than 256 attributes"),
    "hidden.html": (f"<p a='>' {' '.join(f'a{n}' for n in range(80_000))}>x", "a tag of more than 256 attributes"),
    "deep.json": ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    "inner.json": ('{"a":' * 500 + "1" + "}" * 500, "nested too deeply"),
    "bodies.html": ("".join(f"<body a{n}>" for n in range(40_000)) + "x", "a tag of more than 256 attributes"),
    "styles.html": ("<p>" + "".join(f"<b id={n}>" for n in range(400)) + "<p>x" * 20_000, "opens far more elements"),
    "ends.html": ("<i><table><td>" + "<span>" * 450 + "x</i>" * 80_000, "opens far more elements"),
}
"""By name, what is refused, and why."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    for name, page in {**PAGES, **{name: page for name, (page, _) in REFUSED.items()}}.items():
        (made / name).write_text(page, encoding="utf8")
    (made / "zz.txt").write_text("The last one is read too.")
    return made


def test_each_takes_little_work_and_memory_and_the_others_are_read(folder: Path) -> None:
    lines: list[str] = []
    limits = Limits(max_seconds=1, max_memory=500 * 10**6)  # of work, which no busy machine makes more
    with Store(folder.parent / "store.sqlite") as store:
        done = ingest(store, [folder], "public", limits, lines.append, lambda _: None)
        texts = {source: store.document("public", id) for id, source, _ in store.documents("public")}
        written = sum(len(row.text) + len(row.heading) + len(row.id) for row in store.rows("public"))
    assert sorted(lines) == sorted(lines, key=lambda line: line.split()[1])
    assert {line.split()[1][3:-1]: REFUSED[line.split()[1][3:-1]][1] in line for line in lines} == dict.fromkeys(
        REFUSED, True
    )
    assert set(texts) == {f"in/{name}" for name in (*PAGES, "zz.txt")} and done.failed == len(REFUSED)
    assert texts["in/chinese.txt"].text == PAGES["chinese.txt"]
    assert written < 5 * sum(len(page) for page in PAGES.values())


@pytest.mark.parametrize("unit", ["字。", "1. ", '"a. ', "It burns all night. ", "word ", "a" * 50])
def test_long_paragraphs_are_split_whole_and_in_stretches(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sentencex

    longest = 0
    plain = sentencex.segment

    def segment(language: str, text: str) -> Iterator[str]:
        nonlocal longest
        longest = max(longest, len(text))
        return plain(language, text)

    monkeypatch.setattr(sentencex, "segment", segment)
    text = unit * (20_000 // len(unit))
    spans = sentences(text)
    assert longest <= 2000
    assert "".join(text[start:end] for start, end in spans).replace(" ", "") == text.replace(" ", "")
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    if unit.startswith("It"):
        assert {text[start:end] for start, end in spans} == {unit.strip()}


def test_a_header_is_said_as_long_as_it_does_not_multiply() -> None:
    rows = [["x" * 20, "y" * 20]] * 100_000
    assert all(line.startswith("Name: ") and "; Place: " in line for line, _ in row_lines(["Name", "Place"], rows))
    said = [line for line, _ in row_lines(["n" * 80], [["1"]] * 100_000)]
    assert said[0] == "n" * 80 + ": 1" and said[-1] == "1" and sum(map(len, said)) < 3_000_000


def test_charsets_that_are_none_are_not_asked() -> None:
    assert charset("Latin-1") == "iso8859-1"
    for name in ("punycode", "IDNA", "unicode_escape", "undefined", "x" * 100_000, "no such"):
        with pytest.raises(LookupError):
            charset(name)


def test_parts_deep_within_others_are_text(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_text(MAIL + "".join(WIDE.format(n, n) for n in range(25)) + "\nIt burns.\n")
    (document,) = read_eml(path, "a.eml", "e", Limits(), print)
    assert document.text.endswith("It burns.") and "boundary" in document.text
    path.write_text(MAIL + "".join(WIDE.format(n, n) for n in range(5)) + "\nIt burns.\n")
    (document,) = read_eml(path, "a.eml", "e", Limits(), print)
    assert document.text.endswith("Subject: Lamp\n\nIt burns.")


def test_a_word_document_of_endless_elements_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "_MOST_ELEMENTS", 100)
    with pytest.raises(FormatError, match="more than 100 elements"):
        read(write(tmp_path / "a.docx", docx("<w:p/>" * 200)))
    (document,), _ = read(
        write(tmp_path / "b.docx", docx("<w:p/>" * 50 + "<w:p><w:r><w:t>It burns.</w:t></w:r></w:p>"))
    )
    assert document.text == "It burns."


def test_an_archive_that_is_a_bomb_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    write(folder / "a.docx", docx("<w:p/>" * 300_000))
    write(folder / "b.txt", "It burns.")
    lines: list[str] = []
    with Store(tmp_path / "store.sqlite") as store:
        done = ingest(store, [folder], "public", Limits(), lines.append, lambda _: None)
    assert (done.failed, done.added) == (1, 1)
    assert "bomb" in lines[0]
