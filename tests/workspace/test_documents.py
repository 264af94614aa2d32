"""Long documents of a workspace: who may read them, what is kept of them, and what stays unsaid."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.corpora.database import read_only
from answerable.encoders.hashed import HashedNavigator
from answerable.errors import BusyError, EnclaveError, FormatError, UsageError
from answerable.privacy.provenance import TrainingProvenance
from answerable.types import PUBLIC, Asker
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from tests.documents.grant import TEXT
from tests.indexes.samples import occurs

SETTINGS = {"models.encoder": "hashed", "models.reader": "overlap", "models.navigator": "hashed"}
QUESTION = "How many pounds is the grant a year?"
GUEST = Asker("guest", frozenset({"wiki"}))
NAVIGATOR = HashedNavigator()


@pytest.fixture
def grant(tmp_path: Path) -> Path:
    path = tmp_path / "files" / "grant.md"
    path.parent.mkdir()
    path.write_text(TEXT, encoding="utf8")
    return path


@pytest.fixture
def opened(tmp_path: Path, grant: Path) -> Iterator[Workspace]:
    """The grant in a private enclave, and a short public note."""
    note = tmp_path / "files" / "note.md"
    note.write_text("# Oban\n\nThe office of Oban has 12 rooms.\n", encoding="utf8")
    with open_workspace(tmp_path / "work", create=True, settings=SETTINGS) as made:
        made.index([grant], "office")
        made.index([note], "wiki", "public")
        yield made


@pytest.fixture
def walking(opened: Workspace) -> Iterator[Workspace]:
    """The same where documents are walked."""
    with open_workspace(opened.folder, settings={**SETTINGS, "read.walk": True}) as again:
        yield again


def is_kept(opened: Workspace, id: str = "grant.md", enclave: str = "office") -> bool:
    return opened._store.book(enclave, id, NAVIGATOR.name, NAVIGATOR.dimension) is not None


@pytest.mark.parametrize("name", ["grant.md", "path"])
@pytest.mark.parametrize("walk", [False, True])
def test_an_indexed_document_is_read_by_its_name_or_its_file(
    opened: Workspace, walking: Workspace, grant: Path, name: str, walk: bool
) -> None:
    """Vectors are made and kept of what is walked alone."""
    reads = walking if walk else opened
    reading = reads.read(grant if name == "path" else name, QUESTION)
    assert reading.text == "1,200" and reading.label == {"office"} and reading.enclave == "office"
    assert reading.citations[0].source == "grant.md" and is_kept(opened) == walk == bool(reading.bytes)
    assert reads.read("grant.md", QUESTION, enclave="office").text == "1,200"


def test_what_was_kept_is_used_and_answers_alike(walking: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def once_more(*_: object) -> None:
        raise AssertionError("the document was encoded again")

    first = walking.read("grant.md", QUESTION)
    monkeypatch.setattr(HashedNavigator, "encode_paragraphs", once_more)
    walking._desk = None  # another process
    again = walking.read("grant.md", QUESTION)
    assert again.confidence == first.confidence and again.path == first.path
    with pytest.raises(AssertionError, match="encoded again"):
        walking.read("note.md", QUESTION)


def test_a_document_that_changed_is_read_anew(opened: Workspace, grant: Path) -> None:
    opened.read("grant.md", QUESTION)
    grant.write_text(TEXT.replace("1,200", "1,300"), encoding="utf8")
    outside = opened.read(grant, QUESTION)  # the file as it is now, which is in no enclave yet
    assert outside.text == "1,300" and outside.enclave == "" and outside.label == PUBLIC
    assert opened.read("grant.md", QUESTION).text == "1,200"
    opened.index([grant], "office")
    assert not is_kept(opened)
    assert opened.read("grant.md", QUESTION).text == "1,300"


def test_vectors_go_with_their_document(walking: Workspace) -> None:
    walking.read("grant.md", QUESTION)
    book = walking._store.book("office", "grant.md", NAVIGATOR.name, NAVIGATOR.dimension)
    assert book and occurs(walking.folder, book.wholes[3].tobytes())
    walking.delete(["grant.md"], "office")
    assert not is_kept(walking) and not occurs(walking.folder, book.wholes[3].tobytes())
    with pytest.raises(UsageError, match=r"no document 'grant\.md'"):
        walking.read("grant.md", QUESTION)


def test_of_a_file_that_is_not_indexed_nothing_is_kept(opened: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "quincunx.md"
    path.write_text(TEXT.replace("Dundee", "Ramsholt"), encoding="utf8")
    reading = opened.read(path, QUESTION)
    assert reading.text == "1,200" and reading.enclave == "" and reading.label == PUBLIC
    assert opened.read(path, QUESTION, Asker("me", None, frozenset({"office"}))).label == {"office"}
    assert not occurs(opened.folder, b"Ramsholt") and not occurs(opened.folder, b"quincunx")


def test_nobody_learns_of_what_they_may_not_read(opened: Workspace, grant: Path, tmp_path: Path) -> None:
    """Whether it is there or not, by name or by path, a guest is told the same of it."""
    told = set()
    for name in ("grant.md", "nothing.md", grant, tmp_path / "nothing.md", tmp_path / "work" / "answerable.toml"):
        with pytest.raises(UsageError) as refused:
            opened.read(name, QUESTION, GUEST)
        told.add(str(refused.value).replace(repr(str(name)), "NAME"))
    assert len(told) == 1
    with pytest.raises(EnclaveError, match="guest is not cleared for office"):
        opened.read("grant.md", QUESTION, GUEST, enclave="office")
    with pytest.raises(EnclaveError, match="guest is not cleared for office"):
        opened.read("nothing.md", QUESTION, GUEST, enclave="office")
    assert opened.read("note.md", "How many rooms has the office of Oban?", GUEST).text == "12"


def test_a_name_in_several_enclaves_must_be_told_apart(opened: Workspace, grant: Path) -> None:
    opened.index([grant], "copies")
    for name in ("grant.md", grant):
        with pytest.raises(UsageError, match=r"is in 2 enclaves \(say which enclave: copies, office\)"):
            opened.read(name, QUESTION)
        assert opened.read(name, QUESTION, enclave="copies").enclave == "copies"
    clerk = Asker("clerk", frozenset({"office"}))
    assert opened.read("grant.md", QUESTION, clerk).enclave == "office"
    with pytest.raises(UsageError, match=r"no document 'note\.md' in copies"):
        opened.read("note.md", QUESTION, enclave="copies")


def test_the_path_of_a_file_is_asked_for_only_where_one_is_read(opened: Workspace) -> None:
    for asker, hint in ((None, "or the path of a file"), (Asker("clerk", frozenset({"office"})), "that is indexed")):
        with pytest.raises(UsageError, match=rf"no document 'none\.md' here .*{hint}\)$"):
            opened.read("none.md", QUESTION, asker)


def test_a_source_of_several_documents_is_read_by_id(opened: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_text('{"_id": "a", "title": "A", "text": "One ship."}\n{"_id": "b", "title": "B", "text": "Two."}\n')
    with pytest.raises(UsageError, match="holds several documents"):
        opened.read(path, QUESTION)
    opened.index([path], "wiki")
    with pytest.raises(UsageError, match="holds 2 documents") as told:
        opened.read(path, QUESTION)
    id = str(told.value.hint).rsplit(", ", 1)[-1]
    assert opened.read(id, QUESTION).document == id


def test_what_cannot_be_read_is_one_sentence(opened: Workspace, tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_text("")
    (tmp_path / "sheet.xyz").write_text("?")
    (tmp_path / "large.txt").write_text("word " * 1000)
    for name, error, words in (
        ("empty.md", FormatError, "empty.md is empty"),
        ("sheet.xyz", UsageError, "a format that is not read"),
        ("files", UsageError, "is a folder"),
    ):
        with pytest.raises(error, match=words):
            opened.read(tmp_path / name, QUESTION)
    with pytest.raises(UsageError, match="the question is empty"):
        opened.read("grant.md", " ")
    with pytest.raises(UsageError, match="the scenario has 3,000 characters"):
        opened.read("grant.md", QUESTION, scenario="x" * 3000)
    settings = {**SETTINGS, "limits.max_bytes": 100}
    with open_workspace(opened.folder, settings=settings) as small, pytest.raises(FormatError, match="larger than"):
        small.read(tmp_path / "large.txt", QUESTION)


@pytest.mark.parametrize("name", ["\udcff.md", "a\0b", "", "x" * 5000, "grant.md/"])
def test_any_name_can_be_looked_for(opened: Workspace, name: str) -> None:
    for asker in (None, GUEST):
        with pytest.raises((UsageError, OSError)):
            opened.read(name, QUESTION, asker)


def test_the_label_of_the_models_counts(opened: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    taught = TrainingProvenance(reader=frozenset({"office"}))
    monkeypatch.setattr("answerable.workspace.documents.guides_provenance", lambda settings: taught)
    assert opened.read("note.md", QUESTION).label == {"office"}
    with pytest.raises(UsageError, match="trained on text of office, which guest may not read"):
        opened.read("note.md", QUESTION, GUEST)


def test_history_and_scenario_are_weighed(opened: Workspace) -> None:
    asked = ("Are you under 25?", "Yes")
    reading = opened.read("grant.md", "Can I apply for the grant?", history=[asked], scenario="I live in Scotland.")
    assert reading.text == "yes" and reading.ask is None


def test_a_reading_waits_for_no_other_writer(walking: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers, and keeps nothing this time."""

    def busy(self: object, enclave: str) -> None:
        raise BusyError("the store is in use by another process")

    monkeypatch.setattr("answerable.corpora.store.Store.write", busy)
    assert walking.read("grant.md", QUESTION).text == "1,200" and not is_kept(walking)


