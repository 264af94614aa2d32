"""A question as it was probably meant: words that nobody writes, put as what was found has them.

What is searched with stays as it was typed: every index looks for misspelt words itself, and what one passage says must
not shape what another enclave is asked. The question is put right for what reads, once all searching is over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from string import ascii_lowercase

from answerable.encoders.choose import SHIPPED
from answerable.encoders.wordpieces import tokenizer_in
from answerable.errors import ModelError
from answerable.indexes.postings import MISSPELT, distance, slips_in
from answerable.indexes.terms import tokens
from answerable.languages import ENGLISH, STOP_WORDS, language
from answerable.readers.reader import Reader
from answerable.text import is_polar, words
from answerable.types import Chain

COMMON = 2000
"""Words of the vocabulary that one may be meant of though nothing found has it."""
LONGER = 6
"""Letters of a word of which one may be another."""

OPENING = ("what", "when", "who", "where", "how", "why")
"""Words that questions open with, before a verb as a question for yes or no has it first."""

_WORD = re.compile(r"(?<![\w'-])[A-Za-z]+(?![\w'-])")


class Spelling:
    """Puts English words right by those of the passages found and, words that are no names, by a vocabulary."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """`vocabulary`: words in small letters, the commoner before the rarer, as those of a WordPiece model are."""
        self._rank = {word: rank for rank, word in enumerate(vocabulary)}

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(tokens(" ".join(word for word in self._rank if len(word) >= MISSPELT), ENGLISH))

    def mended(self, question: str, chains: Sequence[Chain]) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The question with its misspelt words replaced, and each of these with what stands there now.

        A word of four letters or more is misspelt if no form of it, by the stem, stands in the vocabulary or in the
        chains, and it is not two words in one, such as "whos", "dont" or "reground". It becomes the nearest word
        (`indexes.postings.distance`) of the chains, with as many slips as a search allows; or, with one slip, one of
        the commonest of the vocabulary, unless it has a capital within the question, as a name has. In a slip letters
        are left out, put in or in another place; one letter for another makes a word of its own ("wifi", "wife";
        "Maria", "Marie"), and is a slip only after the first, in a longer word that is no name, if the chains have it.
        Of equally near ones that which begins with its letter comes first, then that which has all its letters, or
        lacks some, before that which has another, the chains' before the vocabulary's, the commoner first. Where
        nothing is near it stays. A question in another language does. A short first word that is rare is one of
        `OPENING`, if it is one slip from it ("wen is it").
        """
        question, opened = self._opened(question)
        unknown = [found for found in _WORD.finditer(question) if len(found[0]) >= MISSPELT]
        unknown = [found for found in unknown if found[0].lower() not in self._rank]
        unknown = [found for found in unknown if not self._stems.issuperset(tokens(found[0], ENGLISH))]
        unknown = [found for found in unknown if not self._in_one(found[0].lower())]
        if not unknown or language(question) != ENGLISH:
            return question, opened
        here: dict[str, int] = {}
        for chain in chains:
            for hit in chain.hits:
                for word in words(f"{hit.passage.title} {hit.passage.text}"):
                    here[word] = here.get(word, 0) + 1
        stems = frozenset(tokens(" ".join(here), ENGLISH))
        changed, text = list[tuple[str, str]](), question
        for found in reversed(unknown):
            word = found[0]
            name = not word.islower() and found.start() > 0
            if not stems.issuperset(tokens(word, ENGLISH)) and (meant := self._nearest(word.lower(), here, name)):
                meant = meant.capitalize() if word[0].isupper() else meant
                text = f"{text[: found.start()]}{meant}{text[found.end() :]}"
                changed.append((word, meant))
        return text, (*opened, *dict.fromkeys(reversed(changed)))

    def _opened(self, question: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        found = _WORD.match(question.lstrip())
        first = found[0] if found else ""
        rest = question.lstrip()[len(first) :]
        rare = first.islower() and len(first) < MISSPELT and self._rank.get(first, COMMON) >= COMMON
        near = {*_once(first)} if rare and is_polar(rest) else ()
        meant = next((word for word in OPENING if word in near), None)
        return (f"{meant}{rest}", ((first, meant),)) if meant else (question, ())

    def _nearest(self, word: str, here: dict[str, int], name: bool) -> str | None:
        slips = slips_in(word)
        near = [
            ((far, *_apart(word, one), 0, -count), one)
            for one, count in here.items()
            if one.isalpha() and len(one) >= MISSPELT and abs(len(one) - len(word)) <= slips
            and (far := distance(word, one)) <= slips
            and _slipped(word, one, name)
        ]  # fmt: skip
        if not name:
            known = [one for one in _once(word) if self._rank.get(one, COMMON) < COMMON and len(one) >= MISSPELT]
            near += [((1, *_apart(word, one), 1, self._rank[one]), one) for one in known]
        return min(near)[1] if near else None

    def _in_one(self, word: str) -> bool:
        """Whether it is a function word and another or a long word after it, or what an apostrophe joins to "not"."""
        parts = ((word[:at], word[at:]) for at in range(2, len(word)))
        return any(
            last in STOP_WORDS or (len(last) > MISSPELT and last in self._rank)
            if first in STOP_WORDS
            else first in self._rank and first[-1] + last == "nt"
            for first, last in parts
        )


def _apart(word: str, meant: str) -> tuple[bool, bool]:
    """Whether the first letter is another; and whether any is, and not only left out, put in, or in another place."""
    return word[0] != meant[0], len(word) == len(meant) and sorted(word) != sorted(meant)


def _slipped(word: str, meant: str, name: bool) -> bool:
    """Whether a near word is likely what was meant, and no other word."""
    first, another = _apart(word, meant)
    return not another or not (first or name or len(word) < LONGER)


def _once(word: str) -> Iterator[str]:
    """What a word may have been before one slip (Damerau 1964) but that of one letter for another."""
    for at in range(len(word) + 1):
        start, end = word[:at], word[at:]
        if end:
            yield start + end[1:]
        if len(end) > 1:
            yield start + end[1] + end[0] + end[2:]
        yield from (start + letter + end for letter in ascii_lowercase)


def spelling_for(reader: Reader) -> Spelling | None:
    """What puts questions right for a reader that learned from English alone; None for another.

    Raises `ModelError` where the vocabulary that ships is missing.
    """
    return _shipped() if getattr(reader, "english", False) else None


@cache
def _shipped() -> Spelling:
    """By the whole words of the WordPiece model that ships, the commonest first."""
    try:
        found = tokenizer_in(SHIPPED / "tokenizer.json").get_vocab()
    except Exception as error:  # tokenizers raises bare exceptions of its own
        raise ModelError("the vocabulary that ships cannot be read", hint="reinstall answerable") from error
    ranked = sorted((number, word) for word, number in found.items())
    return Spelling([word for _, word in ranked if word.isascii() and word.isalpha()])
