"""`answerable read`: one document, one question or a conversation."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import STAND_INS, Command
from tests.documents.grant import TEXT

QUESTION = "How many pounds is the grant a year?"


@pytest.fixture
def grant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANSWERABLE_MODELS_NAVIGATOR", "hashed")
    path = tmp_path / "grant.md"
    path.write_text(TEXT, encoding="utf8")
    return path


def test_a_file_is_read_without_a_workspace_and_none_is_made(command: Command, grant: Path) -> None:
    ran = command("read", grant, QUESTION, "--path")
    assert ran.code == 0 and ran.err.count("index it") == 1
    assert "1,200  confidence" in ran.out and "in no enclave" in ran.out
    assert "«The grant is 1,200 pounds a year.» It is paid on 4 May." in ran.out
    lines = ran.out.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("place 1  "))
    assert lines[first + 1 : first + 3] == ["  Apprentice grant", "    How much"] and "attention" not in ran.out
    assert not (grant.parent / ".answerable").exists()


def test_json_is_one_object_with_all_of_it(command: Command, grant: Path) -> None:
    ran = command("read", grant, QUESTION, "--json")
    record = ran.record
    assert (record["answer"], record["enclave"], record["label"]) == ("1,200", None, [])
    assert record["question"] == QUESTION
    (cited,) = record["citations"]
    assert TEXT[cited["start"] : cited["end"]] == cited["text"]
    assert [stop["what"] for stop in record["path"]] == ["sentence"] and record["bytes"] == 0
    assert (
        record["passages"][0]["text"].startswith("Apprentice grant") or "1,200 pounds" in record["passages"][0]["text"]
    )


def test_a_document_is_walked_where_that_is_set(command: Command, grant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERABLE_READ_WALK", "true")
    record = command("read", grant, QUESTION, "--json").record
    assert record["answer"] == "1,200" and [stop["what"] for stop in record["path"][:2]] == ["paragraph", "sentence"]
    assert record["bytes"] == 512 * (record["sentences"] + record["paragraphs"]) > 0
    ran = command("read", grant, QUESTION, "--path")
    assert ran.out.startswith("step 1, to a paragraph") and "of the attention" in ran.out


def test_without_an_answer_the_nearest_passages_are_shown(
    command: Command, grant: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANSWERABLE_READ_THRESHOLD", "1")
    ran = command("read", grant, QUESTION)
    assert ran.code == 3 and "The nearest passages" in ran.out and "grant.md:" in ran.out
    ran = command("read", grant, "Tell me about the grant")
    assert ran.code == 3 and ran.out.startswith("No short answer") and "1,200 pounds" in ran.out


def test_conditions_and_the_next_question_are_shown(command: Command, grant: Path) -> None:
    ran = command("read", grant, "Can I apply for the grant?", "--scenario", "I live in Scotland.")
    assert ran.code == 0 and ran.out.startswith("yes, if you are under 25")
    assert "- you are under 25" in ran.out and ran.out.rstrip().endswith("Are you under 25?")


def test_an_indexed_document_is_read_as_whoever_may(command: Command, grant: Path) -> None:
    assert command("index", grant, "--enclave", "office").code == 0
    with (grant.parent / ".answerable" / "answerable.toml").open("a") as file:
        file.write("\n[askers.guest]\nclearance = []\n")
    ran = command("read", "grant.md", QUESTION)
    assert ran.code == 0 and "consulted private text: office" in ran.out and ran.err == ""
    for given in ((grant,), ("grant.md",), ("nothing.md",)):
        ran = command("read", *given, QUESTION, "--as", "guest", "--json")
        assert ran.code == 2 and ran.record["error"]["message"].startswith("there is no document")
    ran = command("read", "grant.md", QUESTION, "--as", "guest", "--enclave", "office", "--json")
    assert ran.code == 2 and ran.record["error"]["message"] == "guest is not cleared for office"


def test_a_document_whose_file_is_called_so_is_read_by_who_may_where_there_is_one_alone(
    command: Command, grant: Path
) -> None:
    (grant.parent / "rules").mkdir()
    grant.rename(grant.parent / "rules" / "grant.md")
    assert command("index", "rules", "--enclave", "office").code == 0
    with (grant.parent / ".answerable" / "answerable.toml").open("a") as file:
        file.write("\n[askers.guest]\nclearance = []\n")
    for name in ("grant.md", "grant", "rules/grant"):
        assert command("read", name, QUESTION, "--json").record["document"] == "rules/grant.md"
    (grant.parent / "old").mkdir()
    (grant.parent / "old" / "grant.md").write_text(TEXT.replace("1,200", "900"), encoding="utf8")
    assert command("index", "old", "--enclave", "office").code == 0
    hint = command("read", "grant.md", QUESTION, "--json").record["error"]["hint"]
    assert hint == "give its id: rules/grant.md or old/grant.md"
    assert command("read", "new/grant.md", QUESTION, "--json").code == 2
    ran = command("read", "grant.md", QUESTION, "--as", "guest", "--json")
    assert ran.code == 2 and "rules" not in ran.out + ran.err


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        (("nothing.md", QUESTION), 2, "there is no document 'nothing.md'"),
        (("empty.md", QUESTION), 1, "empty.md is empty"),
        (("grant.xyz", QUESTION), 2, "a format that is not read"),
        (("grant.md",), 2, "there is no question"),
        (("grant.md", " "), 2, "the question is empty"),
        (("grant.md", QUESTION, "--enclave", "mail"), 2, "no enclave is named 'mail'"),
        (("grant.md", QUESTION, "-w", "elsewhere"), 2, "there is no workspace in elsewhere"),
    ],
)
def test_errors_are_one_sentence(command: Command, grant: Path, given: tuple[str, ...], code: int, words: str) -> None:
    (grant.parent / "empty.md").write_text("")
    (grant.parent / "grant.xyz").write_text("x")
    ran = command("read", *given)
    assert ran.code == code and ran.err.startswith("error: ") and words in ran.err and ran.out == ""
    assert "Traceback" not in ran.err and "Apprentice" not in ran.err


def test_a_model_that_does_not_walk_is_one_error(
    command: Command, grant: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from answerable.encoders.choose import SHIPPED

    monkeypatch.setenv("ANSWERABLE_MODELS_NAVIGATOR", str(SHIPPED / "reader"))
    ran = command("read", grant, QUESTION, "--json")
    assert ran.code == 1 and "does not walk documents" in ran.record["error"]["message"]
    monkeypatch.setenv("ANSWERABLE_MODELS_NAVIGATOR", "nobody")
    ran = command("read", grant, QUESTION, "--json")
    assert ran.code == 2 and ran.record["error"]["message"] == "there is no navigator 'nobody'"


def test_abstaining_is_3(command: Command, grant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERABLE_READ_THRESHOLD", "1")
    ran = command("read", grant, QUESTION)
    assert (
        ran.code == 3 and "I am not sure: the best answer found has confidence" in ran.out and "best guess" in ran.out
    )


def test_a_conversation_over_a_pipe(grant: Path) -> None:
    """As a process: a JSON object for each turn, until an empty line."""
    turns = ["Can I apply for the grant?", "yes", "I live in Scotland.", QUESTION, "", "Who pays?"]
    environment = {**os.environ, **{name: value for name, value in STAND_INS.items() if value}}
    environment.pop("ANSWERABLE_WORKSPACE", None)
    ran = subprocess.run(
        [sys.executable, "-m", "answerable", "read", grant, "--chat", "--json"],
        input="\n".join(turns), capture_output=True, text=True, timeout=60, cwd=grant.parent, env=environment,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [one["question"] for one in told] == [turns[0]] * 3 + [QUESTION]
    assert [(one["answer"], one["ask"]) for one in told] == [
        ("yes, if you are under 25, and you live in Scotland", "Are you under 25?"),
        ("yes, if you live in Scotland", "Do you live in Scotland?"),
        ("yes", None),
        ("1,200", None),
    ]


def test_quotes_may_be_left_out(command: Command, grant: Path) -> None:
    record = command("read", "--json", grant, *QUESTION.split()).record
    assert (record["question"], record["answer"]) == (QUESTION, "1,200")


def test_what_is_not_sure_enough_is_said_in_short_beside_others(
    command: Command, grant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other.md").write_text(TEXT, encoding="utf8")
    monkeypatch.setenv("ANSWERABLE_READ_THRESHOLD", "1")
    ran = command("read", grant, tmp_path / "other.md", QUESTION)
    assert ran.code == 3 and ran.out.count("not sure; best guess: 1,200") == 2 and "threshold" not in ran.out


def test_several_files_are_asked_the_same_side_by_side(command: Command, grant: Path, tmp_path: Path) -> None:
    other, scan = tmp_path / "other.md", tmp_path / "scan.md"
    other.write_text("# Boats\n\nThe boat is blue.\n", encoding="utf8")
    scan.write_text("", encoding="utf8")
    ran = command("read", grant, other, scan, QUESTION)
    assert ran.code == 0 and "left out: " in ran.err
    rows = {line.split()[0]: line for line in ran.out.splitlines()}
    assert "1,200" in rows["grant.md"] and "§ How much" in rows["grant.md"] and "other.md" in rows
    ran = command("read", grant, QUESTION, "--and", other, "--json")
    first, second = map(json.loads, ran.out.splitlines())
    assert (first["answer"], first["file"], second["file"]) == ("1,200", str(grant), str(other))
    assert first["citations"][0]["place"] == "§ How much"
    ran = command("read", grant, other, "Can I apply for the grant?")
    assert "yes" in ran.out and "You can apply" in ran.out
    assert command("read", other, QUESTION, "--and", other).code == 3
    assert command("read", grant, other, QUESTION, "--chat").code == 2
    ran = command("read", grant, other, "--chat")
    assert ran.code == 2 and "about one document" in ran.err
    ran = command("read", grant, tmp_path / "lost.md", QUESTION)
    assert ran.code == 2 and "there is no file" in ran.err and "lost.md" in ran.err


def test_a_question_is_no_name_of_a_file(command: Command, grant: Path) -> None:
    """Neither one longer than such a name may be, nor a number of a section before words in quotes."""
    long = f"Tell me, please, {'now that I have read all of it, ' * 10}how many pounds the grant is a year"
    for chat in ([], ["--chat"]):
        ran = command("read", grant, long, *chat)
        assert ran.code in (0, 3) and "error" not in ran.err
    ran = command("read", grant, "section", "4.2", "How many pounds is the grant?", "--json")
    assert ran.record["question"] == "section 4.2 How many pounds is the grant?"
