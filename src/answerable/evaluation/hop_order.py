"""Which supporting passage comes first: the order of a question's hops, and how it is known.

HotpotQA names two supporting passages and not their order, and what may be searched after what depends on the order
(Arora et al. 2022, section 6.1: each question goes from hop to hop, private or public). So it is worked out:

1. given: the data set orders its hops (MuSiQue, ConcurrentQA), or says whether the answer stands in the table or in
   a passage (OTT-QA, HybridQA), which is then the last hop.
2. free: a comparison names both things it compares, so that either passage can be found from the question alone.
3. answer: the answer stands in one passage only, which is then the last hop, as the authors of ConcurrentQA had it
   written (their figure 9: "the answer ... in paragraph 2").
4. question: the question names the title of one passage only, which can then be found first.
5. names: one passage names the title of the other and not the reverse, as a page links to the next
   (their appendix D.2); the one that names comes first.
6. unknown: none of these tells. The order is then left open, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from answerable.datasets.examples import Example
from answerable.text import words

ORDERED = ("single", "given", "answer", "question", "names")
"""Ways of knowing that give an order; `free` and `unknown` give none."""
_FREE = ("comparison", "bridge_comparison")
_MUSIQUE = re.compile(r"\d+hop\d*")
_IN_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")


@dataclass(frozen=True, slots=True)
class Gold:
    """A supporting document as it stands in the corpus; `domain` says where it was put: "P" private, "G" public."""

    id: str
    title: str
    text: str
    domain: str


@dataclass(frozen=True, slots=True)
class Hops:
    """Supporting documents by step, the first hop first when `known` is one of `ORDERED`, else as the data lists them.

    A step has one document, or several that a data set traced an answer to without saying which is meant.
    """

    steps: tuple[tuple[str, ...], ...]
    known: str

    @property
    def ids(self) -> tuple[str, ...]:
        """The documents, step after step."""
        return tuple(id for step in self.steps for id in step)


def hop_order(example: Example, golds: Mapping[str, Gold]) -> Hops:
    """The supporting documents of a question in the order of its hops, by the first rule above that tells.

    `golds` holds the document of every id in `example.supporting`, each of which counts once. Rules 3 to 5 are for
    two documents; more of them without an order from the data set are `unknown`.
    """
    ids = tuple(dict.fromkeys(example.supporting))
    if len(ids) < 2:
        return Hops((ids,), "single")
    if given := _given(example, ids):
        return Hops(given, "given")
    apart = tuple((id,) for id in ids)
    if example.kind in _FREE:
        return Hops(apart, "free")
    if len(ids) == 2:
        pair = (golds[ids[0]], golds[ids[1]])
        for known, first in (
            ("answer", _without_answer(example.answers, pair)),
            ("question", _only([holds(example.question, bare(gold.title)) for gold in pair])),
            ("names", _only([holds(pair[i].text, bare(pair[1 - i].title)) for i in (0, 1)])),
        ):
            if first is not None:
                return Hops((apart[first], apart[1 - first]), known)
    return Hops(apart, "unknown")


def slice_of(hops: Hops, golds: Mapping[str, Gold]) -> str:
    """The domains of a question's hops: "PG" when a private passage leads to a public one (their table 13).

    A letter for each step, in order. Where the order is not known, or a step has documents of both domains, it is
    "G+P", unless all documents are of one domain, since then their order changes nothing.
    """
    domains = [sorted({golds[id].domain for id in step}) for step in hops.steps]
    every = sorted({domain for step in domains for domain in step})
    if len(every) > 1 and (hops.known not in ORDERED or any(len(step) > 1 for step in domains)):
        return "+".join(every)
    return "".join(domain for step in domains for domain in step)


def bare(title: str) -> str:
    """A title as a text would name it: without what stands in brackets at its end to tell it from others, as
    `Mercury (planet)` is spoken of as `Mercury`."""
    return _IN_BRACKETS.sub("", title) or title


def _given(example: Example, ids: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The steps as the data set has them; none where it does not say."""
    if _MUSIQUE.fullmatch(example.kind) or len(example.meta.get("domains", ())) == len(ids):
        return tuple((id,) for id in ids)
    table = example.meta.get("table")
    if table in ids and example.kind in ("table", "passage"):
        passages = tuple(id for id in ids if id != table)
        return (passages, (table,)) if example.kind == "table" else ((table,), passages)
    return ()


def _without_answer(answers: Iterable[str], pair: Sequence[Gold]) -> int | None:
    """The one of two documents that does not hold an answer. Yes and no stand in texts without answering anything."""
    answers = [answer for answer in answers if answer.lower() not in ("yes", "no")]
    texts = [f"{gold.title}\n{gold.text}" for gold in pair]
    holding = _only([any(holds(text, answer) for answer in answers) for text in texts])
    return None if holding is None else 1 - holding


def _only(marks: Sequence[bool]) -> int | None:
    """Where the one mark of two that is true stands; None when both are, or neither."""
    return marks.index(True) if sum(marks) == 1 else None


def holds(text: str, phrase: str) -> bool:
    """Whether the words of `phrase` stand in `text` in a row; a phrase without words stands nowhere."""
    wanted = " ".join(words(phrase))
    return bool(wanted) and f" {wanted} " in f" {' '.join(words(text))} "
