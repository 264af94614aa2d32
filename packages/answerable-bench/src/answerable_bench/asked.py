"""Questions about an entity that the generator of pairs makes of a passage, each with a place for the entity."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from answerable.qapairs.generation.names import NamesExtractor
from answerable.qapairs.generation.parsing import Parser
from answerable.qapairs.generation.parts import Generated
from answerable.qapairs.generation.syntactic.generator import SyntacticGenerator
from answerable.types import Passage
from answerable_bench.facts import Fact
from answerable_bench.grammar import HEADER, sentence_at, sentences

ABOUT = "asked"
"""What such a fact is about."""
_LEAST = 0.06
"""Below this, most questions are none that anybody would ask."""
_NEAR = 0.8
"""Of wordings that are likely in this proportion to the likeliest, the shortest is taken: a clue makes it longer."""


class Asker:
    """Asks about entities; a passage is parsed once, however many entities stand in it."""

    def __init__(self) -> None:
        parser = Parser()
        self._names, self._generator = NamesExtractor(parser), SyntacticGenerator(parser)
        self._asked = lru_cache(maxsize=20_000)(self._made)

    def facts(self, passage: Passage, name: str) -> Iterator[Fact]:
        """What can be asked about the entity of this name, the likeliest first, one question for each answer."""
        found = sentences(passage.text)
        placed = re.compile(rf"(?:\b[Tt]he )?(?<![\w-]){re.escape(name)}(?![\w'’-])")
        worded: dict[str, list[tuple[str, Generated]]] = {}
        for one in sorted(self._asked(passage), key=lambda one: (-one.score, one.question)):
            question, count = placed.subn("{}", one.question)
            if count == 1 and one.score >= _LEAST and "}" not in name:
                worded.setdefault(one.answer.text, []).append((question[:1].upper() + question[1:], one))
        for answer, ones in worded.items():
            near = [row for row in ones if row[1].score >= _NEAR * ones[0][1].score]
            question, one = min(near, key=lambda row: len(row[0]))
            if sentence := sentence_at(found, one.answer.start):
                yield Fact(question, answer, one.answer.start, one.answer.end, sentence.number, ABOUT)

    def _made(self, passage: Passage) -> Sequence[Generated]:
        """The questions of what stands below the lines of a mail's header."""
        header = HEADER.match(passage.text)
        text = " " * header.end() + passage.text[header.end() :] if header else passage.text
        body = Passage(passage.id, passage.document_id, passage.enclave, passage.title, text, 0, len(text))
        return self._generator.generate([body], self._names.extract([body]))[0]
