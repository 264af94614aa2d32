"""Sets on the page: what they are narrowed by, and what is shown of the fields that decide."""

from __future__ import annotations

import re
from pathlib import Path

from answerable.workspace.opening import open_workspace
from tests.web.conftest import STAND_INS, served
from tests.web.visiting import Visitor, text_of


def test_an_enclave_that_a_set_names_can_be_taken_back(tmp_path: Path) -> None:
    for name, text in {"notes": "The oats are in the barn.", "letters": "The oats came by ferry."}.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf8")
    with open_workspace(tmp_path / "work", create=True, settings=STAND_INS) as workspace, served(workspace) as web:
        for name in ("notes", "letters"):
            workspace.index([tmp_path / f"{name}.txt"], name)
        visitor = Visitor(web)
        visitor.get("/sets")
        shown = visitor.post("/sets", {"q": "notes that mention oats"})
        assert "in the barn" in text_of(shown) and "by ferry" not in text_of(shown)
        assert 'name="without" value="enclave"' in shown.body.decode()
        (said,) = re.findall(r'name="expression" value="([^"]*)"', shown.body.decode())[:1]
        back = {"q": "notes that mention oats", "expression": said.replace("&#34;", '"'), "without": "enclave"}
        assert "by ferry" in text_of(visitor.post("/sets", back | {"enclave": ["notes"]}))


def test_a_set_shows_the_fields_that_decide_as_text(tmp_path: Path) -> None:
    (tmp_path / "box.mbox").write_text(
        "".join(
            f"From a Fri May  4 10:00:00 2001\nMessage-ID: <{one}@x>\nFrom: {one} <i>swan <{one}@x.example>\n"
            f"Subject: The crate of {one}\n\nIt weighs 412 kilos.\n\n"
            for one in ("Kim", "Lee")
        )
    )
    with open_workspace(tmp_path / "work", create=True, settings=STAND_INS) as workspace, served(workspace) as web:
        workspace.index([tmp_path / "box.mbox"], "mail")
        visitor = Visitor(web)
        visitor.get("/sets")
        shown = visitor.post("/sets", {"q": "mails not from Lee"})
        assert "1 member" in text_of(shown) and "The crate of Kim" in text_of(shown)
        assert "not from Lee From: Kim" in text_of(shown) and "<i>swan" not in shown.body.decode()
        assert "The crate of Lee : From: Lee" in text_of(shown)
