from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from answerable.encoders import choose
from answerable.encoders.choose import SHIPPED, for_passages, open_encoder
from answerable.encoders.dense import DenseEncoder
from answerable.encoders.encoder import Linker
from answerable.encoders.hashed import HashedEncoder
from answerable.errors import ModelError, UsageError


def test_encoders_have_names() -> None:
    assert isinstance(open_encoder("hashed"), HashedEncoder)
    shipped, same = open_encoder(threads=1), open_encoder(str(SHIPPED / "minilm"), threads=1)
    assert isinstance(shipped, DenseEncoder)
    assert shipped.name == same.name


def test_which_encoders_link() -> None:
    assert isinstance(open_encoder("hashed"), Linker)
    assert not isinstance(open_encoder(threads=1), Linker)


def test_an_unknown_name_says_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"no encoder 'minilmm' .*ANSWERABLE_MODELS_ENCODER\) is minilm, skills, hashed"
    ):
        open_encoder("minilmm")
    with pytest.raises(ModelError, match="no model in"):
        open_encoder(str(tmp_path))


def test_the_stand_in_encodes_its_own_passages() -> None:
    encoder = HashedEncoder()
    assert for_passages(encoder) is encoder


def test_without_torch_the_shipped_encoder_encodes_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "find_spec", lambda name: None if name == "torch" else importlib.util.find_spec(name))
    encoder = open_encoder(threads=1)
    assert for_passages(encoder) is encoder
