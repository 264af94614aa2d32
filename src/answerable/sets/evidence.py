"""The sentences that show why a member belongs, constraint by constraint (Malaviya et al. 2023, section 3.3.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from answerable.corpora.citations import FindDocument, cited
from answerable.sets.bounds import says, unbounded
from answerable.sets.by_fields import ANY
from answerable.sets.expression import And, Atom, Expression, Minus, Or, asked_for, atoms, signed
from answerable.sets.find_settings import FindSettings
from answerable.sets.judge import Floats
from answerable.sets.members import Evidence, Support
from answerable.sets.overlap import shared_words
from answerable.sets.parsing.features import Words, is_modifier, many
from answerable.sets.parsing.words import asked as unopened
from answerable.sets.parsing.words import text as written
from answerable.sets.parsing.words import tokens
from answerable.text import sentences
from answerable.types import Citation, Passage

SENTENCES = 3
"""Sentences of one document that are judged, at most, and one more for each constraint that they may show: those that
share most words with one, the first of equal ones. Judging them is what a large set costs."""
_HEADING = re.compile(r"#{1,6}\s")
"""What begins so names what follows, and shows nothing."""
_HOLDS = 0.5
"""The probability from which on a part of an "or" is one of those that make a document a member."""
_LEVELS = (Evidence.NONE, Evidence.PARTIAL, Evidence.COMPLETE)

Sentence = tuple[Passage, int, int]
"""Characters [start, end) of a passage's document."""


def supports(
    expression: Expression,
    judged: Sequence[tuple[Sequence[Passage], Mapping[str, float]]],
    judge: Callable[[Sequence[str], Sequence[tuple[str, str]]], Floats],
    find: FindDocument,
    settings: FindSettings,
) -> list[tuple[Support, ...]]:
    """For each document what it says of each constraint, in the order they are written.

    `judge` is that of a `Judge`, and is asked once for all documents of which the same constraints may be shown.

    A document is given by its passages and by the probability of each atom that was judged. A sentence is judged under
    its title; one speaks against a document only where that itself is as likely as not to fit what is taken away. One
    that tells that a size or a time is within bounds shows it as surely as the document fits.
    """
    said = judged_as(expression)
    taken = {text for text, negated in signed(expression) if negated}
    least = {text: max(settings.shows, _HOLDS) if text in taken else settings.shows for text in said}
    together: dict[tuple[str, ...], list[int]] = {}
    for number, (_, fits) in enumerate(judged):  # what all of a document does not show, no sentence of it does
        together.setdefault(tuple(text for text in said if fits.get(text, 0.0) >= least[text]), []).append(number)
    best: list[dict[str, tuple[Citation, ...]]] = [{} for _ in judged]
    for constraints, numbers in together.items():
        if not constraints:
            continue
        asked = [said[text] for text in constraints]
        judged_too = [bool(unbounded(words)) for words in asked]  # else only what tells of its bounds shows it
        chosen = [_sentences(judged[number][0], asked) for number in numbers]
        bounds = {one: [says(words, _words(one)) for words in asked] for found in chosen for one in found}
        texts = [(one[0].heading, _words(one)) for found in chosen for one in found if not all(bounds[one])]
        shown = iter(judge(asked, texts).tolist() if texts else ())
        for number, found in zip(numbers, chosen, strict=True):
            rows = [(() if all(bounds[one]) else next(shown), one) for one in found]
            for column, text in enumerate(constraints):
                told = judged[number][1][text]
                scored = [
                    (told if bounds[one][column] else row[column], one)
                    for row, one in rows
                    if bounds[one][column] or judged_too[column]
                ]
                best[number][text] = _best(scored, find, settings)
    return [unread(expression, fits, own) for (_, fits), own in zip(judged, best, strict=True)]


def unread(
    expression: Expression, fits: Mapping[str, float], shown: Mapping[str, tuple[Citation, ...]] | None = None
) -> tuple[Support, ...]:
    """What a document says of each constraint, from the probabilities of atoms and the sentences `shown`, if any."""
    told = dict.fromkeys((text, taken) for text, taken in signed(expression) if text in fits)
    return tuple(Support(text, taken, fits[text], (shown or {}).get(text, ())) for text, taken in told)


def with_fields(
    expression: Expression, told: Sequence[Support], fits: Mapping[str, bool], said: Mapping[str, str]
) -> tuple[Support, ...]:
    """What is told of a document's text, and what its fields say of the constraints that they answer, in order."""
    found = {(one.constraint, one.negated): one for one in told}
    for text, taken in signed(expression):
        if text in fits:
            found[text, taken] = Support(text, taken, float(fits[text]), (), said.get(text))
    return tuple(found[one] for one in dict.fromkeys(signed(expression)) if one in found)


