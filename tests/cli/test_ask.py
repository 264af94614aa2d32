"""`ask`: readable output, the JSON of the design, exit codes, the trace."""

from pathlib import Path

from tests.cli.conftest import Command

QUESTION = "When was Kõpu Lighthouse completed, the KESTREL job?"


def test_readable(indexed: Command):
    ran = indexed("ask", QUESTION)
    assert ran.code == 0
    first, *rest = ran.out.splitlines()
    assert first.startswith("1531  confidence 0.") and "consulted private text: mail" in first
    assert any(line.strip() == "Kõpu Lighthouse was completed in 1531." for line in rest)
    assert any("wiki" in line and "kopu.md:" in line for line in rest)
    assert ran.err == ""


SMALL = ["answer", "reason", "confidence", "via", "label", "citations", "passages", "guesses", "seconds"]


def test_json_says_what_is_answered_from_what_and_what_else_was_likely(indexed: Command):
    ran = indexed("ask", QUESTION, "--json")
    record = ran.record
    assert ran.code == 0 and ran.err == "" and list(record) == SMALL and len(ran.out) < 10_000
    assert record["answer"] == "1531" and record["reason"] is None and record["label"] == ["mail"]
    assert record["via"] == "search"
    assert set(record["citations"][0]) == {"text", "document", "enclave", "start", "end", "title", "source"}
    assert set(record["passages"][0]) == {
        "document",
        "enclave",
        "start",
        "end",
        "title",
        "text",
        "score",
        "source",
        "sentence",
    }
    assert "completed in 1531" in record["passages"][0]["text"]
    assert all(set(guess) == {"answer", "confidence"} for guess in record["guesses"])


def test_json_explained_has_every_search_and_chain_besides(indexed: Command):
    record = indexed("ask", QUESTION, "--json", "--explain").record
    assert list(record) == [*SMALL, "hops", "chains"]
    assert set(record["chains"][0]) == {"score", "label", "passages"}
    for hop in record["hops"]:
        assert {"label", "skill", "enclave", "refused", "hits", "seconds"} <= set(hop)
    assert any(hop["refused"] for hop in record["hops"])


def test_json_without_an_answer_has_the_guesses_and_passages(indexed: Command, tmp_path: Path):
    settings = tmp_path / ".answerable" / "answerable.toml"
    settings.write_text(settings.read_text("utf8").replace("[ask]\n", "[ask]\nthreshold = 1.0\n"), "utf8")
    ran = indexed("ask", QUESTION, "--json")
    assert ran.code == 3 and ran.record["answer"] is None and ran.record["guesses"][0]["answer"] == "1531"
    assert ran.record["passages"] and ran.record["guesses"][0]["confidence"] == ran.record["confidence"]


def test_abstaining_ends_with_3_and_a_reason(indexed: Command):
    ran = indexed("ask", "xyzzy plugh", "--hops", "1")
    record = indexed("ask", "xyzzy plugh", "--hops", "1", "--json")
    assert ran.code == record.code == 3
    assert ran.out.startswith("I am not sure: ") and len(ran.out.splitlines()) > 1
    assert record.record["answer"] is None and record.record["reason"]


def test_the_trace_tells_who_was_asked_and_who_was_not(indexed: Command):
    out = indexed("ask", QUESTION, "--explain").out
    assert "wiki was asked the question" in out
    assert "wiki was not asked the question with “birds”, carrying mail" in out
    assert "why: carries mail; wiki admits only public text" in out
    open_to_all = indexed("ask", QUESTION, "--explain", "--privacy", "none").out
    assert "not asked" not in open_to_all


def test_asking_for_somebody_shows_them_nothing_more(indexed: Command, tmp_path: Path):
    with (tmp_path / ".answerable" / "answerable.toml").open("a", encoding="utf8") as file:
        file.write('\n[askers.guest]\nclearance = ["wiki"]\n')
    ran = indexed("ask", QUESTION, "--as", "guest", "--explain")
    assert "KESTREL" not in ran.out and "birds" not in ran.out and "guest is not cleared for mail" in ran.out
    assert indexed("ask", QUESTION, "--as", "nobody").code == 2


def test_settings_come_from_flags_and_are_checked(indexed: Command):
    assert {h["skill"] for h in indexed("ask", QUESTION, "--hops", "1", "--json", "--explain").record["hops"]} == {
        "single"
    }
    ran = indexed("ask", QUESTION, "--hops", "77", "--json")
    assert ran.code == 2 and "beam.hops" in ran.record["error"]["message"]


def test_questions_that_cannot_be_asked(indexed: Command):
    for question in ("", "  ", "x" * 3000):
        ran = indexed("ask", question, "--json")
        assert ran.code == 2 and ran.record["error"]["kind"] == "UsageError"


def test_text_of_a_document_is_never_markup(indexed: Command, tmp_path: Path):
    (tmp_path / "mail" / "odd.txt").write_text(
        "The [bold]marked[/bold] word Zanzibar[/] costs \x1b[31m99 pounds.", "utf8"
    )
    indexed("index", tmp_path / "mail", "--enclave", "mail")
    out = indexed("ask", "What does the marked word cost?").out
    assert "[bold]marked[/bold]" in out and "\x1b" not in out


def test_quotes_may_be_left_out_wherever_the_options_stand(indexed: Command):
    quoted = indexed("ask", QUESTION, "--hops", "2", "--json").record
    for args in ((*QUESTION.split(), "--hops", "2", "--json"), ("--hops", "2", "--json", *QUESTION.split())):
        said = indexed("ask", *args).record
        assert {**said, "seconds": 0} == {**quoted, "seconds": 0}


def test_what_asks_to_be_told_gets_passages_and_is_answered(indexed: Command):
    ran = indexed("ask", *"Tell me about Kõpu Lighthouse".split())
    assert ran.code == 0 and ran.out.startswith("No short answer: passages are what")
    assert "The nearest passages" in ran.out and "completed in 1531" in ran.out and "guesses" not in ran.out
    record = indexed("ask", "Tell me about Kõpu Lighthouse", "--json").record
    assert record["answer"] is None and record["via"] == "passages" and record["guesses"] == []
    assert "completed in 1531" in record["passages"][0]["text"]


def test_headings_of_passages_are_shown_without_their_marks(command: Command, tmp_path: Path) -> None:
    note = tmp_path / "notes.md"
    note.write_text(
        "# House\n\n## Boiler\n\nThe **boiler** stands in the cellar.\n\n## Roof\n\nThe roof is of slate.\n"
    )
    command("index", note, "--enclave", "notes")
    shown = command("ask", "tell me about the boiler").out
    assert "  Boiler\n  The boiler stands in the cellar.\n  Roof\n  The roof" in shown
    assert "#" not in shown and "*" not in shown


def test_lines_of_passages_are_shown_as_they_stand(command: Command, tmp_path: Path) -> None:
    rows = "heron      10.20.4.11   old store\nbittern    10.20.4.17\tClickHouse"
    (tmp_path / "servers.txt").write_text(f"SERVERS\n=======\n\n{rows}\n\nIn rack 3.\n", "utf8")
    command("index", tmp_path / "servers.txt", "--enclave", "notes")
    shown = command("ask", "tell me about bittern").out
    assert "  heron      10.20.4.11   old store\n  bittern    10.20.4.17   ClickHouse\n  In rack 3.\n" in shown
