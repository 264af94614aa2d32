"""Which parts make pairs: known before they are opened, and refused where they would tell of other text."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from answerable.errors import ModelError, UsageError
from answerable.privacy.enclaves import private, public
from answerable.workspace import pair_stages as module
from answerable.workspace.pair_stages import EveryPassage, Wanted, matcher_bytes, parts_of, recipe_of
from answerable.workspace.settings import Settings, load


@pytest.fixture(autouse=True)
def no_selection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SELECTION", Path("nowhere"))


def plain(**more: str) -> Settings:
    return load(None, {}, {"models.encoder": "hashed", "models.reader": "overlap", "models.matcher": "hashed"} | more)


def taught(folder: Path, *label: str) -> Path:
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "bart"}', "utf-8")
    (folder / "manifest.json").write_text(json.dumps({"name": "n-1", "files": {}, "label": label}), "utf-8")
    return folder


def test_a_recipe_names_all_that_the_pairs_depend_on(tmp_path: Path) -> None:
    first = recipe_of(plain(), public("wiki"), Wanted())
    assert first == recipe_of(plain(), private("mail"), Wanted()) and "syntactic from names+phrases" in first.made_by
    model = taught(tmp_path / "reader")
    others = [
        recipe_of(plain(), public("wiki"), Wanted(per_answer=1)),
        recipe_of(plain(), public("wiki"), Wanted(filter="local")),
        recipe_of(plain(), public("wiki"), Wanted(answers=("phrases",))),
        recipe_of(plain(**{"models.reader": str(model)}), public("wiki"), Wanted()),
        recipe_of(plain(), public("wiki"), Wanted(generator=str(model))),
    ]
    assert len({one.digest for one in (first, *others)}) == 6
    assert others[-1].weights == {"generator": "n-1"}
    (model / "manifest.json").write_text(json.dumps({"name": "n-2", "files": {}}), "utf-8")
    assert recipe_of(plain(), public("wiki"), Wanted(generator=str(model))).digest != others[-1].digest


@pytest.mark.parametrize("which", ["generator", "reader", "encoder"])
def test_models_of_other_private_text_make_no_pairs(tmp_path: Path, which: str) -> None:
    model = str(taught(tmp_path / "model", "mail"))
    settings = plain(**{} if which == "generator" else {f"models.{which}": model})
    wanted = Wanted(generator=model) if which == "generator" else Wanted()
    assert recipe_of(settings, private("mail"), wanted).weights[which] == "n-1"
    for enclave in (public("wiki"), private("clinic")):
        with pytest.raises(UsageError, match=f"the {which} was trained on text of mail"):
            recipe_of(settings, enclave, wanted)
    if which != "generator":  # without a filter nothing is read or searched
        assert not recipe_of(settings, public("wiki"), Wanted(filter="none")).weights


def test_a_share_needs_a_selector_that_has_learned() -> None:
    with pytest.raises(ModelError):
        recipe_of(plain(), public("wiki"), Wanted(share=0.5))
    assert EveryPassage().score([]) == [] and recipe_of(plain(), public("wiki"), Wanted()).selector == "all"


def test_what_opens_the_parts_travels_to_other_processes(tmp_path: Path) -> None:
    for kind in ("none", "local", "global"):
        wanted = recipe_of(plain(), public("wiki"), Wanted(filter=kind))
        parts = parts_of(plain(), tmp_path, public("wiki"), wanted, False)
        assert pickle.loads(pickle.dumps(parts)).per_answer == 2 and (parts.filter is None) is (kind == "none")


def test_a_matcher_without_weights_takes_no_room() -> None:
    assert matcher_bytes(plain()) == 0 and matcher_bytes(plain(**{"models.matcher": "skills"})) > 1_000_000
