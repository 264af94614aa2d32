"""Train, dev and test: balanced over the slices where it is measured, with no passage and no entity in two of them.

Questions that share a passage or an entity stay together. Dev and test take as many questions of each slice as the
share `held` of the rarest slice comes to, reviewed ones first (the paper puts verified questions there first); the
rest is for training.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from hashlib import blake2b

from answerable_bench.plan import SLICES, Plan
from answerable_bench.proposal import Proposal

TRAIN, DEV, TEST = "train", "dev", "test"
SPLITS = (TRAIN, DEV, TEST)


def split(questions: Sequence[tuple[Proposal, bool]], plan: Plan) -> dict[str, list[Proposal]]:
    """The questions of each split, in the order given; each comes with whether it was reviewed."""
    groups = _groups([proposal for proposal, _ in questions])
    reviewed = {proposal.id for proposal, done in questions if done}
    rarest = min(Counter(proposal.slice for proposal, _ in questions).get(slice, 0) for slice in SLICES)
    target = round(plan.held * rarest)
    order = sorted(groups, key=lambda group: (not _any(group, reviewed), len(group), _hashed(group, plan.seed)))
    room = {name: dict.fromkeys(SLICES, target) for name in (TEST, DEV)}
    place: dict[str, str] = {}
    for group in order:
        own = Counter(proposal.slice for proposal in group)
        name = next((name for name in (TEST, DEV) if _fits(own, room[name])), TRAIN)
        for proposal in group:
            place[proposal.id] = name
        if name != TRAIN:
            room[name] = {slice: left - own[slice] for slice, left in room[name].items()}
    found: dict[str, list[Proposal]] = {name: [] for name in SPLITS}
    for proposal, _ in questions:
        found[place[proposal.id]].append(proposal)
    return found


def _fits(own: Mapping[str, int], room: Mapping[str, int]) -> bool:
    return all(count <= room.get(slice, 0) for slice, count in own.items())


def _any(group: Sequence[Proposal], reviewed: set[str]) -> bool:
    return any(proposal.id in reviewed for proposal in group)


def _hashed(group: Sequence[Proposal], seed: int) -> bytes:
    return blake2b(f"{seed}\0{group[0].id}".encode(), digest_size=8).digest()


def _groups(proposals: Sequence[Proposal]) -> list[list[Proposal]]:
    """The questions by what they share, directly or through others: passages, and entities whatever their case."""
    parent: dict[str, str] = {}

    def root(thing: str) -> str:
        parent.setdefault(thing, thing)
        while parent[thing] != thing:
            parent[thing] = parent[parent[thing]]
            thing = parent[thing]
        return thing

    def things(proposal: Proposal) -> list[str]:
        return [f"passage {id}" for id in proposal.passages] + [f"name {name.lower()}" for name in proposal.names]

    for proposal in proposals:
        first, *others = things(proposal)
        for other in others:
            parent[root(other)] = root(first)
    groups: dict[str, list[Proposal]] = defaultdict(list)
    for proposal in proposals:
        groups[root(things(proposal)[0])].append(proposal)
    return list(groups.values())
