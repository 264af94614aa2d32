"""Inputs that parse, and are wrong inside: for each format, files made of seeds by changes that keep their frame.

A Word document is changed in its XML, which stays well-formed, and packed anew; a PDF in its objects and streams, with
lengths and the table of places written anew; a mailbox between its separators; JSON, and lines of it, in its values.

    python benchmarks/fuzz_inputs.py FORMAT NUMBER FILE [--seed N]    one input of `fuzzing.py` again
"""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import common
from answerable.cli.demo import SAMPLE
from tests.corpora.test_office import STYLES, W, docx, paragraph, row
from tests.corpora.test_pdf import pdf

WORD = W.split('"')[1]
ODD = (
    "字。", "\u202e", "\ufeff", "a\u0301" * 9, "\U0001f5fc", "1.2.3.", "“", "' ", "\t", "\xa0", "İ", "ß", "\u2028",
    "...", "e.g. ",
)  # fmt: skip
TOKENS: dict[str, tuple[Any, ...]] = {
    "text": (
        "\n\n", "\f", "[Page 3]\n", "1. Lamps.\n\n", "ARTICLE IV\n", "====\n", "(a) Oil\n", "....... 12\n", "§ 4 ",
        "4.2 Term. ",
    ),
    "markdown": (
        "# ", "\n---\n", "|", "\n|-|-|\n", "```\n", "[a](b)", "[", "![", "](", "**", "_", "\n===\n", "\\|", "> ",
        "- ",
    ),
    "html": (
        "<table><tr><td rowspan=9>", "<td colspan=99>", "</table>", "<b>", "</b>", "<p hidden>", "<h1>", "</h2>",
        "<pre>", "<li>", "<script>", "</script>", "<!--", "-->", "<svg>", "&amp;", "&#0;", "&#x110000;",
        "<body a=b>", "<a href='", '"', "<br/>", "<select>", "<template>", "</p>", "<![CDATA[", "<math>",
        "<frameset>", "<title>", "<plaintext>", "<form>", "<td>", "<caption>", "<p x=1 y=2>",
    ),
    "table": (
        ",", ";", "\n", '"', '""', "\t", "|", "\r", "a,b\n", ",,,,\n", "1", "Name,",
    ),
    "mail": (
        "Content-Type: multipart/mixed; boundary=x\n", "\n--x\n", "\n--x--\n",
        "Content-Type: text/html; charset=punycode\n", "Content-Transfer-Encoding: base64\n",
        "Content-Transfer-Encoding: quoted-printable\n", "=?utf-8?q?=41?=", "=?x?b?", "=20\n", "=\n", "> ", ">From ",
        "Subject: ", "To: a@b, ", "(", '"', "<", "-----Original Message-----\n", "On Monday, A wrote:\n", "\n\n",
        "From: x\n", "Content-Disposition: attachment; filename*=utf-8''a%20b\n", "Date: 31 Feb 99999 25:61\n",
        "Message-ID: <x@y>\n", "charset*0*=idna''x;",
    ),
    "pdf": (
        b" Tj", b" Td", b" T*", b" Tf", b" BT", b" ET", b" q", b" Q", b" cm", b" Do", b"(a)", b"<41>",
        b"[(a) -900 (b)] TJ", b" 0 0", b" -1", b" 99999999", b" Tm", b" 0.0001", b"((", b"\\)", b"<<", b">>", b" TL",
        b" Tz", b" re f", b" 3 0 R", b" null", b"/Kids", b" 1e38",
    ),
}  # fmt: skip


def changed(chance: random.Random, text: str, tokens: Sequence[str]) -> str:
    """A text with a few pieces taken out, put in, said again, moved or made odd."""
    for _ in range(chance.choice((1, 1, 2, 3, 5, 8))):
        a, b = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        b = min(b, a + chance.choice((1, 4, 40, 400)))
        token = chance.choice((*tokens, *ODD)) if tokens else chance.choice(ODD)
        way = chance.randrange(6)
        if way == 0:
            text = text[:a] + text[b:]
        elif way == 1:
            text = text[:a] + token + text[a:]
        elif way == 2:
            text = text[:a] + token * chance.choice((2, 30, 600)) + text[a:]
        elif way == 3:
            text = text[:b] + text[a:b] * chance.choice((1, 5, 50)) + text[b:]
        elif way == 4:
            text = text[:a] + text[b:] + text[a:b]
        else:
            text = text[:a] + chr(chance.choice((9, 10, 13, 0x85, 0x1F, 0x7F, 0x3000, 0xD7FF, 0xFFFE))) + text[b:]
        text = text[:200_000]
    return text


def _plain(kind: str, seeds: Sequence[str]) -> Callable[[random.Random], bytes]:
    return lambda chance: changed(chance, chance.choice(seeds), TOKENS[kind]).encode("utf-8", "replace")


def _table(seeds: Sequence[str]) -> Callable[[random.Random], bytes]:
    return lambda chance: b"Name,Place\nAda,Oslo\n" + _plain("table", seeds)(chance)


