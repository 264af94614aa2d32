"""A workspace from first index to last delete, with the stand-ins for encoder and reader."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

import answerable
from answerable.errors import (
    BusyError,
    EnclaveError,
    IndexMismatch,
    ModelError,
    SettingsError,
    UsageError,
    WorkspaceError,
)
from answerable.indexes.build import IndexBuilder
from answerable.types import Privacy
from answerable.workspace.declarations import FILE_NAME, Kind
from answerable.workspace.models import open_reader
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import INDEXES, Workspace
from tests.conftest import FILES
from tests.corpora.attaching import mbox, with_files
from tests.encoders.tiny import write_sentences
from tests.indexes.samples import occurs

pytestmark = pytest.mark.usefixtures("stand_ins")
QUESTION = "When was the tower of Kõpu Lighthouse completed, the KESTREL job?"
LINKING = {"search.linking": True}


def test_from_files_to_a_cited_answer(workspace: Workspace):
    answer = workspace.ask(QUESTION)
    assert answer.text == "1531" and answer.label == {"mail"}
    assert answer.citations[0].text == "Kõpu Lighthouse had its tower completed in 1531."
    assert answer.citations[0].source.endswith("kopu.md") and answer.citations[0].enclave == "wiki"


def test_an_enclave_is_searched_by_a_mode_of_its_own(workspace: Workspace, files: Path):
    workspace.close()
    path = files / "work" / FILE_NAME
    text = path.read_text("utf8").replace("[enclaves.mail]", '[enclaves.mail]\nmode = "lexical"')
    path.write_text(text, "utf8")

    def ask(mode: str | None) -> tuple[str | None, dict[str, str], float]:
        with answerable.open(files / "work", settings={"search.mode": mode}) as opened:
            answer = opened.ask(QUESTION)
            entries = [json.loads(line) for line in (files / "work" / "journal.jsonl").read_text("utf8").splitlines()]
        asked = {one["enclave"]: one["mode"] for one in entries if one.get("mode")}
        return answer.text, asked, max(hit.score for hop in answer.evidence.hops for hit in hop.hits)

    assert ask(None) == ("1531", {"mail": "lexical", "wiki": "hybrid"}, 2 / 61)
    assert ask("dense")[1] == {"mail": "dense", "wiki": "dense"}


def test_it_is_all_there_when_opened_again(workspace: Workspace, files: Path):
    first = workspace.ask(QUESTION)
    workspace.close()
    with answerable.open(files / "work") as again:
        assert again.ask(QUESTION).text == first.text
        assert {name: e.private for name, e in again.enclaves().items()} == {"wiki": False, "mail": True}


def test_opening_what_is_not_there(files: Path):
    with pytest.raises(WorkspaceError, match="no workspace"):
        open_workspace(files / "nowhere")
    assert not (files / "nowhere").exists()
    (files / "file").write_text("x", encoding="utf8")
    with pytest.raises(WorkspaceError):
        open_workspace(files / "file", create=True)


def test_a_wrong_setting_leaves_no_folder_behind(files: Path):
    with pytest.raises(SettingsError, match=r"beam\.hops"):
        open_workspace(files / "new", create=True, settings={"beam.hops": 99})
    assert not (files / "new").exists()


def test_an_empty_workspace_abstains(files: Path):
    with open_workspace(files / "empty", create=True) as opened:
        answer = opened.ask("Who is there?")
        assert answer.text is None and answer.reason and opened.status().enclaves == ()


def test_an_enclave_without_documents_abstains(files: Path):
    (files / "nothing").mkdir()
    with open_workspace(files / "empty", create=True) as opened:
        done = opened.index([files / "nothing"], "mail")
        assert (done.kind, done.documents) == (Kind.PRIVATE, 0)
        assert opened.ask("Who is there?").text is None


def test_arguments_are_checked_by_their_path(workspace: Workspace):
    for wrong, path in (({"hops": 9}, "beam.hops"), ({"k": 0}, "beam.k"), ({"privacy": "total"}, "ask.privacy")):
        with pytest.raises(SettingsError, match=path.replace(".", r"\.")):
            workspace.ask(QUESTION, **wrong)
    with pytest.raises(UsageError, match="guest"):
        workspace.ask(QUESTION, asker="guest")
    with pytest.raises(UsageError, match="nothing-here"):
        workspace.index(["nothing-here"], "wiki")
    with pytest.raises(SettingsError, match="kind is 'secret', not one of: public, mirror, private"):
        workspace.index([], "new", "secret")


def test_one_path_is_indexed_as_a_list_of_one(workspace: Workspace, files: Path):
    for one in (str(files / "wiki"), files / "wiki"):
        assert workspace.index(one, "wiki").documents == 2
    with pytest.raises(UsageError, match="nothing-here does not exist"):
        workspace.index("nothing-here", "wiki")


def test_privacy_decides_who_is_asked(workspace: Workspace, files: Path):
    assert not [h for h in workspace.ask(QUESTION).evidence.hops if h.refused]  # its text lies here
    workspace.close()
    with open_workspace(files / "work", settings={"enclaves.wiki.as_if_elsewhere": True}) as opened:
        refused = [h for h in opened.ask(QUESTION).evidence.hops if h.refused]
        assert refused and {h.enclave for h in refused} == {"wiki"}
        assert not [h for h in opened.ask(QUESTION, privacy=Privacy.NONE).evidence.hops if h.refused]
        assert all(h.refused for h in opened.ask(QUESTION, privacy="query").evidence.hops if h.enclave == "wiki")


def test_a_declared_asker_reads_what_they_are_cleared_for(workspace: Workspace, files: Path):
    workspace.close()
    with (files / "work" / FILE_NAME).open("a", encoding="utf8") as file:
        file.write('\n[askers.guest]\nclearance = ["wiki"]\n')
    with open_workspace(files / "work") as opened:
        answer = opened.ask(QUESTION, asker="guest")
        assert answer.label == frozenset()
        assert {h.enclave for h in answer.evidence.hops if h.refused} == {"mail"}


def test_indexing_again_changes_nothing_and_a_changed_file_is_brought_up_to_date(workspace: Workspace, files: Path):
    again = workspace.index([files / "wiki"], "wiki")
    assert again.files.unchanged == 2 and again.documents == 2
    (files / "wiki" / "kopu.md").write_text(FILES["wiki/kopu.md"].replace("1531", "1532"), encoding="utf8")
    assert workspace.index([files / "wiki"], "wiki").documents == 2
    assert workspace.ask(QUESTION).text == "1532"


def test_an_enclave_keeps_its_kind(workspace: Workspace, files: Path):
    with pytest.raises(EnclaveError, match="declared private"):
        workspace.index([files / "wiki"], "mail", Kind.PUBLIC)
    with pytest.raises(EnclaveError):
        workspace.index([files / "wiki"], "../up")
    assert [one.documents for one in workspace.status().enclaves] == [2, 1]


def test_what_cannot_be_read_is_said_and_the_rest_is_indexed(workspace: Workspace, files: Path):
    (files / "wiki" / "broken.docx").write_bytes(b"PK\x03\x04 not really")
    done = workspace.index([files / "wiki"], "wiki")
    assert done.documents == 2 and len(done.skipped) == 1 and "broken.docx" in done.skipped[0]


def test_with_a_mail_goes_what_is_attached_to_it_and_nothing_else(workspace: Workspace, files: Path):
    box = files / "mail" / "box.mbox"
    box.parent.mkdir(exist_ok=True)
    box.write_bytes(mbox(with_files(0, ("note.txt", b"The diver is Odd Berg.")), with_files(1)))
    (files / "mail" / "lines.jsonl").write_text('{"id": "AC", "text": "One."}\n{"id": "AC/DC", "text": "Two."}\n')
    workspace.index([box, files / "mail" / "lines.jsonl"], "post", kind="private")
    held = workspace._store
    (mail,) = [id for id, _, _ in held.documents("post") if id.endswith("m0@x.org")]
    (record,) = [id for id, _, _ in held.documents("post") if id.endswith("#AC")]
    assert workspace.delete([mail, record], "post") == 3
    assert [id.partition("#")[2] for id, _, _ in held.documents("post")] == ["m1@x.org", "AC/DC"]


def test_delete_leaves_nothing(workspace: Workspace, files: Path):
    (source,) = [s for _, s, _ in workspace._store.documents("wiki") if s.endswith("kopu.md")]
    assert workspace.delete([source], "wiki") == 1
    assert workspace.ask(QUESTION).text != "1531"
    assert workspace.delete(None, "mail") == 1
    workspace.close()
    left = b"".join(p.read_bytes() for p in (files / "work").rglob("*") if p.is_file())
    assert b"KESTREL" not in left and b"in 1531" not in left and b"Marshal" in left
    with open_workspace(files / "work") as opened, pytest.raises(UsageError):
        opened.delete(["nothing-here"], "wiki")
    with open_workspace(files / "work") as opened, pytest.raises(EnclaveError):
        opened.delete(None, "attic")


def test_a_damaged_index_abstains_with_the_way_out(workspace: Workspace, files: Path):
    workspace.close()
    for manifest in (files / "work" / INDEXES / "wiki").rglob("manifest.json"):
        manifest.write_text("{", encoding="utf8")
    with open_workspace(files / "work") as opened:
        answer = opened.ask("Who built Hook Lighthouse?")
        assert answer.text is None and "answerable index" in str(answer.reason)
        assert [bool(one.problem) for one in opened.status().enclaves] == [True, False]
        opened.index([files / "wiki"], "wiki")
        assert opened.ask(QUESTION).text == "1531"


def test_an_enclave_nobody_declared_is_denied(workspace: Workspace, files: Path):
    workspace.close()
    text = (files / "work" / FILE_NAME).read_text(encoding="utf8")
    (files / "work" / FILE_NAME).write_text(text.replace("[enclaves.mail]\nkind", "# kind"), encoding="utf8")
    with open_workspace(files / "work") as opened:
        assert {h.enclave for h in opened.ask(QUESTION).evidence.hops} == {"wiki"}
        mail = opened.status().enclaves[-1]
        assert (mail.name, mail.kind) == ("mail", "undeclared") and "nobody may read it" in str(mail.problem)


def test_one_writer_at_a_time(workspace: Workspace, files: Path):
    with open_workspace(files / "work") as other, other._writing(), pytest.raises(BusyError):
        workspace.index([files / "wiki"], "wiki")
    assert workspace.ask(QUESTION).text == "1531"


def test_progress_goes_through_the_stages(files: Path):
    seen = []
    with open_workspace(files / "work", create=True) as opened:
        opened.index([files / "wiki"], "wiki", progress=lambda stage, done, total: seen.append((stage, done, total)))
    assert list(dict.fromkeys(stage for stage, _, _ in seen)) == ["ingest", "lexical", "vectors"]
    assert seen[-1][1] == seen[-1][2] > 0


def test_interrupted_after_the_words_it_can_be_asked_and_resumes(files: Path):
    def stop(stage: str, done: int, total: int) -> None:
        if stage == "vectors":
            raise KeyboardInterrupt

    with open_workspace(files / "work", create=True) as opened:
        with pytest.raises(KeyboardInterrupt):
            opened.index([files / "wiki"], "wiki", Kind.MIRROR, progress=stop)
        assert opened.ask(QUESTION).text == "1531"
        assert opened.index([files / "wiki"], "wiki").files.unchanged == 2
        (status,) = opened.status().enclaves
        assert status.vectors == status.passages > 0


def test_an_answer_says_that_vectors_are_still_to_be_made(files: Path, monkeypatch: pytest.MonkeyPatch):
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with open_workspace(files / "work", create=True) as opened:
        with monkeypatch.context() as patched:
            patched.setattr(IndexBuilder, "vectors", stop)
            with pytest.raises(KeyboardInterrupt):
                opened.index([files / "wiki"], "wiki", Kind.MIRROR)
        assert opened.ask(QUESTION).notes[0].startswith("vectors of wiki are still to be made")
        opened.index([files / "wiki"], "wiki")
        assert opened.ask(QUESTION).notes == ()


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


def test_names_are_linked_to_pages(workspace: Workspace, files: Path):
    with pytest.raises(IndexMismatch, match=r"no readable enclave has pages to link to .*index again"):
        workspace.link("Kõpu Lighthouse")
    assert [one.pages for one in workspace.status().enclaves] == [0, 0]
    workspace.close()
    with open_workspace(files / "work", settings=LINKING) as opened:
        for enclave in ("wiki", "mail"):  # on afterwards: what is missing is added
            assert opened.index([files / enclave], enclave).files.added == 0
        assert [one.pages for one in opened.status().enclaves] == [2, 1]
        (mention,) = opened.link("the lamp of Kõpu Lighthouse", k=3).mentions
        assert (mention.start, mention.end, mention.text) == (12, 27, "Kõpu Lighthouse")
        assert [page.title for page in mention.pages][:2] == ["Kõpu Lighthouse", "Hook Lighthouse"]
        assert {page.enclave for page in mention.pages} == {"wiki", "mail"}
    with open_workspace(files / "work") as opened:  # off again: nothing breaks, and a deletion takes the pages along
        opened.index([files / "wiki"], "wiki")
        opened.delete([mention.pages[0].document], "wiki")
        assert [one.pages for one in opened.status().enclaves] == [1, 1]
        assert opened.link("Kõpu Lighthouse").mentions[0].pages[0].title == "Hook Lighthouse"
        assert opened.ask(QUESTION).text != "1531"


def test_linking_needs_an_encoder_that_links(files: Path):
    settings = {"models.encoder": str(write_sentences(files / "model", ["lighthouse", "tower"]))}
    wanted = pytest.raises(UsageError, match=r"does not link \(set encoder under \[models\]")
    with open_workspace(files / "work", create=True, settings=settings) as opened, wanted:
        opened.link("Kõpu Lighthouse")


def test_export_says_whose_text_it_is_and_can_be_indexed_again(workspace: Workspace, files: Path):
    done = workspace.export(files / "out", "mail")
    assert (done.documents, done.label, len(done.files)) == (1, {"mail"}, 3)
    (document,), passages = lines(files / "out" / "documents.jsonl"), lines(files / "out" / "passages.jsonl")
    assert document["label"] == ["mail"] and "KESTREL" in document["text"]
    for passage in passages:
        assert document["text"][passage["start"] : passage["end"]] == passage["text"] and passage["label"] == ["mail"]
    with open_workspace(files / "copy", create=True) as copy:
        assert copy.index([files / "out" / "documents.jsonl"], "mail").documents == 1


def test_one_file_export_and_no_mixing(workspace: Workspace, files: Path):
    target = files / "mail.jsonl"
    workspace.export(target, "mail")
    assert {line["type"] for line in lines(target)} == {"document", "passage"}
    workspace.export(target, "mail")  # an earlier export of the same enclave is replaced
    before = target.read_bytes()
    with pytest.raises(EnclaveError, match="holds enclave mail"):
        workspace.export(target, "wiki")
    workspace.export(files / "out", "mail")
    with pytest.raises(EnclaveError, match="never mixed"):
        workspace.export(files / "out", "wiki")
    for foreign in (files / "wiki" / "kopu.md", files / "wiki"):
        with pytest.raises(UsageError):
            workspace.export(foreign, "wiki")
    (files / "other.jsonl").write_text("not ours\n", encoding="utf8")
    with pytest.raises(UsageError):
        workspace.export(files / "other.jsonl", "wiki")
    assert target.read_bytes() == before


def test_a_reader_that_is_not_there(tmp_path: Path):
    with pytest.raises(ModelError):
        open_reader(str(tmp_path))
    with pytest.raises(
        UsageError, match=r"no reader 'spam' .*ANSWERABLE_MODELS_READER\) is span, overlap, llm, hf:NAME or"
    ):
        open_reader("spam")


def test_every_file_is_for_its_owner_alone_also_in_a_folder_that_was_there(stand_ins: None, files: Path) -> None:
    place = files / "there"
    place.mkdir(mode=0o755)
    (place / "mine.txt").write_text("another program's")
    (place / "mine.txt").chmod(0o644)
    before = os.umask(0o022)
    try:
        with open_workspace(place, create=True, settings={"models.matcher": "hashed"}) as opened:
            opened.index([files / "wiki"], "wiki", "public")
            (files / "pairs.jsonl").write_text('{"question": "who built it", "answer": "William"}')
            opened.pairs.import_(files / "pairs.jsonl", "wiki")
            opened.pairs.index()
            opened.ask("Who built it?")
            during = _modes(place)
        assert during["mine.txt"] == 0o644 and {*during.values()} == {0o600, 0o644}
        assert _modes(place).items() <= during.items()
    finally:
        os.umask(before)
    folders = [path for path in place.rglob("*") if path.is_dir()]
    assert len(folders) >= 3 and {path.stat().st_mode & 0o777 for path in folders} == {0o700}


def _modes(place: Path) -> dict[str, int]:
    return {str(path.relative_to(place)): path.stat().st_mode & 0o777 for path in place.rglob("*") if path.is_file()}


def test_a_deletion_that_was_stopped_is_finished_by_the_next_opening(workspace: Workspace, files: Path) -> None:
    with workspace._store.write() as transaction:
        ids = [id for id, _, _ in workspace._store.documents("mail")]
        assert transaction.remove("mail", ids) == 1  # and then the process died
    reader = sqlite3.connect(workspace.folder / "store.sqlite")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM documents").fetchone()
    open_workspace(workspace.folder).close()  # while another reads, it does not wait
    assert workspace._store.unpurged() == ["mail"]
    reader.close()
    open_workspace(workspace.folder).close()
    assert workspace._store.unpurged() == [] and occurs(workspace.folder, b"KESTREL") == []
