"""A folder of every data set that long documents are made of, a few records each, in words of our own."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from answerable.datasets.parts import PARTS, part_of, question_part, share, squad_part, table_part


def named(stem: str, part: str, of: Callable[[str], str]) -> str:
    """The first name of this stem that belongs to the part."""
    return next(name for name in (f"{stem} {number}" for number in range(9999)) if of(name) == part)


def write(data: Path) -> Path:
    """Write all of it, with documents in each part."""
    for make in (_squad, _policies, _papers, _nq, _multihop, _tables, _dialogues, _sharc, _pages):
        make(data)
    return data


def _write(path: Path, records: Iterable[Any] | dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        json.dumps(records)
        if isinstance(records, dict)
        else "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    )
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(lines.encode()))
    else:
        path.write_text(lines, encoding="utf8")


def paragraph(context: str, *asked: tuple[str, str], **more: Any) -> dict[str, Any]:
    """A paragraph in the SQuAD format; an answer that does not stand in it makes an impossible question."""
    qas = []
    for question, answer in asked:
        at = context.find(answer)
        answers = [{"text": answer, "answer_start": at}, {"text": answer, "answer_start": at}] if at >= 0 else []
        qas.append({"id": f"{context[:9]}-{question}", "question": question, "answers": answers, **more})
        qas[-1]["is_impossible"] = at < 0
    return {"context": context, "qas": qas}


HARBOUR = "The harbour of Elm opened in 1871. Its first keeper was Ada Moor."
TIDE = "The tide there rises four metres. Boats wait for it behind the wall."


def _article(title: str | None) -> dict[str, Any]:
    asked = (("Who kept the harbour?", "Ada Moor"), ("Who sank it?", "nobody at all"))
    both = [paragraph(HARBOUR, *asked), paragraph(TIDE, ("How far does the tide rise?", "four metres"))]
    return {"title": title, "paragraphs": both} if title else {"paragraphs": both}


def _squad(data: Path) -> None:
    titles = [named("Elm", part, squad_part) for part in PARTS]
    _write(data / "squad/squad1.1.json.gz", {"data": [_article(title) for title in titles]})
    _write(data / "squad/squad-train-part.json.gz", {"data": [_article("Another harbour")]})


def _policies(data: Path) -> None:
    sites = [named("site", part, lambda n: "development" if share(n) < 0.15 else "train") for part in PARTS[:2]]
    _write(data / "policyqa/dev.json.gz", {"data": [_article(site) for site in sites]})
    _write(data / "policyqa/test.json.gz", {"data": [_article("site of the test")]})


PAPER = """On the rust of gates

https://example.org/gates
License: cc-by

Abstract: Gates rust. We say why.

Materials and methods

We left forty gates in the rain. {}.

Results

