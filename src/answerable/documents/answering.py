"""One question to one document: ask, walk or decide, and say it with what it rests on and what it depends on."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from answerable.corpora.citations import cite, quoted
from answerable.corpora.faq import NO_PAGES, STATED, answered
from answerable.corpora.paragraphs import Paragraph
from answerable.documents.deciding import (
    OF_A_RULE,
    PLAIN,
    QUOTED,
    TOLD,
    UNDENIED,
    Polar,
    about,
    denies,
    nearest,
    polar,
    ruling,
    turned,
)
from answerable.documents.defining import DEFINED, defined
from answerable.documents.encoded import Book
from answerable.documents.extent import asks_for_several, shortened, whole, with_list
from answerable.documents.linked import placed_all
from answerable.documents.reader import Guide, Shelved
from answerable.documents.referring import section_asked, sections_named
from answerable.documents.settle import Settled, Turn, settle_by_rule
from answerable.documents.settle import settled as by_answers
from answerable.documents.walk import Walked, walked_path
from answerable.documents.weights import WalkWeights
from answerable.readers.resting import asking
from answerable.selective.decide import VERDICTS, below
from answerable.selective.features import squash
from answerable.text import agree, asks, is_polar, normalise_answer, one_line, words
from answerable.types import PUBLIC, Answer, Candidate, Citation, Label, Reading, Stop

ALONE = 8.0
"""The margin of an answer that is the only one, as in `selective.features`."""
SETTLED = 0.84
"""How likely an answer is right that a rule comes to by what was answered: as often as on ShARC's training part, where
it does in 26 turns of 100 (`benchmarks/rules.py --part train`). Otherwise a model decides, and is right less often."""
ASKED = 0.95
"""How sure what a section says is, where a question names it and asks no more."""
NOTHING = "the document says nothing about this"
EVEN = 0.5
"""Least confidence of a yes or a no: one that is less sure is rather wrong."""
_MOST, _LEAST = 5, 0.05
"""Other answers that are told, and how sure each is at least."""


@dataclass(frozen=True, slots=True)
class Known:
    """What whoever asks has said: their situation, and what they answered to what they were asked, oldest first.

    `anew`: the question was asked after all of these.
    """

    scenario: str = ""
    history: tuple[Turn, ...] = ()
    anew: bool = False

    @property
    def nothing(self) -> bool:
        """Whether nothing was said."""
        return not (self.scenario or self.history)


def answer(guide: Guide, shelf: Shelved, question: str, known: Known = Known(), label: Label = PUBLIC) -> Reading:
    """Read a document for a question. `label`: of the document, the asker and the models, which the answer carries.

    One that the document asks itself is answered by what stands below it there. One for yes or no is answered by the
    reader, a rule that is about it or what decides, and once something was asked in return decided as a turn of a
    conversation (DocHopper, section 4.3); any other is answered with words of the document: those that define what is
    asked, or what an ask of the document alone says, or, without one, what the walk leads to; sentences where a span is
    too short an answer. If nothing is as sure as is asked for there is no answer, but a reason.
    """
    started, plain = time.perf_counter(), known.nothing and shelf.composed is None
    if not shelf.book.paragraphs:
        found = replace(_blank(shelf, label), reason="the document holds no text")
    elif plain and (span := _stated(guide, shelf, question)):
        found = _quoting(shelf, label, span, STATED)
    elif is_polar(question):
        if shelf.ask is not None and known.nothing:
            found = _spoken(guide, shelf, question, shelf.ask(question), label)
        else:
            found = (_turned if known.history and not known.anew else _polar)(guide, shelf, question, known, label)
    elif plain and (span := section_asked(shelf.book, question)):
        first = shortened(shelf.book, span)
        found = _quoting(shelf, label, first, ASKED)
        found = found if first[1] == span[1] else replace(found, text=f"{found.text} …")
    elif plain and (span := defined(shelf.book, question)):
        found = _quoting(shelf, label, with_list(shelf.book, span), DEFINED)
    elif shelf.ask is not None:
        found = _asked(guide, shelf, shelf.ask(question), question, label)
    else:
        found = _read(guide, shelf, question, known, label)
    if shelf.composed is not None:
        cited, conditions = (placed_all(shelf.composed, some) for some in (found.citations, found.conditions))
        found = replace(found, citations=cited, conditions=conditions)
    elif found.citations:
        found = replace(found, citations=(*found.citations, *_referred(shelf.book, found.citations)))
    return replace(found, seconds=time.perf_counter() - started)


def confidence(weights: WalkWeights, score: float, margin: float) -> float:
    """How likely an answer is right, 0 to 1: by its score, and by what that is above the best that says otherwise."""
    by_score, by_margin, bias = (float(one) for one in weights.confidence)
    return squash(by_score * score + by_margin * margin + bias)


def _stated(guide: Guide, shelf: Shelved, question: str) -> tuple[int, int] | None:
    """The characters that answer the question where the document asks the same."""
    document = shelf.book.document
    if guide.same is None or document.kind in NO_PAGES:
        return None
    return answered(question, document.text, document.sections, guide.same)


def _read(guide: Guide, shelf: Shelved, question: str, known: Known, label: Label) -> Reading:
    """The reader's answer from what the walk found."""
    said = [known.scenario, *(f"{asked} {reply}" for asked, reply in known.history[-1:])]
    walked = guide.walk(shelf, " ".join(part for part in (question, *said) if part.strip()))
    assert walked is not None
    ranked = guide.answers(shelf.book, question, walked, label).candidates
    told = replace(_blank(shelf, label), path=_way(shelf.book, walked))
    different = _different([one for one in ranked if not asking(one)])
    if not different:
        return replace(told, reason="what was found in the document holds nothing that answers it")
    best, *rest = different
    # What stands in a question is no answer, but the reader is no surer for that.
    rivals = (best.score - one.score for one in _different(ranked) if not agree(one.text, best.text))
    sure = confidence(guide.weights, best.score, next(rivals, ALONE))
    others = _others(guide, best, rest, asks_for_several(question))
    least = guide.settings.threshold
    if sure < least:
        others = ((one_line(best.text), sure), *others)[:_MOST]
        return replace(told, confidence=sure, others=others, reason=below("answer found", sure, least))
    if shelf.composed is not None:  # there a sentence stands on a line, and no mark need end it
        cited = _where_it_stands(shelf.book, best)
    else:
        cited = cite(question, best.text, best, lambda passage: shelf.book.document)
    if shelf.composed is None:
        text, cited = whole(shelf.book, question, best.text, cited)
        return replace(told, text=text, confidence=sure, citations=cited, others=others)
    return replace(told, text=one_line(best.text), confidence=sure, citations=cited, others=others)


