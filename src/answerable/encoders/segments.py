"""How the skills' texts become token ids: one text, a question with passages, or a text with a span in it.

Shared by training and by what runs without torch, so that both read the same thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from answerable.encoders.wordpieces import WordPieces, passage_text

TOKENS = 256
"""The most tokens read (Ma et al. 2023, appendix B.2)."""
_QUESTION_SHARE = 0.5
"""How much of a joined text the question may fill: the rest is its passages'."""


@dataclass(frozen=True, slots=True)
class Row:
    """One text as token ids, and pairs of token positions whose vectors are wanted."""

    ids: tuple[int, ...]
    places: tuple[tuple[int, int], ...] = ()


class Segments(WordPieces):
    """A BERT tokenizer that lays out segments between [CLS] and [SEP]s. Safe to use from several threads."""

    def texts(self, texts: Sequence[str], most: int = TOKENS) -> list[Row]:
        """[CLS] text [SEP], the text cut to fit into `most` tokens."""
        return [Row(tuple(ids)) for ids in self.ids(texts, most)]

    def passages(self, passages: Sequence[tuple[str, str]], most: int = TOKENS) -> list[Row]:
        """The `title. text` of each passage as `texts` lays it out."""
        return self.texts([passage_text(*one) for one in passages], most)

    def joined(self, questions: Sequence[tuple[str, Sequence[tuple[str, str]]]], most: int = TOKENS) -> list[Row]:
        """[CLS] question [SEP] passage [SEP] for each question with its passages, in order (section 3.1).

        `places` is ([CLS], the first [SEP]), which reranking compares. The question is cut to half of `most`, and the
        passages share what is left evenly. Without passages it is as `texts` lays it out.
        """
        flat = [text for question, passages in questions for text in (question, *(passage_text(*p) for p in passages))]
        encoded = iter(self._encode(flat, most))
        rows = []
        for _, passages in questions:
            room = int(most * _QUESTION_SHARE) if passages else most - 2
            ids = [self._begin, *next(encoded).ids[:room], self._end]
            first = len(ids) - 1
            for left in range(len(passages), 0, -1):
                ids += [*next(encoded).ids[: max(0, (most - len(ids)) // left - 1)], self._end]
            rows.append(Row(tuple(ids), ((0, first),)))
        return rows

    def spans(self, texts: Sequence[tuple[str, Sequence[tuple[int, int]]]], most: int = TOKENS) -> list[Row]:
        """[CLS] text [SEP] for each text with its spans, in characters [start, end); `places` are theirs in tokens.

        A long text is cut to a window around its first span. A span that is empty or not wholly in the window has the
        place (0, 0): check before asking for its vector.
        """
        rows = []
        for one, (_, spans) in zip(self._encode([text for text, _ in texts], 64 * most), texts, strict=True):
            held = [_held(one.offsets, start, end) for start, end in spans]
            room, begin = most - 2, 0
            if len(one.ids) > room and held and held[0]:
                middle = sum(held[0]) // 2
                begin = min(max(0, middle - room // 2), len(one.ids) - room)
            shown = one.ids[begin : begin + room]
            places = [
                (span[0] - begin + 1, span[1] - begin + 1)
                if span and span[0] >= begin and span[1] < begin + len(shown)
                else (0, 0)
                for span in held
            ]
            rows.append(Row((self._begin, *shown, self._end), tuple(places)))
        return rows

    def words(self, text: str, most: int = TOKENS) -> tuple[Row, list[tuple[int, int]]]:
        """[CLS] text [SEP] of the beginning of a text, and the characters of each of its tokens but those two."""
        (one,) = self._encode([text], most)
        offsets = list(one.offsets[: most - 2])
        return Row((self._begin, *one.ids[: most - 2], self._end)), offsets

    def begins_word(self, token: int) -> bool:
        """Whether a token begins a word rather than continuing one."""
        return not str(self._tokenizer.id_to_token(token)).startswith("##")


def _held(offsets: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """The first and last token that share a character with [start, end)."""
    inside = [i for i, (a, b) in enumerate(offsets) if a < end and b > start]
    return (inside[0], inside[-1]) if inside else None
