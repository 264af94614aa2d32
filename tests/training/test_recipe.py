"""Every recipe that comes with the project is read and checked by its kind; what cannot be used says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from answerable.errors import UsageError
from answerable.training.recipe import MODULES, kind_of, read_toml

pytest.importorskip("transformers", reason="some kinds need the extra `transformers`")
RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.toml"))


HEAD = {"hidden": 8, "dropout": 0.1, "epochs": 1}


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_that_comes_with_the_project_can_be_used(path: Path) -> None:
    given = read_toml(path)
    recipe = kind_of(given["kind"]).recipe.of(given)
    assert recipe.kind == given["kind"]
    for name, value in given.items():
        if not isinstance(value, list | dict):
            assert getattr(recipe, name) == value


def test_a_recipe_says_only_what_it_changes_of_its_base(tmp_path: Path) -> None:
    (tmp_path / "first.toml").write_text('kind = "paths"\nthreads = 2\n[loop]\nseed = 1\nmost = 9\n')
    (tmp_path / "again.toml").write_text('base = "first.toml"\nthreads = 1\n[loop]\nseed = 2\n')
    assert read_toml(tmp_path / "again.toml") == {"kind": "paths", "threads": 1, "loop": {"seed": 2, "most": 9}}
    (tmp_path / "third.toml").write_text('base = "again.toml"\n')
    with pytest.raises(UsageError, match="has a base itself"):
        read_toml(tmp_path / "third.toml")
    (tmp_path / "itself.toml").write_text('base = "itself.toml"\n')
    with pytest.raises(UsageError, match="has a base itself"):
        read_toml(tmp_path / "itself.toml")
    for base in ('"nowhere.toml"', '"no/where.toml"', "3"):
        (tmp_path / "lost.toml").write_text(f"base = {base}\n")
        with pytest.raises(UsageError, match="there is no recipe"):
            read_toml(tmp_path / "lost.toml")


def test_there_is_a_recipe_of_every_kind() -> None:
    assert {read_toml(path)["kind"] for path in RECIPES} == set(MODULES)


@pytest.mark.parametrize("kind", MODULES)
def test_a_key_or_a_source_that_is_not_known_is_refused(kind: str) -> None:
    recipe = kind_of(kind).recipe
    with pytest.raises(UsageError, match="speed"):
        recipe.of({"kind": kind, "speed": 1})
    (path, *_) = (one for one in RECIPES if read_toml(one)["kind"] == kind)
    given = read_toml(path)
    if isinstance(given.get("sources"), dict):
        with pytest.raises(UsageError, match="no source 'nowhere'"):
            recipe.of(given | {"sources": dict.fromkeys(["nowhere"], next(iter(given["sources"].values())))})
        with pytest.raises(UsageError, match="no sources"):
            recipe.of(given | {"sources": {}})


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("pairs", {"sources": ["nowhere"]}, "there is no source 'nowhere'"),
        ("pair-spans", HEAD | {"sources": {"nq-report": 1}}, "there is no source 'nq-report'"),
        ("pair-spans", HEAD | {"expert": "poet"}, "expert is 'poet'"),
        ("same-question", {"sources": {"cases": 1}, "loop": {"evaluate_steps": 3}}, "is not judged while it learns"),
        ("paths", {"loop": {"speed": 1}}, "loop.speed is a key that is not known"),
        ("paths", {"loop": 3}, "[loop] cannot be used: it is no table"),
        ("paths", {"threads": "two"}, "threads cannot be 'two'"),
        ("paths", {"tokens": True}, "tokens cannot be True"),
        ("paths", {"sources": {"nq": "often"}}, "sources.nq cannot be 'often'"),
        ("navigation", {"attention": "hard"}, "it is one of soft, straight-through"),
        ("constraints", {"heads": {"quest": "thing"}}, "heads.quest cannot be 'thing'"),
        ("selector", {"sets": [{"corpus": "c"}]}, "sets.questions is not said"),
        ("pair-questions", {"files": 3}, "files cannot be 3"),
        ("skills", {"sources": {"nq": {"singing": 1}}}, "sources.nq is 'singing'"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(kind: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as error:
        kind_of(kind).recipe.of({"kind": kind, **given})
    assert said in str(error.value)
