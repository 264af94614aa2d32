"""Workspaces with models of Hugging Face, each chosen by one line of the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `transformers`")
pytest.importorskip("transformers", reason="needs the extra `transformers`")

from answerable.errors import ModelError
from answerable.privacy.provenance import TrainingProvenance
from answerable.text import words
from answerable.types import Skill
from answerable.workspace.models import model_folders, provenance_of
from answerable.workspace.opening import open_workspace
from answerable.workspace.settings import load
from answerable.workspace.trust import told
from tests.conftest import FILES
from tests.encoders.tiny import write_bert, write_sentences

WORDS = words(" ".join(FILES.values()) + " when was who is the answer to question yes")
WHEN = "When was the tower of Kõpu Lighthouse completed?"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("models")
    write_sentences(place / "encoder", WORDS)
    write_bert(place / "reader", "ForQuestionAnswering", WORDS)
    return place


@pytest.fixture
def named(models: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Each model by its setting."""
    return {f"models.{one.name}": str(one) for one in models.iterdir()}


def test_one_line_each_and_the_index_is_the_encoders_own(files: Path, named: dict[str, str]):
    with open_workspace(files / "work", create=True, settings=named) as opened:
        opened.index([files / "wiki"], "wiki", "mirror")
        opened.index([files / "mail"], "mail")
        engine = opened.engine()
        assert engine.reader.name.startswith("reader-")
        answer = opened.ask(WHEN)
        assert answer.others or answer.text
        assert {hop.skill for hop in answer.evidence.hops} >= {Skill.SINGLE, Skill.EXPANDED}
    other = {**named, "models.encoder": "hashed"}
    with open_workspace(files / "work", settings=other) as opened:
        refused = opened.ask(WHEN)
        assert refused.text is None and "were made by encoder-" in str(refused.reason)


def test_what_was_taught_private_text_says_so(named: dict[str, str], models: Path, tmp_path: Path):
    folders = model_folders(load(None, {}, named))
    assert {part: folders[part] for part in ("encoder", "reader")} == {
        part: models / part for part in ("encoder", "reader")
    }
    (tmp_path / "manifest.json").write_text('{"name": "own", "files": {}, "label": ["mail"]}')
    taught = provenance_of(load(None, {}, {"models.encoder": str(tmp_path)}))
    assert taught == TrainingProvenance(encoder=frozenset({"mail"}))


def test_names_of_the_hub_are_agreed_to_and_offline_is_respected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    (tmp_path / "answerable.toml").write_text('[models]\nencoder = "hf:nobody/nothing"\n')
    settings = load(tmp_path, {})
    assert told(tmp_path, settings) == {
        "the model hf:nobody/nothing is fetched from the Hugging Face Hub, if it is not here"
    }
    with (
        open_workspace(tmp_path, trust=True) as opened,
        pytest.raises(ModelError, match="nobody/nothing is not on this machine and could not be downloaded"),
    ):
        opened.ask("When?")
    with pytest.raises(ModelError, match="names no model of the Hugging Face Hub"):
        model_folders(load(None, {}, {"models.encoder": "hf:nothing"}))


def test_a_model_of_the_hub_that_is_here_is_opened_by_its_revision(models: Path, tmp_path: Path, monkeypatch):
    from answerable.encoders.pooled import PooledEncoder

    repo = tmp_path / "models--nobody--tiny"
    (repo / "refs").mkdir(parents=True)
    (repo / "refs" / "main").write_text("a" * 40)
    (repo / "snapshots").mkdir()
    (repo / "snapshots" / ("a" * 40)).symlink_to(models / "encoder")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.file_download.HF_HUB_CACHE", str(tmp_path), raising=False)
    for name in ("hf:nobody/tiny", f"hf:nobody/tiny@{'a' * 40}"):
        assert PooledEncoder(name, 1).name.startswith("tiny@aaaaaaaa-")
    with pytest.raises(ModelError, match="not on this machine"):
        PooledEncoder(f"hf:nobody/tiny@{'b' * 40}", 1)
