"""How a question and a chain of passages become token ids: one layout for training and for reading.

`[CLS] question [SEP] title . text [SEP]`, and one more `title . text [SEP]` for each further passage of the chain.
Question tokens have type 0, the rest type 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tokenizers import Encoding, Tokenizer

from answerable.errors import ModelError

MAX_TOKENS, MAX_QUESTION, MAX_TITLE = 384, 64, 32

Window = Callable[[int, int, int], int]
"""(passage number, its tokens, the room) to the first token shown, when a passage is longer than its room."""


@dataclass(frozen=True, slots=True)
class Laid:
    """Token ids and types; for each passage, where its shown text tokens begin in `ids` and in the passage."""

    ids: list[int]
    types: list[int]
    places: list[tuple[int, int, int]]
    """For each passage: position in `ids` of its first shown text token, that token's number, how many are shown."""


class Layout:
    """Lays readings out with a WordPiece tokenizer, in at most `most` tokens."""

    def __init__(self, tokenizer: Tokenizer, most: int = MAX_TOKENS) -> None:
        if tokenizer.padding is not None:  # one that is shared is changed under nobody's hands
            tokenizer.no_padding()
        if tokenizer.truncation is not None:
            tokenizer.no_truncation()
        self.tokenizer = tokenizer
        first, last = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
        if first is None or last is None:
            raise ModelError("the tokenizer has no [CLS] and [SEP]", hint="use that of a BERT model")
        self.cls, self.sep, self.most = first, last, most
        self.before: list[int] = []
        """What stands before each passage."""
        self.after = [last]
        """What stands after each passage."""
        self.end: list[int] = []
        """What stands after all of them."""

    def tokens(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode texts without special tokens; offsets are characters of each text."""
        return self.tokenizer.encode_batch(list(texts), add_special_tokens=False)

    @staticmethod
    def head(title: str) -> str:
        """What stands before a passage's text."""
        return f"{title} ." if title else ""

    def opening(self, question: Encoding) -> list[int]:
        """What stands before the passages."""
        return [self.cls, *question.ids[:MAX_QUESTION], self.sep]

    def lay(self, question: Encoding, parts: Sequence[tuple[Encoding, Encoding]], window: Window) -> Laid:
        """Join a question and (head, text) parts into at most `most` tokens.

        Each passage has an equal share of the room; what short ones leave goes to the first that need it.
        """
        ids = self.opening(question)
        types = [0] * len(ids)
        share = (self.most - len(ids) - len(self.end)) // len(parts) - len(self.before) - len(self.after)
        rooms = [share - len(head.ids[:MAX_TITLE]) for head, _ in parts]
        spare = sum(max(0, room - len(text.ids)) for room, (_, text) in zip(rooms, parts, strict=True))
        places = []
        for number, (head, text) in enumerate(parts):
            room, size = rooms[number], len(text.ids)
            if size > room:
                taken = min(spare, size - room)
                room, spare = room + taken, spare - taken
            first = window(number, size, room) if size > room else 0
            ids += [*self.before, *head.ids[:MAX_TITLE]]
            shown = text.ids[first : first + room]
            places.append((len(ids), first, len(shown)))
            ids += [*shown, *self.after]
        ids += self.end
        types += [1] * (len(ids) - len(types))
        return Laid(ids, types, places)

    def windows(self, question: Encoding, parts: Sequence[tuple[Encoding, Encoding]], most: int = 64) -> list[Laid]:
        """Layouts that between them show every token of every passage, half of a window shared with the next.

        One layout when all fit; never more than `most`.
        """
        steps: list[int] = [0]

        def window(number: int, size: int, room: int) -> int:
            stride = max(1, room // 2)
            steps[0] = max(steps[0], -(-(size - room) // stride))
            return min(turn * stride, size - room)

        laid, turn = [], 0
        while turn <= min(steps[0], most - 1):
            laid.append(self.lay(question, parts, window))
            turn += 1
        return laid
