from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from answerable.corpora.paragraphs import Paragraph
from answerable.documents.encoded import Book
from answerable.documents.walk import WalkSettings, converse, walk
from answerable.encoders.sentences import HOPS
from answerable.training.documents.draw import Lesson
from answerable.training.documents.model import TWICE, Attention, Level, Table, Taken, Walker, weights_of
from answerable.training.documents.train import asked, attention_loss, collate, decision_loss, stop_loss, table
from answerable.types import Document
from tests.training.documents.worlds import LAMP, LESSON, ONE, PIER, TURN, TWO, begun, write_bert
from tests.training.experts import learned
from walks import TrainedNavigator

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def walker(tmp_path_factory: pytest.TempPathFactory) -> Walker:
    made, _ = begun(write_bert(tmp_path_factory.mktemp("walk")))
    torch.manual_seed(4)
    with torch.no_grad():
        for part in (made.mix_query, made.mix_sentence, made.classes):
            part.weight.normal_(std=0.3)
    return made


def random_table(walker: Walker, sizes: list[int]) -> tuple[Table, Book]:
    torch.manual_seed(1)
    width = walker.model.trunk.shape.width
    vectors = torch.nn.functional.normalize(torch.randn(len(sizes), max(sizes), width), dim=-1)
    there = torch.arange(max(sizes))[None] < torch.tensor(sizes)[:, None]
    wholes = torch.nn.functional.normalize(torch.randn(len(sizes), width), dim=-1)
    paragraphs = tuple(Paragraph(0, 1, (), ((0, 1),) * size) for size in sizes)
    held = Book(
        Document("d", "e", "t", "x", "s"), paragraphs, vectors[there].numpy(), wholes.numpy(), np.cumsum([0, *sizes])
    )
    return Table(vectors, there, wholes), held


@pytest.mark.parametrize("update", [True, False])
def test_what_learns_and_what_runs_walk_alike(walker: Walker, update: bool) -> None:
    """By hard attention, which is what straight-through does forward, every query and score is the same."""
    held, book = random_table(walker, [3, 1, 4])
    torch.manual_seed(2)
    queries = torch.nn.functional.normalize(torch.randn(1, 4, walker.model.trunk.shape.width), dim=-1)
    weights = weights_of(walker)
    with torch.no_grad():
        taken = walker.walk(held, queries, TWICE, Attention.STRAIGHT, update)
        enough = float(walker.enough(queries, taken, update).sigmoid())
    alone = replace(weights, paragraph=np.zeros(2, np.float32))
    found = walk(book, queries[0].numpy(), alone, settings=WalkSettings(update=update), pieces=2)
    assert found.first.queries == pytest.approx(torch.cat([taken[0].query, taken[1].query]).numpy(), abs=1e-3)
    assert found.first.scores == pytest.approx(taken[1].sentences[0][held.there].numpy(), abs=1e-2)
    assert found.second is not None
    assert found.second.queries == pytest.approx(torch.cat([taken[2].query, taken[3].query]).numpy(), abs=1e-3)
    assert found.enough == pytest.approx(enough, abs=1e-3)


def test_conversations_are_decided_alike(walker: Walker) -> None:
    held, book = random_table(walker, [3, 2])
    torch.manual_seed(5)
    queries = torch.nn.functional.normalize(torch.randn(1, 3, walker.model.trunk.shape.width), dim=-1)
    with torch.no_grad():
        taken = walker.walk(held, queries, (Level.EITHER,) * 3, Attention.STRAIGHT)
        expected = walker.decide(taken).softmax(-1)[0]
    found = converse(book, queries[0].numpy(), weights_of(walker))
    assert found.probabilities == pytest.approx(expected.numpy(), abs=1e-4)


def test_soft_attention_reaches_every_weight(tmp_path: Path) -> None:
    walker, layout = begun(write_bert(tmp_path))
    for lesson in (LESSON, Lesson("towers", LESSON.paragraphs, (TWO,)), Lesson("rules", (LAMP, PIER), (TURN,))):
        walker.zero_grad()
        batch = collate(layout, lesson)
        held, queries = table(walker.encoder, batch, CPU), asked(walker.encoder, batch, CPU)
        taken = walker.walk(held, queries, batch.levels, Attention.SOFT)
        loss = attention_loss(batch, held, taken)
        if batch.levels[0] is Level.EITHER:
            loss = loss + decision_loss(walker.decide(taken), batch.decisions)
        else:
            loss = loss + stop_loss(walker.enough(queries, taken), batch.over)
        loss.backward()
        assert torch.isfinite(loss) and walker.mix_sentence.weight.grad is not None
        assert float(walker.mix_sentence.weight.grad.abs().sum()) > 0
        assert float(walker.encoder.roles.weight.grad.abs().sum()) > 0


def test_learning_finds_what_is_right(tmp_path: Path) -> None:
    walker, layout = begun(write_bert(tmp_path))
    batch = collate(layout, LESSON)

    def loss() -> torch.Tensor:
        held = table(walker.encoder, batch, CPU)
        taken = walker.walk(held, asked(walker.encoder, batch, CPU), batch.levels, Attention.SOFT)
        return attention_loss(batch, held, taken)

    losses = learned(walker, loss, 12, 0.01)
    assert losses[-1] < 0.3 * losses[0]


def test_the_loss_is_what_is_right_against_all_there_is(tmp_path: Path) -> None:
    _, layout = begun(write_bert(tmp_path))
    batch = collate(layout, LESSON)
    there = torch.tensor([[True, True, False], [True, True, True], [True, False, False]])
    held = Table(torch.zeros(3, 3, 4), there, torch.zeros(3, 4))
    even = Taken(torch.zeros(2, 3), torch.zeros(2, 3, 3), *[torch.zeros(1)] * 4)
    assert float(attention_loss(batch, held, [even, even])) == pytest.approx((np.log(3) + np.log(6)) / 2, abs=1e-5)
    sure = Taken(100.0 * batch.paragraphs[0], 100.0 * batch.sentences[1], *[torch.zeros(1)] * 4)
    assert float(attention_loss(batch, held, [sure, sure])) == pytest.approx(0.0, abs=1e-5)


def test_the_navigator_in_training_gives_what_lessons_learn_from(tmp_path: Path) -> None:
    walker, layout = begun(write_bert(tmp_path))
    batch = collate(layout, Lesson("towers", (LAMP, PIER), (ONE,)))
    navigator = TrainedNavigator(walker, layout)
    with torch.no_grad():
        held, queries = table(walker.encoder, batch, CPU), asked(walker.encoder, batch, CPU)
    (lamp, whole), (pier, _) = navigator.encode_paragraphs([LAMP, PIER])
    assert np.allclose(lamp, held.sentences[0][held.there[0]], atol=0.05)
    assert np.allclose(pier, held.sentences[1][held.there[1]], atol=0.05)
    assert np.allclose(whole, held.wholes[0], atol=0.05)
    assert np.allclose(navigator.encode_asked(ONE.sentences, HOPS), queries[0], atol=0.05)