def test_a_workspace_that_cannot_be_written_can_be_read(walking: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answerable.workspace.documents.read_only", lambda path: True)
    assert not read_only(walking.folder / "store.sqlite")
    assert walking.read("grant.md", QUESTION).text == "1,200" and not is_kept(walking)


def test_an_old_time_stamp_is_no_other_file(opened: Workspace, grant: Path) -> None:
    """A file that was touched, and only that, is read from disk until it is indexed again."""
    later = time.time() + 10
    os.utime(grant, (later, later))
    assert opened.read(grant, QUESTION).enclave == ""
    opened.index([grant], "office")
    assert opened.read(grant, QUESTION).enclave == "office"


def test_a_table_is_read_with_what_its_cells_link_to(opened: Workspace, tmp_path: Path) -> None:
    """What is found there is cited in the page it stands on; nothing of the pages is kept with the table."""
    rows = [
        ["Gold", {"text": "Ann Dahl", "links": ["dahl"]}],
        ["Silver", {"text": "Rolf Ek", "links": ["ek", "elsewhere"]}],
    ]
    table = {"_id": "medals", "title": "Medals", "header": ["Medal", "Name"], "rows": rows}
    ek = "Rolf Ek was a wrestler of Elm. His nickname was Strong Rolf."
    pages = [("dahl", "Ann Dahl was a skier."), ("ek", ek), ("elsewhere", "Never linked.")]
    texts = [{"_id": id, "title": id, "text": text} for id, text in pages if id != "elsewhere"]
    path = tmp_path / "files" / "sport.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in [table, *texts]), encoding="utf8")
    opened.index([path], "office")
    reading = opened.read("sport.jsonl#medals", "What was his nickname?")
    assert reading.text == "Strong Rolf." and reading.label == {"office"}
    assert "sport.jsonl#ek" in {cited.document for cited in reading.citations}
    for cited in reading.citations:
        document = opened._store.document("office", cited.document)
        assert document is not None and document.text[cited.start : cited.end] == cited.text
    assert not is_kept(opened, "sport.jsonl#medals")
    opened.delete(["sport.jsonl#ek"], "office")
    assert all(
        one.document != "sport.jsonl#ek"
        for one in opened.read("sport.jsonl#medals", "What was his nickname?").citations
    )
