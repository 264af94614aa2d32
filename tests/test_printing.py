"""What is printed: nothing that drives a terminal, JSON that reads back, cells that no spreadsheet runs."""

import json
import sys
import unicodedata
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.printing import as_json, clean, counted, plain_cell, safe_cell
from answerable.workspace.workspace import Workspace

HIDDEN = "\x00\x07\x1b\x7f\x85\x9b\xad\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\U000e0041"
TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
anything = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(HIDDEN + "=＝+-@\t\r '"))


@cache
def everything() -> str:
    """Every character that there is."""
    return "".join(c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) not in ("Cn", "Co", "Cs"))


def test_one_of_a_thing_is_not_called_by_its_plural():
    assert [counted(n, "file") for n in (0, 1, 2, 2364)] == ["0 files", "1 file", "2 files", "2,364 files"]
    assert [counted(n, "search", "searches") for n in (1, 2)] == ["1 search", "2 searches"]


def test_no_character_that_drives_a_terminal_is_printed():
    shown = clean(everything())
    assert len(shown) == len(everything())
    left = {c for c in shown if unicodedata.category(c) in ("Cc", "Zl", "Zp")}
    assert left == {"\n", "\t"} and not set(TURNS) & set(shown)
    assert clean("a\x1b[2Jb\u202ec\udcffd\te\n") == "a\ufffd[2Jb\ufffdc\ufffdd\te\n"


@pytest.mark.parametrize("text", ["Kõpu", "می\u200cخواهم", "👩\u200d🚒", "a\xa0b", "日本\u3000語", "tab\tand\nline"])
def test_what_words_are_written_with_stays(text: str):
    assert clean(text) == text


@given(anything)
def test_cleaning_twice_is_cleaning_once(text: str):
    assert clean(clean(text)) == clean(text) and len(clean(text)) == len(text)


@pytest.mark.parametrize("narrow", [False, True])
def test_json_shows_every_character(narrow: bool):
    text = as_json(everything(), narrow=narrow)
    assert json.loads(text) == everything()
    assert text.isprintable() and (text.isascii() or not narrow)


@given(st.recursive(anything, lambda inner: st.lists(inner) | st.dictionaries(anything, inner), max_leaves=8))
def test_json_reads_back_as_what_it_was(value: object):
    for indent in (None, 2):
        text = as_json(value, indent=indent)
        assert json.loads(text) == value
        assert text.replace("\n", "").isprintable() and (indent or "\n" not in text)


def test_json_without_utf8_for_half_a_character():
    assert json.loads(as_json({"a\udcff": "\ud83d"})) == {"a\ufffd": "\ufffd"}
    assert as_json("Kõpu") == '"Kõpu"' and as_json("Kõpu", narrow=True) == '"K\\u00f5pu"'


@pytest.mark.parametrize(
    "before", ["", " ", "\u200b", "\ufeff", "\xa0", "\u3000", "\x1b", "\u202e", "\ufe0f", "\u3164"]
)
def test_a_formula_in_disguise_is_none(before: str):
    for sign in "=+-@＝＋－＠﹦﹢﹣﹫−⁼₊":
        assert safe_cell(f"{before}{sign}1+1") == f"'{before}{sign}1+1"


@given(anything)
def test_no_cell_begins_as_a_formula(text: str):
    cell = safe_cell(text)
    seen = unicodedata.normalize("NFKC", cell).lstrip("".join(c for c in HIDDEN if c not in "\t\r") + " \xa0\u3000")
    assert not seen.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert plain_cell(cell) == text


@pytest.mark.parametrize("text", ["", "1531", "Kõpu", "a = b", "'quoted'", "‘s", "  indented"])
def test_other_cells_stay(text: str):
    assert safe_cell(text) == plain_cell(text) == text


def test_a_notebook_shows_an_answer_and_a_set_as_html_that_runs_nothing(tmp_path, workspace: Workspace):
    hostile = "<script>alert(1)</script> The Orrin lamp burns oil.\u202e"
    (tmp_path / "orrin.txt").write_text(hostile, encoding="utf8")
    workspace.index([tmp_path / "orrin.txt"], "mail")
    answer = workspace.ask("What does the Orrin lamp burn?")
    shown = [answer._repr_html_(), workspace.search("Orrin lamp")._repr_html_()]
    shown.append(workspace.find("the Orrin lamp")._repr_html_())
    for html in shown:
        assert "<script" not in html and "\u202e" not in html and "consulted private text: mail" in html
    assert "No short answer" in shown[1] and "&lt;script&gt;" in shown[1] and "orrin.txt" in shown[1]
    assert "found</strong>" in shown[2]
    assert str(answer.text or answer.reason)[:9] in shown[0]
