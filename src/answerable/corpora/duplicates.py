"""Near-duplicate mail: what a reply or a forward repeats is kept once, as in ConcurrentQA (Arora et al. 2023)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from answerable.text import mail_head, sentences
from answerable.types import Document, Passage

# What mail programs put above a quote: names, dates and fields down to the subject, or a line like "Ada wrote:".
_COPIED_HEADER = re.compile(
    r"(?:.*\n){0,3}?.*:[ \t]*\n+(?=[ \t]*>)|(?:.*\n){0,30}?[ \t>*]*Subject:.*(?:\n+|$)", re.IGNORECASE
)
_MARKS = re.compile(r"^[ \t>]*>[ \t]?", re.MULTILINE)
_NOTHING = re.compile(r"[\W_]+")
_SEEN_SHARE = 0.9
_PLAIN_WORDS = 30


class Duplicates:
    """What the mails of one enclave have said so far, as hashes of their sentences (8 bytes each).

    A passage is dropped when nine tenths of its words stand in sentences that were seen: for quoted text in any mail,
    for a mail's own text in the own text of another, so that the original stays even if a reply came first. Header
    lines count as a sentence only where there is little else, so that two short mails to different people differ.
    The same mails in the same order always give the same passages, and `remember`ing those that were kept stands for
    having seen the mails.
    """

    def __init__(self) -> None:
        self._own: set[bytes] = set()
        self._quoted: set[bytes] = set()

    def admit(self, document: Document, passages: Sequence[Passage]) -> list[Passage]:
        """The passages to keep, in order. Documents that are no mail are kept whole and leave no trace."""
        if document.kind != "mail":
            return list(passages)
        kept = [passage for passage in passages if not self._seen(passage)]
        self.remember(kept)
        return kept

    def remember(self, passages: Iterable[Passage]) -> None:
        """Take passages of mails as seen: those kept by an earlier run."""
        for passage in passages:
            (self._quoted if passage.section else self._own).update(key for key, _ in _sentences(passage))

    def _seen(self, passage: Passage) -> bool:
        found = _sentences(passage)
        words = sum(count for _, count in found)
        if passage.section:
            seen = sum(count for key, count in found if key in self._own or key in self._quoted)
        else:
            seen = sum(count for key, count in found if key in self._own)
        return seen >= _SEEN_SHARE * words


def _sentences(passage: Passage) -> list[tuple[bytes, int]]:
    """(hash, words) of each sentence, whatever its case, wrapping, punctuation and quotation marks.

    The header lines of a mail or of a quoted one come first as one sentence, unless there are enough words without.
    """
    text = passage.text
    copied = _COPIED_HEADER.match(text) if passage.section else None
    header = copied.end() if copied else 0 if passage.section else mail_head(text)
    body = _MARKS.sub("", text[header:])
    found = [_key(body[start:end]) for start, end in sentences(body)]
    found = [(key, count) for key, count in found if count]
    if header and sum(count for _, count in found) < _PLAIN_WORDS:
        found.insert(0, _key(text[:header]))
    return found


def _key(sentence: str) -> tuple[bytes, int]:
    words = _NOTHING.sub(" ", sentence.lower()).split()
    return blake2b(" ".join(words).encode(), digest_size=8).digest(), len(words)
