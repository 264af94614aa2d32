"""`train` with a recipe of paths: from questions to one folder that is both an encoder and a reader."""

import logging
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.choose import open_encoder
from answerable.encoders.shipped import open_shipped
from answerable.readers.paths import PathReader, open_paths
from answerable.testing.reader import LIGHT, chain
from tests.cli.conftest import Command
from tests.training.paths.worlds import write_bert, write_data


def reader_in(folder: str) -> PathReader:
    return open_paths(open_shipped(Path(folder)), 1)


def test_from_questions_to_a_reader(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_data(tmp_path / "data")
    write_bert(tmp_path / "bert")
    recipe = 'kind = "paths"\nstart = "bert"\nthreads = 1\ntokens = 144\n'
    recipe += "[loop]\ntokens = 1024\nmost = 2\n[sources]\nhotpotqa = 1\nsquad2 = 1\n"
    (tmp_path / "paths.toml").write_text(recipe, encoding="utf8")
    root, level = logging.getLogger(), logging.getLogger().level
    with monkeypatch.context() as patch:
        patch.setattr(root, "handlers", [])  # as in a process of its own, without those of pytest
        ran = command("train", "paths.toml", "--data", "data", "--out", "out", "--json")
    root.setLevel(level)
    assert ran.code == 0
    assert "hotpotqa:" in ran.err and "paths in" in ran.err
    folder = ran.record["model"]
    assert reader_in(folder).look("Who designed it?", [chain(LIGHT)])
    assert open_encoder(folder, threads=1).name == ran.record["name"]
    again = command("train", "paths.toml", "--data", "data", "--out", "out", "--json")
    assert again.record == ran.record
    assert command("train", "paths.toml", "--out", "out").code == 2
