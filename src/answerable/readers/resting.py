"""What an answer rests on, by reading once more with less: the passages it needs, and where a yes or a no is said.

A chain is read as a whole, which tells neither whether its other passages were needed nor where a verdict is said. What
is read as surely without a passage does not rest on it. Nothing rests on a question, which asks and does not
tell it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite

from answerable.corpora.tables import HEADING_LINE, statements
from answerable.readers.reader import Reader
from answerable.readers.two import of_both
from answerable.text import asks, content, is_polar
from answerable.types import Candidate, Chain, Hit

NEEDED = 2.5
"""What an answer's score, a log-odds, must lose without the rest of its chain for that to be needed. Best of 1.5, 2,
2.5, 3 and 4: of 26 second passages that everyday questions of two hops need 24 stay, of 166 that hold no answer 45.
"""


def resting(reader: Reader, question: str, answer: Candidate) -> Candidate:
    """The answer with the passage it stands in alone, where that is read as surely, or with its whole chain.

    A yes or a no, which was read in a whole passage, stands in the sentence of the chain that says it the surest.
    """
    if _whole(answer):
        answer = _said(reader, question, answer)
    if len(answer.chain.hits) == 1:
        return answer
    own = hit_of(answer)
    alone = Chain((own,), own.score, answer.chain.label)
    same = (one for one in reader.read(question, [alone]) if one.text == answer.text)
    lost = answer.score - max((one.score for one in same), default=float("-inf"))
    return replace(answer, chain=alone, hit=0) if lost <= NEEDED else answer


def hit_of(answer: Candidate) -> Hit:
    """The passage in which an answer stands, as it was found."""
    return answer.chain.hits[answer.hit]


def telling(reader: Reader, question: str, chains: Sequence[Chain]) -> list[Candidate]:
    """What a reader finds, best first, without what stands in a question. A yes or a no, which was read in a whole
    chain, is no surer than without the questions there, but for headings. What is asked of two things is read of each.
    """
    if both := of_both(reader, question, chains):
        return both
    found = [one for one in reader.read(question, chains) if not asking(one)]
    if not is_polar(question):
        return found
    plain = {chain.key: _plain(chain) for chain in chains}
    again = dict.fromkeys(plain[chain.key] for chain in chains if plain[chain.key] != chain)
    if not again:
        return found
    scores = {(one.chain.key, one.text): one.score for one in reader.read(question, [one for one in again if one.hits])}
    sure = list[Candidate]()
    for one in found:
        rest = plain[one.chain.key]
        if _whole(one) and rest in again:
            one = replace(one, score=min(one.score, scores.get((rest.key, one.text), float("-inf"))))
        sure += [one] if isfinite(one.score) else []
    return sorted(sure, key=lambda one: -one.score)


def asking(answer: Candidate) -> bool:
    """Whether an answer stands in a question."""
    passage = hit_of(answer).passage
    start, end = answer.start - passage.start, answer.end - passage.start
    if "?" not in passage.text[end - 1 :] or _whole(answer):
        return False
    own = (passage.text[first:last] for first, last in statements(passage.text) if first <= start < last)
    return asks(next(own, ""))


def _whole(answer: Candidate) -> bool:
    passage = hit_of(answer).passage
    return (answer.start, answer.end) == (passage.start, passage.end)


def _plain(chain: Chain) -> Chain:
    """The chain without its questions, or itself where it has none."""
    hits = list[Hit]()
    for hit in chain.hits:
        spans = statements(hit.passage.text) if "?" in hit.passage.text else []
        said = [hit.passage.text[a:b] for a, b in spans]
        kept = [one for one in said if not asks(one) or HEADING_LINE.match(one)]
        if len(kept) < len(said):
            hit = replace(hit, passage=replace(hit.passage, text=" ".join(kept)))
        hits += [hit] if hit.passage.text else []
    return replace(chain, hits=tuple(hits))


def _said(reader: Reader, question: str, answer: Candidate) -> Candidate:
    """A yes or a no at the sentence that says it the surest, and asks nothing; one that says a word of the question
    rather than one that says none. Where by itself no sentence says it, at the surest of those with such a word."""
    best, most, wanted = answer, (False, False, float("-inf")), content(question)
    for number, hit in enumerate(answer.chain.hits):
        for one in _sentences(hit):
            read = reader.read(question, [Chain((one,), one.score, answer.chain.label)])
            score = max((found.score for found in read if found.text == answer.text), default=float("-inf"))
            told = score > 0, not wanted.isdisjoint(content(one.passage.text)), score
            if any(told[:2]) and told > most:
                best, most = replace(answer, hit=number, start=one.passage.start, end=one.passage.end), told
    return best


def _sentences(hit: Hit) -> Iterable[Hit]:
    passage = hit.passage
    for start, end in statements(passage.text):
        one = replace(passage, text=passage.text[start:end], start=passage.start + start, end=passage.start + end)
        if not asks(one.text):
            yield replace(hit, passage=one)
