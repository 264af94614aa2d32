"""`train`: recipes are checked before anything is loaded; without torch it names the extra."""

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command


def test_recipes_that_cannot_be_used(command: Command, tmp_path: Path):
    (tmp_path / "broken.toml").write_text("kind = ", encoding="utf8")
    (tmp_path / "other.toml").write_text("kind = 'poet'\n", encoding="utf8")
    (tmp_path / "good.toml").write_text("kind = 'reader'\n", encoding="utf8")
    for recipe, data in (("none.toml", "."), ("broken.toml", "."), ("other.toml", "."), ("good.toml", "nowhere")):
        ran = command("train", recipe, "--data", data, "--out", "out", "--json")
        assert ran.code == 2, recipe
    assert not (tmp_path / "out").exists()


def test_without_torch_it_names_the_extra(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "good.toml").write_text("kind = 'reader'\n", encoding="utf8")
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in [name for name in sys.modules if name.startswith("answerable.training")]:
        monkeypatch.delitem(sys.modules, name)
    ran = command("train", "good.toml", "--data", ".", "--out", "out", "--json")
    assert ran.code == 1 and "answerable[train]" in ran.record["error"]["hint"]
