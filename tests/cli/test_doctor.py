"""`doctor`: checks, and every setting with its origin."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from answerable.cli.main import app
from answerable.workspace.settings import keys
from tests.cli.conftest import Command


def test_every_setting_has_its_origin(indexed: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANSWERABLE_BEAM_K", "7")
    ran = indexed("doctor", "--json")
    settings = {s["path"]: s for s in ran.record["settings"]}
    assert ran.code == 0 and list(settings) == list(keys())
    assert settings["beam.k"] == {"path": "beam.k", "value": 7, "origin": "environment"}
    assert settings["beam.hops"]["origin"] == "default"
    names = [c["name"] for c in ran.record["checks"]]
    assert names[:2] == ["python", "disk"] and {"encoder", "reader", "enclave wiki", "extra train"} <= set(names)
    assert "beam.k" in indexed("doctor").out


def test_it_works_without_a_workspace(command: Command):
    ran = command("doctor")
    assert ran.code == 0 and "none in .answerable yet" in ran.out


def test_a_damaged_index_or_model_is_found(indexed: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for manifest in (tmp_path / ".answerable" / "indexes").rglob("manifest.json"):
        manifest.write_text("{", encoding="utf8")
    ran = indexed("doctor")
    assert ran.code == 1 and "WRONG  enclave wiki" in ran.out
    (tmp_path / "model").mkdir()
    monkeypatch.setenv("ANSWERABLE_MODELS_READER", str(tmp_path / "model"))


def test_a_language_model_is_said_to_be_where_it_lies(command: Command):
    def said(**named: str) -> str:
        given = {f"ANSWERABLE_LLM_{name.upper()}": value for name, value in named.items()}
        env = {"ANSWERABLE_MODELS_ENCODER": "hashed", "ANSWERABLE_MODELS_READER": "llm", "COLUMNS": "200"} | given
        return CliRunner(env=env).invoke(app, ["doctor"]).output

    assert "WRONG  language model" in said(endpoint="", model="")
    assert "m at http://localhost:1/v1, here: it is sent everything" in said(
        endpoint="http://localhost:1/v1", model="m"
    )
    assert "elsewhere: it is sent public text alone" in said(endpoint="https://m.example/v1", model="m")


def test_a_wrong_setting_is_named(command: Command, tmp_path: Path):
    (tmp_path / ".answerable").mkdir()
    (tmp_path / ".answerable" / "answerable.toml").write_text("[beam]\nhop = 3\n", encoding="utf8")
    ran = command("doctor", "--json")
    assert ran.code == 2 and "beam.hop" in ran.record["error"]["message"]


def test_doctor_says_what_is_off_and_what_is_not(command: Command, monkeypatch: pytest.MonkeyPatch):
    ran = command("doctor")
    assert ran.code == 0 and "telemetry: off (ORT_DISABLE_TELEMETRY=1" in ran.out
    monkeypatch.setenv("DO_NOT_TRACK", "0")
    ran = command("doctor")
    assert ran.code == 1 and "WRONG  telemetry" in ran.out and "set DO_NOT_TRACK=1" in ran.out
