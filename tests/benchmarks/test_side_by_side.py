"""Peers beside this engine: what is counted, and that an encoder is handed each passage's own vector."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import common
import side_by_side

PEERS = common.ROOT / "benchmarks/peers"


@pytest.fixture
def measure() -> ModuleType:
    """The program that runs in a peer's environment."""
    spec = importlib.util.spec_from_file_location("measure", PEERS / "measure.py")
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_every_peer_has_a_program_and_what_it_requires() -> None:
    for name in side_by_side.PEERS:
        assert (PEERS / f"with_{name}.py").is_file() and (PEERS / f"requirements-{name}.txt").is_file()


def test_both_gold_passages_are_counted_among_the_first() -> None:
    told = {"found": [["a", "x", "b"], [*"xyzuvw", "a", "b"]], "seconds": [0.001, 0.003], "processors": [0.001, 0.002]}
    found = side_by_side.searched(told, [["a", "b"], ["a", "b"]])
    assert (found["gold@5"], found["gold@20"], found["both@5"], found["both@20"]) == (50, 100, 50, 100)
    assert found["ms"] == pytest.approx(2) and found["ms of processors"] == pytest.approx(1.5)


def test_ratios_are_to_ours() -> None:
    told = side_by_side.ratios(
        {"answerable, one hop": {"bytes": 1000.0}, "other": {"bytes": 2500.0}}, "answerable, one hop"
    )
    assert told == {"other": {"bytes": 2.5}}


def test_who_was_measured_before_keeps_the_intervals(tmp_path: Path) -> None:
    systems = {"other, hybrid": {"bytes": 2500.0, "gold@5": common.mean([0, 1, 1], 100)}}
    held = {"systems": systems, "intervals": common.means(systems)}
    common.save(tmp_path / "s.json", held)
    read = side_by_side.known(tmp_path / "s.json")
    assert read == systems and common.means(read) == held["intervals"] and side_by_side.known(tmp_path / "none") == {}


class Model:
    """What a peer makes vectors with."""

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.zeros((len(texts), 2))


def test_a_passage_has_its_own_vector_however_its_title_is_put_before_it(measure: ModuleType, tmp_path: Path) -> None:
    rows = [{"_id": str(n), "title": f"T{n}", "text": f"Short {n}."} for n in range(3)]
    np.save(tmp_path / "v.npy", np.arange(6, dtype=np.float32).reshape(3, 2))
    before = Model.encode
    try:
        measure.look_up(__name__, "Model", rows, str(tmp_path / "v.npy"))
        texts = ["T1. Short 1.", "T2\nShort 2.", "title: T0\n\nShort 0."]
        assert Model().encode(texts).tolist() == [[2, 3], [4, 5], [0, 1]]
        assert not Model().encode([*texts, "a question"]).any(), "what is not known is made as ever"
    finally:
        Model.encode = before  # type: ignore[method-assign]


def test_a_peer_is_measured_by_its_own_program(
    measure: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Peer:
        ways = ("hybrid",)
        model = None

        def __init__(self, folder: Path, weights: Path) -> None:
            self.folder = folder

        def index(self, rows: list[dict[str, str]]) -> None:
            (self.folder / "held").write_text(json.dumps([row["_id"] for row in rows]))

        def search(self, question: str, way: str) -> list[str]:
            return list(json.loads((self.folder / "held").read_text()))

        def close(self) -> None:
            pass

    made = ModuleType("with_mine")
    made.Peer = Peer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "with_mine", made)
    (tmp_path / "p").write_text("".join(json.dumps({"_id": n, "title": n, "text": n}) + "\n" for n in "abc"))
    (tmp_path / "q").write_text(json.dumps({"question": "which?"}) + "\n")
    job = {"passages": str(tmp_path / "p"), "questions": str(tmp_path / "q"), "folder": str(tmp_path), "sample": 2}
    (tmp_path / "job").write_text(json.dumps(job | {"weights": "", "vectors": ""}))
    told = {}
    for step in ("sample", "index", "search"):
        monkeypatch.setattr(sys, "argv", ["measure.py", "mine", step, str(tmp_path / "job")])
        measure.main()
        told[step] = json.loads(capsys.readouterr().out)
    assert (told["sample"]["passages"], told["index"]["passages"]) == (2, 3)
    assert told["search"]["ways"]["hybrid"]["found"] == [["a", "b", "c"]] and told["search"]["peak"] > 1
