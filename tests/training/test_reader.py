"""What of a reader learns."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer

from answerable.encoders.choose import SHIPPED
from answerable.encoders.trunk import Trunk, TrunkShape
from answerable.errors import ModelError, UsageError
from answerable.readers.layout import Layout
from answerable.training import reader as reader_module
from answerable.training.beside import Found
from answerable.training.export import export_reader
from answerable.training.reader import KINDS, ReaderMeanRecipe, ReaderRecipe, build, freeze, train_reader
from answerable.training.reading import NONE, SPAN
from answerable.training.recipe import Made
from answerable.training.restore import restore_reader
from answerable.training.span import SpanReader, shared_loss
from answerable.training.start import mean_of
from tests.training.experts import noised
from tests.training.files import article, write_lines, write_squad


def test_frozen_layers_learn_nothing_and_the_others_do() -> None:
    reader = SpanReader(Trunk(TrunkShape(vocabulary=60, width=32, layers=3, heads=4, inner=64, positions=40)))
    freeze(reader.trunk, 2)
    ids = torch.randint(1, 60, (2, 9))
    start, end, kind = reader(ids, torch.ones_like(ids), torch.ones_like(ids))
    (start.sum() + end.sum() + kind.sum()).backward()
    learned = {name for name, weight in reader.named_parameters() if weight.grad is not None}
    assert learned
    assert {".".join(name.split(".")[:3]) for name in learned if name.startswith("trunk")} == {"trunk.layers.2"}


def test_a_mean_lies_between_two_runs_of_one_shape(tmp_path: Path) -> None:
    for name, value in (("first", 0.0), ("last", 4.0), ("other", 1.0)):
        (tmp_path / name).mkdir()
        size = 3 if name == "other" else 2
        torch.save({"model": {"head.weight": torch.full((size,), value)}}, tmp_path / name / "checkpoint.pt")
    made = mean_of((tmp_path / "first", 0.75), (tmp_path / "last", 0.25))
    assert made["head.weight"].tolist() == [1.0, 1.0]
    for wrong in ("other", "nothing"):
        with pytest.raises(UsageError, match="no models of one shape"):
            mean_of((tmp_path / "first", 0.5), (tmp_path / wrong, 0.5))


def low_rank(folder: Path, **changed: Any) -> ReaderRecipe:
    """A recipe of changes to a small reader that stands in `folder`, beside its data."""
    loop = {"rate": 0.01, "tokens": 128, "checkpoint_seconds": 0.0, "most": 4}
    given = {"start": str(folder / "reader"), "rank": 2, "windows": 2, "threads": 1, "loop": loop, "sources": {"nq": 1}}
    return ReaderRecipe.of(given | changed)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reader as it was exported, a run that went on from it, and data."""
    folder = tmp_path_factory.mktemp("world")
    asked = [(f"The lamp {n} of Skerry burns oil {n}.", [(f"What does lamp {n} burn?", f"oil {n}")]) for n in range(12)]
    write_squad(folder / "nq/nq-train.json.gz", [article("Lamps", *asked)])
    write_lines(folder / "multihop/passages.jsonl.gz", [{"_id": "a", "title": "Oil", "text": "What lamps burn."}])
    shutil.copyfile(SHIPPED / "tokenizer.json", folder / "tokenizer.json")
    shape = TrunkShape(width=32, layers=1, heads=1, inner=64, positions=64)
    export_reader(noised(SpanReader(Trunk(shape))), folder / "reader")
    (folder / "run").mkdir()
    run = noised(restore_reader(folder / "reader"))
    torch.save({"model": run.state_dict()}, folder / "run/checkpoint.pt")
    return folder


def export(recipe: ReaderRecipe, run: Path, folder: Path) -> Made:
    """What a run has left, as `--export` puts it into a folder."""
    put = KINDS["reader"].export
    assert put is not None
    return put(recipe, run, folder)


def test_an_interrupted_run_of_factors_ends_where_an_undisturbed_one_does(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = low_rank(world, toward=str(world / "run"))
    whole = train_reader(recipe, world, tmp_path / "whole").state_dict()
    steps = iter(range(2))

    def stopped(*given: Any) -> torch.Tensor:
        if next(steps, None) is None:
            raise KeyboardInterrupt
        return shared_loss(*given)

    with monkeypatch.context() as patched:
        patched.setattr(reader_module, "shared_loss", stopped)
        with pytest.raises(KeyboardInterrupt):
            train_reader(recipe, world, tmp_path / "parts")
    assert export(recipe, tmp_path / "parts", tmp_path / "reader").name.startswith("span-")
    parts = train_reader(recipe, world, tmp_path / "parts").state_dict()
    left = mean_of((tmp_path / "parts", 1.0))
    before = restore_reader(world / "reader").state_dict()
    assert whole.keys() == parts.keys() == left.keys() == before.keys()
    for name, value in whole.items():
        assert torch.equal(value, parts[name]) and torch.equal(value, left[name])
        embedded = name.startswith(("trunk.words", "trunk.places", "trunk.types", "trunk.norm"))
        assert torch.equal(value, before[name]) == embedded, name


def test_what_cannot_be_learned_beside_a_reader_is_refused(world: Path, tmp_path: Path) -> None:
    for wrong in ({"rank": 0, "toward": "run"}, {"start": ""}, {"frozen": 1}, {"rank": -1}):
        with pytest.raises(UsageError, match=r"rank"):
            low_rank(world, **wrong)
    with pytest.raises(UsageError, match=r"rank"):
        ReaderMeanRecipe.of({"first": "run", "last": "run", "share": 0.5, "rank": -1})
    with pytest.raises(ModelError, match="no trained reader"):
        train_reader(low_rank(world, toward=str(world / "nowhere")), world, tmp_path)


def test_a_start_that_changes_cannot_stand_beside_is_refused(world: Path, tmp_path: Path) -> None:
    run = str(world / "run")
    mean = ReaderMeanRecipe.of({"first": run, "last": run, "share": 0.5, "rank": 2, "start": run})
    for kind, recipe in (("reader", low_rank(world, start=run)), ("reader-mean", mean)):  # a run has no graph
        with pytest.raises(UsageError, match="start has to be the folder of an exported reader"):
            KINDS[kind].make(recipe, world, tmp_path)
    with pytest.raises(UsageError, match="would be written over"):
        KINDS["reader"].make(low_rank(world), world, world)


def test_embeddings_can_stay_where_every_layer_learns(world: Path, tmp_path: Path) -> None:
    made = train_reader(low_rank(world, rank=0, embeddings=False), world, tmp_path).state_dict()
    before = restore_reader(world / "reader").state_dict()
    same = {name for name, value in made.items() if torch.equal(value, before[name])}
    assert same == {name for name in made if name.startswith("trunk.") and ".layers." not in name}


def test_questions_without_a_text_are_read_beside_the_others(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Found("what is lit", ("lamp",), (("Skerry", "A lamp is lit."),), (("Oil", "Oil is dear."),))
    monkeypatch.setattr(reader_module, "distant", lambda *_: [found] * 4)
    layout = Layout(Tokenizer.from_file(str(SHIPPED / "tokenizer.json")))
    groups = build(low_rank(world, sources={"nq": 1, "distant": 1.5}), world, layout, world / "index")
    light = [group for group in groups if group[0].weight == 0.5]
    assert len(light) == 6 and len(groups) > 12
    assert all([one.kind for one in group] == [SPAN, NONE] for group in light if len(group) == 2)