def _asked(guide: Guide, shelf: Shelved, found: Answer, question: str, label: Label) -> Reading:
    """What an ask of this document alone says, with as much around it as is wanted."""
    told = replace(_blank(shelf, label), passages=found.passages, notes=found.notes)
    told = replace(told, confidence=found.confidence, reason=found.reason, others=found.others)
    if found.text is None:
        return replace(told, via="passages") if found.via == "passages" else told
    text, cited = whole(shelf.book, question, found.text, found.citations)
    least = guide.settings.threshold if asks_for_several(question) else _LEAST
    others = tuple((one_line(one), sure) for one, sure in found.others if sure >= least)
    path = tuple(_stop(shelf.book, one.start, one.end) for one in cited)
    return replace(told, text=text, citations=cited, path=path, others=others)


def _referred(book: Book, cited: Sequence[Citation]) -> list[Citation]:
    """How the sections begin that what is cited names, as far as nothing of them is cited."""
    named = [span for one in cited for span in sections_named(book, one.text)]
    apart = [span for span in named if not any(one.start < span[1] and span[0] < one.end for one in cited)]
    ends = [min(end for one in book.paragraphs for _, end in one.sentences if start < end) for start, _ in apart]
    return [quoted(book.document, start, end) for (start, _), end in zip(apart, ends, strict=True)]


def _quoting(shelf: Shelved, label: Label, span: tuple[int, int], sure: float) -> Reading:
    """Words of the document as the answer, cited with the sentences they stand in."""
    book, (start, end) = shelf.book, span
    place = _place(book, start)
    first = min([start, *(a for a, b in place.sentences if a <= start < b)])
    last = max([end, *(b for a, b in place.sentences if a < end <= b)])
    return replace(
        _blank(shelf, label),
        path=(_stop(book, first, last),),
        text=one_line(book.document.text[start:end]),
        confidence=sure,
        citations=(quoted(book.document, first, last),),
    )


def _way(book: Book, walked: Walked) -> tuple[Stop, ...]:
    """The steps of a walk; of a question that was led by its words the sentence with most of them."""
    return walked_path(book, walked) if book.encoded else (_stop(book, *book.span(walked.first.best(1)[0][0])),)


def _stop(book: Book, start: int, end: int) -> Stop:
    """Characters of a paragraph as all that was attended to."""
    return Stop(_place(book, start).path, start, end, 1.0, True)


def _place(book: Book, start: int) -> Paragraph:
    """The paragraph that a character is in, or the next one."""
    ends = [one.end for one in book.paragraphs]
    return book.paragraphs[min(bisect_left(ends, start + 1), len(ends) - 1)]


