"""One thing to learn from, whatever the skill, and its place among others of its kind."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from answerable.types import Skill

Text = tuple[str, str]
"""A passage's title and text."""
Span = tuple[int, int]
"""Characters [start, end) of a text."""


@dataclass(frozen=True, slots=True)
class SkillExample:
    """A query with what it should find.

    `positives`: the first is learned, the others are as right and are never negatives. `evidence` are the passages that
    an expanded query carries. `span` is the mention that is linked, and `names` all spans of the query known to name
    something, that one included. `answers` keep a passage that holds one of them from being taken for a negative.
    """

    source: str
    skill: Skill
    query: str
    positives: tuple[Text, ...]
    evidence: tuple[Text, ...] = ()
    negatives: tuple[Text, ...] = ()
    span: Span | None = None
    names: tuple[Span, ...] = ()
    answers: tuple[str, ...] = ()
    corpus: str = ""
    """Which passages negatives are looked for in; none where the batch's own must do."""

    @property
    def group(self) -> str:
        """Data set and skill: a batch never mixes two (appendix B.2)."""
        return f"{self.source} {self.skill.value}"

    @property
    def key(self) -> str:
        """Tells it from any other example, in this run and in the next."""
        parts = (
            self.group,
            self.query,
            str(self.span),
            *(t for pair in self.evidence for t in pair),
            *self.positives[0],
        )
        return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:20]

    def wrong(self, passage: Text) -> bool:
        """Whether a passage may stand as a negative: it is not a positive and holds no answer that can be looked for.

        A question's yes or no, and answers of one character, say nothing about a passage.
        """
        if passage in self.positives or passage in self.evidence:
            return False
        text = f"{passage[0]}\n{passage[1]}".lower()
        sought = (a.lower() for a in self.answers if len(a) > 1 and a.lower() not in ("yes", "no"))
        return not any(answer in text for answer in sought)
