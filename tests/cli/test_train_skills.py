"""`train skills`: questions of one's own, from the command line to a model that opens."""

import json
import logging
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.shipped import taught_label
from answerable.encoders.skills import ModularEncoder
from answerable.types import Skill
from tests.cli.conftest import Command
from tests.training.skills.worlds import write_bert


def write_own(folder: Path) -> None:
    whose = {"enclave": "mail", "label": ["mail"]}  # as an export says
    corpus = [(f"c{i}", f"Tower {i}", f"The lamp of tower {i} is of glass.") for i in range(8)]
    passages = [{**whose, "id": id, "title": title, "text": text} for id, title, text in corpus]
    asked = [{"question": f"what lamp has tower {i} ?", "positive": f"c{i}"} for i in range(8)]
    for name, rows in (("corpus", passages), ("mine", asked)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")


def test_questions_of_ones_own_to_a_model(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_own(tmp_path)
    write_bert(tmp_path / "bert")
    recipe = 'kind = "skills"\nstart = "bert"\nthreads = 1\n[batch]\nsize = 4\nlength = 48\n'
    recipe += "[loop]\ntokens = 1024\nmost = 2\n[sources.own]\nsingle = 1\nrerank = 1\n"
    (tmp_path / "own.toml").write_text(recipe, encoding="utf8")
    own = ("--questions", "mine.jsonl", "--corpus", "corpus.jsonl", "--out", "out", "--json")
    root, level = logging.getLogger(), logging.getLogger().level
    with monkeypatch.context() as patch:
        patch.setattr(root, "handlers", [])  # as in a process of its own, without those of pytest
        ran = command("train", "own.toml", *own)
    root.setLevel(level)
    assert ran.code == 0
    assert "16 examples" in ran.err
    assert "MatMul" not in ran.err and "quantization" not in ran.err.lower()
    assert ran.record["label"] == ["mail"] and "trained on private text of mail" in ran.err
    assert taught_label(Path(ran.record["model"])) == {"mail"}
    encoder = ModularEncoder(Path(ran.record["model"]), threads=1)
    assert encoder.name == ran.record["name"]
    assert encoder.encode_query("what lamp ?", Skill.SINGLE).shape == (32,)


def test_a_label_is_for_a_model(command: Command, tmp_path: Path):
    (tmp_path / "parsing.toml").write_text("kind = 'parsing'\n", encoding="utf8")
    ran = command("train", "parsing.toml", "--data", ".", "--out", "out", "--label", "mail")
    assert ran.code == 2 and "--label is for a model, and the kind 'parsing' makes none" in ran.err


def test_questions_and_corpus_go_together(command: Command, tmp_path: Path):
    write_own(tmp_path)
    (tmp_path / "reader.toml").write_text("kind = 'reader'\n", encoding="utf8")
    for given in (
        ("skills", "--questions", "mine.jsonl"),
        ("skills",),
        ("reader.toml", "--questions", "mine.jsonl", "--corpus", "corpus.jsonl"),
        ("reader.toml",),
    ):
        assert command("train", *given, "--out", "out", "--json").code == 2, given
