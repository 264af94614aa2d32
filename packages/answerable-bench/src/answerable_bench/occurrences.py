"""Which passages hold given words: what tells whether a clue means one passage, and an answer has one home."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

from answerable.types import Passage

_WORD = re.compile(r"[^\W_]+")
_SMALL = frozenset(
    "a an the of in on at by to from for with and or but as is are was were be been has had have will would that which "
    "who whom whose it its he she his her they their this these those what when where how did does do not into than "
    "also s mail person company".split()
)


def content_words(text: str) -> list[str]:
    """The words of a text that tell something, small, each once, in order."""
    return list(dict.fromkeys(word for word in _WORD.findall(text.lower()) if word not in _SMALL))


class Occurrences:
    """The passages of both corpora by the words they hold."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        """Read every passage once; a number for each word and passage, 4 bytes, is held."""
        self.ids: list[str] = []
        self.counts: Counter[str] = Counter()
        self._held: dict[str, array[int]] = {}
        for number, passage in enumerate(passages):
            self.ids.append(passage.id)
            for word in set(_WORD.findall(f"{passage.title} {passage.text}".lower())):
                if word not in _SMALL:
                    self._held.setdefault(word, array("I")).append(number)
        for word, held in self._held.items():
            self.counts[word] = len(held)

    def holding(self, words: Sequence[str]) -> list[str]:
        """The ids of the passages that hold all of these words (of `content_words`), in order; none for no words."""
        if not words:
            return []
        rare = sorted(words, key=lambda word: self.counts[word])
        found: set[int] | None = None
        for word in rare:
            held = self._held.get(word)
            if held is None:
                return []
            found = set(held) if found is None else found.intersection(held)
            if not found:
                return []
        return [self.ids[number] for number in sorted(found or ())]
