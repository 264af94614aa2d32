"""`train`: recipes are checked before anything is loaded; without torch it names the extra."""

import json
import sys
from pathlib import Path

import pytest

from answerable.cli import train
from tests.cli.conftest import Command


def test_recipes_that_cannot_be_used(command: Command, tmp_path: Path):
    (tmp_path / "broken.toml").write_text("kind = ", encoding="utf8")
    (tmp_path / "other.toml").write_text("kind = 'poet'\n", encoding="utf8")
    (tmp_path / "good.toml").write_text("kind = 'reader'\n", encoding="utf8")
    for recipe, data in (("none.toml", "."), ("broken.toml", "."), ("other.toml", "."), ("good.toml", "nowhere")):
        ran = command("train", recipe, "--data", data, "--out", "out", "--json")
        assert ran.code == 2, recipe
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["reader", "skills", "navigation"])
def test_without_torch_it_names_the_extra(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str):
    (tmp_path / "good.toml").write_text(f"kind = '{kind}'\n", encoding="utf8")
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in [name for name in sys.modules if name.startswith("answerable.training")]:
        monkeypatch.delitem(sys.modules, name)
    ran = command("train", "good.toml", "--data", ".", "--out", "out", "--json")
    assert ran.code == 1 and "answerable[train]" in ran.record["error"]["hint"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("kind = 'reader'", "no sources"),
        ("kind = 'reader'\nsorces = 1", "sorces"),
        ("kind = 'reader'\n[sources]\npoems = 1", "poems"),
        ("kind = 'reader'\n[sources]\nnq = 1\n[loop]\nspeed = 1", "speed"),
        ("kind = 'navigation'", "no sources"),
        ("kind = 'navigation'\n[sources]\npoems = 1", "poems"),
        ("kind = 'selector'", "sets"),
        ("kind = 'selector'\n[[sets]]\ncorpus = 'x'", "sets"),
    ],
)
def test_a_recipe_that_is_not_whole_says_what_is_wrong(command: Command, tmp_path: Path, text: str, named: str):
    pytest.importorskip("torch", reason="training needs the extra `train`")
    (tmp_path / "recipe.toml").write_text(text, encoding="utf8")
    ran = command("train", "recipe.toml", "--data", ".", "--out", "out", "--json")
    assert ran.code == 2 and named in str(ran.record["error"])


@pytest.mark.parametrize("key", ["start", "toward", "first", "last", "runs"])
def test_a_model_is_as_private_as_what_it_began_from(tmp_path: Path, key: str):
    for place in ("", "reader", "model"):
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "manifest.json").write_text(json.dumps({"label": [f"mail {place}"]}), encoding="utf8")
    folder, nowhere = str(tmp_path), tmp_path / "nowhere"
    private = {"mail ", "mail reader", "mail model"}
    assert train._taught({key: [folder] if key == "runs" else folder}, ["table"], nowhere) == {"table", *private}
    assert train._taught({key: ""}, [], tmp_path) == private
