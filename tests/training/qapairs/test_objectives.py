"""What is learned from, against the same worked out by hand."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
import torch

from answerable.encoders.questions import QUESTION_TOKENS, side_by_side, together
from answerable.encoders.wordpieces import WordPieces
from answerable.training.experts import begin_expert
from answerable.training.qapairs.known import Asked, Known
from answerable.training.qapairs.model import MATCHING, MatchModel, Searched, encode
from answerable.training.qapairs.train import Copying, latent, reranking, vectors
from answerable.training.start import TOKENIZER
from tests.training.documents.worlds import write_bert
from tests.training.qapairs.worlds import BUILT

CPU = torch.device("cpu")
PAIRS = [Known(f"When was {name} built?", (year,)) for name, year in BUILT.items()]
ASKED = [Asked("In what year was Alma built?", ("1811",), False), Asked("Bard was built when?", ("1823",), False)]


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> WordPieces:
    return WordPieces(write_bert(tmp_path_factory.mktemp("bert")) / TOKENIZER)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> MatchModel:
    begun, _ = begin_expert(MATCHING, str(write_bert(tmp_path_factory.mktemp("start"))), 0.0)
    torch.manual_seed(5)
    with torch.no_grad():
        for weight in begun.parameters():
            weight += 0.05 * torch.randn_like(weight)
    return begun.eval()


def test_copying_gives_each_token_its_share_of_the_answer_and_of_all_answers(pieces: WordPieces) -> None:
    generator = Copying(pieces, ["1811", "1823", "1811"])
    found = torch.tensor([[True, True, False]])
    copied = 1 / (1 + math.exp(-1.4))
    made = generator.likely([ASKED[0]], [Known("", ("1811",)), Known("", ("1823",)), Known("", ("1811",))], found)
    tokens = pieces.ids(["1811"], 34)[0][1:-1]
    other = pieces.ids(["1823"], 34)[0][1:-1]
    seen = [t for answer in ("1811", "1823", "1811") for t in pieces.ids([answer], 34)[0][1:-1]]
    total = len(seen) + len(set(seen)) + 1

    def by(held: list[int]) -> float:
        return sum(
            math.log(copied * held.count(t) / len(held) + (1 - copied) * (seen.count(t) + 1) / total) for t in tokens
        )

    assert made[0, 0].item() == pytest.approx(by(tokens), abs=1e-4)
    assert made[0, 1].item() == pytest.approx(by(other), abs=1e-4)
    assert made[0, 2].item() < -1000 and made[0, 0] > made[0, 1]


def test_a_part_of_the_answer_earns_a_share(pieces: WordPieces) -> None:
    generator = Copying(pieces, ["December 1811"])
    wanted = Asked("When?", ("December 1811",), False)
    whole, part, none = generator.likely(
        [wanted], [Known("", ("December 1811",)), Known("", ("1811",)), Known("", ("Cara",))], torch.ones(1, 3) > 0
    )[0].tolist()
    assert whole > part > none


def test_of_several_answers_the_likeliest_counts(pieces: WordPieces) -> None:
    generator = Copying(pieces, ["1811"])
    both = Asked("When?", ("never", "1811"), False)
    one = Asked("When?", ("1811",), False)
    there = torch.ones(1, 1) > 0
    assert torch.equal(generator.likely([both], PAIRS[:1], there), generator.likely([one], PAIRS[:1], there))


def test_the_latent_objective_is_the_sum_over_pairs(model: MatchModel, pieces: WordPieces) -> None:
    searched = Searched(pieces, PAIRS)
    ids = pieces.ids([one.question for one in ASKED], QUESTION_TOKENS)
    found = np.array([[0, 3], [1, 4]])
    generator = Copying(pieces, list(BUILT.values()))
    loss = latent(model, ASKED, ids, searched, found, generator, 0.1, CPU)
    union = [0, 1, 3, 4]
    rows = vectors(model, ids, CPU) @ vectors(model, [searched.questions[i] for i in union], CPU).T / 0.1
    retrieved = rows.softmax(1)
    made = generator.likely(ASKED, [PAIRS[i] for i in union], torch.ones(2, 4) > 0).exp()
    assert loss.item() == pytest.approx(-(retrieved * made).sum(1).log().mean().item(), rel=0.05)
    assert loss.requires_grad


def test_a_question_is_not_found_by_itself(model: MatchModel, pieces: WordPieces) -> None:
    searched = Searched(pieces, [Known(ASKED[0].question, ("1811",)), *PAIRS])
    ids = pieces.ids([ASKED[0].question], QUESTION_TOKENS)
    generator = Copying(pieces, list(BUILT.values()))
    with_it = latent(model, ASKED[:1], ids, searched, np.array([[0, 1, 2]]), generator, 0.1, CPU)
    without = latent(model, ASKED[:1], ids, searched, np.array([[1, 2]]), generator, 0.1, CPU)
    assert with_it.item() == pytest.approx(without.item(), rel=0.05)
    searched.refresh(model, CPU)
    best = searched.best(encode(model, ids, CPU), 3, [0])
    assert 0 not in best[0] and searched.best(encode(model, ids, CPU), 3, [None])[0, 0] == 0


def test_reranking_contrasts_a_right_pair_with_wrong_ones(model: MatchModel, pieces: WordPieces) -> None:
    searched, ids = Searched(pieces, PAIRS), pieces.ids([one.question for one in ASKED], QUESTION_TOKENS)
    loss = reranking(model, ASKED[:1], ids[:1], searched, np.array([[3, 0]]), 2, random.Random(1), CPU)
    rows = [together(ids[0], searched.questions[i], searched.answers[i]) for i in (0, 3)]
    logits = model(*(torch.from_numpy(one) for one in side_by_side(rows).values()))[1]
    assert loss is not None and loss.item() == pytest.approx(-logits.log_softmax(0)[0].item(), abs=0.02)
    assert reranking(model, ASKED[:1], ids[:1], searched, np.array([[3, 4]]), 2, random.Random(1), CPU) is None
