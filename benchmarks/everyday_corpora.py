"""The workspaces of the everyday set: which text is in each, as the files people have, and what each is called there.

Questions, notes, manuals and the lists of what the `-c` workspaces and those of tables and help pages hold are in
`benchmarks/everyday`; all other text is in a folder of data sets. A workspace has one to three enclaves. Public text is
held as a mirror: such a copy may be sent what quotes a mail.
"""

from __future__ import annotations

import csv
import gzip
import html
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from answerable.corpora.mail import read_mbox
from answerable.corpora.sources import Limits
from answerable.corpora.tables import row_lines

HERE = Path(__file__).resolve().parent / "everyday"
KINDS = {
    "fact": 19, "two-hop": 11, "yes-no": 11, "how-many": 5, "latest": 5, "why-how": 7, "keywords": 4, "typo": 4,
    "lower-case": 4, "follow-up": 4, "compare": 6, "version": 4, "command": 3, "none-near": 12, "none-nonsense": 1,
}  # fmt: skip
"""The kinds of questions, and about how many of a hundred each should be."""
MAIL = {
    "lokay": "lokay-m", "beck": "beck-s", "williams": "williams-w3", "dasovich": "dasovich-j",
    "farmer": "farmer-d", "kaminski": "kaminski-v",
}  # fmt: skip
MAILS = {"farmer": (1500, 3000), "kaminski": (0, 1500)}
"""Of the larger mailboxes a part, from one mail up to another: quick to build, and about half a year each."""
DEVELOP = frozenset({
    "lokay", "beck", "farmer", "kaminski", "encyclopaedia-a", "papers-a", "papers-c", "home-a", "policies-c",
    "tables-a", "tables-c", "manuals-a", "help-a",
})  # fmt: skip
REPORT = frozenset({
    "williams", "dasovich", "encyclopaedia-b", "papers-b", "home-b", "tables-b", "manuals-b", "help-b",
})  # fmt: skip
HALVES = ("develop", "report")
SLICES = 36
"""One part of so many of the encyclopaedia is in a slice, besides every passage that a question of its half needs."""

_GLUED = re.compile(r"(?<=[.?!:)])([A-Z][^.?!]{2,120})$")
"""The heading of the next section, where a paragraph of a paper ends in it without a blank between."""

Question = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """A document: the source and id by which questions call it, its name in the workspace, where quotes are sought."""

    source: str
    id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Enclave:
    """What goes into an enclave: documents, the files to write below its folder, or a file that is there already."""

    name: str
    kind: str
    pieces: Sequence[Piece]
    files: Mapping[str, str] = field(default_factory=dict)
    there: Path | None = None


def questions(place: Path = HERE) -> list[Question]:
    """All of the set in a folder, file by file."""
    return [row for path in sorted((place / "questions").glob("*.jsonl")) for row in _lines(path)]


def half_of(workspace: str) -> str:
    """`develop` or `report`. Raises `ValueError` for a workspace that is not of the set."""
    if match := re.fullmatch(r"tiny-(\d+)", workspace):
        return HALVES[int(match[1]) % 2 == 0]
    if workspace not in DEVELOP | REPORT:
        raise ValueError(f"{workspace!r} is no workspace of the everyday set")
    return HALVES[workspace in REPORT]


def grouped(workspace: str) -> str:
    """The name under which a workspace is counted: the tiny ones as one."""
    return "tiny" if workspace.startswith("tiny-") else workspace


def enclaves(data: Path, workspace: str, asked: Iterable[Question], place: Path = HERE) -> list[Enclave]:
    """What a workspace of the set in `place` holds; `asked`: all its questions, whose passages are in the slices."""
    half = half_of(workspace)
    part, kind = HALVES.index(half), workspace.rpartition("-")[0]
    if workspace in MAIL:
        return [_mail(data, MAIL[workspace], MAILS.get(workspace)), _wiki(data, half, asked)]
    if kind == "encyclopaedia":
        return [_wiki(data, half, asked)]
    listed = _listed(place / f"{workspace}.txt")
    if kind == "papers":
        return [_filed("papers", "private", _wanted([*_qasper(data, part), *_covidqa(data, part)], listed))]
    if kind == "policies":
        policies = _wanted([*_policies(data, part), *_guides(data)], listed)
        return [_filed("policies", "private", policies), _filed("pages", "mirror", _wanted(_pages(data, part), listed))]
    if kind == "home":
        notes = [(f"notes/{workspace}", name, name, text) for name, text in _notes(place / "notes" / workspace)]
        public = [_filed("policies", "mirror", _policies(data, part)), _filed("pages", "mirror", _pages(data, part))]
        return [_filed("notes", "private", notes), *public]
    if kind == "manuals":
        manuals = [(f"notes/{workspace}", name, name, text) for name, text in _notes(place / "notes" / workspace)]
        return [_filed("manuals", "private", manuals)]
    if kind == "help":
        return [_filed("pages", "mirror", _wanted([*_pages(data, part), *_guides(data)], listed))]
    if kind == "tables":
        return [_filed("tables", "private", _tables(data, listed))]
    one: dict[str, Any] = next(
        (row for row in _lines(place / "tiny.jsonl") if row["workspace"] == workspace), {"notes": {}}
    )
    return [_filed("notes", "private", [("tiny", name, name, text) for name, text in one["notes"].items()])]