def _where_it_stands(book: Book, best: Candidate) -> tuple[Citation, ...]:
    """The sentences of the book that an answer shares characters with, each by itself."""
    every = (span for one in book.paragraphs if one.start < best.end and one.end > best.start for span in one.sentences)
    return tuple(quoted(book.document, *span) for span in every if span[0] < best.end and span[1] > best.start)


def _others(guide: Guide, best: Candidate, rest: Sequence[Candidate], several: bool) -> tuple[tuple[str, float], ...]:
    """Answers that stand elsewhere than the best and each other, likeliest first.

    Of a list only what is likely itself: it is no rival of the best there, and counts by its score alone; else what is
    not out of the question.
    """
    told: list[tuple[str, float]] = []
    taken = [best]
    for one in rest:
        sure = confidence(guide.weights, one.score, 0.0 if several else one.score - best.score)
        apart = all(one.end <= other.start or other.end <= one.start for other in taken)
        if apart and sure >= (guide.settings.threshold if several else _LEAST):
            taken.append(one)
            told.append((one_line(one.text), sure))
    return tuple(told if several else told[:_MOST])


def _spoken(guide: Guide, shelf: Shelved, question: str, asked: Answer, label: Label) -> Reading:
    """Yes, no, yes under conditions, or the sentence that speaks of it, where an ask of the document said something and
    nothing is known of whoever asks.

    A rule speaks where it does not contradict an answer that is sure.
    """
    book = shelf.book
    rows = [one for one, _ in shelf.led(question).best(2 * guide.settings.windows) if not asks(book.said(one))]
    row, share = nearest(shelf, question, rows) if rows else (0, 0.0)
    if share >= PLAIN.spoken:
        settled = about(shelf, question, settle_by_rule(book, (book.paragraph(row), row), question, "", ()))
        if settled and (asked.confidence < PLAIN.sure or settled.text.startswith(asked.text or "")):
            told = replace(_blank(shelf, label), path=(_stop(book, *book.span(row)),))
            return _settled(replace(told, confidence=max(asked.confidence, OF_A_RULE)), shelf, settled)
    if asked.text in VERDICTS and asked.confidence < EVEN:
        reason, others = below("answer found", asked.confidence, EVEN), ((asked.text, asked.confidence), *asked.others)
        asked = replace(asked, text=None, reason=reason, others=others, citations=())
    if asked.text is None and share >= PLAIN.spoken and (ruled := _ruled(guide, shelf, question, row, label)):
        return ruled
    if asked.text is None and share >= QUOTED:
        return _quoting(shelf, label, book.span(row), QUOTED)
    return _asked(guide, shelf, asked, question, label)


def _polar(guide: Guide, shelf: Shelved, question: str, known: Known, label: Label) -> Reading:
    """Yes, no, yes under conditions, or the sentence that speaks of it, where nothing was asked in return so far."""
    walked = guide.walk(shelf, " ".join(part for part in (question, known.scenario) if part.strip()), 1)
    assert walked is not None
    book = shelf.book
    told = replace(_blank(shelf, label), path=_way(book, walked))
    rows = [one for one, _ in walked.first.best(2 * guide.settings.windows) if not asks(book.said(one))]
    row, share = nearest(shelf, question, rows) if rows else (0, 0.0)
    least = TOLD if known.scenario else PLAIN
    if share < least.spoken:
        return replace(told, reason=NOTHING)
    found = guide.answers(book, question, walked, label).candidates
    said = polar(found)
    rule = settle_by_rule(book, (book.paragraph(row), row), question, known.scenario, known.history)
    settled = about(shelf, question, rule, least.rule)
    if settled and not settled.conditions and by_answers(settled.rule, known.history):
        return _settled(replace(told, confidence=SETTLED), shelf, settled)
    sure = said.sure if said else 0.0
    denied = denies(question, book.document.text[slice(*book.span(row))])
    if said and said.text == "no" and not denied:
        sure = min(sure, UNDENIED)
    if settled and (sure < PLAIN.sure or (said and settled.text.startswith(said.text))):
        return _settled(replace(told, confidence=max(sure, OF_A_RULE)), shelf, settled)
    if said and known.scenario and (said := polar(found, denied)):
        sure = said.sure
    if said and sure >= max(least.sure, guide.settings.threshold):
        return replace(told, text=said.text, confidence=sure, citations=_saying(shelf, question, said))
    if known.nothing and (ruled := _ruled(guide, shelf, question, row, label)):
        return replace(ruled, path=told.path)
    if share >= max(QUOTED, guide.settings.threshold):
        return _quoting(shelf, label, book.span(row), QUOTED)
    others = ((said.text, sure),) if said else ()
    return replace(told, confidence=sure, others=others, reason="it speaks of this, but neither says yes nor no")


