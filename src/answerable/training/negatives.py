"""Readings made of others: questions that the passage does not answer, and recurring spans as questions.

Questions their passage does not answer are made from ones it does: what teaches a reader to say "not here". Two kinds,
after what people wrote for SQuAD 2.0 (Rajpurkar et al. 2018, section 4: entity and number swaps, antonyms) and what
retrieval brings (a neighbouring paragraph that speaks of the same thing).

Recurring-span pretraining: questions made from unlabelled passages (after Ram et al. 2021, "Splinter", section 3).

Two passages that share a rare name, date or number, and enough other rare words, probably speak of the same
thing. A sentence of one, with the shared span replaced by a question word, is asked of the other.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from answerable.training.reading import NONE, SPAN, PoolPassage, Reading
from answerable.training.words import WORDS

_NAME = re.compile(r"(?<![.?!] )(?<!^)\b[A-Z][\w'’-]+(?: (?:of |the |de |von )?[A-Z][\w'’-]+)*")
_NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")
_WORD = re.compile(r"[a-z]{4,}")
_PAIRS = [*WORDS["typed"]["opposites"], *WORDS["typed"]["turned"]]
_OPPOSITE = {one: other for pair in _PAIRS for one, other in (pair, reversed(pair))}
_TURNED = re.compile(rf"\b(?:{'|'.join(_OPPOSITE)})\b")


def _kind(text: str) -> str:
    """What may stand for a text: a name for a name, a year for a year, a number of like size for a number."""
    if not text[0].isdigit():
        return "name"
    return "year" if re.fullmatch(r"[12]\d{3}", text) else f"number {len(text)}"


def swapped(rows: Iterable[Reading], seed: int) -> Iterator[Reading]:
    """One unanswerable question for each answerable one where a name, a number or a word with an opposite allows it.

    A name or number that both the question and the passage have gives way to another of the passage, or a word to its
    opposite. The new question stays plausible: all it says is in the passage.
    """
    rng = random.Random(seed)
    for row in rows:
        if row.kind != SPAN or len(row.passages) != 1:
            continue
        text, answer = row.passages[0][1], row.answers[0]
        others = defaultdict(list)
        for found in {m.group() for pattern in (_NAME, _NUMBER) for m in pattern.finditer(text)}:
            if found not in answer and answer not in found and found not in row.question:
                others[_kind(found)].append(found)
        changes: list[tuple[int, int, str]] = []
        for match in (*_NAME.finditer(row.question), *_NUMBER.finditer(row.question)):
            fitting = sorted(others[_kind(match.group())])
            if fitting and match.group() in text:
                changes.append((*match.span(), rng.choice(fitting)))
        changes += [(*match.span(), _OPPOSITE[match.group()]) for match in _TURNED.finditer(row.question)]
        if changes:
            begin, end, new = rng.choice(changes)
            question = row.question[:begin] + new + row.question[end:]
            yield replace(row, id=f"{row.id}-swapped", question=question, kind=NONE, answer=None, source="swapped")


def neighbours(rows: Iterable[tuple[str, Reading]], seed: int) -> Iterator[Reading]:
    """Answerable questions, each over another paragraph of its article that shares most words and lacks the answer.

    `rows` are (article, reading). One of the three most alike is drawn.
    """
    rng = random.Random(seed)
    articles: dict[str, list[Reading]] = defaultdict(list)
    for name, row in rows:
        if row.kind == SPAN:
            articles[name].append(row)
    for held in articles.values():
        paragraphs = {row.passages[0][1]: row.passages[0] for row in held}
        bags = {text: frozenset(_WORD.findall(text.lower())) for text in paragraphs}
        for row in held:
            asked = frozenset(_WORD.findall(row.question.lower()))
            fitting = [t for t in paragraphs if t != row.passages[0][1] and not _holds(t, row.answers)]
            near = sorted(fitting, key=lambda t: (-len(asked & bags[t]), t))[:3]
            if near:
                passage = paragraphs[rng.choice(near)]
                yield replace(row, passages=(passage,), kind=NONE, answer=None, source="neighbours")


def _holds(text: str, answers: tuple[str, ...]) -> bool:
    lowered = text.lower()
    return any(answer.lower() in lowered for answer in answers)


_DATE = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_SPAN = re.compile(
    rf"\b(?:{_DATE} \d{{1,2}}, \d{{4}}|\d{{1,2}} {_DATE} \d{{4}}|\d[\d,.]*\d|[12]\d{{3}}"
    r"|[A-Z][\w'’-]+(?: (?:of|the|de|von|van|and|for) [A-Z][\w'’-]+| [A-Z][\w'’-]+){0,3})"
)
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
    frequency = Counter(word for bag in words for word in bag)
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
