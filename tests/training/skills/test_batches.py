from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
import torch

from answerable.encoders.modular import SkillModel, SkillShape
from answerable.encoders.segments import Segments
from answerable.training.skills.batches import BatchSettings, lay, plan, with_proposals
from answerable.training.skills.example import SkillExample
from answerable.training.skills.train import backward, encode_rows
from answerable.types import Skill
from tests.training.skills.worlds import small_model, write_tokenizer

PAGES = [(f"Tower {i}", f"The lamp of the tower was lit in {1800 + i} by a keeper. " * (1 + i % 4)) for i in range(40)]
SETTINGS = BatchSettings(size=4, hard=2, length=48)


@pytest.fixture(scope="module")
def segments(tmp_path_factory: pytest.TempPathFactory) -> Segments:
    return Segments(write_tokenizer(tmp_path_factory.mktemp("words") / "tokenizer.json"))


def examples(skill: Skill, source: str = "towers", count: int = 8) -> list[SkillExample]:
    made = []
    for i in range(count):
        others = tuple(PAGES[(i + k) % 40] for k in (5, 9, 13))
        one = SkillExample(source, skill, f"who lit the tower {i} of stone", (PAGES[i],), negatives=others)
        if skill is Skill.EXPANDED:
            one = replace(one, evidence=(PAGES[(i + 17) % 40],))
        if skill in (Skill.MENTION, Skill.PROPOSE):
            one = replace(one, span=(12, 17), names=((12, 17), (21, 27)))
        made.append(one)
    return made


def test_every_example_once_in_batches_of_one_group() -> None:
    made = [*examples(Skill.SINGLE), *examples(Skill.SINGLE, "piers"), *examples(Skill.MENTION, count=40)]
    both = with_proposals(made)
    batches = plan(both, 4, 3, 0.2)
    assert all(len({both[i].group for i in batch}) == 1 for batch in batches)
    seen = Counter(i for batch in batches for i in batch)
    assert set(seen.values()) == {1}
    skills = Counter(both[batch[0]].skill for batch in batches)
    assert skills == {Skill.SINGLE: 4, Skill.MENTION: 8, Skill.PROPOSE: 2}  # a fifth of the ten linking batches
    linked = {both[i].key for i in seen if both[i].skill is Skill.MENTION}
    proposed = {replace(both[i], skill=Skill.MENTION).key for i in seen if both[i].skill is Skill.PROPOSE}
    assert linked | proposed == {one.key for one in made if one.skill is Skill.MENTION} and not linked & proposed
    assert batches == plan(both, 4, 3, 0.2) != plan(both, 4, 4, 0.2)


def test_a_passage_stands_once_and_what_is_right_is_no_negative(segments: Segments) -> None:
    one, two, three = examples(Skill.SINGLE, count=3)
    two = replace(two, positives=(PAGES[1], PAGES[0]))  # the first's positive is right for the second as well
    three = replace(three, positives=one.positives)  # and the third has the first's own
    batch = lay([one, two, three], segments, replace(SETTINGS, hard=0), random.Random(1))
    queries, passages = batch.sides
    assert (queries.skill, passages.skill) == (Skill.SINGLE, Skill.PASSAGE)
    assert len(queries.rows) == 3 and len(passages.rows) == 2
    model = small_model()
    vectors = [encode_rows(model, side.skill, side.rows) for side in batch.sides]
    alone = [encode_rows(model, Skill.PASSAGE, passages.rows[:1])]
    alone.insert(0, encode_rows(model, Skill.SINGLE, queries.rows[:1]))
    scores = (vectors[0] @ vectors[1].T / model.how.temperature).detach()
    expected = torch.stack([-scores[0].log_softmax(0)[0], torch.tensor(0.0), -scores[2].log_softmax(0)[0]]).mean()
    assert batch.loss(vectors, model).item() == pytest.approx(float(expected), abs=1e-4)


def test_an_expanded_query_carries_its_passages(segments: Segments) -> None:
    (one,) = examples(Skill.EXPANDED, count=1)
    batch = lay([one, *examples(Skill.EXPANDED, count=3)[1:]], segments, SETTINGS, random.Random(1))
    assert batch.sides[0].rows[0].ids.count(3) == 2  # [SEP] after the question and after the passage
    assert len(batch.sides[0].rows[0].ids) > len(segments.texts([one.query])[0].ids)


