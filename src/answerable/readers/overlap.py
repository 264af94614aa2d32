"""The deterministic stand-in: no weights, so that the whole engine runs in tests and where no model may."""

from __future__ import annotations

import re
from collections.abc import Sequence

from answerable.readers.reader import best_first
from answerable.text import is_polar, sentences, words
from answerable.types import Candidate, Chain

_NAME = re.compile(r"\b(?:[A-Z][\w'’.-]*(?: (?:of|the|de) [A-Z][\w'’.-]*| [A-Z][\w'’.-]*)*|\d[\d,.]*\d|\d)")
_STOP = frozenset("a an and are as at by did do does for from had has have how in is it of on or that the to was were "
                  "what when where which who whom whose why will with".split())  # fmt: skip


class OverlapReader:
    """Answers with the name or number, new to the question, in the sentence that shares most words with it."""

    name = "overlap"

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        """One candidate a chain at most. The score is the share of question words in the sentence, minus one half."""
        asked = {w for w in words(question) if w not in _STOP}
        if not asked:
            return []
        candidates = []
        for chain in chains:
            best: Candidate | None = None
            for number, hit in enumerate(chain.hits):
                passage = hit.passage
                for begin, stop in sentences(passage.text):
                    sentence = passage.text[begin:stop]
                    score = len(asked & set(words(sentence))) / len(asked) - 0.5
                    if best is not None and score <= best.score:
                        continue
                    if is_polar(question):
                        best = Candidate("yes", score, chain, number, passage.start, passage.end)
                        continue
                    for match in _NAME.finditer(sentence):
                        if not set(words(match.group())) & (asked | _STOP):
                            at = passage.start + begin + match.start()
                            best = Candidate(match.group(), score, chain, number, at, at + len(match.group()))
                            break
            if best is not None:
                candidates.append(best)
        return best_first(candidates)
