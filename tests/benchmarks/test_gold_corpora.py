from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import common
import gold_corpora as corpora
from answerable.corpora.formats import Found, Limits, read_documents
from answerable.datasets.load import load, recognise
from answerable.datasets.retrieval import read_qrels
from answerable.errors import FormatError, UsageError
from tests.datasets import samples as s


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("hotpotqa", lambda folder: s.whole(folder / "f", [s.HOTPOT, s.HOTPOT | {"_id": "h2"}])),
        ("musique", lambda folder: s.jsonl(folder / "f", [s.MUSIQUE, s.MUSIQUE | {"id": "2hop__1_2"}])),
        (
            "squad",
            lambda folder: s.whole(folder / "f", {"data": [{**s.ARTICLE, "paragraphs": s.ARTICLE["paragraphs"]}]}),
        ),
        ("sharc", lambda folder: s.whole(folder / "f", [s.SHARC, s.SHARC, s.SHARC | {"snippet_id": 7}])),
    ],
)
def test_what_supports_a_question_is_in_its_corpus_once(tmp_path: Path, name: str, path: object) -> None:
    file = path(tmp_path)  # type: ignore[operator]
    ids = [passage["_id"] for passage in corpora.passages(file, name)]
    assert len(set(ids)) == len(ids) > 0
    for example in load(file, name):
        assert set(example.supporting) - {"z"} <= set(ids)


def test_hotpotqa_texts(tmp_path: Path) -> None:
    first, _ = corpora.hotpotqa(s.whole(tmp_path / "f", [s.HOTPOT]))
    assert first == {"_id": "Skerry Light", "title": "Skerry Light", "text": "A light. It is red."}


def test_concurrentqa_calls_passages_as_its_questions_do(tmp_path: Path) -> None:
    corpus = {
        "e12_p3": {"id": "9", "title": "Enron Email Number: PERSONAL_e12_p3", "email_title": "Lamps", "text": "Two."},
        "0": {"id": "0", "title": "Skerry Light", "text": "Three.", "sents": ["Three."]},
    }
    found = list(corpora.concurrentqa(s.whole(tmp_path / "combined_corpus.json", corpus)))
    assert [(p["_id"], p["title"]) for p in found] == [("e12_p3", "Lamps"), ("Skerry Light", "Skerry Light")]
    (example,) = load(s.jsonl(tmp_path / "CQA_dev_all.json", [s.CONCURRENT]))
    assert set(example.supporting) == {p["_id"] for p in found}


def test_dpr_passages(tmp_path: Path) -> None:
    path = tmp_path / "psgs_w100.tsv"
    path.write_text('id\ttext\ttitle\n1\t"A ""light"" here"\tSkerry\n')
    assert list(corpora.dpr(path)) == [{"_id": "1", "title": "Skerry", "text": 'A "light" here'}]


def test_conditionalqa_pages_lose_their_tags(tmp_path: Path) -> None:
    page = {
        "title": "Lights",
        "url": "https://rules.example/light",
        "contents": ["<h1>Paint</h1>", "<li>a <a>b</a></li>"],
    }
    (found,) = corpora.conditionalqa(s.whole(tmp_path / "documents.json", [page]))
    assert found == {"_id": page["url"], "title": "Lights", "text": "Paint\na b"}


def test_linked_tables_and_passages_reach_the_indexer(tmp_path: Path) -> None:
    table = {
        "url": "u", "title": "Lights", "section_title": "List", "section_text": "", "uid": "Lights_0", "intro": "All.",
        "header": [["Name", []], ["Colour", []]],
        "data": [[["Skerry", ["/wiki/Skerry_Light"]], ["red", []]]],
    }  # fmt: skip
    folder = tmp_path / "tables_tok"
    folder.mkdir()
    s.whole(folder / "Lights_0.json", table)
    plain = table | {"header": ["Name", "Colour"], "data": [["Skerry", "red"]]}
    (found,) = corpora.linked_tables(folder)
    (other,) = corpora.linked_tables(s.whole(tmp_path / "all_plain_tables.json", {"Lights_0": plain}))
    assert found["rows"][0][0] == {"text": "Skerry", "links": ["/wiki/Skerry_Light"]}
    assert (other["_id"], other["header"], other["rows"][0][1]) == (
        "Lights_0",
        found["header"],
        {"text": "red", "links": []},
    )
    s.whole(tmp_path / "all_passages.json", {"/wiki/Skerry_Light": "A light."})
    passages = list(corpora.linked_passages(tmp_path / "all_passages.json"))
    assert passages == [{"_id": "/wiki/Skerry_Light", "title": "Skerry Light", "text": "A light."}]

    out = tmp_path / "corpus.jsonl"
    assert common.write_rows(out, [found, *passages]) == 2
    documents = list(read_documents(Found(out, "corpus.jsonl", "jsonl"), "public", Limits(), print))
    assert [document.id for document in documents] == ["corpus.jsonl#Lights_0", "corpus.jsonl#/wiki/Skerry_Light"]
    assert "Name: Skerry; Colour: red" in documents[0].text


def test_a_cell_of_another_shape_is_named(tmp_path: Path) -> None:
    table = {"title": "Lights", "header": ["Name"], "data": [[{"odd": s.SECRET}]]}
    with pytest.raises(FormatError, match="record 1: the field `data` has a cell") as raised:
        list(corpora.linked_tables(s.whole(tmp_path / "t.json", {"Lights_0": table})))
    assert s.SECRET not in str(raised.value)


def beir(folder: Path) -> Path:
    (folder / "qrels").mkdir(parents=True)
    s.jsonl(
        folder / "corpus.jsonl", [{"_id": "d1", "title": "", "text": "A."}, {"_id": "d2", "text": "B.", "metadata": {}}]
    )
    s.jsonl(folder / "queries.jsonl", [{"_id": "q1", "text": s.SECRET}, {"_id": "q2", "text": "unjudged"}])
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t2\nq1\td3\t0\n")
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td1\t1\n")
    return folder


def test_beir(tmp_path: Path) -> None:
    folder = beir(tmp_path / "lights")
    assert recognise(folder) == recognise(folder / "qrels" / "dev.tsv") == "beir"
    (found,) = load(folder)
    assert (found.id, found.supporting, found.answers) == ("q1", ("d2", "d1"), ())
    assert [example.id for example in load(folder / "qrels" / "dev.tsv")] == ["q2"]
    assert [passage["_id"] for passage in corpora.beir(folder)] == ["d1", "d2"]
    assert read_qrels(folder / "qrels" / "test.tsv") == {"q1": {"d1": 1, "d2": 2, "d3": 0}}


def test_qrels_are_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_text("q1\td1\thigh\n")
    with pytest.raises(FormatError, match="record 1: the field `score` is not a whole number"):
        read_qrels(path)


def test_writing_leaves_no_half_file(tmp_path: Path) -> None:
    out = tmp_path / "corpus.jsonl"
    out.write_text("old\n")

    def failing() -> Iterator[dict[str, str]]:
        yield {"_id": "1", "title": "", "text": "é"}
        raise FormatError("no more")

    with pytest.raises(FormatError):
        common.write_rows(out, failing())
    assert out.read_text() == "old\n"
    common.write_rows(out, [{"_id": "1", "title": "", "text": "é"}])
    assert json.loads(out.read_text())["text"] == "é"


def test_an_unknown_corpus_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no corpus form `squid` \(one of squad"):
        corpora.passages(tmp_path, "squid")
