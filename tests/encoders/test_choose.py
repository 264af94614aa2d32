from __future__ import annotations

from pathlib import Path

import pytest

from answerable.encoders.choose import SHIPPED, open_encoder
from answerable.encoders.encoder import Linker
from answerable.encoders.hashed import HashedEncoder
from answerable.encoders.skills import ModularEncoder
from answerable.errors import ModelError, UsageError


def test_encoders_have_names() -> None:
    assert isinstance(open_encoder("hashed"), HashedEncoder)
    shipped, same = open_encoder(threads=1), open_encoder(str(SHIPPED / "skills"), threads=1)
    assert isinstance(shipped, ModularEncoder)
    assert shipped.name == same.name


def test_which_encoders_link() -> None:
    assert isinstance(open_encoder("hashed"), Linker)
    assert isinstance(open_encoder(threads=1), Linker)


def test_an_unknown_name_says_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no encoder 'skill' .*ANSWERABLE_MODELS_ENCODER\) is skills, hashed"):
        open_encoder("skill")
    with pytest.raises(ModelError, match="no model in"):
        open_encoder(str(tmp_path))
