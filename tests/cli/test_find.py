"""`answerable find`: sets on the command line."""

import csv
import io
import re
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.cli.conftest import Command

BOTH = '"lighthouse" and "completed"'


def test_a_member_is_a_line_with_the_sentence_that_shows_most(indexed: Command) -> None:
    ran = indexed("find", "completed lighthouses", "--expression", BOTH)
    assert ran.code == 0
    assert 'looking for "lighthouse" and "completed"' in ran.out
    assert "0.92  Kõpu Lighthouse                       Kõpu Lighthouse was completed in 1531.\n" in ran.out
    assert "1 member; looked at 3 of about 3 that could be" in ran.out and "Hook" not in ran.out
    assert "narrow by" not in ran.out  # one member divides into nothing


def test_how_many_of_those_shown_are_to_be_believed(indexed: Command) -> None:
    ran = indexed("find", "--expression", '"lighthouse"')
    shown = [float(one) for one in re.findall(r"^(0\.\d\d)  ", ran.out, re.M)]
    told = f"{len(shown)} members, about {sum(shown):.0f} of them right by their probabilities; looked at"
    assert len(shown) > 2 and told in ran.out
    first = indexed("find", "--expression", '"lighthouse"', "--limit", "2").out
    assert re.search(r"members, 2 of them shown, about [12] of these right", first)


def test_explained_a_member_has_a_sentence_for_each_constraint(indexed: Command) -> None:
    ran = indexed("find", "--expression", '("lighthouse" and "completed") minus "Ireland"', "--explain")
    assert re.search(r"completed: Kõpu Lighthouse was completed in 1531\.  \d+-\d+\n", ran.out)
    assert "Ireland: not shown\n" in ran.out and "Ireland: not shown of any of them" in ran.out


def test_json_holds_items_evidence_and_where_it_went(indexed: Command) -> None:
    record = indexed("find", "--expression", '"lighthouse" minus "Ireland"', "--json", "--explain").record
    assert record["expression"] == '"lighthouse" minus "Ireland"' and record["count"] == len(record["items"])
    titles = {item["title"]: item for item in record["items"]}
    assert "Kõpu Lighthouse" in titles and "Hook Lighthouse" not in titles
    first = titles["Kõpu Lighthouse"]["evidence"][0]["citations"][0]
    assert first["end"] > first["start"] >= 0
    assert [one["title"] for one in record["left_out"]] == ["Hook Lighthouse"]
    assert {hop["enclave"] for hop in record["hops"]} == {"wiki", "mail"} and record["alternatives"] == []
    short = indexed("find", "--expression", '"lighthouse" minus "Ireland"', "--json").record
    assert record.keys() - short.keys() == {"left_out", "hops"} and short["items"] == record["items"]


def test_other_readings_can_be_copied(indexed: Command) -> None:
    query = "lamps made in Sweden but not valves"
    ran = indexed("find", query)
    record = indexed("find", query, "--json").record
    assert ran.code == 3 and record["alternatives"]
    for other in record["alternatives"]:
        assert 0 < other["probability"] < 1 and f"--expression '{other['expression']}'" in ran.out
        again = indexed("find", query, "--expression", other["expression"], "--json").record
        assert again["expression"] == other["expression"] and again["alternatives"] == []


def test_a_query_is_taken_apart(indexed: Command) -> None:
    record = indexed("find", "lighthouses that are not in Ireland", "--json").record
    assert record["expression"] == '"lighthouses" minus "in Ireland"'
    assert "Kõpu Lighthouse" in {item["title"] for item in record["items"]}
    assert "Hook Lighthouse" not in {item["title"] for item in record["items"]}


def test_what_was_left_out_and_why(indexed: Command) -> None:
    ran = indexed("find", "--expression", '"lighthouse" minus "Ireland"', "--explain")
    assert (
        "Left out though they fit otherwise" in ran.out
        and "shown not to be one  Ireland: It stands in Ireland." in ran.out
    )
    assert "wiki was asked the part “lighthouse”" in ran.out and "Trace" in ran.out


def test_counts(indexed: Command) -> None:
    ran = indexed("find", "--expression", BOTH, "--count")
    assert ran.code == 0 and ran.out.splitlines()[0] == "1" and "looked at 3" in ran.out.splitlines()[1]
    record = indexed("find", "--expression", BOTH, "--count", "--json").record
    assert record["count"] == 1 and record["interval"][0] <= record["expected"] <= record["interval"][1] + 1


def test_an_empty_set_ends_with_3(indexed: Command) -> None:
    ran = indexed("find", "--expression", '"lighthouse" and "submarine"')
    assert ran.code == 3 and "None found" in ran.out
    assert indexed("find", "--expression", '"submarine"', "--json").code == 3
    ran = indexed("find", "mails about lighthouses")
    assert ran.code == 3 and "nothing here to look at" in ran.out