def one_space(text: str) -> str:
    """The text with each run of blanks as one space."""
    return " ".join(text.split())


File = tuple[str, str, str, str]
"""Source, id, name of the file, and what it holds."""


def _filed(name: str, kind: str, files: Iterable[File]) -> Enclave:
    """An enclave whose every document is a file of its folder; a name that comes again gets a number."""
    pieces: list[Piece] = []
    written: dict[str, str] = {}
    for source, id_, file, text in files:
        stem, dot, end = file.rpartition(".")
        file = f"{stem} {len(written)}{dot}{end}" if file in written else file
        written[file] = text
        pieces.append(Piece(source, id_, f"{name}/{file}", f"{_plain(text, end)}\n{stem}"))
    return Enclave(name, kind, pieces, written)


def _mail(data: Path, user: str, part: tuple[int, int] | None) -> Enclave:
    """A mailbox as it is there, or a file of the mails of a part of it."""
    path, name = data / "enron" / f"{user}.mbox.gz", f"{user}.mbox"
    mails = read_mbox(path, name if part else path.name, "mail", Limits(), lambda _: None)
    pieces = [Piece(f"enron/{user}", f"<{one.meta['message_id']}>", one.id, one.text) for one in mails]
    if part is None:
        return Enclave("mail", "private", pieces, there=path)
    raw = re.split(r"^(?=From )", gzip.decompress(path.read_bytes()).decode("ascii"), flags=re.MULTILINE)[1:]
    return Enclave("mail", "private", pieces[slice(*part)], {name: "".join(raw[slice(*part)])})


def _wiki(data: Path, half: str, asked: Iterable[Question]) -> Enclave:
    needed = {gold["id"] for row in asked if half_of(row["workspace"]) == half for gold in row["gold"]}
    held = [row for row in _passages(data) if row["_id"] in needed or _part(row["_id"], SLICES) == HALVES.index(half)]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in held)
    pieces = [Piece("wiki", row["_id"], f"wiki.jsonl#{row['_id']}", row["text"]) for row in held]
    return Enclave("wiki", "mirror", pieces, {"wiki.jsonl": lines})


def _qasper(data: Path, part: int) -> Iterator[File]:
    for one in _lines(data / "qasper" / "papers.jsonl.gz"):
        if _part(one["title"], 2) == part:
            body = (f"## {text}" if _heading(text) else _GLUED.sub(r"\n\n## \1", text) for text in one["paragraphs"])
            text = "\n\n".join((f"# {one['title']}", "## Abstract", one["abstract"], *body))
            yield "qasper", one["title"], f"{_file_name(one['title'])}.md", text


def _heading(text: str) -> bool:
    return len(text.split()) <= 12 and text[-1:].isalnum()


def _covidqa(data: Path, part: int) -> Iterator[File]:
    for one in (paper["paragraphs"][0] for paper in _whole(data / "covidqa" / "covidqa.json.gz")["data"]):
        id_, first = str(one["document_id"]), one["context"].strip().partition("\n")[0]
        if _part(id_, 2) == part:
            yield "covidqa", id_, f"{_file_name(first)}.txt", one["context"]


def _policies(data: Path, part: int) -> Iterator[File]:
    for name in ("dev", "test"):
        for one in _whole(data / "policyqa" / f"{name}.json.gz")["data"]:
            if _part(title := one["title"], 2) == part:
                texts = (paragraph["context"] for paragraph in one["paragraphs"])
                yield "policyqa", title, f"{title} privacy policy.txt", "\n\n".join(texts)


