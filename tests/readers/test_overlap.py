from answerable.readers.overlap import OverlapReader
from answerable.testing.reader import LIGHT, OTHER, ReaderContract, chain


class TestOverlapReader(ReaderContract):
    reader = OverlapReader()

    def test_takes_the_new_name_from_the_closest_sentence(self) -> None:
        best = self.reader.read("Who designed the light, first lit in 1844?", [chain(OTHER), chain(LIGHT)])[0]
        assert best.text == "Alan Stevenson"
        assert (best.start, best.end) == (100 + LIGHT.index("Alan"), 100 + LIGHT.index(" and first"))

    def test_a_question_of_stop_words_only_has_no_answer(self) -> None:
        assert self.reader.read("What is it?", [chain(LIGHT)]) == []
