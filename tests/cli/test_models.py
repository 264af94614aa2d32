"""`answerable models`: what it lists, and what calibrating a reader keeps."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from answerable.errors import FormatError, UsageError
from answerable.selective.quoted import QUOTED
from answerable.training.own_reader import fit_own
from answerable.types import Asker
from answerable.workspace.models import reader_of
from answerable.workspace.opening import open_workspace
from answerable.workspace.settings import load
from tests.cli.conftest import STAND_INS, Command
from tests.remote.openai import Model, answer, serving
from tests.remote.openai import asked as told

QUESTIONS = [
    ("When was the tower of Kõpu Lighthouse completed?", ["1531"]),
    ("Who built Hook Lighthouse?", ["William Marshal"]),
    ("What is the job at Kõpu Lighthouse called?", ["KESTREL"]),
    ("Who painted the tower of Kõpu Lighthouse?", []),
]


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    lines = [json.dumps({"question": question, "answers": answers}) for question, answers in QUESTIONS]
    path.write_text("\n".join(lines), encoding="utf8")
    return path


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same stand-ins where the workspace is opened here."""
    for name, value in STAND_INS.items():
        if name.startswith("ANSWERABLE_MODELS"):
            monkeypatch.setenv(name, str(value))


def test_it_lists_what_is_chosen_its_size_and_what_could_be(command: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(STAND_INS, "ANSWERABLE_MODELS_JUDGE", "missing")
    rows = {one["part"]: one for one in command("models", "--json").record["models"]}
    assert [*rows] == ["encoder", "reader", "navigator", "judge", "matcher"]
    assert rows["encoder"]["chosen"] == "hashed" and rows["encoder"]["weights"] is None
    assert rows["navigator"]["bytes"] > 1e7 and rows["navigator"]["licence"] == "Apache-2.0"
    assert "no model in missing" in rows["judge"]["problem"] and "skills" in rows["judge"]["possible"]
    told = command("models").out
    assert "navigator  skills: skills-" in told and "searches by meaning" in told
    monkeypatch.setenv("ANSWERABLE_LLM_ENDPOINT", "http://localhost:8080/v1")
    monkeypatch.setenv("ANSWERABLE_LLM_MODEL", "tiny")
    monkeypatch.setitem(STAND_INS, "ANSWERABLE_MODELS_READER", "llm")
    assert command("models", "--json").record["models"][-1]["chosen"] == "tiny"


def test_a_calibration_is_kept_for_the_reader_and_carries_what_was_searched(
    indexed: Command, asked: Path, tmp_path: Path, given: None
):
    folder = tmp_path / ".answerable"
    before = reader_of(load(folder, {}, {"models.reader": "overlap"}))[1]
    ran = indexed("models", "calibrate", asked, "--risk", "0.5", "--json")
    assert ran.code == 0 and ran.record["reader"] == "overlap" and ran.record["questions"] == 4
    assert ran.record["label"] == ["mail"] and 0 < ran.record["right"] < 4
    _, fitted = reader_of(load(folder, {}, {"models.reader": "overlap"}))
    assert fitted != before and fitted.threshold == ran.record["threshold"]
    with open_workspace(folder) as opened:
        assert "mail" in opened.ask(QUESTIONS[0][0]).label
        with pytest.raises(UsageError, match="trained on text of mail, which guest may not read"):
            opened.ask(QUESTIONS[0][0], Asker("guest", frozenset({"wiki"})))
    assert indexed("models", "calibrate", "--forget", "--json").record == {"forgotten": 1}
    assert reader_of(load(folder, {}, {"models.reader": "overlap"}))[1] == before


def test_a_language_model_is_fitted_by_what_can_be_measured_of_its_answers(
    indexed: Command, tmp_path: Path, asked: Path, given: None
):
    def half_right(body: dict[str, Any]) -> str:
        """It knows one thing, and quotes it; else it says what its quote does not hold."""
        passages = told(body)["passages"]
        held = [one for one in passages if "William Marshal" in one["text"] and "Who built" in told(body)["question"]]
        if held:
            return answer(("William Marshal", held[0]["number"], "William Marshal"))
        return answer(("Napoleon", 1, passages[0]["text"].split()[0]))

    folder = tmp_path / ".answerable"
    assert indexed("status").code == 0
    with serving(Model(half_right)) as model:
        given_here = {
            "models.reader": "llm",
            "llm.beside": "overlap",
            "llm.endpoint": model.address,
            "llm.model": "m:1",
        }
        with open_workspace(folder, settings=given_here) as opened:
            assert opened.engine().quoted == QUOTED
            made = fit_own(opened, asked, 0.5)
        assert made.reader == "llm m:1" and made.label == {"mail"} and 0 < made.right < made.count == 4
        assert len(model.bodies) == 4
        with open_workspace(folder, settings=given_here) as opened:
            fitted = opened.engine().quoted
            assert fitted != QUOTED and fitted.threshold == made.threshold
            assert fitted.weights[0] > 0  # what is quoted counts for it
            assert "mail" in opened.ask(QUESTIONS[0][0]).label
        with open_workspace(folder, settings={**given_here, "llm.model": "another"}) as opened:
            assert opened.engine().quoted == QUOTED
        model.reply = lambda body: answer()
        with open_workspace(folder, settings=given_here) as opened, pytest.raises(FormatError, match="answered none"):
            fit_own(opened, asked, 0.5)


def test_without_questions_it_is_fitted_to_the_sample_which_is_public(
    indexed: Command, notes: Path, asked: Path, monkeypatch: pytest.MonkeyPatch
):
    small = notes / "small"
    (notes / "wiki").rename(notes / "public")
    (notes / "mail").rename(notes / "private")
    small.mkdir()
    for name in ("public", "private", "questions.jsonl"):
        (notes / name).rename(small / name)
    monkeypatch.setattr(import_module("answerable.training.own_reader"), "SAMPLE", small)
    ran = indexed("models", "calibrate", "--json")
    assert ran.code == 0 and ran.record["label"] == [] and ran.record["questions"] == 4
    assert indexed("models", "calibrate").out.startswith("Fitted overlap to 4 questions")


def test_what_teaches_nothing_is_said(indexed: Command, tmp_path: Path, asked: Path):
    for text, wrong in (
        ('{"question": "When?"}', "line 1 of own.jsonl is not a question"),
        ('{"question": "Who built Hook Lighthouse?", "answers": ["William Marshal"]}', "answered wrongly"),
    ):
        (tmp_path / "own.jsonl").write_text(text, encoding="utf8")
        ran = indexed("models", "calibrate", tmp_path / "own.jsonl")
        assert ran.code == 1 and wrong in ran.err
    assert indexed("models", "calibrate", tmp_path / "nothing.jsonl").code == 2
    assert indexed("models", "calibrate", asked, "--risk", "7").code == 2
