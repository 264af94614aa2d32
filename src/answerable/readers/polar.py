"""Yes and no by a model of natural-language inference, beside whatever reads other questions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answerable.encoders.cross import Entailment
from answerable.encoders.wordpieces import passage_text
from answerable.readers.reader import Reader, best_first
from answerable.text import is_polar
from answerable.types import Candidate, Chain


class PolarReader:
    """Questions that ask yes or no are answered by what passages entail; all others by another reader."""

    def __init__(self, reader: Reader, entailment: Entailment) -> None:
        self._reader, self._entailment = reader, entailment
        self.name = f"{reader.name} with {entailment.name}"

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        """As the other reader's, or a yes and a no for each chain, best first.

        A score is the log-odds that the chain's passages, the last one first, entail or contradict that the answer is
        yes, against the rest.
        """
        if not is_polar(question):
            return self._reader.read(question, chains)
        chains = [chain for chain in chains if chain.hits]
        claim = f'The answer to the question "{question.strip()}" is yes.'
        found: list[Candidate] = []
        if not chains:
            return found
        hits = (reversed(chain.hits) for chain in chains)
        texts = [" ".join(passage_text(hit.passage.title, hit.passage.text) for hit in some) for some in hits]
        told = self._entailment.weigh([(text, claim) for text in texts])
        for chain, logs in zip(chains, told, strict=True):
            last = len(chain.hits) - 1
            passage = chain.hits[last].passage
            for row, text in enumerate(("yes", "no")):
                score = float(logs[row] - np.logaddexp(logs[1 - row], logs[2]))
                found.append(Candidate(text, score, chain, last, passage.start, passage.end))
        return best_first(found)
