"""Large batches in little memory: GradCache (Gao et al. 2021, section 3).

Every text of a contrastive batch takes part in one softmax, so that gradients cannot simply be accumulated: the batch
is encoded in pieces, the loss's gradient taken for each vector, and the pieces are encoded again, now with gradients.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from answerable.encoders.modular import SkillModel
from answerable.encoders.segments import Row
from answerable.encoders.wordpieces import pad, plan_batches
from answerable.training.loop import halved
from answerable.training.skills.batches import Batch, Side
from answerable.types import Skill


def encode_rows(model: SkillModel, skill: Skill, rows: Sequence[Row]) -> Tensor:
    """The vectors of some texts (see `SkillModel.forward`), in bf16 arithmetic, on the model's device."""
    device = model.anchor.device
    ids, mask = (torch.from_numpy(array).to(device) for array in pad([row.ids for row in rows]))
    places = torch.tensor([row.places for row in rows], device=device) if rows[0].places else None
    with halved(device):
        vectors: Tensor = model(ids, mask, skill, places)
    return vectors


def backward(model: SkillModel, batch: Batch, tokens: int) -> Tensor:
    """Add the gradients of a batch's loss to the model's; the loss, without its graph.

    At most `tokens` token positions (rows times the longest row) are in memory at a time, or one row.
    """
    pieces = [plan_batches([len(row.ids) for row in side.rows], tokens) for side in batch.sides]
    if all(len(one) == 1 for one in pieces) and sum(len(r.ids) for s in batch.sides for r in s.rows) <= tokens:
        loss = batch.loss([encode_rows(model, side.skill, side.rows) for side in batch.sides], model)
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()
    states: list[list[Tensor]] = []
    with torch.no_grad():
        whole = []
        for side, plan in zip(batch.sides, pieces, strict=True):
            states.append([])
            found = []
            for piece in plan:
                states[-1].append(_random_state(model))
                found.append(encode_rows(model, side.skill, [side.rows[i] for i in piece]))
            order = torch.tensor([i for piece in plan for i in piece], device=found[0].device)
            whole.append(torch.cat(found)[order.argsort()])
    leaves = [vectors.requires_grad_() for vectors in whole]
    loss = batch.loss(leaves, model)
    loss.backward()  # type: ignore[no-untyped-call]
    after = _random_state(model)
    for side, plan, leaf, kept in zip(batch.sides, pieces, leaves, states, strict=True):
        _again(model, side, plan, leaf, kept)
    _set_random_state(model, after)
    return loss.detach()


def _again(model: SkillModel, side: Side, plan: list[list[int]], leaf: Tensor, states: list[Tensor]) -> None:
    """Encode the pieces of a side once more, with the same dropout, and send their vectors' gradients on."""
    gradient = leaf.grad
    if gradient is None:  # a loss that no vector of this side takes part in
        return
    for piece, state in zip(plan, states, strict=True):
        _set_random_state(model, state)
        vectors = encode_rows(model, side.skill, [side.rows[i] for i in piece])
        torch.autograd.backward(vectors, gradient[torch.tensor(piece, device=gradient.device)])


def _random_state(model: SkillModel) -> Tensor:
    return torch.cuda.get_rng_state() if model.anchor.is_cuda else torch.get_rng_state()


def _set_random_state(model: SkillModel, state: Tensor) -> None:
    if model.anchor.is_cuda:
        torch.cuda.set_rng_state(state)
    else:
        torch.set_rng_state(state)
