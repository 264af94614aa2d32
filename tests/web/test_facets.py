"""Facets of a set, and narrowing by them on the page; a document on its own, with its pairs and its mail."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.corpora.fields import Filter
from answerable.sets.members import Evidence, Member
from answerable.types import PUBLIC, Fields
from answerable.web import answers, facets
from answerable.workspace.opening import open_workspace
from tests.corpora.attaching import mbox, with_files
from tests.web.conftest import ASKED, STAND_INS, Web, made, served
from tests.web.visiting import Visitor, text_of

TOWERS = {
    "2001-05-04 towers.txt": "Towers\n\nKõpu Lighthouse and Hook Lighthouse are lighthouses that we visited.\n",
    "2002-05-04 towers.md": "# Towers\n\nSkerryvore is one of the lighthouses that we did not visit.\n",
}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with made(tmp_path_factory.mktemp("facets"), TOWERS) as workspace, served(workspace) as running:
        yield running


def member(enclave: str, kind: str, date: str = "", sender: str = "") -> Member:
    known = Fields(sender, date=date) if date or sender else None
    return Member("d", "D", enclave, "d", PUBLIC, 0.9, (), Evidence.NONE, kind, known)


def test_only_what_members_differ_in_is_offered_the_commonest_first() -> None:
    members = [
        member("mail", "mail", "2001-05-04T10:00:00", "Ann"),
        member("mail", "mail", "2002-01-01", "Bo"),
        member("mail", "mail", "2002-02-01", "Bo"),
        member("mail", "text"),
    ]
    assert [(one["name"], one["values"]) for one in facets.of(members)] == [
        ("kind", [("mail", 3), ("text", 1)]),
        ("year", [("2002", 2), ("2001", 1)]),
        ("sender", [("Bo", 2), ("Ann", 1)]),
    ]
    many = [member(f"e{number:02}", "mail") for number in range(20)]
    assert [len(one["values"]) for one in facets.of(many)] == [facets.SHOWN] and facets.of([]) == []


def test_a_year_narrows_what_days_there_are() -> None:
    assert facets.narrowed(None, [], [], None) is None
    assert facets.narrowed(Filter(after="2001-06"), ["mail"], [], 2001) == Filter(
        (), (), "2001-06-01", "2002-01-01", (), ("mail",)
    )
    assert facets.narrowed(Filter(before="2001-06"), [], [], 2001) == Filter(after="2001-01-01", before="2001-06-01")


def _members(html: str) -> list[str]:
    return re.findall(r'<th scope="row"><a [^>]*><bdi>([^<]*)</bdi>', html)


def test_a_set_is_narrowed_step_by_step_and_widened_again(web: Web) -> None:
    visitor = Visitor(web)
    visitor.get("/sets")
    form = {"q": "lighthouses"}
    whole = visitor.post("/sets", form)
    assert whole.status == 200 and {"Enclave", "mail", "wiki", "Kind", "Year"} <= {*text_of(whole).split()}
    for more, kept in (({"enclave": "mail"}, "mail"), ({"kind": "text"}, "text"), ({"year": "2001"}, "2001")):
        form |= more
        got = visitor.post("/sets", form)
        assert got.status == 200 and re.search(rf"{kept} (, \w+ )*✕", text_of(got)), text_of(got)
    assert len(_members(got.body.decode())) <= 1 < len(_members(whole.body.decode()))
    wider = visitor.post("/sets", {**form, "without": "enclave"})
    assert "mail ✕" not in text_of(wider) and "2001 ✕" in text_of(wider)
    assert visitor.post("/sets", {"q": "lighthouses", "kind": "nothing"}).status == 400
    assert visitor.post("/sets", {"q": "lighthouses", "year": "0"}).status == 422


def test_what_was_worked_out_of_a_document_stands_with_it(web: Web, tmp_path: Path) -> None:
    visitor, lines = Visitor(web), tmp_path / "pairs.jsonl"
    pair = {"question": ASKED, "answer": ["1531"], "documents": ["wiki/kopu.md"]}
    lines.write_text(json.dumps(pair))
    web.workspace.pairs.import_(lines, "wiki")
    shown = text_of(visitor.get("/document?enclave=wiki&id=wiki/kopu.md"))
    assert f"Worked out before, 1 question {ASKED} 1531" in shown
    assert "Worked out before" not in text_of(visitor.get("/document?enclave=wiki&id=wiki/hook.md"))


def test_what_came_with_a_mail_leads_to_it(tmp_path: Path) -> None:
    (tmp_path / "box.mbox").write_bytes(mbox(with_files(0, ("note.txt", b"The diver is called Odd Berg."))))
    with open_workspace(tmp_path / "work", create=True, settings=STAND_INS) as workspace, served(workspace) as running:
        workspace.index([tmp_path / "box.mbox"], "mail")
        file = "box.mbox%23m0%40x.org%2Fnote.txt"
        told = answers.Document.model_validate(running.ask("GET", f"/v1/documents/mail/{file}").record)
        assert told.attached_to == "box.mbox#m0@x.org"
        note = Visitor(running).get(f"/document?enclave=mail&id={file}")
        (path,) = re.findall(r'href="([^"]*)">The mail it came with', note.body.decode())
        mail = Visitor(running).get(path.replace("&amp;", "&"))
        assert "see what is attached" in text_of(mail) and "it came with" not in text_of(mail)
