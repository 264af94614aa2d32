"""Without privacy, several enclaves give exactly what one merged index gives (Arora et al. 2023, section 5)."""

from __future__ import annotations

import dataclasses
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.chains.beam import BeamSettings, gather
from answerable.indexes.index import Mode
from answerable.privacy.enclaves import EnclaveTable, private, public
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import Evidence, Passage, Privacy, Query
from tests.laws.worlds import MODES, MemoryEnclave, Sent, TinyEncoder, passage, some_text


def _asked(
    passages: list[Passage], owners: list[str], beam: BeamSettings, question: str, mode: Mode
) -> tuple[Evidence, int]:
    """The evidence when passage i lives in the enclave owners[i], and how many searches that took."""
    names = sorted(set(owners))
    log: list[tuple[str, Sent]] = []
    homes: dict[str, list[Passage]] = {name: [] for name in names}
    for each, owner in zip(passages, owners, strict=True):
        homes[owner].append(dataclasses.replace(each, enclave=owner))
    table = EnclaveTable([public(name) if name == "a" else private(name) for name in names])
    indexes = {name: MemoryEnclave(name, stored, log) for name, stored in homes.items()}
    retriever = Retriever(table, indexes, TinyEncoder(), Privacy.NONE, RetrieverSettings(mode))
    return gather(Query(question), retriever, beam), len(log)


def _chains(evidence: Evidence) -> list[tuple[tuple[str, ...], float]]:
    return [(chain.key, chain.score) for chain in evidence.chains]


@given(seed=st.integers(0, 2**32), data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_split_gives_the_chains_of_one_index(seed: int, data: st.DataObject) -> None:
    """Same ids, same order, same scores; few words, so that equal scores are common; one search more per enclave."""
    rng = random.Random(seed)
    texts = [some_text(rng, 1, 4) for _ in range(rng.randint(1, 20))]
    passages = [passage("p", at, rng.choice((text, *texts))) for at, text in enumerate(texts)]  # copies are common
    owners = data.draw(st.lists(st.sampled_from("abc"), min_size=len(passages), max_size=len(passages)))
    hops, k, width = rng.randint(1, 3), rng.randint(1, 5), rng.randint(1, 8)
    link, alpha = rng.choice((0, 1, 2)), rng.choice((1.0, 1.5))
    beam = BeamSettings(hops, k, width, "overall", rng.random() < 0.5, link, alpha)
    question, mode = some_text(rng, 1, 4), rng.choice(MODES)
    merged, searches = _asked(passages, ["a"] * len(passages), beam, question, mode)
    split, more_searches = _asked(passages, owners, beam, question, mode)
    assert _chains(split) == _chains(merged)
    assert more_searches == searches * len(set(owners))