def _mails(seeds: Sequence[str]) -> Callable[[random.Random], bytes]:
    """Mailboxes of up to three mails, each changed after its first two fields."""

    def make(chance: random.Random) -> bytes:
        mails = [_mail(seeds)(chance) for _ in range(chance.randint(1, 3))]
        return b"".join(b"From a@b.example Mon Jan  1 10:00:00 2024\n" + mail + b"\n\n" for mail in mails)

    return make


def _mail(seeds: Sequence[str]) -> Callable[[random.Random], bytes]:
    return lambda chance: b"From: Ada <a@b.example>\nSubject: Lamp\n" + _plain("mail", seeds)(chance)


def _value(chance: random.Random, seeds: Sequence[str], names: Sequence[str], depth: int = 0) -> object:
    """Any value of JSON: a text, something odd, a list, or an object with such `names`."""
    way = chance.randrange(9 if depth < 4 else 5)
    if way < 2:
        return changed(chance, chance.choice(seeds)[: chance.choice((9, 99, 999))], ())
    if way < 5:
        return chance.choice((None, True, -1, 10**30, 1e300, float("nan"), "", "\ud800", "\0", []))
    if way < 7:
        return [_value(chance, seeds, names, depth + 1) for _ in range(chance.randrange(6))]
    return {chance.choice(names): _value(chance, seeds, names, depth + 1) for _ in range(chance.randrange(4))}


def _objects(seeds: Sequence[str]) -> Callable[[random.Random], bytes]:
    """JSON of an object with a list of objects that say much the same, and with other values."""
    names = ("id", "name", "title", "label", "a_b", "price", "\u202e", "", "x" * 999, "1", "at.b")

    def make(chance: random.Random) -> bytes:
        own = chance.sample(names, chance.randint(1, 6))
        rows = [
            {name: _value(chance, seeds, names, chance.choice((2, 5, 5, 5))) for name in own if chance.random() < 0.9}
            for _ in range(chance.choice((0, 1, 3, 30, 300)))
        ]
        held = {"sure": "A lamp burns.", "rows": rows} | {
            chance.choice(names): _value(chance, seeds, names) for _ in range(chance.randrange(4))
        }
        made: object = chance.choice((held, [*rows, held], [held]))
        for _ in range(chance.choice((0, 0, 1, 30))):
            made = chance.choice(([made], {chance.choice(names): made}))
        return json.dumps(made, indent=chance.choice((None, 1))).encode("utf-8")

    return make


def _records(seeds: Sequence[str]) -> Callable[[random.Random], bytes]:
    """Lines of JSON with other values, of other types too, and tables."""

    def value(chance: random.Random) -> object:
        return _value(chance, seeds, ("text", "links", "rows", "a"))

    def make(chance: random.Random) -> bytes:
        lines = [json.dumps({"_id": "sure", "text": "A lamp burns."})]
        for _ in range(chance.randint(1, 6)):
            names = (
                "_id",
                "title",
                "text",
                "url",
                "header",
                "rows",
                "section",
                "section_text",
                "label",
                "enclave",
                "type",
            )
            record = {name: value(chance) for name in chance.sample(names, chance.randint(1, 5))}
            if chance.random() < 0.4:
                record["rows"] = [
                    [value(chance) for _ in range(chance.randrange(5))] for _ in range(chance.randrange(9))
                ]
            lines.append(json.dumps(record))
        return "\n".join(lines).encode("utf-8", "replace")

    return make


def _documents(seeds: Sequence[bytes]) -> Callable[[random.Random], bytes]:
    """Word documents whose elements were moved, copied, nested or given other attributes and texts."""

    def alter(chance: random.Random, root: ElementTree.Element) -> None:
        for _ in range(chance.choice((1, 2, 3, 5, 8))):
            every = list(root.iter())
            one, other = chance.choice(every), chance.choice(every)
            way = chance.randrange(6)
            if way == 0 and len(one):
                one.remove(chance.choice(list(one)))
            elif way == 1 and len(every) < 2000:
                other.insert(0, ElementTree.fromstring(ElementTree.tostring(one)))
            elif way == 2:
                one.text = changed(chance, one.text or "a", ()).translate(
                    dict.fromkeys([*range(32), 0xFFFE, 0xFFFF, 0x7F])
                )
            elif way == 3:
                name = chance.choice(("val", "styleId", "type", "x"))
                one.set(
                    f"{{{WORD}}}{name}",
                    chance.choice(("99999999999999999999", "-1", "heading 1", "٣", "", "0", "Titel", "a" * 999)),
                )
            elif way == 4:
                names = (
                    "p r t tbl tr tc gridSpan numPr outlineLvl pStyle tab br basedOn style Fallback txbxContent".split()
                )
                one.tag = f"{{{WORD}}}{chance.choice(names)}"
            elif len(every) < 2000:
                for _ in range(chance.choice((3, 60, 100))):
                    one = ElementTree.SubElement(one, chance.choice(every).tag)

    def make(chance: random.Random) -> bytes:
        packed = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(chance.choice(seeds))) as old,
            zipfile.ZipFile(packed, "w", chance.choice((0, 8))) as new,
        ):
            for name in old.namelist():
                root = ElementTree.fromstring(old.read(name))
                if name == "word/document.xml" or chance.random() < 0.3:
                    alter(chance, root)
                new.writestr(name, ElementTree.tostring(root))
        return packed.getvalue()

    return make


