"""Tokens, their classes, and what is asked for."""

import pytest

from answerable.sets.parsing.words import asked, text, tokens


def said(query: str) -> str:
    return text(asked(tokens(query)))


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("what are the Rodents of Cambodia?", "Rodents of Cambodia"),
        ("Please show me all of the maps", "maps"),
        ("Could you list every one of the maps for me, please?", "maps"),
        ("I'm looking for search tools", "search tools"),
        ("how many bats of Peru are there?", "bats of Peru"),
        ("which web browsers", "web browsers"),
        ("do you know any good operas", "good operas"),
        ("search tools for files", "search tools for files"),
        ("What are the", ""),
        ("birds Cuba and Haiti have in common", "birds of Cuba and Haiti"),
        ("mosses that both Norway and Sweden share", "mosses of Norway and Sweden"),
        ("policies that do not share data with third parties",) * 2,
        ("novels by P. G. Wodehouse.", "novels by P. G. Wodehouse"),
        ("films set in Victoria (Australia)", "films set in Victoria (Australia)"),
        ("Botany, zoology", "Botany, zoology"),
    ],
)
def test_what_is_asked_for_is_without_its_opening_and_its_end(query: str, what: str):
    assert said(query) == what


def test_words_have_classes():
    kinds = {one.text: one.kind for one in tokens("the 1950s films of Swedish directors written by X, fauna")}
    assert kinds["1950s"] == "number" and kinds["films"] == "generic" and kinds["of"] == "prep"
    assert kinds["Swedish"] == "adjective" and kinds["directors"] == "plural" and kinds["written"] == "part"
    assert kinds["the"] == "det" and kinds["X"] == "cap" and kinds[","] == "mark"


def test_what_a_thing_does_is_a_modifier_after_its_noun():
    assert [one.kind for one in tokens("mails asking for approval")] == ["generic", "part", "prep", "adjective"]
    assert tokens("spelling mails")[0].kind == "low"


def test_quotation_marks_make_words_literal_and_non_stays_with_its_word():
    words = tokens("films like “War and Peace” non American")
    assert [one.literal for one in words] == [False, False, True, True, True, False]
    assert words[-1].text == "non-American"
