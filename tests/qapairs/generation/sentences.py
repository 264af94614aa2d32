"""Passages written for these tests, and what is asked of them."""

from __future__ import annotations

from answerable.qapairs.generation.parsing import Parser
from answerable.qapairs.generation.parts import Extracted
from answerable.qapairs.generation.syntactic.generator import candidates
from answerable.types import Passage


def passage(text: str, title: str = "Notes") -> Passage:
    """A passage of its own document."""
    return Passage(f"p-{text[:20]}", f"d-{text[:20]}", "public", title, text, 0, len(text))


def span(one: Passage, text: str, kind: str = "") -> Extracted:
    """The first place of a text in a passage."""
    start = one.text.index(text)
    return Extracted(start, start + len(text), text, kind, 0.5, "test")


def asked(parser: Parser, text: str, answer: str, title: str = "Notes", kind: str = "") -> set[str]:
    """All questions made of a text for an answer."""
    one = passage(text, title)
    ((_, made),) = candidates(parser.parse([one])[0], [span(one, answer, kind)])
    return {question.question for question in made}
