from __future__ import annotations

from pathlib import Path

import torch

from answerable.encoders.sentences import NOWHERE, Role, feeding
from answerable.training.documents.model import attention_bias, membership
from answerable.training.documents.train import encode
from tests.training.documents.worlds import BIRD, LAMP, PIER, begun, write_bert

CPU = torch.device("cpu")


def test_who_attends_to_whom() -> None:
    """[CLS] a a b [SEP] and padding; the sentences a and b, the null sentence, and padding."""
    belongs = torch.tensor([[NOWHERE, 0, 0, 1, NOWHERE, NOWHERE]])
    mask = torch.tensor([[1, 1, 1, 1, 1, 0]])
    roles = torch.tensor([[Role.SENTENCE, Role.SENTENCE, Role.WHOLE, Role.NONE]])
    own = membership(belongs, mask, roles)
    assert own[0].tolist() == [
        [0, 1, 1, 0, 0, 0],
        [0, 0, 0, 1, 0, 0],
        [1, 1, 1, 1, 1, 0],
        [0, 0, 0, 0, 0, 0],
    ]
    sees = attention_bias(own, mask, roles)[0, 0] == 0
    tokens = [1, 1, 1, 1, 1, 0]
    assert sees[1].tolist() == [bool(x) for x in [*tokens, 1, 0, 1, 0]]  # a token of a
    assert sees[6].tolist() == [bool(x) for x in [0, 1, 1, 0, 0, 0, 1, 1, 1, 0]]  # the sentence a
    assert sees[8].tolist() == [bool(x) for x in [*tokens, 1, 1, 1, 0]]
    assert not sees[:, [5, 9]].any()


def test_vectors_do_not_depend_on_padding_and_have_length_one(tmp_path: Path) -> None:
    walker, layout = begun(write_bert(tmp_path))
    rows = [row for windows in layout.paragraphs([LAMP, PIER, BIRD]) for row in windows]
    with torch.no_grad():
        together = torch.cat(encode(walker.encoder, rows, CPU))
        alone = torch.cat([encode(walker.encoder, [row], CPU)[0] for row in rows])
        whole = walker.encoder(*(torch.from_numpy(array) for array in feeding(rows).values())).float()
    assert torch.allclose(together.norm(dim=1), torch.ones(len(together)), atol=1e-5)
    assert torch.allclose(together, alone, atol=0.05)  # bf16
    plain = torch.cat([whole[i, : len(row.roles)] for i, row in enumerate(rows)])
    assert torch.allclose(plain, together, atol=0.05)


def test_a_sentence_is_read_among_its_neighbours(tmp_path: Path) -> None:
    walker, layout = begun(write_bert(tmp_path))

    def vector(*sentences: str) -> torch.Tensor:
        ((row,),) = layout.paragraphs([("", sentences)])
        with torch.no_grad():
            return encode(walker.encoder, [row], CPU)[0][0]

    beside = vector("The wall is long.", "The curlew is a bird.")
    other = vector("The wall is long.", "The keeper lit the lamp of the tower.")
    assert not torch.allclose(beside, other, atol=1e-3)
    assert beside @ other > beside @ vector("The curlew is a bird.", "The wall is long.")
