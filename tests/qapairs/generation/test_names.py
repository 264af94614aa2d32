"""Answers by names and phrases."""

from __future__ import annotations

import pytest

from answerable.qapairs.generation.names import NamesExtractor, PhrasesExtractor
from answerable.qapairs.generation.parsing import Parser
from tests.contracts.extractor import ExtractorContract
from tests.qapairs.generation.sentences import passage

LIGHT = passage(
    "Skerryvore Lighthouse is a tall lighthouse west of Tiree in Scotland . It was designed by Alan Stevenson and was "
    "first lit on 1 February 1844 . The tower is 48 metres tall and cost $ 86,000 .",
    "Skerryvore Lighthouse",
)


class TestNames(ExtractorContract):
    @pytest.fixture(autouse=True)
    def _extractor(self, parser: Parser) -> None:
        self.extractor = NamesExtractor(parser)

    def test_names_dates_and_counts_have_their_kinds(self) -> None:
        kinds = {span.text: span.kind for span in self.extractor.extract([LIGHT])[0]}
        assert kinds["Alan Stevenson"] == "PERSON" and kinds["1 February 1844"] == "DATE"
        assert kinds["$ 86,000"] == "MONEY"

    def test_dates_between_brackets_are_found(self) -> None:
        (spans,) = self.extractor.extract([passage("Ada Lovelace (10 December 1815 – 1852) wrote notes.")])
        assert [span.text for span in spans if span.kind == "DATE"] == ["10 December 1815", "1852"]

    def test_half_of_a_result_is_no_answer(self) -> None:
        (spans,) = self.extractor.extract([passage("The Lions finished the season 11-4 and beat the Bears 28-24.")])
        assert not {"11", "4", "28", "24"} & {span.text for span in spans}


class TestPhrases(ExtractorContract):
    @pytest.fixture(autouse=True)
    def _extractor(self, parser: Parser) -> None:
        self.extractor = PhrasesExtractor(parser)

    def test_definitions_are_found_and_dates_are_not(self) -> None:
        texts = {span.text for span in self.extractor.extract([LIGHT])[0]}
        assert "tall lighthouse" in texts and "1 February 1844" not in texts

    def test_what_only_points_back_is_no_answer(self) -> None:
        (spans,) = self.extractor.extract(
            [passage("The ship sank. The captain took part in the rescue of six sailors.")]
        )
        texts = {span.text for span in spans}
        assert "rescue of six sailors" in texts and not {"ship", "captain", "part"} & texts
