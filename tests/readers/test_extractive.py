"""Extractive readers of Hugging Face, as BERT and as RoBERTa lay a pair out."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `transformers`")
pytest.importorskip("transformers", reason="needs the extra `transformers`")

from answerable.errors import ModelError
from answerable.readers.extractive import ExtractiveReader
from answerable.testing.reader import LIGHT, OTHER, ReaderContract, chain
from answerable.text import words
from tests.encoders.tiny import write_bert

WORDS = words(f"Skerryvore {LIGHT} {OTHER} who designed when was . the keeper wrote")
WHO = "Who designed Skerryvore Lighthouse?"


class TestOfBert(ReaderContract):
    polar = False

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def _opened(cls, tmp_path_factory: pytest.TempPathFactory) -> None:
        folder = write_bert(tmp_path_factory.mktemp("reader"), "ForQuestionAnswering", WORDS)
        cls.reader = ExtractiveReader(str(folder), 1)

    def test_a_score_is_start_and_end_against_the_first_mark(self) -> None:
        best = self.reader.read(WHO, [chain(LIGHT)])[0]
        model = self.reader._model
        (encoding,) = model.encoded([(WHO, f"Skerryvore Lighthouse . {LIGHT}")])
        (_, outputs, _), *_ = model.run([encoding.ids], [encoding.type_ids])
        start, end = outputs["start_logits"][0], outputs["end_logits"][0]
        passage = [i for i, of in enumerate(encoding.sequence_ids) if of == 1][3:]  # after the title and its stop
        by_hand = max(start[i] + end[j] for i in passage for j in passage if i <= j < i + 30)
        assert best.score == pytest.approx(float(by_hand - start[0] - end[0]), abs=1e-4)

    def test_every_window_of_a_long_passage_is_read(self) -> None:
        laid = self.reader._layout
        (question, head, text) = laid.tokens([WHO, "", "keeper " * 500])
        windows = laid.windows(question, [(head, text)])
        assert len(windows) > 2 and all(len(one.ids) <= laid.most == 130 for one in windows)
        shown = {n for one in windows for _, first, count in one.places for n in range(first, first + count)}
        assert shown == set(range(500))
        assert all(one.text in "keeper " * 500 for one in self.reader.read(WHO, [chain("keeper " * 500)]))


class TestOfRoberta(ReaderContract):
    polar = False

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def _opened(cls, tmp_path_factory: pytest.TempPathFactory) -> None:
        folder = write_bert(tmp_path_factory.mktemp("reader"), "ForQuestionAnswering", WORDS, "roberta")
        cls.reader = ExtractiveReader(str(folder), 1)

    def test_a_pair_is_laid_out_as_its_tokenizer_does(self) -> None:
        (encoding,) = self.reader._model.encoded([(WHO, LIGHT)])
        question, nothing, text = self.reader._layout.tokens([WHO, "", LIGHT])
        laid = self.reader._layout.lay(question, [(nothing, text)], lambda *_: 0)
        assert laid.ids == encoding.ids and laid.ids[0] == 0 and laid.ids.count(2) == 3


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    write_bert(tmp_path, "Model", WORDS)
    with pytest.raises(ModelError):
        ExtractiveReader(str(tmp_path / "nothing"), 1)
