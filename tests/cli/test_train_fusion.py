"""`train` with a recipe of fusion: from questions to one folder that is both an encoder and a reader."""

import logging
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.choose import open_encoder
from answerable.testing.reader import LIGHT, chain
from answerable.workspace.models import open_reader
from tests.cli.conftest import Command
from tests.training.fusion.worlds import write_data
from tests.training.paths.worlds import write_bert


def test_from_questions_to_a_reader(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_data(tmp_path / "data")
    write_bert(tmp_path / "bert")
    recipe = 'kind = "fusion"\nstart = "bert"\nthreads = 1\ntokens = 144\n[draw]\nmost = 3\n'
    recipe += "[loop]\ntokens = 1024\nmost = 2\n[sources]\nhotpotqa = 0.3\nsquad1 = 0.2\n"
    (tmp_path / "fusion.toml").write_text(recipe, encoding="utf8")
    root, level = logging.getLogger(), logging.getLogger().level
    with monkeypatch.context() as patch:
        patch.setattr(root, "handlers", [])  # as in a process of its own, without those of pytest
        ran = command("train", "fusion.toml", "--data", "data", "--out", "out", "--json")
    root.setLevel(level)
    assert ran.code == 0
    assert "hotpotqa:" in ran.err and "looking for negatives" in ran.err
    folder = ran.record["model"]
    reader, _ = open_reader(folder, threads=1)
    assert reader.name == "fused" and reader.read("Who designed it?", [chain(LIGHT)])
    assert open_encoder(folder, threads=1).name == ran.record["name"]
    again = command("train", "fusion.toml", "--data", "data", "--out", "out", "--json")
    assert again.record == ran.record
