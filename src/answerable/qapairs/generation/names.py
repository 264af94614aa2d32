"""Answers by names: what a parsed passage names, dates and counts (PAQ_NE), and noun phrases that names leave out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from answerable.qapairs.generation.parsing import Parsed, Parser, Sentence
from answerable.qapairs.generation.parts import Extracted
from answerable.types import Passage

LONGEST, MOST_CHARACTERS = 12, 120
"""Words and characters of the longest answer."""
_SCORES = {
    "PERSON": 0.6, "DATE": 0.6, "GPE": 0.55, "ORG": 0.5, "LOC": 0.5, "FAC": 0.45, "EVENT": 0.45, "MONEY": 0.55,
    "QUANTITY": 0.5, "PERCENT": 0.5, "CARDINAL": 0.4, "NORP": 0.4, "WORK_OF_ART": 0.45, "TIME": 0.45,
    "LANGUAGE": 0.45, "LAW": 0.4, "PRODUCT": 0.4, "ORDINAL": 0.2,
}  # fmt: skip
COUNTS = frozenset(("DATE", "TIME", "CARDINAL", "MONEY", "PERCENT", "ORDINAL", "QUANTITY"))
_VAGUE = frozenset("few many several some first second third".split())
"""Words that begin what nobody would ask for."""
_DATE = re.compile(
    r"(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{1,2}(?: ?,)?)? \d{4}\b|\b1\d{3}\b|\b20\d\d\b"
)
_OPENS = frozenset(("DT", "PRP$", "POS", "IN", "CC", "TO"))
_CLOSES = frozenset(("POS", "CC", "IN", "TO", "DT"))


class _OfParses:
    """What both have in common: a passage is parsed, and what is found in it given by place."""

    def __init__(self, parser: Parser | None = None) -> None:
        self._parser = parser or Parser()

    def extract(self, passages: Sequence[Passage]) -> list[list[Extracted]]:
        """For each passage what it finds, by place."""
        return [_by_place(self._found(parsed)) for parsed in self._parser.parse(passages)]

    def _found(self, parsed: Parsed) -> Iterator[Extracted]:
        raise NotImplementedError


class NamesExtractor(_OfParses):
    """Names, dates, counts and measures, by the parser's own types: `kind` is the type."""

    name = "names"

    def _found(self, parsed: Parsed) -> Iterator[Extracted]:
        for sentence in parsed.sentences:
            for name in sentence.names:
                first, last = _trimmed(sentence, name.first, name.last)
                if name.kind == "MONEY" and first > 0 and sentence.words[first - 1].text in ("$", "£", "€", "¥", "US$"):
                    first -= 1
                vague = first < last and sentence.words[first].lower in _VAGUE
                tied = vague or (name.kind in COUNTS and _joined(sentence, first, last))
                if first < last and last - first <= LONGEST and not tied:
                    score = _SCORES.get(name.kind, 0.3) * (0.9 if sentence.number else 1.0)
                    yield _extracted(parsed, sentence, first, last, name.kind, score, self.name)
        for aside in parsed.asides:
            for match in _DATE.finditer(parsed.text[aside.start : aside.end]):
                start, end = aside.start + match.start(), aside.start + match.end()
                yield Extracted(start, end, parsed.text[start:end], "DATE", 0.5, self.name)


class PhrasesExtractor(_OfParses):
    """Noun phrases, names or not: subjects, objects, attributes and what a definition says; `kind` is "phrase"."""

    name = "phrases"

    def _found(self, parsed: Parsed) -> Iterator[Extracted]:
        for sentence in parsed.sentences:
            for first, last, role in phrases(sentence):
                first, last = _trimmed(sentence, first, last)
                if first < last and last - first <= LONGEST:
                    yield _extracted(parsed, sentence, first, last, "phrase", _ROLES[role], self.name)


_ROLES = {
    "attr": 0.45,
    "dobj": 0.35,
    "nsubj": 0.25,
    "nsubjpass": 0.25,
    "pobj": 0.25,
    "appos": 0.3,
    "oprd": 0.4,
    "conj": 0.2,
}


def phrases(sentence: Sentence) -> Iterator[tuple[int, int, str]]:
    """Words [first, last) of noun phrases that say something, with their "of ...", and their roles.

    Left out are dates and counts, and phrases of one common noun that only point back ("the film").
    """
    words = sentence.words
    for word in words:
        if word.role not in _ROLES or word.tag[:2] != "NN" or sentence.kinds[word.place] in COUNTS:
            continue
        if word.role == "dobj" and word.lower in ("place", "part") and words[word.head].base == "take":
            continue
        first, last = sentence.left[word.place], word.place + 1
        for child in sentence.children[word.place]:
            if child >= last and words[child].lower == "of" and sentence.left[child] == last:
                last = sentence.last[child]
        bare = [one for one in range(first, last) if words[one].tag not in ("DT", "PRP$")]
        if len(bare) == 1 and (
            (word.role in ("nsubj", "nsubjpass", "pobj", "conj") and word.tag != "NNP") or first < bare[0]
        ):
            continue
        yield first, last, word.role


def _trimmed(sentence: Sentence, first: int, last: int) -> tuple[int, int]:
    """Words [first, last) without what does not belong to an answer at their edges: articles, "and", punctuation."""
    words = sentence.words
    while first < last and (words[first].tag in _OPENS or not _opens(words[first].text)):
        first += 1
    while last > first and (words[last - 1].tag in _CLOSES or not _closes(words[last - 1].text)):
        last -= 1
    return first, last


def _opens(text: str) -> bool:
    return text[0].isalnum() or (len(text) > 1 and text[0] in "#-–'.") or text[0] in "$£€¥"


def _closes(text: str) -> bool:
    return text[-1].isalnum() or text[-1] == "%" or (len(text) > 1 and text[-1] in "+.!?")


def _joined(sentence: Sentence, first: int, last: int) -> bool:
    """Whether a hyphen ties words [first, last) to others: the 4 of "4-7" is no answer."""
    before, after = first - 1, last
    hyphen = before >= 0 and sentence.words[before].text in ("-", "–") and not sentence.words[before].spaced
    return hyphen or (after < len(sentence.words) and sentence.words[after].text in ("-", "–"))


def _extracted(
    parsed: Parsed, sentence: Sentence, first: int, last: int, kind: str, score: float, extractor: str
) -> Extracted:
    start, end = sentence.words[first].start, sentence.words[last - 1].end
    return Extracted(start, end, parsed.text[start:end], kind, score, extractor)


def _by_place(found: Iterable[Extracted]) -> list[Extracted]:
    """Each span once, by place."""
    once = {(one.start, one.end): one for one in found if one.text.strip() and len(one.text) <= MOST_CHARACTERS}
    return [once[place] for place in sorted(once)]
