"""What a set takes away, read for: a judge tells what a text is, and seldom what it says by the way.

"Lighthouses that were not automated" are judged by their first words and by those that were found, which tell that they
are lighthouses. Before one is given, its passages that have a word of what is taken away are read, each under its
title, and where one of them says that it fits, it is no member.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.citations import FindDocument, cited
from answerable.indexes.terms import analyzer
from answerable.readers.reader import Reader
from answerable.readers.resting import hit_of, resting
from answerable.sets.evidence import judged_as
from answerable.sets.expression import Expression, asked_for, atoms, signed
from answerable.sets.members import Support
from answerable.sets.mentions import alone
from answerable.sets.overlap import shared_words
from answerable.sets.parsing.features import is_modifier, many
from answerable.sets.parsing.words import tokens
from answerable.sets.wanted import DENIALS
from answerable.text import sentences
from answerable.types import PUBLIC, Candidate, Chain, Hit, Passage, Skill

SAID = 0.7
"""The probability of a yes from which on what is taken away is said. Of 1,727 packages that are what is asked for 95
that are tagged as what is taken away are read so and 61 others, and of films 747 and 33; at 0.5 159 and 161, and 804
and 77. Of 31 statements in the pages of the sample's lighthouses 14 are read so and two that are not there, at 0.6 21
and two."""
DENIED = 0.8
"""The probability of a no from which on a document says itself that it is not what is taken away."""
BEYOND = 0.9
"""What a judge makes of what is taken away from which on a document is not read for it."""
_STEM = 4
"""Letters of a stem that may begin another one: "deliver" and "deliveri"."""
_WORD = re.compile(r"[a-z]+(?=n't\b)|n't\b|[a-z]+")
_BE = {"are": "Is", "is": "Is", "was": "Was", "were": "Was"}
_HELPING = frozenset("have has had can could may might must will would should".split())
Against = Mapping[str, tuple[Candidate, float]]
"""Of what is taken away the yes or the no that a document's passage gives, and the probability that it fits."""


def read_against(
    reader: Reader,
    expression: Expression,
    said: Mapping[str, str],
    passages: Sequence[Passage],
    more: Mapping[str, Passage],
    known: Collection[str],
) -> Against:
    """What a document says of each constraint that is taken away and not `known`, nor of words that a text has or has
    not: by the words that it is `said` in, in its `passages` and what was found `more` for that, where it fits;
    or where a sentence of these that has all these words denies it by itself."""
    rest = " ".join(atoms(asked_for(expression)))
    told: dict[str, tuple[Candidate, float]] = {}
    for text, negated in signed(expression):
        if negated and text not in known and not alone(text):
            own = {one.id: one for one in (*passages, *filter(None, [more.get(text)]))}
            some = [*speaking(said[text], rest, own.values())]
            words = tuple(tokens(text))
            read = said_of(reader, said[text], some)
            if not _says(read) and is_modifier(words):
                saying = sentences_saying(said[text], rest, some)
                read = next(filter(_says, (said_of(reader, said[text], [one]) for one in saying)), None)
            if not _says(read):
                denied = denying(" ".join(one.text for one in words if not many(one)) or text, some)
                read = next(filter(None, (said_of(reader, said[text], [one]) for one in denied)), None)
            if read:
                told[text] = read
    return told


def as_read(fits: Mapping[str, float], told: Against) -> dict[str, float]:
    """How likely a document fits its constraints, by what it was read to say of those that are taken away."""
    return {**fits, **{text: fit if fit >= SAID else min(fit, fits[text]) for text, (_, fit) in told.items()}}


def _says(read: tuple[Candidate, float] | None) -> bool:
    """Whether it is a yes."""
    return read is not None and read[1] >= SAID


def shown(
    reader: Reader, expression: Expression, told: Sequence[Support], against: Against, find: FindDocument
) -> tuple[Support, ...]:
    """What a document says of each constraint, with the sentence that says what it was read `against`, a yes or a no,
    where one does by itself."""
    said, made = judged_as(expression), []
    for one in told:
        if one.negated and one.constraint in against:
            found, _ = against[one.constraint]
            question = asks(said[one.constraint], hit_of(found).passage.title)[-1]
            rested = resting(reader, question, found)
            citation = cited(hit_of(rested).passage, rested.start, rested.end, find)
            one = replace(one, citations=(citation,)) if citation else one
        made.append(one)
    return (*made,)


