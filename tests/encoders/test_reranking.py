"""What reads what a table may say beside the question, as it ships."""

from __future__ import annotations

import numpy as np
import pytest

from answerable.encoders.choose import encoder_folder
from answerable.encoders.reranking import TableReranker
from answerable.encoders.shipped import open_shipped
from answerable.errors import ModelError

SAID = (
    "Player, with the greatest Weight: Sammie Hill",
    "Player, with the greatest Choice: Dan Gron",
    "how many rows there are: 10",
)


@pytest.fixture(scope="module")
def shipped() -> TableReranker:
    return TableReranker(open_shipped(encoder_folder("skills")), 1)


def test_what_was_asked_for_is_told_from_what_was_not(shipped: TableReranker):
    assert shipped.logits("who was the heaviest man?", SAID).argmax() == 0
    assert shipped.logits("how many players are on the list", SAID).argmax() == 2


def test_whatever_stands_beside_it_hardly_moves_it(shipped: TableReranker):
    told = shipped.logits("who was the heaviest man?", SAID)
    turned = shipped.logits("who was the heaviest man?", SAID[::-1])
    assert told.shape == (3,) and told.dtype == np.float32
    assert np.allclose(told, turned[::-1], atol=0.2)


def test_a_model_that_reads_none_is_refused():
    with pytest.raises(ModelError, match="reranks nothing"):
        TableReranker(open_shipped(encoder_folder("skills").with_name("reader")))
