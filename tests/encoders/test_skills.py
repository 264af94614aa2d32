"""The encoder that ships."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from answerable.encoders.choose import SHIPPED
from answerable.encoders.skills import ModularEncoder
from answerable.errors import ModelError
from answerable.testing.encoder import PASSAGES, LinkerContract
from answerable.types import Skill

FOLDER = SHIPPED / "skills"


@cache
def shipped() -> ModularEncoder:
    """Opened for the first test that encodes, not for whoever lists the tests."""
    return ModularEncoder(FOLDER, threads=1)


class TestShippedEncoder(LinkerContract):
    encoder = property(lambda _: shipped())

    def test_meaning_counts_and_not_words_alone(self) -> None:
        texts = [("", "He was laid off last spring."), ("", "The spring in the watch was laid flat.")]
        query = self.encoder.encode_query("losing one's job", Skill.SINGLE)
        assert int((self.encoder.encode_passages(texts) @ query).argmax()) == 0

    def test_threads_change_nothing(self) -> None:
        texts = [(title, f"{text} {i}") for i in range(8) for title, text in PASSAGES]
        two = ModularEncoder(FOLDER, threads=2)
        np.testing.assert_allclose(two.encode_passages(texts), self.encoder.encode_passages(texts), atol=1e-6)

    def test_a_title_is_part_of_a_passage(self) -> None:
        with_title, without = self.encoder.encode_passages([("Tiree", "It is lit."), ("", "It is lit.")])
        assert float(with_title @ without) < 0.95

    def test_what_follows_the_last_token_does_not_count(self) -> None:
        words = "lamp " * 400
        rows = self.encoder.encode_passages([("", words + "whale"), ("", words)])
        np.testing.assert_array_equal(rows[0], rows[1])


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder of models of which everything is a copy."""
    shutil.copytree(SHIPPED, tmp_path / "models", ignore=shutil.ignore_patterns("reader", "pairs"))
    return tmp_path / "models" / "skills"


def test_a_missing_file_is_refused(copy: Path) -> None:
    (copy.parent / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"tokenizer\.json is missing"):
        ModularEncoder(copy)


@pytest.mark.parametrize("text", ["[]", "{", '{"name": "x"}', '{"name": "x", "files": 3}'])
def test_a_manifest_that_is_not_one_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(ModelError, match="not the manifest"):
        ModularEncoder(tmp_path)