def test_csv_goes_to_a_file_or_to_standard_output(indexed: Command, tmp_path: Path) -> None:
    ran = indexed("find", "--expression", BOTH, "--csv", "out.csv")
    assert ran.code == 0 and "1 member is in out.csv" in ran.err
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf8"))))
    assert rows[0]["title"] == "Kõpu Lighthouse" and "1531" in rows[0]["completed"]
    printed = indexed("find", "--expression", BOTH, "--csv", "-")
    assert printed.out == (tmp_path / "out.csv").read_text(encoding="utf8")


def test_a_workbook_holds_the_same_as_text_that_no_spreadsheet_runs(indexed: Command, tmp_path: Path) -> None:
    (tmp_path / "wiki" / "trap.md").write_text("# =HYPERLINK(1) lighthouse\n\nIt was completed.\n", encoding="utf8")
    indexed("index", "wiki", "--enclave", "wiki", "--public")
    ran = indexed("find", "--expression", BOTH, "--xlsx", "out.xlsx", "--csv", "out.csv")
    assert ran.code == 0 and "2 members are in out.xlsx" in ran.err and "2 members are in out.csv" in ran.err
    with ZipFile(tmp_path / "out.xlsx") as book:
        sheet, strings = (book.read(f"xl/{name}.xml").decode() for name in ("worksheets/sheet1", "sharedStrings"))
    assert "Kõpu Lighthouse" in strings and "1531" in strings and ">'=HYPERLINK(1) lighthouse<" in strings
    assert "<f>" not in sheet and re.search(r'<c r="F2"><v>0\.\d+</v>', sheet)


def test_a_workbook_needs_its_extra(indexed: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answerable.cli.find.find_spec", lambda name: None)
    ran = indexed("find", "lighthouses", "--xlsx", "out.xlsx")
    assert ran.code == 1 and "pip install 'answerable[xlsx]'" in ran.err


def test_members_are_narrowed_by_what_divides_them(indexed: Command) -> None:
    ran = indexed("find", "--expression", '"lighthouse" or "Maria"')
    assert "narrow by --enclave wiki (2), --enclave mail (1)" in ran.out and "narrow by --kind" in ran.out
    assert "narrow by --from" not in ran.out  # one member each


def test_a_saved_find_tells_what_is_new(indexed: Command, tmp_path: Path) -> None:
    assert indexed("find", "--expression", '"lighthouse" minus "Ireland"', "--save", "towers").code == 0
    (tmp_path / "wiki" / "rose.md").write_text("# Rose Lighthouse\n\nA lighthouse of roses.\n", encoding="utf8")
    indexed("index", "wiki", "--enclave", "wiki", "--public")
    ran = indexed("find", "--again", "towers")
    assert re.search(r"Rose Lighthouse +new  ", ran.out) and not re.search(r"Kõpu Lighthouse +new", ran.out)
    assert "1 new since the last time, 0 gone\n" in ran.out
    (tmp_path / "wiki" / "rose.md").unlink()
    indexed("index", "wiki", "--enclave", "wiki", "--public")
    record = indexed("find", "--again", "towers", "--json").record
    assert record["new"] == [] and [name.rsplit("/", 1)[-1] for name in record["gone"]] == ["rose.md"]
    assert "0 new since the last time, 0 gone\n" in indexed("find", "--again", "towers").out


def test_a_saved_find_looks_again_where_its_query_meant(indexed: Command) -> None:
    first = indexed("find", "wikis that mention lighthouse", "--save", "towers")
    assert " in wiki\n" in first.out and " in wiki\n" in indexed("find", "--again", "towers").out


def test_what_is_saved_is_the_asker_s_own(indexed: Command, tmp_path: Path) -> None:
    settings = next(tmp_path.rglob("answerable.toml"))
    settings.write_text(settings.read_text() + '[askers.guest]\nclearance = ["wiki"]\n')
    indexed("find", "lighthouses", "--save", "towers")
    ran = indexed("find", "--again", "towers", "--as", "guest")
    assert ran.code == 2 and "no find is saved as 'towers'" in ran.err and "saved: none" in ran.err


def test_what_is_saved_may_be_broken(indexed: Command, tmp_path: Path) -> None:
    indexed("find", "lighthouses", "--save", "towers")
    kept = next(tmp_path.rglob("finds.json"))
    for text in ("[]", "{", '{"owner": {"towers": {"query": "x"}}}'):
        kept.write_text(text)
        ran = indexed("find", "--again", "towers")
        assert ran.code == 1 and "finds.json does not hold saved finds" in ran.err and "Traceback" not in ran.err


def test_privacy_and_askers_as_for_ask(indexed: Command) -> None:
    kept = indexed("find", "--expression", '"lighthouse"', "--privacy", "query", "--json", "--explain").record
    assert {item["enclave"] for item in kept["items"]} == {"mail"}
    assert any(hop["refused"] for hop in kept["hops"] if hop["enclave"] == "wiki")
    assert indexed("find", "lighthouses", "--as", "nobody").code == 2


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ((), "there is no query"),
        (("",), "the query is empty"),
        (("x", "--expression", '"a" xor "b"'), "cannot be read at character 5"),
        (("x", "--csv", "nowhere/out.csv"), "in no folder that exists"),
        (("x", "--csv", "wiki"), "is a folder"),
        (("x", "--csv", "-", "--json"), "both want standard output"),
        (("x", "--count", "--csv", "out.csv"), "no members to write"),
        (("x", "--xlsx", "nowhere/out.xlsx"), "in no folder that exists"),
        (("x", "--xlsx", "out", "--csv", "out"), "name one file"),
        (("x", "--limit", "0"), "limit is 0"),
        (("--again", "towers"), "no find is saved as 'towers'"),
        (("x", "--save", "towers", "--limit", "2"), "saved whole"),
        (("x", "--privacy", "some"), "some"),
    ],
)
def test_one_sentence_says_what_is_wrong(indexed: Command, given: tuple[str, ...], why: str) -> None:
    ran = indexed("find", *given)
    assert ran.code == 2 and why in ran.err + ran.out and "Traceback" not in ran.err


