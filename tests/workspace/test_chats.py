from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.errors import SettingsError, UsageError, WorkspaceError
from answerable.types import Asker
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace

SETTINGS = {"models.encoder": "hashed", "models.reader": "overlap", "ask.threshold": 0.0}
FIRST, SECOND = "Which company repaired the lamp of Zephyrine?", "And when was it founded?"
MAILS = {
    "lamp.txt": "Quastelbrock repaired the lamp of Zephyrine.\n",
    "firm.txt": "The company Quastelbrock was founded in 1887.\n",
    "other.txt": "The company Marlpit was founded in 1931, says its owner, who repaired nothing.\n",
}
GUEST = Asker("guest", frozenset({"wiki"}))


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Workspace]:
    files = tmp_path / "mail"
    files.mkdir()
    for name, text in MAILS.items():
        (files / name).write_text(text)
    (tmp_path / "wiki.md").write_text("# Harbour\n\nThe harbour of Zephyrine has a lamp of brass.\n")
    with open_workspace(tmp_path / "work", create=True, settings=SETTINGS) as opened:
        opened.index([files], "mail")
        opened.index([tmp_path / "wiki.md"], "wiki", "public")
        yield opened


def _bytes(opened: Workspace) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(opened.folder.rglob("*")) if path.is_file())


def test_a_question_that_follows_on_is_asked_with_the_one_before_and_its_answer(work: Workspace) -> None:
    chat = work.chat()
    assert "Quastelbrock" in str(chat.ask(FIRST).text)
    answer = chat.ask(SECOND)
    assert "1887" in answer.citations[0].text and answer.label == {"mail"}
    asked = answer.evidence.hops[0].query
    assert asked.text.startswith("when was it founded?") and FIRST in asked.text and "Quastelbrock" in asked.text
    assert asked.label == {"mail"}
    assert [turn.question for turn in chat.turns] == [FIRST, SECOND]
    assert chat.ask("Who has a lamp of brass?").evidence.hops[0].query.label == frozenset()


def test_only_what_has_a_name_is_kept_and_nobody_else_may_read_it(work: Workspace) -> None:
    work.chat().ask(FIRST)
    assert not (work.folder / "chats").exists() and work.chats.names(Asker()) == {}
    work.chat("the lamp").ask(FIRST)
    again = work.chat("the lamp")
    assert [turn.question for turn in again.turns] == [FIRST] and again.turns[0].citations
    again.ask(SECOND)
    assert work.chats.names(Asker()) == {"the lamp": 2}
    kept = [*(work.folder / "chats").iterdir()]
    assert {path.stat().st_mode & 0o077 for path in (work.folder / "chats", *kept)} == {0}
    assert not any(b"Zephyrine" in path.name.encode() for path in kept)


def test_what_is_deleted_is_in_no_file(work: Workspace) -> None:
    work.chat("zinnober").ask("What did Oxymandyas say of the lamp of Zephyrine?")
    assert b"Oxymandyas" in _bytes(work) and b"zinnober" in _bytes(work)
    with pytest.raises(UsageError, match="no conversation is called 'lamp'"):
        work.chats.delete(Asker(), "lamp")
    work.chats.delete(Asker(), "zinnober")
    assert b"Oxymandyas" not in _bytes(work) and b"zinnober" not in _bytes(work)


def test_an_answer_goes_with_the_document_that_it_rests_on(work: Workspace, tmp_path: Path) -> None:
    chat, fleeting = work.chat("lamp"), work.chat()
    for one in (chat, fleeting):
        one.ask(FIRST)
        one.ask("When was the company Quastelbrock founded?")
        assert all(turn.answer for turn in one.turns)
    work.delete(["mail/lamp.txt", "mail/firm.txt"], "mail")
    for one in (chat, fleeting):
        assert [(turn.answer, turn.citations) for turn in one.turns] == [(None, ())] * 2
    assert not any(gone in _bytes(work) for gone in (b"Quastelbrock repaired", b"was founded in 1887"))


def test_so_it_does_with_a_text_that_was_changed(work: Workspace, tmp_path: Path) -> None:
    chat = work.chat("firm")
    chat.ask("When was the company Quastelbrock founded?")
    assert chat.turns[0].answer
    (tmp_path / "mail" / "firm.txt").write_text("Quastelbrock is no more.\n")
    work.index([tmp_path / "mail"], "mail")
    assert chat.turns[0].answer is None and b"was founded in 1887" not in _bytes(work)


def test_a_conversation_is_its_askers_and_holds_nothing_that_they_may_not_read(work: Workspace) -> None:
    work.chat("lamp").ask(FIRST)
    guest, clerk = (Asker("guest", frozenset(names)) for names in (("wiki",), ("wiki", "mail")))
    assert work.chats.names(guest) == {} and work.chat("lamp", guest).turns == ()
    assert work.chat("lamp", Asker("me", frozenset({"wiki"}))).turns == ()  # called as the owner is
    with pytest.raises(UsageError):
        work.chats.delete(guest, "lamp")
    work.chat("lamp", clerk).ask(FIRST)
    assert work.chat("lamp", clerk).turns[0].answer
    turns = work.chat("lamp", guest).turns  # the same asker, who may read less now
    assert [(turn.question, turn.answer, turn.citations) for turn in turns] == [(FIRST, None, ())]


def test_a_file_that_is_none_is_named(work: Workspace) -> None:
    work.chat("lamp").ask(FIRST)
    (path,) = (work.folder / "chats").glob("*.json")
    path.write_text(json.dumps({"asker": [], "name": "lamp"}))
    with pytest.raises(WorkspaceError, match="does not hold a conversation"):
        work.chat("lamp").ask(SECOND)


@pytest.mark.parametrize("name", ["", " ", "x" * 201])
def test_a_name_must_be_one(work: Workspace, name: str) -> None:
    with pytest.raises(UsageError, match="name"):
        work.chat(name)


def test_a_risk_decides_what_is_given(work: Workspace) -> None:
    assert work.ask(FIRST).text
    sure = work.ask(FIRST).confidence
    assert work.ask(FIRST, risk=min(1.0, 1 - sure + 0.01)).text and work.ask(FIRST, risk=0.0).text is None
    with pytest.raises(SettingsError, match=r"ask\.risk"):
        work.ask(FIRST, risk=1.5)