def _pages(data: Path, part: int) -> Iterator[File]:
    for one in _lines(data / "doc2dial" / "documents.jsonl.gz"):
        if _part(one["_id"], 2) == part:
            rows = ((html.escape(row["heading"]), html.escape(row["text"])) for row in one["sections"])
            body = "\n".join(f"<h2>{heading}</h2>\n<p>{text}</p>" for heading, text in rows)
            page = f"<h1>{html.escape(one['title'])}</h1>\n{body}\n"
            yield "doc2dial", one["_id"], f"{_file_name(one['_id'])}.html", page


def _guides(data: Path) -> Iterator[File]:
    for one in _lines(data / "conditionalqa" / "pages.jsonl"):
        name = one["_id"].rpartition("/")[2]
        title = f"<title>{name.replace('-', ' ').capitalize()}</title>"
        yield "conditionalqa", one["_id"], f"{name}.html", "\n".join((title, *one["html"]))


def _listed(path: Path) -> set[tuple[str, ...]]:
    """Source and id of what a file names, a line each."""
    return {tuple(line.split("\t")) for line in path.read_text("utf-8").splitlines()} if path.is_file() else set()


def _wanted(files: Iterable[File], listed: set[tuple[str, ...]]) -> Iterator[File]:
    """Those files that are listed; all, where nothing is."""
    return (file for file in files if not listed or file[:2] in listed)


def _tables(data: Path, listed: set[tuple[str, ...]]) -> Iterator[File]:
    for source in ("wikitablequestions", "hitab", "tatqa"):
        name = "tatqa.jsonl.gz" if source == "tatqa" else "tables.jsonl.gz"
        for one in _lines(data / source / name):
            if (f"tables/{source}", one["_id"]) in listed:
                yield (f"tables/{source}", one["_id"], *_table(source, one))


def _table(source: str, one: Mapping[str, Any]) -> tuple[str, str]:
    """The name and text of its file: CSV of a plain table, else a page."""
    if source == "wikitablequestions":
        made = io.StringIO(newline="")
        csv.writer(made, lineterminator="\n").writerows([one["header"], *one["rows"]])
        return f"{_file_name(one['title'])} {one['_id']}.csv", made.getvalue()
    rows, paragraphs = one.get("rows", one.get("table")), one.get("paragraphs", ())
    top = one.get("top_header_rows", 1)
    heads = [one_space(" ".join(filter(None, column))) for column in zip(*rows[:top], strict=False)] if top else []
    cells = [("th", heads)] * bool(heads) + [("td", row) for row in rows[top:]]
    body = "\n".join(f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in row)}</tr>" for tag, row in cells)
    told = "\n".join(f"<p>{html.escape(text)}</p>" for text in paragraphs)
    title = one.get("title") or (paragraphs[0] if paragraphs else one["_id"])
    page = f"<h1>{html.escape(title[:120])}</h1>\n{told}\n<table>\n{body}\n</table>\n"
    return f"{_file_name(title)[:60].strip()} {one['_id'][:12]}.html", page


def _plain(text: str, end: str) -> str:
    """The text of a file without its markup, and the rows of a table in each form in which they may be quoted."""
    if end == "csv":
        rows = list(csv.reader(io.StringIO(text)))
    elif end == "html":
        cells = [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", text)]
        rows = [[html.unescape(cell) for cell in row] for row in cells]
        text = html.unescape(re.sub(r"<[^>]+>", " ", text))
    else:
        return text
    return "\n".join([text, *_row_forms(rows)])


def _row_forms(rows: list[list[str]]) -> Iterator[str]:
    """A table as it may be quoted: each row as the engine tells it, and its cells with blanks or bars between them."""
    if rows:
        yield from (line for line, _ in row_lines(rows[0], rows[1:]))
        full = [list(filter(None, row)) for row in rows]
        yield from (sign.join(map(one_space, row)) for sign in (" ", " | ", ", ", ",") for row in (*rows, *full))


def _notes(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.suffix in (".md", ".txt"):
            yield path.relative_to(folder).as_posix(), path.read_text("utf-8")


def _part(name: str, parts: int) -> int:
    return zlib.crc32(name.encode()) % parts


def _file_name(title: str) -> str:
    """A title as a person would name the file."""
    return one_space(re.sub(r"[^\w .,()'&-]+", " ", title))[:120].strip(" .") or "untitled"


@cache
def _passages(data: Path) -> list[dict[str, Any]]:
    return list(_lines(data / "wiki" / "passages.jsonl.gz"))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            yield from (json.loads(line) for line in file if not line.isspace())


def _whole(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)