def completeness(expression: Expression, told: Sequence[Support]) -> Evidence:
    """How much of a membership sentences show.

    What is taken away needs none. Of an "or" the parts count that hold, which is enough if one of them is shown; where
    none is likely to hold, the likeliest.
    """
    fits = {one.constraint: one.probability for one in told}
    shown = {one.constraint for one in told if one.citations or one.field or one.constraint.lower() in ANY}
    return _LEVELS[_shown(expression, fits, shown)[1]]


def _shown(expression: Expression, fits: Mapping[str, float], shown: set[str]) -> tuple[float, int]:
    """How likely a part holds, by what is asked for in it, and how much of it is shown: which of `_LEVELS`."""
    match expression:
        case Atom(text):
            return fits.get(text, 0.0), 2 if text in shown else 0
        case Minus(left, _):
            return _shown(left, fits, shown)
        case And(parts):
            found = [_shown(part, fits, shown) for part in parts]
            levels = {level for _, level in found}
            return min(one for one, _ in found), levels.pop() if len(levels) == 1 else 1
        case Or(parts):
            found = [_shown(part, fits, shown) for part in parts]
            most = max(one for one, _ in found)
            return most, max(level for one, level in found if one >= min(_HOLDS, most))


def _sentences(passages: Sequence[Passage], constraints: Sequence[str]) -> list[Sentence]:
    """The sentences of a document's passages, in order, each once; of many those that tell of bounds that are kept, and
    those that share most words."""
    spans: dict[tuple[int, int], Sentence] = {}
    for passage in passages:
        for first, last in sentences(passage.text):
            own = passage.text[first:last]
            if _HEADING.match(own) and not any(says(wanted, own) for wanted in constraints):
                continue
            span = passage.start + first, passage.start + last
            spans.setdefault(span, (passage, *span))
    every = [spans[span] for span in sorted(spans)]
    most = SENTENCES + len(constraints)
    if len(every) <= most:
        return every
    shares = shared_words(constraints, [("", _words(one)) for one in every]).max(axis=1)
    shares += [any(says(wanted, _words(one)) for wanted in constraints) for one in every]
    return [every[at] for at in sorted((-shares).argsort(kind="stable")[:most].tolist())]


def _words(sentence: Sentence) -> str:
    passage, start, end = sentence
    return passage.text[start - passage.start : end - passage.start]


def _best(scored: Sequence[tuple[float, Sentence]], find: FindDocument, settings: FindSettings) -> tuple[Citation, ...]:
    """The sentences that show it, best first and then as they stand, each as it is stored."""
    enough = sorted((one for one in scored if one[0] >= settings.shows), key=lambda one: (-one[0], one[1][1]))
    made = (cited(passage, start, end, find) for _, (passage, start, end) in enough[: settings.cited])
    return tuple(one for one in made if one is not None)


_BEFORE = frozenset(("adjective", "cap", "number"))


def judged_as(expression: Expression, noun: Words = ()) -> dict[str, str]:
    """The words that each atom is judged by; of one that is said twice the first words.

    "films" minus "in Hindi" is judged by "films" and "films in Hindi", "albums" minus "American" by "American albums".
    "In Hindi" alone fits a page on the language as well. What is asked for, and what has a noun of its own, is judged
    as it stands. `noun`: what it is all taken from.
    """
    match expression:
        case Atom(said):
            return {said: _under(noun, said)}
        case Minus(left, right):
            return judged_as(right, _noun(left)) | judged_as(left, noun)
        case And(parts) | Or(parts):
            return {said: words for part in reversed(parts) for said, words in judged_as(part, noun).items()}


def as_asked(query: str) -> str:
    """A query as one constraint: without how it opens."""
    return " ".join(one.text for one in unopened(tokens(query)))


def _under(noun: Words, said: str) -> str:
    """A modifier after the noun, names and adjectives before it; what may have a noun of its own as it stands."""
    words = tuple(tokens(said))
    if noun and words and is_modifier(words):
        return written((*noun, *words))
    if noun and words and not many(words[-1]) and all(one.kind in _BEFORE for one in words):
        return written((*words, *noun))
    return said


def _noun(left: Expression) -> Words:
    """The noun of the first constraint, with what stands before it; where any of several may hold, the noun alone.
    "Documents" are any, and no text says that it is one."""
    asked = asked_for(left)
    words = tuple(tokens(atoms(asked)[0]))
    if not words or is_modifier(words) or words[0].low in ANY:
        return ()
    end = next((at for at in range(1, len(words)) if is_modifier(words[at:])), len(words))
    return words[end - 1 : end] if isinstance(asked, Or) else words[:end]
