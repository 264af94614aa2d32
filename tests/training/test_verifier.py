"""A verifier learns from a reader's right and wrong answers, is put beside the encoder, and verifies without torch."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.shipped import open_shipped  # noqa: E402
from answerable.encoders.verifier import AnswerVerifier, claim, lay, verifies  # noqa: E402
from answerable.encoders.wordpieces import WordPieces  # noqa: E402
from answerable.readers.overlap import OverlapReader  # noqa: E402
from answerable.training import verifier as module  # noqa: E402
from answerable.training.experts import put_expert  # noqa: E402
from answerable.training.reading import NONE, SPAN, YES, PoolPassage, Reading  # noqa: E402
from answerable.training.verifier import (  # noqa: E402
    VERIFYING,
    VerifyModel,
    VerifyRecipe,
    claims,
    is_right,
    swapped,
    train_verifier,
)
from tests.training.experts import check_run, export_encoder  # noqa: E402
from tests.training.sets.worlds import write_bert  # noqa: E402

TOWERS = [("Hook", "William Marshal built the tower of Hook."), ("Kopu", "Monks lit the lamp of Kopu in 1531.")]
ASKED = [
    Reading("1", "Who built the tower of Hook?", (TOWERS[0],), SPAN, (0, 0, 15), ("William Marshal",), "squad1"),
    Reading("2", "When was the lamp of Kopu lit?", (TOWERS[1],), SPAN, (0, 30, 34), ("1531",), "squad1"),
    Reading("3", "Who sold the tower of Hook?", (TOWERS[0],), NONE, None, (), "squad2"),
]
RECIPE: dict[str, Any] = {
    "threads": 1,
    "dropout": 0.0,
    "judged": 2,
    "near": 1,
    "loop": {"rate": 3e-3, "tokens": 400, "evaluate_steps": 2, "checkpoint_seconds": 0.0},
    "sources": {"squad1": 2, "squad2": 1},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An encoder of skills of a small BERT; a reader by words stands for the trained one."""
    export_encoder(write_bert(tmp_path / "bert"), tmp_path / "model")
    monkeypatch.setattr(module, "load_pool", lambda _: {"p": PoolPassage("Lamp", "A lamp.", ())})
    monkeypatch.setattr(module, "load_source", lambda name, *_: [one for one in ASKED if one.source == name])
    monkeypatch.setattr(module, "SpanReader", lambda *_: OverlapReader())
    return tmp_path


def test_answers_of_a_reader_are_right_where_they_stand_at_home() -> None:
    made = {one.claim.answer: one.right for one in claims(ASKED[1], [TOWERS[0]], OverlapReader(), 9)}
    assert made and set(made.values()) <= {True, False}
    for one in claims(ASKED[2], [TOWERS[1]], OverlapReader(), 9):
        assert not one.right


def test_where_a_question_is_read_alone_none_of_its_answers_is_right() -> None:
    made = [*claims(ASKED[1], [TOWERS[0]], OverlapReader(), 9, alone=True)]
    assert made and not any(one.right for one in made) and {one.claim.heading for one in made} == {"Hook"}


def test_a_right_answer_is_wrong_for_another_name() -> None:
    right = next(one for one in claims(ASKED[0], [], OverlapReader(), 9) if one.right)
    wrong = swapped(right, ["Hook", "Kopu", "1531"], random.Random(1))
    assert wrong and wrong.claim.question == "Who built the tower of Kopu?"
    assert not wrong.right and wrong.id != right.id and wrong.claim.answer == right.claim.answer
    assert swapped(right, ["Hook", "1531"], random.Random(1)) is None


@pytest.mark.parametrize(
    ("said", "right"), [("1531", True), ("in 1531", True), ("1532", False), ("Monks", False), ("", False)]
)
def test_what_counts_as_right(said: str, right: bool) -> None:
    assert is_right(ASKED[1], said) is right
    assert not is_right(ASKED[2], said)
    assert is_right(Reading("4", "Is it?", (TOWERS[0],), YES), "yes") and not is_right(ASKED[1], "yes")


def test_a_run_learns_judges_and_resumes_to_the_same_weights(folder: Path, tmp_path: Path) -> None:
    def train(how: dict[str, Any], out: Path) -> VerifyModel:
        return train_verifier(VerifyRecipe.of(how), folder, out)

    assert check_run(VERIFYING, train, RECIPE | {"start": str(folder / "model")}, tmp_path) <= {"squad1", "squad2"}


def test_it_verifies_without_torch_as_it_was_trained(folder: Path, tmp_path: Path) -> None:
    model = train_verifier(VerifyRecipe.of(RECIPE | {"start": str(folder / "model")}), folder, tmp_path / "run")
    out = tmp_path / "out"
    shutil.copytree(folder / "model", out)
    assert not verifies(open_shipped(out))
    shipped = put_expert(VERIFYING, model, out, 0)
    found = [*_candidates()]
    rows = lay(WordPieces(shipped.file("tokenizer.json")), [claim("Who built the tower?", one) for one in found])
    with torch.no_grad():
        wanted = torch.cat([model(*module._inputs([row], torch.device("cpu"))) for row in rows]).numpy()
    got = AnswerVerifier(shipped, 1).verify("Who built the tower?", found)
    assert got.dtype == np.float32 and np.allclose(got, wanted, atol=0.2)


def _candidates() -> Iterator[Any]:
    yield from OverlapReader().read(
        "Who built the tower?", [module._chain([TOWERS[0]], "a"), module._chain(TOWERS, "b")]
    )
