from __future__ import annotations

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.modular import (  # noqa: E402
    PAPER,
    ROUTINGS,
    ModularTrunk,
    Pooling,
    SkillModel,
    SkillShape,
    Special,
    from_trunk,
    regrown,
)
from answerable.encoders.trunk import Trunk, TrunkShape  # noqa: E402
from answerable.errors import ModelError  # noqa: E402
from answerable.types import Skill  # noqa: E402

SMALL = TrunkShape(vocabulary=60, width=32, layers=2, heads=4, inner=64, positions=40)
IDS = torch.tensor([[1, 5, 9, 7, 2], [1, 8, 2, 0, 0]])
MASK = (IDS > 0).long()


def trunk() -> Trunk:
    torch.manual_seed(2)
    return Trunk(SMALL).eval()


def random_model(how: SkillShape) -> SkillModel:
    torch.manual_seed(3)
    return SkillModel(ModularTrunk(SMALL, how)).eval()


@pytest.mark.parametrize("special", list(Special))
@pytest.mark.parametrize("routing", list(ROUTINGS))
def test_every_skill_begins_as_the_trunk(special: Special, routing: str) -> None:
    plain = trunk()
    model = from_trunk(plain, SkillShape(routing=routing, special=special)).eval()
    expected = plain(IDS, torch.zeros_like(IDS), MASK)
    for skill in Skill:
        assert torch.allclose(model.trunk(IDS, MASK, skill), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("routing", "special", "experts"),
    [
        ("paper", Special.ATTENTION, 6),
        ("pretraining", Special.ATTENTION, 5),
        ("naive", Special.FEED_FORWARD, 6),
        ("separate", Special.ATTENTION, 7),
        ("paper", Special.NONE, 1),
    ],
)
def test_experts_are_what_the_routing_says(routing: str, special: Special, experts: int) -> None:
    how = SkillShape(routing=routing, special=special)
    assert len(how.experts()) == experts
    pools = random_model(how).trunk.layers[0]
    sizes = len(pools.attention), len(pools.feed_forward)
    assert (
        sizes
        == {
            Special.ATTENTION: (experts, 1),
            Special.FEED_FORWARD: (1, experts),
            Special.NONE: (1, 1),
        }[special]
    )


def test_skills_share_an_expert_just_where_the_paper_says() -> None:
    model = random_model(SkillShape())
    found = {skill: model.trunk(IDS, MASK, skill) for skill in Skill}
    for one in Skill:
        for other in Skill:
            assert torch.equal(found[one], found[other]) == (PAPER[one] == PAPER[other])


def test_training_one_skill_leaves_the_experts_of_others() -> None:
    model = random_model(SkillShape())
    model(IDS, MASK, Skill.EXPANDED).sum().backward()
    touched = {name for name, weight in model.named_parameters() if weight.grad is not None}
    assert any("attention.expanded." in name for name in touched)
    assert not any(f"attention.{other}." in name for name in touched for other in ("question", "passage", "entity"))
    assert any("feed_forward.shared" in name for name in touched)


def test_a_mention_is_the_mean_of_its_ends_and_a_pair_two_vectors() -> None:
    model = random_model(SkillShape(unit=False))
    places = torch.tensor([[[1, 3]], [[1, 1]]])
    hidden = model.trunk(IDS, MASK, Skill.MENTION)
    expected = torch.stack([(hidden[0, 1] + hidden[0, 3]) / 2, hidden[1, 1]])
    assert torch.allclose(model(IDS, MASK, Skill.MENTION, places), expected, atol=1e-6)
    hidden = model.trunk(IDS, MASK, Skill.RERANK)
    ends = model(IDS, MASK, Skill.RERANK, torch.tensor([[[0, 2]], [[0, 2]]]))
    assert torch.allclose(ends, hidden[:, [0, 2]], atol=1e-6)


def test_a_span_is_the_formula_and_no_span_is_cls() -> None:
    model = random_model(SkillShape())
    hidden = model.trunk(IDS, MASK, Skill.PROPOSE)
    spans = model(IDS, MASK, Skill.PROPOSE, torch.tensor([[[0, 0], [1, 3]], [[0, 0], [1, 1]]]))
    weight = model.span.weight.T  # W^a, (2d, d)
    assert torch.allclose(spans[0, 0], hidden[0, 0], atol=1e-6)
    assert torch.allclose(spans[0, 1], torch.tanh(torch.cat([hidden[0, 1], hidden[0, 3]]) @ weight), atol=1e-5)
    assert torch.allclose(spans[1, 1], torch.tanh(torch.cat([hidden[1, 1], hidden[1, 1]]) @ weight), atol=1e-5)


def test_pooling_and_length_are_settings() -> None:
    mean, cls = (random_model(SkillShape(pooling=pooling, unit=False)) for pooling in Pooling)
    hidden = mean.trunk(IDS, MASK, Skill.SINGLE)
    assert torch.allclose(cls(IDS, MASK, Skill.SINGLE), hidden[:, 0], atol=1e-6)
    assert torch.allclose(mean(IDS, MASK, Skill.SINGLE)[1], hidden[1, :3].mean(0), atol=1e-6)
    unit = random_model(SkillShape())(IDS, MASK, Skill.SINGLE)
    assert torch.allclose(unit.norm(dim=1), torch.ones(2))


def test_padding_changes_nothing() -> None:
    model = random_model(SkillShape())
    alone = model(IDS[1:, :3], MASK[1:, :3], Skill.PASSAGE)
    assert torch.allclose(model(IDS, MASK, Skill.PASSAGE)[1:], alone, atol=1e-5)


def test_fine_tuning_begins_as_figure_3_says() -> None:
    old = random_model(SkillShape(routing="pretraining"))
    new = regrown(old, SkillShape(routing="paper")).eval()
    for skill in (Skill.SINGLE, Skill.EXPANDED, Skill.PASSAGE, Skill.MENTION, Skill.ENTITY, Skill.PROPOSE):
        assert torch.equal(new.trunk(IDS, MASK, skill), old.trunk(IDS, MASK, skill))
    assert torch.equal(new.trunk(IDS, MASK, Skill.RERANK), old.trunk(IDS, MASK, Skill.EXPANDED))
    assert torch.equal(new.anchor, old.anchor)
    with pytest.raises(ModelError, match="experts in attention"):
        regrown(old, SkillShape(special=Special.FEED_FORWARD))


@pytest.mark.parametrize("routing", list(ROUTINGS))
def test_an_expert_of_reading_begins_as_rerankings_and_stands_alone(routing: str) -> None:
    old = random_model(SkillShape(routing=routing))
    how = SkillShape(routing=routing, reading=True)
    assert how.experts() == (*old.how.experts(), "read")
    new = regrown(old, how).eval()
    for skill in Skill:
        served = Skill.RERANK if skill is Skill.READ else skill
        assert torch.equal(new.trunk(IDS, MASK, skill), old.trunk(IDS, MASK, served))
    new.trunk(IDS, MASK, Skill.READ).sum().backward()
    touched = {name for name, weight in new.named_parameters() if weight.grad is not None}
    assert any("attention.read." in name for name in touched)
    assert not any(f"attention.{how.expert(Skill.RERANK)}." in name for name in touched)


def test_an_unknown_routing_is_refused() -> None:
    with pytest.raises(ModelError, match="no routing 'scenic'"):
        replace(SkillShape(), routing="scenic").expert(Skill.SINGLE)
