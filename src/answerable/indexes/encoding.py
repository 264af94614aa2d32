"""What one ask makes of texts: vectors of queries, and the names in a text. Each is made once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from answerable.encoders.encoder import Encoder, Linker, Vectors
from answerable.encoders.expansion import read_texts
from answerable.indexes.in_memory import RequestCache, VectorKey
from answerable.indexes.sources import QuestionMatcher
from answerable.text import asked_about
from answerable.types import Query, Skill


@dataclass(frozen=True, slots=True)
class QueryEncoder:
    """Encodes and proposes, and sends nothing. `memory`: what the ask remembers; None: nothing."""

    encoder: Encoder
    memory: RequestCache | None

    def vector(self, query: Query, skill: Skill) -> Vectors:
        """(dimension,) one query at a time: beside others in a batch, a private text could move the vector of a public
        one. Mentions in one text are read together, since that text is theirs.
        """
        key = _key(query, skill)
        held = self.memory.vectors if self.memory else {}
        if key not in held:
            span = key[3]
            if span is not None and isinstance(self.encoder, Linker):
                known = self.memory.proposed.get(query.text, []) if self.memory else []
                spans = list(dict.fromkeys([span, *(other for other, _ in known)]))
                vectors = self.encoder.encode_mentions(query.text, spans)
                held.update(((query.text, skill, (), one), row) for one, row in zip(spans, vectors, strict=True))
            else:
                held[key] = self.encoder.encode_query(*key[:3])
        return held[key]

    def prepare(self, queries: Iterable[Query], skill: Skill) -> None:
        """Encode side by side what `vector` would encode one by one, to be remembered."""
        held = self.memory.vectors if self.memory else {}
        missing = [key for key in dict.fromkeys(_key(query, skill) for query in queries) if key not in held]
        if missing:
            held.update(zip(missing, self.encoder.encode_queries([key[:3] for key in missing]), strict=True))

    def questions(self, queries: Sequence[Query], matcher: QuestionMatcher) -> list[Vectors]:
        """(dimension,) for each question to match, those that are not known yet encoded at once."""
        held = self.memory.vectors if self.memory else {}
        keys = {query.text: _key(query, Skill.MATCH) for query in queries}
        missing = [text for text, key in keys.items() if key not in held]
        if missing:
            held.update((keys[text], row) for text, row in zip(missing, matcher.encode_questions(missing), strict=True))
        return [held[keys[query.text]] for query in queries]

    def matched(self, query: Query) -> Vectors | None:
        """The vector that this ask searched pairs with for a query; None where it searched none."""
        return self.memory.vectors.get(_key(query, Skill.MATCH)) if self.memory else None

    def proposed(self, query: Query) -> list[tuple[Query, float]]:
        """For each name in the passage read last, or else in the question, the query for it and its score above the
        encoder's threshold; in order. None when the encoder does not link.
        """
        if not isinstance(self.encoder, Linker):
            return []
        passage = query.because[-1] if query.because else None
        text = query.text if passage is None else passage.text
        held = self.memory.proposed if self.memory else {}
        if text not in held:
            held[text] = self.encoder.propose(text)
        return [(query.naming(start, end, passage), score) for (start, end), score in held[text]]


def _key(query: Query, skill: Skill) -> VectorKey:
    """All that a query's vector depends on."""
    if skill is Skill.MENTION:
        return (query.text, skill, (), query.span)
    return (asked_about(query.text), skill, read_texts(query) if skill is Skill.EXPANDED else (), None)
