"""A conversation about one document: questions, what is asked in return, and what is remembered (DocHopper, 4.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from answerable.chains.following import Said, context, whole
from answerable.documents.answering import Known, answer
from answerable.documents.reader import Guide, Shelved
from answerable.documents.settle import Turn
from answerable.errors import UsageError
from answerable.text import is_polar, words
from answerable.types import PUBLIC, Citation, Document, Label, Reading

_REPLIES = {
    **dict.fromkeys("yes y yeah yep yup sure correct indeed right true".split(), "Yes"),
    **dict.fromkeys("no n nope nah false wrong".split(), "No"),
}
_SHORT = re.compile(
    r"(?:i|we|he|she|they|it) (?:am|are|is|do|does|did|have|has|can|will|was|were)( not|n['’]t)?[.!]*$", re.IGNORECASE
)
_QUESTION = re.compile(r"(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)


class Conversation:
    """Turns about one document. Nothing of it is kept elsewhere; one thread at a time may speak.

    What a turn is, is read from its words: a question (it ends in "?", or opens as one); what answers the question that
    was asked in return; else a statement of who asks, which joins the scenario, and the last question is decided again.
    A question that follows on those before is asked with them (`chains.following`), but not one for a yes or a no: what
    was said before settles conditions of its rule.
    """

    def __init__(
        self,
        guide: Guide,
        shelf: Shelved,
        label: Label = PUBLIC,
        scenario: str = "",
        history: Sequence[Turn] = (),
    ) -> None:
        """`label`: as of `answering.answer`; `scenario` and `history`: what was said before."""
        self._guide, self._shelf, self._label = guide, shelf, label
        self.scenario = scenario.strip()
        self.history = tuple(history)
        self.question: str | None = None
        self._whole, self._said = "", list[tuple[Said, Said | None]]()
        self.asked: str | None = None

    @property
    def document(self) -> Document:
        """What the conversation is about."""
        return self._shelf.book.document

    def paragraph(self, cited: Citation) -> tuple[int, int]:
        """Characters [start, end) of the document: the paragraph that a citation begins in.

        What is cited in a table, or in what it links to, stands by itself.
        """
        if self._shelf.composed is not None:
            return cited.start, cited.end
        every = self._shelf.book.paragraphs
        one = next((one for one in every if cited.start < one.end), every[-1])
        return min(one.start, cited.start), max(one.end, cited.end)

    def say(self, text: str) -> Reading:
        """One turn. The first is the question, whatever its words. Raises `UsageError` for one without words."""
        line = " ".join(text.split())
        if not line:
            raise UsageError("the turn is empty")
        reply = None if self.question is None or self.asked is None or line.endswith("?") else reply_of(line)
        anew = False
        if reply is not None and self.asked is not None:
            self.history = (*self.history, (self.asked, reply))
        elif self.question is None or is_question(line):
            self.question = line
            self._whole = line if is_polar(line) else whole(line, context(line, self._said))
            self._said.append((Said(line), None))
            anew = True
        else:
            self.scenario = f"{self.scenario} {line}".strip()
        assert self.question is not None
        known = Known(self.scenario, self.history, anew)
        reading = answer(self._guide, self._shelf, self._whole, known, self._label)
        self._said[-1] = (Said(self.question), Said(reading.text) if reading.text else None)
        self.asked = reading.ask
        return reading


def is_question(text: str) -> bool:
    """Whether a turn asks something: by its mark, or by how it opens."""
    return text.rstrip().endswith("?") or bool(_QUESTION.match(text)) or is_polar(text)


def reply_of(text: str) -> str | None:
    """What answers a question for yes or no: "Yes" or "No", with what is said besides; None for anything else."""
    if short := _SHORT.match(text):
        return "No" if short[1] else "Yes"
    first, _, rest = text.partition(" ")
    opening = _REPLIES.get("".join(words(first)))
    return opening and " ".join((opening, rest)).strip()
