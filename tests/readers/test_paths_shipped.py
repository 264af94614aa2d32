from __future__ import annotations

from answerable.readers.paths import PathReader
from answerable.testing.reader import LIGHT, OTHER, ReaderContract, chain
from answerable.workspace.models import open_reader

QUESTION = "Who designed Skerryvore Lighthouse?"


class TestShippedPathReader(ReaderContract):
    reader = open_reader("skills", threads=1)[0]

    def test_the_path_that_is_needed_comes_first(self) -> None:
        assert isinstance(self.reader, PathReader)
        right, wrong = chain(LIGHT), chain(OTHER, title="Chance Brothers")
        for chains in ([right, wrong], [wrong, right]):
            assert self.reader.rank(QUESTION, chains)[0][0] == right

    def test_the_sentence_with_the_answer_supports_it(self) -> None:
        assert isinstance(self.reader, PathReader)
        supporting = self.reader.supporting(QUESTION, chain(LIGHT))
        assert [LIGHT[one.start - 100 : one.end - 100] for one in supporting] == [LIGHT[LIGHT.index("It was") :]]