All of them rusted within a year."""


def _papers(data: Path) -> None:
    texts = [named("It rained", part, lambda n: part_of(PAPER.format(n), 0.3, 0.4)) for part in PARTS]
    asked = ("When did they rust?", "within a year")
    articles = [{"paragraphs": [paragraph(PAPER.format(text), asked)]} for text in texts]
    _write(data / "covidqa/covidqa.json.gz", {"data": articles})
    paper = {
        "_id": "paper-1",
        "title": "Wind in towers",
        "abstract": "Towers sway in wind.",
        "paragraphs": [
            "Measurements",
            "We measured eleven towers. The tallest was Old Tom.",
            "A second part. It ends.",
        ],
        "questions": [
            {"question": "Which tower was tallest?", "answer": "Old Tom"},
            {"question": "Was it cold?", "answer": "Yes"},
        ],
    }
    _write(data / "qasper/papers.jsonl.gz", [paper, paper | {"_id": "paper-2", "questions": []}])
    _write(data / "qasper/evidence.jsonl", [row for part in PARTS[:2] for row in _evidence(part)])


def _evidence(part: str) -> list[dict[str, Any]]:
    title = named("Kites", part, lambda n: "development" if share(n) < 0.1 else "train")
    lift = "Model ::: Lift\n-----\nLift grows with speed. The string is of waxed hemp.\n\n"
    base = {"title": title, "abstract": "Kites fly."}
    return [
        base
        | {
            "_id": f"{part}-1",
            "question": "What is the string of?",
            "answer": "a hemp string, waxed",
            "evidence": lift,
        },
        base
        | {
            "_id": f"{part}-2",
            "question": "How many flew?",
            "answer": "nine kites",
            "evidence": lift + "Trials ::: Lift\n-----\nOn Monday nine kites flew. None fell.\n\n",
        },
    ]


def _nq(data: Path) -> None:
    titles = [named("Moor", part, question_part) for part in PARTS[:2]]
    asked = [
        {"title": t, "paragraphs": [paragraph(HARBOUR, ("who kept it", "Ada Moor"), passage="p1")]} for t in titles
    ]
    _write(data / "nq/nq-train.json.gz", {"data": asked})
    _write(data / "nq/nq-dev.json.gz", {"data": [asked[0] | {"title": "Moors"}]})
    others = [{"_id": f"p{n}", "title": f"Page {n}", "text": f"Page {n} is of no use. It says so."} for n in range(40)]
    _write(data / "nq/nq-passages.jsonl.gz", [{"_id": "p1", "title": "Moors", "text": HARBOUR}, *others[2:]])


BRIDGE = ("The film Low Sun was made by Ida Grey.", "It is long.")
DIRECTOR = ("Ida Grey is a director.", "She was born in Aster.", "She paints.")


def _multihop(data: Path) -> None:
    def passage(id_: str, title: str, sentences: tuple[str, ...], *, counted: bool = True) -> dict[str, Any]:
        return {"_id": id_, "title": title, "text": " ".join(sentences), "sentences": list(sentences) * counted}

    others = [passage(f"o{n}", f"Other {n}", (f"Other {n} is a hill.", "Sheep graze on it.")) for n in range(60)]
    gold = [passage("g1", "Low Sun", BRIDGE), passage("g2", "Ida Grey", DIRECTOR)]
    more = passage("g3", "Ida Grey", ("Her second page says little.",), counted=False)
    plain = passage("g4", "Aster", ("Aster is a town.", "It lies on the river Wend."), counted=False)
    _write(data / "multihop/passages.jsonl.gz", [*others, *gold, more, plain])
    base = {
        "question": "Where was the maker of Low Sun born?",
        "answer": "Aster",
        "type": "bridge",
        "supporting": [["Ida Grey", 1], ["Low Sun", 0]],
        "gold": ["g2", "g1"],
        "context": ["o1", "g1", "g2"],
        "covered": True,
    }
    three = {
        "question": "On which river lies the place where the maker of Low Sun was born?",
        "answer": "Wend",
        "aliases": ["the Wend"],
        "type": "3hop1",
        "supporting": [["Low Sun", None], ["Ida Grey", None], ["Aster", None]],
        "gold": ["g4", "g1", "g2"],
        "context": [],
        "covered": True,
        "decomposition": [
            {"question": "Low Sun >> maker", "answer": "Ida Grey"},
            {"question": "#1 >> born in", "answer": "Aster"},
            {"question": "#2 >> river", "answer": "Wend"},
        ],
    }
    held = [named("question", part, question_part) for part in PARTS[:2]]
    for source in ("hotpotqa", "2wikimultihopqa", "musique"):
        row = three if source == "musique" else base
        _write(data / source / "train.jsonl", [row | {"_id": name} for name in held])
        uncovered = row | {"_id": "no", "covered": False}
        polar = row | {"_id": "polar", "answer": "no", "type": "comparison", "supporting": [["Low Sun", None]]}
        _write(data / source / "dev.jsonl", [row | {"_id": "dev"}, uncovered, polar | {"gold": ["g1", "g2"]}])


def _tables(data: Path) -> None:
    def cell(text: str, *links: str) -> dict[str, Any]:
        return {"text": text, "links": list(links)}

    pages = [named("Games", part, table_part) for part in PARTS]
    tables = [
        {
            "_id": f"{page}_0",
            "title": page,
            "section": "Medals -- Gold",
            "header": ["Name", "Sport"],
            "rows": [
                [cell("Rolf Ek", "/wiki/Rolf_Ek"), cell("Wrestling", "/wiki/Wrestling")],
                [cell("Ann Dahl"), cell("Wrestling", "/wiki/Wrestling")],
                [cell(""), cell("")],
            ],
        }
        for page in pages
    ]
    _write(data / "wiki/tables.jsonl.gz", tables)
    texts = {
        "Rolf_Ek": "Rolf Ek was a wrestler . His nickname was Strong Rolf .",
        "Wrestling": "Wrestling is a sport . It is old .",
    }
    _write(
        data / "wiki/passages.jsonl.gz",
        [{"_id": f"/wiki/{id_}", "title": id_, "text": text} for id_, text in texts.items()],
    )
    for source in ("ottqa", "hybridqa"):
        rows = []
        for page in pages:
            linked = {"cell": "Rolf Ek", "row": 0, "column": 0, "passage": "/wiki/Rolf_Ek", "where": "passage"}
            in_cell = {"cell": "Ann Dahl", "row": 1, "column": 0, "passage": None, "where": "table"}
            base = {"table": f"{page}_0"}
            asked = base | {"question": "What was the wrestler called?", "answer": "Strong Rolf", "evidence": [linked]}
            named_ = base | {"question": "Who wrestled too?", "answer": "Ann Dahl", "evidence": [in_cell]}
            rows += [asked | {"_id": f"{page}-a"}, named_ | {"_id": f"{page}-b"}]
        _write(data / source / "questions.jsonl", rows)


OFFICE = (
    "\n\nWhen you need a permit \nYou need a permit to fish. Ask for it at the office. "
    "\n\nFees \nThe fee is six crowns."
)


def _dialogues(data: Path) -> None:
    ids = [named("office", part, lambda n: part_of(n, 0.3, 0.4)) for part in PARTS]
    sections = [{"heading": "When you need a permit", "text": ""}, {"heading": "Fees", "text": ""}]
    _write(
        data / "doc2dial/documents.jsonl.gz",
        [{"_id": id_, "title": "Fishing", "text": OFFICE, "sections": sections} for id_ in ids],
    )
    history = [
        {"role": "user", "text": "I want to fish"},
        {"role": "agent", "text": "Do you have a permit?"},
        {"role": "agent", "text": "It is needed."},
        {"role": "user", "text": "No"},
        {"role": "agent", "text": "Then ask for one."},
    ]

    def turn(id_: str, number: int, text: str) -> dict[str, Any]:
        answers = [{"text": text, "answer_start": OFFICE.index(text)}]
        return {
            "_id": f"{id_}-{number}", "document": id_, "question": "And then?", "history": history, "answers": answers
        }  # fmt: skip

    _write(
        data / "doc2dial/turns.jsonl.gz",
        [t for id_ in ids for t in (turn(id_, 1, "The fee is six crowns."), turn(id_, 2, "Fees "))],
    )


SNIPPET = "## Allotments\n\nYou can rent an allotment if:\n\n* you live in the town\n* you are over 18 years old"


def snippet_ids(part: str, many: int) -> list[str]:
    """The first ids of snippets that belong to the part."""
    return [str(n) for n in range(999) if part_of(str(n), 0.3, 0.4) == part][:many]


def _sharc(data: Path) -> None:
    ids = [id_ for part in PARTS for id_ in snippet_ids(part, 15)]
    ids.sort(key=int)
    asked = {part: snippet_ids(part, 15)[7] for part in PARTS}
    snippets = [
        {"_id": id_, "text": f"Rule {id_} says little.\n\nIt holds on day {id_}.", "source_url": f"page {int(id_) % 5}"}
        for id_ in ids
    ]
    for row in snippets:
        if row["_id"] in asked.values():
            row["text"] = SNIPPET
    _write(data / "sharc/snippets.jsonl", snippets)
    _write(
        data / "sharc/questions.jsonl",
        [
            {
                "_id": f"{id_}-{number}",
                "snippet_id": id_,
                "snippet": SNIPPET,
                "source_url": f"page {int(id_) % 5}",
                "question": "Can I rent an allotment?",
                "scenario": "I am 40." * number,
                "history": [{"question": "Do you live in the town?", "answer": "Yes"}],
                "evidence": [{"question": "Are you over 18?", "answer": "Yes"}] * number,
                "answer": ("Are you over 18?", "Yes")[number],
            }
            for id_ in asked.values()
            for number in (0, 1)
        ],
    )


def _pages(data: Path) -> None:
    urls = [named("page", part, lambda n: part_of(n, 0.4, 0.5)) for part in PARTS]
    html = [
        "<h1>Grants</h1>",
        "<p>You can get a grant.</p>",
        "<h2>How much</h2>",
        "<p>The grant is:</p>",
        "<li>ten crowns for one</li>",
        "<tr>Two people | twelve <b>crowns</b></tr>",
    ]
    _write(data / "conditionalqa/pages.jsonl", [{"_id": url, "html": html} for url in urls])
    base = {"scenario": "We are two.", "not_answerable": False, "has_page": True}
    rows = [
        base
        | {
            "_id": f"{url}-1",
            "url": url,
            "question": "How much do we get?",
            "answers": [{"answer": "twelve crowns", "conditions": [html[1]]}],
            "evidence": [html[5], html[2]],
        }
        for url in urls
    ]
    rows += [
        base | {"_id": f"{url}-2", "url": url, "question": "Can we?", "evidence": [html[1]]}
        | {"answers": [{"answer": "yes", "conditions": []}]}
        for url in urls
    ]  # fmt: skip
    rows += [
        base | {"_id": f"{url}-3", "url": url, "question": "When?", "evidence": [], "answers": []}
        | {"not_answerable": True}
        for url in urls
    ]  # fmt: skip
    _write(data / "conditionalqa/questions.jsonl", rows)
