"""Questions of our own over invented notes, in the forms that the loaders read; a workspace without weights."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace

STAND_INS = {"models.encoder": "hashed", "models.reader": "overlap"}
WIKI = [
    {"_id": "kopu", "title": "Kõpu Lighthouse", "text": "Kõpu Lighthouse was completed in 1531 on Hiiumaa."},
    {"_id": "hook", "title": "Hook Lighthouse", "text": "Hook Lighthouse in Ireland was built by William Marshal."},
    {"_id": "marshal", "title": "William Marshal", "text": "William Marshal was born in 1146."},
]
MAIL = [{"_id": "m1", "title": "Job", "text": "From today the job at Kõpu Lighthouse is called KESTREL."}]
QUESTIONS = [
    {"_id": "q1", "question": "When was Kõpu Lighthouse completed?", "answer": "1531", "type": "one", "gold": ["kopu"]},
    {
        "_id": "q2",
        "question": "When was the man born who built Hook Lighthouse?",
        "answer": "1146",
        "type": "bridge",
        "gold": ["hook", "marshal"],
    },
    {
        "_id": "q3",
        "question": "When was the lighthouse of the KESTREL job completed?",
        "answer": "1531",
        "type": "bridge",
        "gold": ["m1", "kopu"],
    },
    {"_id": "q4", "question": "Is Hook Lighthouse in Ireland?", "answer": "yes", "type": "one", "gold": ["hook"]},
]


def write_lines(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf8")
    return path


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Four questions over a pool of passages, as HotpotQA's are over theirs."""
    rows = [{**row, "supporting": [], "context": [], "covered": True} for row in QUESTIONS]
    return write_lines(tmp_path / "questions.jsonl", rows)


@pytest.fixture
def squad(tmp_path: Path) -> Path:
    """Three questions with their passage, one of them without an answer."""
    context = "Kõpu Lighthouse was completed in 1531. The keeper Mart lived there."
    asked = [
        {"id": "a", "question": "When was Kõpu Lighthouse completed?", "answers": [{"text": "1531"}]},
        {"id": "b", "question": "Which keeper lived there?", "answers": [{"text": "Mart"}]},
        {"id": "c", "question": "xyzzy plugh?", "answers": [], "is_impossible": True},
    ]
    path = tmp_path / "squad.json"
    path.write_text(json.dumps({"data": [{"title": "Kõpu", "paragraphs": [{"context": context, "qas": asked}]}]}))
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """`wiki` public, `mail` private, with the stand-in encoder and reader."""
    with open_workspace(tmp_path / "space", create=True, settings=STAND_INS) as opened:
        opened.index(
            [write_lines(tmp_path / "wiki.jsonl", [dict(row) for row in WIKI])], "wiki", "public", as_if_elsewhere=True
        )
        opened.index([write_lines(tmp_path / "mail.jsonl", [dict(row) for row in MAIL])], "mail")
        yield opened
