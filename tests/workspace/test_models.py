"""Which models a workspace uses, and whose text they were trained on."""

import json
from pathlib import Path

import pytest

from answerable.encoders.choose import SHIPPED
from answerable.errors import ModelError, UsageError
from answerable.privacy.provenance import PUBLIC_TRAINING, TrainingProvenance
from answerable.types import Asker
from answerable.workspace import models
from answerable.workspace.models import (
    STAND_IN,
    finders_provenance,
    guides_provenance,
    open_guide,
    open_judge,
    provenance_of,
)
from answerable.workspace.opening import open_workspace
from answerable.workspace.settings import load

MAIL = frozenset({"mail"})


def test_the_labels_of_the_models_in_use(tmp_path: Path):
    (tmp_path / "manifest.json").write_text(json.dumps({"name": "own", "files": {}, "label": ["mail"]}))
    own = str(tmp_path)
    for encoder, reader, taught in (
        ("hashed", "overlap", PUBLIC_TRAINING),
        ("skills", "span", PUBLIC_TRAINING),
        (own, "overlap", TrainingProvenance(encoder=MAIL)),
        ("skills", own, TrainingProvenance(reader=MAIL)),
    ):
        assert provenance_of(load(None, {}, {"models.encoder": encoder, "models.reader": reader})) == taught
    for encoder, judge, taught in (
        ("hashed", "overlap", PUBLIC_TRAINING),
        (own, "overlap", TrainingProvenance(encoder=MAIL)),
        ("skills", own, TrainingProvenance(reader=MAIL)),
    ):
        assert finders_provenance(load(None, {}, {"models.encoder": encoder, "models.judge": judge})) == taught


@pytest.mark.parametrize("taught", [TrainingProvenance(reader=MAIL), TrainingProvenance(encoder=MAIL)])
def test_a_workspace_with_a_model_that_was_taught_private_text(
    tmp_path: Path, taught: TrainingProvenance, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "kopu.md").write_text("# Kõpu Lighthouse\n\nKõpu Lighthouse had its tower completed in 1531.\n")
    (tmp_path / "note.txt").write_text("The crate was sealed in 1907.\n")
    monkeypatch.setattr("answerable.workspace.workspace.provenance_of", lambda settings: taught)
    settings = {"models.encoder": "hashed", "models.reader": "overlap"}
    question = "When was the tower of Kõpu Lighthouse completed?"
    with open_workspace(tmp_path / "work", create=True, settings=settings) as opened:
        opened.index([tmp_path / "kopu.md"], "wiki", "public", as_if_elsewhere=True)
        opened.index([tmp_path / "note.txt"], "mail")
        answer = opened.ask(question)
        assert answer.label == {"mail"}
        refused = [hop.reason for hop in answer.evidence.hops if hop.refused and not hop.query.because]
        assert (answer.text is None) == bool(refused) == bool(taught.encoder)  # no query of its encoder leaves for wiki
        guest = Asker("guest", frozenset({"wiki"}))
        for asked in (opened.ask, opened.plan):
            with pytest.raises(UsageError, match="trained on text of mail, which guest may not read"):
                asked(question, guest)
        if taught.encoder:
            with pytest.raises(UsageError, match="those who search wiki would learn"):
                opened.served("wiki")


def test_what_reads_long_documents_is_taught_by_its_own_models(tmp_path: Path):
    (tmp_path / "manifest.json").write_text(json.dumps({"name": "own", "files": {}, "label": ["mail"]}))
    own = {"models.navigator": str(tmp_path), "models.encoder": "hashed", "models.reader": "overlap"}
    assert guides_provenance(load(None, {}, own)) == TrainingProvenance(reader=MAIL)
    assert guides_provenance(load(None, {}, {**own, "models.navigator": "hashed"})) == PUBLIC_TRAINING
    assert provenance_of(load(None, {}, own)) == PUBLIC_TRAINING  # no ask uses it


def test_what_ranks_pairs_and_decides_teaches_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "manifest.json").write_text(json.dumps({"name": "own", "files": {}}))
    own = {"models.navigator": str(tmp_path), "models.reader": "overlap", "read.rerank": False}
    monkeypatch.setattr(models, "taught_label", lambda folder: MAIL if folder == SHIPPED / "skills" else frozenset())
    assert guides_provenance(load(None, {}, own)) == TrainingProvenance(reader=MAIL)
    assert guides_provenance(load(None, {}, {**own, "models.navigator": "hashed"})) == PUBLIC_TRAINING


def test_guides_open_by_name():
    given = {"models.navigator": "hashed", "models.reader": "overlap", "read.windows": 7}
    guide, calibration = open_guide(load(None, {}, given))
    assert guide.reader.name == "overlap" and guide.settings.windows == 7 and guide.decider is None
    assert calibration == STAND_IN
    assert open_guide(load(None, {}, {"models.reader": "overlap"}))[0].decider is not None
    assert open_guide(load(None, {}, {**given, "models.reader": "ranked"}))[0].reader.name == "span"
    with pytest.raises(UsageError, match="there is no navigator 'nobody'"):
        open_guide(load(None, {}, {**given, "models.navigator": "nobody"}))
    with pytest.raises(ModelError, match="does not walk documents"):
        open_guide(load(None, {}, {**given, "models.navigator": str(SHIPPED / "reader")}))


def test_judges_are_opened_by_name(tmp_path: Path):
    assert open_judge("overlap").name == "overlap"
    with pytest.raises(UsageError, match="no judge 'nobody'"):
        open_judge("nobody")
    (tmp_path / "manifest.json").write_text(json.dumps({"name": "own", "files": {}}))
    with pytest.raises(ModelError):
        open_judge(str(tmp_path))