def test_mentions_and_proposals_read_the_same_spans(segments: Segments) -> None:
    linking = lay(examples(Skill.MENTION), segments, SETTINGS, random.Random(1))
    assert [side.skill for side in linking.sides] == [Skill.MENTION, Skill.ENTITY]
    (place,) = linking.sides[0].rows[0].places
    proposing = lay([*examples(Skill.PROPOSE), *examples(Skill.PROPOSE)], segments, SETTINGS, random.Random(1))
    (side,) = proposing.sides
    assert len(side.rows) == 8  # each text once
    assert side.rows[0].places[0] == (0, 0) and place in side.rows[0].places[1:3]
    assert len({len(row.places) for row in side.rows}) == 1


def test_what_may_be_a_name_is_no_negative(segments: Segments) -> None:
    text = "Bell Rock was lit after Skerryvore"
    (one,) = examples(Skill.PROPOSE, count=1)
    known = text.index("Skerryvore"), len(text)
    found = lay([replace(one, query=text, span=known, names=(known,))], segments, SETTINGS, random.Random(1))
    (row,) = found.sides[0].rows
    asked = segments.spans([(text, [known, (0, 9)])])[0]
    name, perhaps = asked.places
    assert row.places[:2] == ((0, 0), name) and perhaps not in row.places
    others = row.places[2:]
    assert others and any(first <= name[1] and last >= name[0] for first, last in others)  # too much or too little
    assert name not in others


@pytest.mark.parametrize("skill", [Skill.SINGLE, Skill.EXPANDED, Skill.MENTION, Skill.PROPOSE, Skill.RERANK])
def test_gradients_in_pieces_are_those_of_the_whole(segments: Segments, skill: Skill) -> None:
    batch = lay(examples(skill), segments, SETTINGS, random.Random(2))
    whole, pieces = small_model(SkillShape(dropout=0.0)), small_model(SkillShape(dropout=0.0))
    one, other = backward(whole, batch, 100_000), backward(pieces, batch, 100)
    assert float(one) == pytest.approx(float(other), rel=0.02)
    near = _gradient(whole), _gradient(pieces)
    assert float(torch.cosine_similarity(*near, dim=0)) > 0.99
    assert {n for n, p in whole.named_parameters() if p.grad is None} == {
        n for n, p in pieces.named_parameters() if p.grad is None
    }


def test_dropout_is_the_same_in_both_passes(segments: Segments) -> None:
    batch = lay(examples(Skill.SINGLE), segments, SETTINGS, random.Random(2))
    found = []
    for _ in range(2):
        model = small_model(SkillShape(dropout=0.3)).train()
        torch.manual_seed(9)
        loss = backward(model, batch, 100)
        found.append((float(loss), _gradient(model), torch.rand(1)))
    assert found[0][0] == found[1][0] and torch.equal(found[0][1], found[1][1])
    assert torch.equal(found[0][2], found[1][2])
    # A loss that another mask would not give: in evaluation mode it is another.
    assert float(backward(small_model(SkillShape(dropout=0.3)).eval(), batch, 100)) != found[0][0]


@pytest.mark.parametrize("skill", [Skill.SINGLE, Skill.EXPANDED, Skill.MENTION, Skill.PROPOSE, Skill.RERANK])
def test_every_skill_can_be_learned(segments: Segments, skill: Skill) -> None:
    model = small_model(SkillShape(temperature=0.2)).train()
    made = examples(skill, count=4)
    if skill in (Skill.MENTION, Skill.PROPOSE):
        texts = ["who lit tower 1 ?", "the stone wall of ross", "alan stevenson built it", "curlew nests on the heath"]
        spans = [(8, 15), (17, 21), (0, 14), (0, 6)]
        made = [replace(e, query=t, span=s, names=(s,)) for e, t, s in zip(made, texts, spans, strict=True)]
    optimizer = torch.optim.Adam(model.parameters(), 0.003)
    first = None
    for _ in range(40):
        batch = lay(made, segments, SETTINGS, random.Random(2))
        loss = backward(model, batch, 4096)
        first = first or float(loss)
        optimizer.step()
        optimizer.zero_grad()
    assert float(loss) < 0.3 * first
    with torch.no_grad():
        vectors = [encode_rows(model, side.skill, side.rows) for side in batch.sides]
    assert batch.judge(vectors, model) > 0.9


def _gradient(model: SkillModel) -> torch.Tensor:
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
