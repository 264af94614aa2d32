"""Recurring-span pretraining: questions made from unlabelled passages (after Ram et al. 2021, "Splinter", section 3).

Two passages that share a rare name, date or number, and enough other rare words, probably speak of the same
thing. A sentence of one, with the shared span replaced by a question word, is asked of the other.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator

from answerable.training.reading import SPAN, PoolPassage, Reading

_DATE = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_SPAN = re.compile(
    rf"\b(?:{_DATE} \d{{1,2}}, \d{{4}}|\d{{1,2}} {_DATE} \d{{4}}|\d[\d,.]*\d|[12]\d{{3}}"
    r"|[A-Z][\w'’-]+(?: (?:of|the|de|von|van|and|for) [A-Z][\w'’-]+| [A-Z][\w'’-]+){0,3})"
)
_WORD = re.compile(r"[a-z]{4,}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")


def _question_word(span: str, rng: random.Random) -> str:
    if re.search(r"\d{4}$", span):
        return rng.choice(("when", "what year", "which year", "what date"))
    if span[0].isdigit():
        return rng.choice(("how many", "how much", "what number"))
    return rng.choice(("who", "what", "which", "what", "where", "which one", "who"))


def cloze(pool: dict[str, PoolPassage], count: int, seed: int) -> Iterator[Reading]:
    """Yield up to `count` made-up readings, in an order fixed by the seed."""
    rng = random.Random(seed)
    passages = [p for p in pool.values() if len(p.text) > 120]
    rng.shuffle(passages)
    holders: dict[str, list[int]] = defaultdict(list)
    for i, passage in enumerate(passages):
        for span in {m.group() for m in _SPAN.finditer(passage.text)}:
            if len(span) > 3:
                holders[span].append(i)
    words = [frozenset(_WORD.findall(p.text.lower())) for p in passages]
    frequency: dict[str, int] = defaultdict(int)
    for bag in words:
        for word in bag:
            frequency[word] += 1
    made = 0
    for i, passage in enumerate(passages):
        options = []
        for sentence in passage.sentences or tuple(_SENTENCE.split(passage.text)):
            if not 40 < len(sentence) < 300:
                continue
            rare = {w for w in _WORD.findall(sentence.lower()) if frequency[w] < 2000}
            for match in _SPAN.finditer(sentence):
                span = match.group()
                if match.start() == 0 and " " not in span:
                    continue  # a capital at the head of a sentence says nothing
                for j in holders.get(span, ())[:40]:
                    if j != i and passages[j].title != span and len(rare & words[j]) >= 3:
                        options.append((len(rare & words[j]), sentence, match.span(), j))
        if not options:
            continue
        _, sentence, (begin, end), j = max(options, key=lambda o: o[0]) if rng.random() < 0.5 else rng.choice(options)
        span, other = sentence[begin:end], passages[j]
        found = re.search(rf"(?<!\w){re.escape(span)}(?!\w)", other.text)
        if not found:
            continue
        question = f"{sentence[:begin]}{_question_word(span, rng)}{sentence[end:]}".rstrip(". ") + "?"
        yield Reading(
            f"cloze-{made}", question, ((other.title, other.text),), SPAN, (0, *found.span()), (span,), "cloze"
        )
        made += 1
        if made == count:
            return