def _ruled(guide: Guide, shelf: Shelved, question: str, row: int, label: Label) -> Reading | None:
    """The yes or the no of what decides, where it is sure at the sentence that speaks most of the question."""
    if guide.decider is None:
        return None
    ruled = ruling(guide.decider, shelf, question, "", [row])
    likely = ruled.likely[ruled.decision]
    if ruled.decision not in ("Yes", "No") or likely < max(PLAIN.sure, guide.settings.threshold):
        return None
    cited = (quoted(shelf.book.document, *shelf.book.span(ruled.row)),)
    path = (_stop(shelf.book, cited[0].start, cited[0].end),)
    return replace(_blank(shelf, label), text=ruled.decision.lower(), confidence=likely, citations=cited, path=path)


def _saying(shelf: Shelved, question: str, said: Polar) -> tuple[Citation, ...]:
    """What a yes or a no rests on; where that sentence says the contrary, one read with it that shares as many words
    with the question and does not; with the list that it leads into."""
    cited = cite(question, said.text, said.candidate, lambda passage: shelf.book.document)
    if not cited:
        return cited
    book, text, asked = shelf.book, shelf.book.document.text, {*words(question)}
    read = said.candidate.start, said.candidate.end
    spans = [span for one in book.paragraphs for span in one.sentences if span[0] < read[1] and span[1] > read[0]]
    spans = [span for span in spans if not asks(text[slice(*span)])]
    shared = len(asked & {*words(cited[0].text)})
    own = cited[0].start, cited[0].end
    like = [own, *(span for span in spans if len(asked & {*words(text[slice(*span)])}) >= shared)]
    agree = [span for span in like if denies(question, text[slice(*span)]) == (said.text == "no")]
    span = (agree or like)[0]
    span = with_list(book, span) if text[: span[1]].endswith(":") else span
    return cited if span == own else (quoted(book.document, *span), *cited[1:])


def _turned(guide: Guide, shelf: Shelved, question: str, known: Known, label: Label) -> Reading:
    """Yes, no, nothing about it, or something to ask first, after turns of a conversation.

    What the rule at hand makes of the turns so far goes before what is decided.
    """
    walked = guide.walk(shelf, " ".join(part for part in (question, known.scenario) if part.strip()), 1)
    assert walked is not None
    book, blank = shelf.book, replace(_blank(shelf, label), path=_way(shelf.book, walked))
    ruled, settled = turned(guide, shelf, walked, question, known.scenario, known.history)
    if settled and not settled.conditions:
        return _settled(replace(blank, confidence=SETTLED), shelf, settled)
    decision, sure, least = ruled.decision, ruled.likely[ruled.decision], guide.settings.threshold
    blank = replace(blank, confidence=sure)
    if decision == "Irrelevant":
        return replace(blank, reason=NOTHING)
    if sure < least:
        others = () if decision == "More" else ((decision.lower(), sure),)
        return replace(blank, others=others, reason=below("answer found", sure, least))
    if decision != "More":
        return replace(blank, text=decision.lower(), citations=(quoted(book.document, *book.span(ruled.row)),))
    if about(shelf, question, settled, TOLD.rule) is None:
        return replace(blank, reason="it depends on more than was said, and no rule was found that tells on what")
    assert settled is not None
    return _settled(blank, shelf, settled)


def _settled(told: Reading, shelf: Shelved, settled: Settled) -> Reading:
    """What a rule makes of it: the answer it comes to, or one under its conditions, with the next question."""
    document = shelf.book.document
    rule = (quoted(document, settled.rule.start, settled.rule.end),)
    conditions = tuple(quoted(document, one.start, one.end) for one in settled.conditions)
    return replace(told, text=settled.text, citations=rule, conditions=conditions, ask=settled.ask)


def _different(ranked: Sequence[Candidate]) -> list[Candidate]:
    """The best candidate of each answer, by its words."""
    best: dict[str, Candidate] = {}
    for one in ranked:
        best.setdefault(normalise_answer(one.text) or one.text, one)
    return list(best.values())


def _blank(shelf: Shelved, label: Label) -> Reading:
    """A reading of this document in which nothing was found yet."""
    book = shelf.book
    about = (book.document.id, book.document.title, book.document.enclave)
    size = 2 * (book.sentences.size + book.wholes.size)
    return Reading(
        None, None, 0.0, label, (), (), (), (), None, 0.0, *about, int(book.firsts[-1]), len(book.paragraphs), size
    )