def speaking(words: str, rest: str, passages: Iterable[Passage]) -> Iterator[Passage]:
    """Those of passages that have a content word of `words`, in any form, that the `rest` of the query has not."""
    own = _own(words, rest)
    return (one for one in passages if own & _content(one.text))


def sentences_saying(words: str, rest: str, passages: Iterable[Passage]) -> Iterator[Passage]:
    """Sentences of passages, each by itself, that have all of these words: what is said by the way is read there more
    surely."""
    own = _own(words, rest)
    every = ((one, *span) for one in passages for span in sentences(one.text))
    return (cut(one, start, end) for one, start, end in every if own <= _content(one.text[start:end]))


def denying(words: str, passages: Iterable[Passage]) -> Iterator[Passage]:
    """Sentences of passages, each by itself, that have all of these words, whatever their ends, and deny something."""
    for passage in passages:
        for start, end in sentences(passage.text):
            own = passage.text[start:end]
            has = _content(own)
            denies = not DENIALS.isdisjoint(_WORD.findall(own.lower()))
            if denies and all(any(_alike(one, other) for other in has) for one in _content(words)):
                yield cut(passage, start, end)


def _alike(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) >= _STEM and (one.startswith(other) or other.startswith(one)))


def cut(passage: Passage, start: int, end: int) -> Passage:
    """A passage with these characters of its text alone."""
    return replace(passage, text=passage.text[start:end], start=passage.start + start, end=passage.start + end)


def _own(words: str, rest: str) -> frozenset[str]:
    """The content words of `words`, but for those of the rest, if any is left then."""
    wanted = _content(words)
    return wanted - _content(rest) or wanted


def _content(text: str) -> frozenset[str]:
    return frozenset(analyzer(stop=True).analyze(text))


def asks(words: str, title: str) -> list[str]:
    """Whether a document of that title is what words name, as a question; of what it does, "that burn oil", and of
    what it is like, "organic suppliers", also as one of that alone."""
    said = tuple(tokens(words))
    joined = "the" if any(map(many, said)) and not is_modifier(said) else "those"
    _, that, does = f" {words}".partition(" that ")
    verb, _, rest = does.partition(" ")
    plain = f"{_BE[verb]} {title} {rest}?" if verb in _BE else f"Does {title} {does}?"
    like = [one for one in said if not many(one)]
    if like and not that and all(one.kind in ("adjective", "part") for one in like):
        plain = f"Is {title} {' '.join(one.text for one in like)}?"
    elif not that or verb in _HELPING:
        plain = ""
    return [f"Is {title} one of {joined} {words}?", *filter(None, [plain])]


def said_of(reader: Reader, words: str, passages: Sequence[Passage]) -> tuple[Candidate, float] | None:
    """The surest yes in passages of one document to whether it is what words name, if it is sure enough, else the
    surest no; with the probability that it is."""
    if not passages:
        return None
    chains = [Chain((Hit(one, 1.0, PUBLIC, Skill.SINGLE),), 1.0, PUBLIC) for one in passages]
    told: dict[str, list[tuple[Candidate, float]]] = {"yes": [], "no": []}
    for question in asks(words, passages[0].title):
        found: dict[tuple[str, ...], dict[str, Candidate]] = {}
        for candidate in reader.read(question, chains):
            found.setdefault(candidate.chain.key, {}).setdefault(candidate.text, candidate)
        for text, own in told.items():
            own += [(said[text], _share(said, text)) for said in found.values() if text in said]
        if any(share >= SAID for _, share in told["yes"]):
            break
    yes, no = (max(own, key=lambda one: one[1], default=None) for own in told.values())
    if yes is not None and yes[1] >= SAID:
        return yes
    return None if no is None or no[1] < DENIED else (no[0], 1.0 - no[1])


def _share(said: Mapping[str, Candidate], of: str) -> float:
    """The probability of a yes or of a no, of the log-odds of both against neither."""
    odds = {one: math.exp(min(said[one].score, 40.0)) if one in said else 0.0 for one in ("yes", "no")}
    return odds[of] / (1.0 + sum(odds.values()))


def called(constraint: str, texts: Sequence[tuple[str, str]]) -> NDArray[np.bool_]:
    """(texts,) bool: whether the title and the first sentence of each hold all content words of a constraint: what a
    text says first is mostly what it is."""
    first = [(title, text[slice(*next(iter(sentences(text)), (0, 0)))]) for title, text in texts]
    found: NDArray[np.bool_] = shared_words([constraint], first)[:, 0] >= 1.0
    return found
