"""Fetching ahead changes nothing but what is searched here: no chain of the first label, and no hop that is sent."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.chains.beam import BeamSettings, gather
from answerable.encoders.encoder import Vectors
from answerable.evaluation.tasks.passages import leaks
from answerable.indexes.index import Ranking, SearchMode
from answerable.indexes.vectors import ExactVectors
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import Enclave, Evidence, Passage, Privacy, Query
from tests.laws.worlds import MemoryEnclave, TinyEncoder, corpus, draw, some_text


def _asked(trial) -> Evidence:
    indexes = {name: MemoryEnclave(name, stored, []) for name, stored in trial.corpora[0].items()}
    return trial.ask(gather, indexes)


@given(seed=st.integers(0, 2**32), granting=st.booleans())
@settings(max_examples=60, deadline=None)
def test_what_is_sent_besides_changes_no_chain_of_the_first_label(seed: int, granting: bool) -> None:
    trial = draw(random.Random(seed), granting=granting)
    least = trial.asker.label | ({"question"} if trial.privacy is Privacy.QUERY else set())
    beams = [replace(trial.beam, ahead=number, keep_short=True) for number in (0, 6)]  # without, others' lengths count
    plain, ahead = (_asked(replace(trial, beam=beam)) for beam in beams)
    if not any(hop.held and hop.query.label | trial.table[hop.enclave].label == least for hop in ahead.hops):
        first = [[chain for chain in found.chains if chain.label == least] for found in (plain, ahead)]
        assert first[0] == first[1]
    if not granting:
        assert leaks(ahead.hops, trial.table) == 0


def test_a_search_among_what_is_held_is_a_refusal_that_found_something() -> None:
    rng = random.Random(4)
    found = 0
    for _ in range(100):
        trial = replace(draw(rng), privacy=Privacy.DOCUMENT)
        for hop in _asked(replace(trial, beam=replace(trial.beam, ahead=6))).hops:
            if hop.held is not None:
                enclave = trial.table[hop.enclave]
                assert hop.refused == hop.reason and not hop.query.label <= enclave.admits
                assert len(hop.hits) <= min(trial.beam.k, hop.held)
                assert all(hit.label == enclave.label for hit in hop.hits)
                found += len(hop.hits)
    assert found > 50


class ExactEnclave(MemoryEnclave):
    """Ranks all its passages by vector, as an index on disk does."""

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        rows = np.array(self.rows, np.float16).reshape(-1, TinyEncoder.dimension)
        return ExactVectors([p.id for p in self.stored], rows).search(vector, k)


def _over(wiki: Enclave, stored: dict[str, list[Passage]], question: str, beam: BeamSettings) -> Evidence:
    table = EnclaveTable([wiki, private("mail")])
    indexes = {name: ExactEnclave(name, texts, []) for name, texts in stored.items()}
    retriever = Retriever(table, indexes, TinyEncoder(), Privacy.DOCUMENT, RetrieverSettings("dense"))
    return gather(Query(question), retriever, beam)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_with_everything_fetched_a_public_enclave_finds_what_a_mirror_of_it_finds(seed: int) -> None:
    """The same chains, labels and scores to the last bit."""
    rng = random.Random(seed)
    stored = {name: corpus(rng, name) for name in ("wiki", "mail")}
    question = some_text(rng, 1, 5)
    beam = BeamSettings(hops=rng.randint(1, 3), k=rng.randint(1, 4), width=rng.randint(1, 4))
    fetched = _over(public("wiki"), stored, question, replace(beam, ahead=50))
    assert fetched.chains == _over(mirror("wiki"), stored, question, beam).chains
