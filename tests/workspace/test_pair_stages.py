"""Which parts make pairs: known before they are opened, and refused where they would tell of other text."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from answerable.errors import ModelError, UsageError
from answerable.privacy.enclaves import private, public
from answerable.qapairs.calibration import PairCalibration
from answerable.qapairs.generation.asked import AskedGenerator
from answerable.remote.chat import Chat
from answerable.workspace import pair_stages as module
from answerable.workspace.pair_stages import EveryPassage, Wanted, matcher_bytes, open_generator, parts_of, recipe_of
from answerable.workspace.settings import Settings, load


@pytest.fixture(autouse=True)
def no_selection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SELECTION", Path("nowhere"))


def plain(**more: str) -> Settings:
    return load(None, {}, {"models.encoder": "hashed", "models.reader": "overlap", "models.matcher": "hashed"} | more)


def taught(folder: Path, *label: str) -> Path:
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"name": "n-1", "files": {}, "label": label}), "utf-8")
    return folder


def test_a_recipe_names_all_that_the_pairs_depend_on(tmp_path: Path) -> None:
    first = recipe_of(plain(), public("wiki"), Wanted())
    assert first == recipe_of(plain(), private("mail"), Wanted()) and "learned from spans" in first.made_by
    model = taught(tmp_path / "reader")
    others = [
        recipe_of(plain(), public("wiki"), Wanted(per_answer=1)),
        recipe_of(plain(), public("wiki"), Wanted(filter="local")),
        recipe_of(plain(**{"models.reader": str(model)}), public("wiki"), Wanted()),
        recipe_of(plain(), public("wiki"), Wanted(generator=str(model))),
    ]
    assert len({one.digest for one in (first, *others)}) == 5
    assert others[-1].weights["generator"] == "n-1" != first.weights["generator"]
    (model / "manifest.json").write_text(json.dumps({"name": "n-2", "files": {}}), "utf-8")
    assert recipe_of(plain(), public("wiki"), Wanted(generator=str(model))).digest != others[-1].digest


def test_from_which_score_on_the_filter_keeps_a_question_is_part_of_a_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    ships = recipe_of(load(None, {}), public("wiki"), Wanted())
    assert ships.weights["filter"].startswith("from ")
    assert "filter" not in recipe_of(load(None, {}), public("wiki"), Wanted(filter="none")).weights
    assert "filter" not in recipe_of(plain(), public("wiki"), Wanted()).weights  # nothing is known of its scores
    monkeypatch.setattr(module, "filter_fit", lambda settings: PairCalibration((1.0,), 0.5, 0.5, weighed=("read",)))
    assert recipe_of(load(None, {}), public("wiki"), Wanted()).digest != ships.digest


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
        assert which not in recipe_of(settings, public("wiki"), Wanted(filter="none")).weights


def test_a_language_model_is_asked_of_private_text_only_where_it_may_be_sent_that(tmp_path: Path) -> None:
    wanted, key = Wanted(generator="llm"), tmp_path / "key"
    key.write_text("secret\n", encoding="utf8")
    named = {"llm.endpoint": "https://m.example/v1", "llm.model": "m", "llm.key_file": str(key)}
    named |= {"models.encoder": "hashed", "models.reader": "overlap"}
    declared = tmp_path / "answerable.toml"
    declared.write_text('[enclaves.mail]\n[enclaves.wiki]\nkind = "public"\n', encoding="utf8")
    for host in ("elsewhere", "here"):
        settings = load(tmp_path, {}, named | {"llm.host": host})
        assert recipe_of(settings, public("wiki"), wanted).weights["generator"] == "m at https://m.example/v1"
        asking = open_generator(settings, "llm", 2, 1)
        assert isinstance(asking, AskedGenerator) and asking.name == "asked:m"
        assert asking.labels == {"mail": {"mail"}, "wiki": set()}
        assert asking.journal is not None and asking.journal.path == tmp_path / "journal.jsonl"
        assert asking.chat == Chat("https://m.example/v1", "m", "secret") and asking.host == settings.hosts()["llm"]
        if host == "here":
            assert recipe_of(settings, private("mail"), wanted).generator == "llm"
            continue
        with pytest.raises(UsageError, match="may not be sent text of mail, which is private"):
            recipe_of(settings, private("mail"), wanted)
    for wrong, why in (({"llm.model": ""}, "no model is named"), ({"llm.endpoint": "m"}, "no address")):
        with pytest.raises(UsageError, match=why):
            recipe_of(plain(**named | wrong), public("wiki"), wanted)
    with pytest.raises(UsageError, match=r"no generator 'endpoint'.*llm"):
        recipe_of(plain(**named), public("wiki"), Wanted(generator="endpoint"))


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