def _pdfs(seeds: Sequence[bytes]) -> Callable[[random.Random], bytes]:
    """PDFs whose streams, numbers and references were changed, with lengths and places written anew."""
    objects = [re.findall(rb"\d+ 0 obj\n(.*?)\nendobj", seed, re.DOTALL) for seed in seeds]

    def alter(chance: random.Random, data: bytes) -> bytes:
        for _ in range(chance.choice((1, 1, 2, 4))):
            parts = re.split(rb"(?<=[\s\])>])", data)
            place, token = chance.randrange(len(parts)), chance.choice(TOKENS["pdf"])
            way = chance.randrange(4)
            if way == 0:
                del parts[place]
            elif way == 1:
                parts.insert(place, token + b" ")
            elif way == 2:
                parts[place:place] = parts[place : place + chance.choice((1, 5, 20))] * chance.choice((1, 3, 40))
            else:
                number = str(chance.choice((0, -1, 3, 65536, 2**31, 0.5, 1e9))).encode()
                parts[place] = re.sub(rb"-?\d+(\.\d+)?", number, parts[place], count=1)
            data = b"".join(parts)[:50_000]
        return data

    def make(chance: random.Random) -> bytes:
        bodies = list(chance.choice(objects))
        streams = [n for n, body in enumerate(bodies) if b"\nstream\n" in body]
        others = [n for n in range(2, len(bodies)) if n not in streams]
        for n in {chance.choice(streams), *chance.sample(others, chance.choice((0, 0, 1, 2)))}:
            head, mark, stream = bodies[n].partition(b"\nstream\n")
            if mark:
                stream = alter(chance, stream.removesuffix(b"\nendstream"))
                bodies[n] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)
            else:
                bodies[n] = b"<<" + alter(chance, head[2:-2]) + b">>"
        out, places = b"%PDF-1.4\n", []
        for number, body in enumerate(bodies, 1):
            places.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        table = b"".join(b"%010d 00000 n \n" % place for place in places)
        end = b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF" % (
            len(bodies) + 1,
            len(bodies),
            len(out),
        )
        return out + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (len(bodies) + 1, table, end)

    return make


def _word(parts: Sequence[str]) -> bytes:
    """A Word document of a title, a heading, paragraphs and a table."""
    styles = ("Titel", "berschrift1", "", "", "Kapitel", "")
    body = "".join(paragraph(part, style) for part, style in zip(parts, styles, strict=False))
    packed: bytes = docx(f"{body}<w:tbl>{row('A', 'B')}{row('1', '2')}</w:tbl>", STYLES)
    return packed


def makers() -> dict[str, tuple[str, Callable[[random.Random], bytes]]]:
    """Of each format, the ending of its files and what makes one."""
    articles = [path.read_text("utf-8")[:4000] for path in sorted((SAMPLE / "public").glob("*.md"))[:12]]
    mails = [
        mail.partition("\n")[2][:4000]
        for mail in (SAMPLE / "private" / "mail.mbox").read_text("utf-8").split("\nFrom ")[:40]
    ]
    orders = (SAMPLE / "private" / "orders.csv").read_text("utf-8")[:3000]
    table = "<table><tr><th>A<th>B</tr><tr><td>1<td>2</table>"
    pages = [
        "<title>t</title>" + "".join(f"<p>{part}</p><ul><li>a<li>b</ul>" for part in text.split("\n\n")) + table
        for text in articles
    ]
    words = [_word(re.sub("[&<]", "", text).split("\n\n")) for text in articles]
    said = [[re.sub(r"[()\\]|[^ -~]", "", line) for line in article.splitlines() if line][:20] for article in articles]
    printed = [
        pdf([lines, lines[3:], lines[5:]], "Lamps", [("Lamps", 0), (lines[3][:20], 1)])
        for lines in said
        if len(lines) > 6
    ]
    return {
        "text": (".txt", _plain("text", articles)),
        "markdown": (".md", _plain("markdown", articles)),
        "html": (".html", _plain("html", pages)),
        "pdf": (".pdf", _pdfs(printed)),
        "docx": (".docx", _documents(words)),
        "table": (".csv", _table([orders, orders[1000:]])),
        "json": (".json", _objects(articles)),
        "jsonl": (".jsonl", _records(articles)),
        "mbox": (".mbox", _mails(mails)),
        "mail": (".eml", _mail(mails)),
    }


def main(words: list[str] | None = None) -> None:
    """Write one input to a file."""
    parser = common.parser(__doc__, seed=1, record=False)
    parser.add_argument("format", choices=list(makers()))
    parser.add_argument("number", type=int)
    parser.add_argument("file", type=Path)
    given = parser.parse_args(words)
    make = makers()[given.format][1]
    given.file.write_bytes(make(random.Random(f"{given.format} {given.seed} {given.number}")))


if __name__ == "__main__":
    main()
