"""Labels only grow: a chain carries its question's label and those of all its hits, and a query all it quotes."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.chains.beam import BeamSettings, gather
from answerable.privacy.flow import decide, first_query
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import PUBLIC, Asker, Privacy
from tests.laws.worlds import MODES, TABLES, MemoryEnclave, TinyEncoder, corpus, some_text


@given(seed=st.integers(0, 2**32), privacy=st.sampled_from(list(Privacy)))
@settings(max_examples=60, deadline=None)
def test_labels_join(seed: int, privacy: Privacy) -> None:
    rng = random.Random(seed)
    table = rng.choice(TABLES)
    words = sorted(PUBLIC.union(*(enclave.label for enclave in table.values())))
    asker = Asker(label=frozenset(rng.sample(words, rng.randint(0, 1))))
    indexes = {name: MemoryEnclave(name, corpus(rng, name), []) for name in table}
    retriever = Retriever(table, indexes, TinyEncoder(), privacy, RetrieverSettings(rng.choice(MODES)))
    query = first_query(some_text(rng, 2, 6), asker, privacy, table)
    ranking = rng.choice(("overall", "enclave"))
    link, ahead = rng.choice((0, 1)), rng.choice((0, 4))
    beam = BeamSettings(hops=3, k=2, width=2, ranking=ranking, link=link, ahead=ahead)
    evidence = gather(query, retriever, beam)
    assert asker.label <= query.label
    for chain in evidence.chains:
        assert chain.label == query.label.union(*(hit.label for hit in chain.hits))
        assert all(hit.label == table[hit.passage.enclave].label for hit in chain.hits)
    for hop in evidence.hops:
        assert hop.query.label == query.label.union(*(table[p.enclave].label for p in hop.query.because))
        assert (hop.refused is None) == decide(hop.query, table[hop.enclave], privacy).allowed
        assert hop.refused is None or not hop.hits or hop.held
        assert ahead or (hop.held is None and not hop.ahead)