def test_without_a_workspace_or_an_index_it_says_so(command: Command) -> None:
    ran = command("find", "lighthouses")
    assert ran.code == 2 and "there is no workspace" in ran.err


def test_quotes_may_be_left_out(indexed: Command) -> None:
    quoted = indexed("find", "lighthouses that are not in Ireland", "--json").record
    said = indexed("find", "lighthouses", "that", "are", "--json", "not", "in", "Ireland").record
    assert said["items"] == quoted["items"] and said["expression"] == quoted["expression"]


def test_rows_of_a_table_are_members(command: Command, tmp_path: Path) -> None:
    rows = ("Aurora,Tanker,1985", "Borea,Ferry,1979", "Castor,Ferry,2001", "Delphin,Tanker,1990", "Elbe,Tug,2010")
    (tmp_path / "ships.csv").write_text("\n".join(("Name,Type,Built", *rows)), encoding="utf8")
    command("index", "ships.csv", "--enclave", "fleet")
    asked = ("find", "--expression", '"ships built after 1980" minus "tankers"')
    ran = command(*asked, "--explain")
    assert re.search(r"1\.00  ships, row 3 {26}.*fleet.*  Name: Castor; Type: Ferry; Built: 2001\n", ran.out)
    assert "ships built after 1980: Built: 2001  " in ran.out and "tankers: shown not to be: Type: Ferry" in ran.out
    assert "ships, row 1\n    shown not to be one  tankers: Type: Tanker" in ran.out
    castor, elbe = command(*asked, "--json").record["items"]
    assert castor["row"]["place"] == "row 3" and elbe["row"]["text"] == "Name: Elbe; Type: Tug; Built: 2010"
    printed = csv.DictReader(io.StringIO(command(*asked, "--csv", "-").out))
    assert [one["row"][:10] for one in printed] == ["Name: Cast", "Name: Elbe"]
    command(*asked, "--save", "newer")
    (tmp_path / "ships.csv").write_text("\n".join(("Name,Type,Built", "Ada,Tug,1999", *rows[:-1])), encoding="utf8")
    command("index", "ships.csv", "--enclave", "fleet")
    news = command("find", "--again", "newer", "--json").record
    (gone,) = news["gone"]
    assert news["new"] == ["ships.csv, row 1"] and re.fullmatch(r"ships\.csv#[0-9a-f]{12}", gone)


def test_a_long_row_is_cut_where_it_is_shown_and_nowhere_else(command: Command, tmp_path: Path) -> None:
    note = " ".join(["worn"] * 300)
    (tmp_path / "ships.csv").write_text(f"Name,Notes,Type\nAurora,{note},Tug\nBorea,new,Ferry\n", encoding="utf8")
    command("index", "ships.csv", "--enclave", "fleet")
    asked = ("find", "--expression", '"ships" and "tug"')
    (shown,) = (one for one in command(*asked).out.splitlines() if "ships, row 1" in one)
    assert shown.endswith("Name: Aurora; Type: Tug; …") and len(shown) < 400, (
        "what it is called, and what says that it fits"
    )
    assert len(command(*asked, "--json").record["items"][0]["row"]["text"]) > len(note)
    (row,) = csv.DictReader(io.StringIO(command(*asked, "--csv", "-").out))
    assert note in row["row"]
    longest = command("find", "--expression", '"ships" and "worn"', "--explain").out
    assert max(map(len, longest.splitlines())) < 600
