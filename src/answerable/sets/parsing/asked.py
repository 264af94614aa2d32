"""Queries read by a language model instead, where one is configured; held to the query's words.

The model gets the query and nothing else. One that carries a label is not sent unless the address was named as one for
private text. Whatever goes wrong, the parser that ships reads the query, and a note says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from answerable.errors import AnswerableError, UsageError
from answerable.remote.chat import Chat
from answerable.sets.expression import Expression, atoms, read_expression
from answerable.sets.parsing.parser import Parser, Reading
from answerable.types import Label

_LONGEST = 1_000  # characters of a query
_MOST = 20  # atoms
_TASK = """A query asks for a set of things. Write what it asks for as an expression of constraints, each in quotation
marks, joined by and, or and minus, with parentheses. Use only words of the query in a constraint; say a shared word in
each constraint it belongs to. Reply with the expression and nothing else.

Query: Orchids of Indonesia and Malaysia but not Thailand
("Orchids of Indonesia" and "Orchids of Malaysia") minus "Orchids of Thailand"

Query: which web browsers are written in C or use OpenGL?
"web browsers" and ("written in C" or "that use OpenGL")

Query: {query}
"""
_ADDED = frozenset("of that with in by are the a".split())
"""Words that a constraint may have though the query does not."""


@dataclass(frozen=True, slots=True)
class Understood:
    """Readings of a query, best first, and why the language model did not give them where it was meant to."""

    readings: tuple[Reading, ...]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class AskingParser:
    """Asks a language model for the tree of a query; `private` says that its address is one for private text."""

    own: Parser
    chat: Chat
    private: bool = False

    def understand(self, query: str, label: Label = frozenset()) -> Understood:
        """The model's reading, with probability 1, or those of the parser that ships with a note. Never raises."""
        if label and not self.private:
            return self._own(query, "the question is private, and the language model is not for private text")
        if len(query) > _LONGEST:
            return self._own(query, "the question is too long for the language model")
        try:
            said = self.chat.say(_TASK.format(query=" ".join(query.split())))
            return Understood((Reading(understood(said, query), 1.0),))
        except AnswerableError as error:
            return self._own(query, error.args[0] if error.args else "the language model was of no use")

    def _own(self, query: str, note: str) -> Understood:
        return Understood(self.own.parse(query), note)


def understood(said: str, query: str) -> Expression:
    """The expression in a model's words. Raises `UsageError` where it is none, or is not made of the query's words."""
    lines = [line.strip().strip("`") for line in said.strip().splitlines()]
    line = next((line for line in lines if '"' in line), "")
    try:
        found = read_expression(line)
    except UsageError:
        raise UsageError("the language model did not answer with an expression") from None
    known = _words(query) | _ADDED
    if len(atoms(found)) > _MOST or any(not _words(atom) <= known for atom in atoms(found)):
        raise UsageError("the language model answered with words that are not the question's")
    return found


def _words(text: str) -> frozenset[str]:
    """The words of a text, in small letters; parts of hyphened words count too."""
    whole = re.findall(r"[\w'’-]+", text.casefold())
    return frozenset(part for word in whole for part in (word, *re.split(r"[-'’]", word)) if part)
