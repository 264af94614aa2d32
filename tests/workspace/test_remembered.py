"""Answers that were called good or bad: given again, withheld, told to whom they may be told, and gone in time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from answerable.chains.shortcuts import Recalled
from answerable.corpora.fields import Filter
from answerable.errors import UsageError, WorkspaceError
from answerable.types import PUBLIC, Asker, Chain, Hit, Passage, Skill
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace

SETTINGS = {
    "models.encoder": "hashed",
    "models.reader": "overlap",
    "models.matcher": "hashed",
    "ask.threshold": 0.0,
    "pairs.threshold": 0.01,
}
ASKED, ANEW = (
    "Which company repaired the lamp of Zephyrine?",
    "Please say which company repaired the lamp of Zephyrine?",
)
OTHER = "Which company repaired the lamp of Marlpit?"
PLAIN = "Which company made the lamp of the harbour?"
GUEST, CLERK, OWNER = Asker("guest", frozenset({"wiki"})), Asker("clerk", frozenset({"wiki", "mail"})), Asker()
MAILS = {
    "lamp.txt": "Quastelbrock repaired the lamp of Zephyrine.\n",
    "firm.txt": "The company Marlpit was founded in 1931, says its owner, who repaired nothing.\n",
}


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Workspace]:
    files = tmp_path / "mail"
    files.mkdir()
    for name, text in MAILS.items():
        (files / name).write_text(text)
    (tmp_path / "wiki.md").write_text("# Harbour\n\nGrimwald made the lamp of the harbour.\n")
    with open_workspace(tmp_path / "work", create=True, settings=SETTINGS) as opened:
        opened.index([files], "mail")
        opened.index([tmp_path / "wiki.md"], "wiki", "public", as_if_elsewhere=True)
        yield opened


def test_what_was_good_is_given_again_in_other_words_with_the_same_citations(work: Workspace) -> None:
    first = work.ask(ASKED)
    said = work.good(first)
    assert (said.question, said.answer, said.good, said.label) == (ASKED, first.text, True, {"mail"})
    for question in (ASKED, ANEW):
        again = work.ask(question)
        assert (again.via, again.text, again.citations) == ("remembered", first.text, first.citations)
        assert again.label == {"mail"} and again.pair is not None and again.pair.question == ASKED
        assert again.passages and again.evidence.hops  # all was searched: nobody can tell by a search that did not come
    assert work.ask(OTHER).via != "remembered"


def test_the_last_answer_is_meant_where_none_is_named(work: Workspace) -> None:
    with pytest.raises(UsageError, match="that could be called good or bad"):
        work.good()
    work.ask(ASKED)
    work.ask(PLAIN)
    assert work.good().question == PLAIN
    assert work.good(question=ASKED.upper()).question == ASKED
    with pytest.raises(UsageError, match="that could be called good or bad"):
        work.bad(question=OTHER)


def test_nothing_is_said_of_an_older_answer_where_the_last_question_got_none(work: Workspace) -> None:
    work.ask(ASKED)
    assert work.ask("Who?", filter=Filter(sender="Nobody")).text is None
    with pytest.raises(UsageError, match="that could be called good or bad"):
        work.bad()
    assert work.good(question=ASKED).question == ASKED
    work.ask(PLAIN)
    assert work.bad().question == PLAIN


def test_what_was_bad_is_not_given_again_and_can_be_taken_back(work: Workspace) -> None:
    first = work.ask(ASKED)
    work.ask(ASKED, CLERK)
    said = work.bad(first)
    for question in (ASKED, ANEW):
        after = work.ask(question)
        assert after.text != first.text and first.text not in [text for text, _ in after.others]
        assert after.passages and "an answer that was called bad is left out" in after.notes
    assert work.ask(ASKED, CLERK).text != first.text  # what the owner called bad
    work.good(first, asker=CLERK)
    assert work.ask(ASKED, CLERK).text == first.text  # who says otherwise
    work.remembered.forget(OWNER, said.id)
    assert work.ask(ASKED).text == first.text and work.remembered.of(OWNER) == []
    with pytest.raises(UsageError, match="nothing is remembered as"):
        work.remembered.forget(OWNER, said.id)


def test_a_part_of_what_was_bad_is_bad_too() -> None:
    known = Recalled(None, {"last day of month on sticker": frozenset()})
    assert known.rejects("the last day of the month") and known.rejects("Sticker")
    assert not known.rejects("the last day of the year") and not known.rejects("day of the month on sticker of glass")
    assert not known.rejects(None) and not known.rejects("the") and not Recalled().rejects("sticker")


def test_what_says_the_same_with_more_words_is_bad_too_where_it_was_read_in_the_same_passage() -> None:
    known = Recalled(None, {"250": frozenset({("office", "bread#0")})})

    def chain(id: str) -> Chain:
        return Chain((Hit(Passage(id, "bread", "office", "", "250 g", 0, 5), 1.0, PUBLIC, Skill.SINGLE),), 1.0, PUBLIC)

    assert known.rejects("250 g", chain("bread#0")) and not known.rejects("1250 g", chain("bread#0"))
    assert not known.rejects("250 g", chain("bread#1")) and not known.rejects("250 g")


def test_the_last_word_counts(work: Workspace) -> None:
    first = work.ask(ASKED)
    work.good(first)
    work.bad(first)
    assert work.ask(ASKED).text != first.text
    work.good(first)
    assert work.ask(ASKED).via == "remembered" and len(work.remembered.of(OWNER)) == 1


def test_public_text_alone_ends_an_ask_before_anything_is_searched(work: Workspace) -> None:
    first = work.ask(PLAIN, GUEST)
    assert work.good(first, asker=GUEST).label == frozenset()
    again = work.ask(PLAIN)
    assert (again.via, again.text, again.label, again.evidence.hops) == ("remembered", first.text, frozenset(), ())
    work.bad(again)
    assert work.ask(PLAIN).text != first.text and work.ask(PLAIN, GUEST).via == "remembered"


def test_a_public_answer_is_withheld_that_was_bad_beside_private_text(work: Workspace) -> None:
    private = work.ask(PLAIN)
    assert work.bad(private).label == {"mail"}
    work.good(work.ask(PLAIN, GUEST), asker=GUEST)
    told = work.ask(PLAIN)
    assert (told.text, told.citations, told.label) == (None, (), {"mail"}) and told.passages
    assert told.reason == "an answer that was called bad is left out"


def test_nobody_gets_what_they_may_not_read(work: Workspace) -> None:
    before = work.ask(ASKED, GUEST)
    work.good(work.ask(ASKED))
    after = work.ask(ASKED, GUEST)
    assert replace(after, seconds=0.0, evidence=before.evidence) == replace(before, seconds=0.0)
    assert work.ask(ASKED, CLERK).via == "remembered"
    assert work.remembered.of(CLERK) == work.remembered.of(GUEST) == []
    work.good(work.ask(PLAIN, GUEST), asker=GUEST)
    mail_alone = Asker("postman", frozenset({"mail"}))  # what is public is not theirs to read
    assert work.ask(PLAIN, mail_alone).via != "remembered"


def test_a_question_that_is_private_in_itself_is_told_nobody_else(work: Workspace) -> None:
    work.good(work.ask(ASKED, CLERK, privacy="query"), asker=CLERK)
    assert work.ask(ASKED, CLERK).via == "remembered"
    assert work.ask(ASKED).via != "remembered"


@pytest.mark.parametrize("change", ["changed", "deleted"])
def test_it_is_gone_with_what_it_cites(work: Workspace, tmp_path: Path, change: str) -> None:
    work.good(work.ask(ASKED))
    work.ask(ASKED)
    kept = [path.read_bytes() for path in (work.folder / "remembered").iterdir()]
    assert any(b"Quastelbrock" in one for one in kept)
    if change == "deleted":
        work.delete(["mail/lamp.txt"], "mail")
    else:
        (tmp_path / "mail" / "lamp.txt").write_text("Nobody repaired the lamp of Zephyrine.\n")
        work.index([tmp_path / "mail"], "mail")
    assert work.ask(ASKED).via != "remembered" and work.remembered.of(OWNER) == []
    assert not any(b"Quastelbrock" in path.read_bytes() for path in (work.folder / "remembered").iterdir())


def test_what_stands_no_more_is_not_given_though_it_is_still_kept(work: Workspace) -> None:
    work.good(work.ask(ASKED))
    with work._store.write("mail") as transaction:
        transaction.remove("mail", ["mail/lamp.txt"])
    assert work.remembered.of(OWNER) and work.ask(ASKED).via != "remembered"


def test_its_files_are_for_their_owner_alone_and_say_nothing_by_their_names(work: Workspace) -> None:
    work.good(work.ask(ASKED, CLERK), asker=CLERK)
    folder = work.folder / "remembered"
    assert {path.stat().st_mode & 0o077 for path in (folder, *folder.iterdir())} == {0}
    assert not any("clerk" in path.name for path in folder.iterdir())
    next(folder.glob("*.good.json")).write_text("no json")
    with pytest.raises(WorkspaceError, match="does not hold remembered answers"):
        work.ask(ASKED)


def test_what_means_something_else_alone_is_not_kept(work: Workspace) -> None:
    work.ask(ASKED, filter=Filter(enclaves=("mail",)))
    talk = work.chat()
    talk.ask("Harbour?")
    talk.ask("And which company made its lamp?")
    with pytest.raises(UsageError):
        work.good(question="Harbour?")
    with pytest.raises(UsageError):
        work.good(question="And which company made its lamp?")
    with pytest.raises(UsageError):
        work.good(question=ASKED)
    work.good(work.ask(ASKED))
    assert work.ask(ASKED, filter=Filter(enclaves=("wiki",))).via != "remembered"


@pytest.mark.parametrize("off", ["remember", "answer"])
def test_it_can_be_turned_off(work: Workspace, off: str) -> None:
    work.good(work.ask(ASKED))
    work.settings = replace(work.settings, pairs=replace(work.settings.pairs, **{off: False}))
    assert (work.ask(ASKED).via == "remembered") == (off == "remember")
    if off == "remember":
        work.ask(PLAIN)
        with pytest.raises(UsageError):
            work.good(question=PLAIN)


def test_vectors_of_another_matcher_are_made_anew(work: Workspace) -> None:
    work.good(work.ask(ASKED))
    path = next((work.folder / "remembered").glob("*.good.json"))
    path.write_text(path.read_text().replace('"matcher": "hashed', '"matcher": "older'))
    assert work.ask(ANEW).via == "remembered"
