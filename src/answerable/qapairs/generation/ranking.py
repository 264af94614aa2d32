"""How probable it is that people ask: of a span that it is an answer they look for, of a question that they put it so.

Two logistic regressions on features that are read off a parse; their product is the score of a question. Weights are
fitted on questions that people asked (`training.qapairs.ranking`) and lie beside this file.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from answerable.errors import ModelError
from answerable.qapairs.generation.parsing import Parsed, Sentence
from answerable.qapairs.generation.parts import Extracted
from answerable.qapairs.generation.syntactic.answers import Answer, date_form
from answerable.qapairs.generation.syntactic.asking import Asked
from answerable.qapairs.generation.syntactic.subjects import Topic
from answerable.selective.features import squash

WEIGHTS = Path(__file__).with_name("ranking.json")
Features = dict[str, float]
"""Names of features with their values; those that are not there are 0."""

_COMMON = frozenset(
    """a an the of in on at by for to from with and or as is are was were be been did does do has have had who what when
    where which how many much long why that it its his her their not into during after before between whose whom can
    will would may also more most than other such there year date""".split()
)
_PREPOSITIONS = frozenset(
    "of in on at by for to from with as into during after before between under over through against about".split()
)
_MARKS = re.compile(r"[,;:–\"]")


class Seen(NamedTuple):
    """What an answer's features are read off: its passage, its sentence (None: between brackets), its place there."""

    parsed: Parsed
    about: Topic
    sentence: Sentence | None
    answer: Answer | None
    span: Extracted


@dataclass(frozen=True, slots=True)
class Ranker:
    """Weights of the two regressions by the names of features; `spans`: of answers, `questions`: of both together."""

    spans: Mapping[str, float]
    questions: Mapping[str, float]

    def wanted(self, features: Mapping[str, float]) -> float:
        """Probability, 0 to 1, that a span with these features is asked for."""
        return squash(_total(self.spans, features) + self.spans.get("bias", 0.0))

    def put(self, question: Mapping[str, float], span: Mapping[str, float]) -> float:
        """Probability, 0 to 1, that what people ask for a span is close to a question; the features of both."""
        return squash(_total(self.questions, question) + _total(self.questions, span) + self.questions.get("bias", 0.0))

    @staticmethod
    def load(path: Path = WEIGHTS) -> Ranker:
        """Read what training wrote. Raises `ModelError` when it is missing or not such weights."""
        try:
            raw = json.loads(path.read_text(encoding="utf8"))
            made = [{str(name): float(value) for name, value in raw[part].items()} for part in ("spans", "questions")]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"the weights {path.name} cannot be read", hint="reinstall answerable") from error
        if not all(math.isfinite(value) for part in made for value in part.values()):
            raise ModelError(f"the weights {path.name} hold a number that is not finite", hint="fit them again")
        return Ranker(*made)


def _total(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    get = weights.get
    return sum(get(name, 0.0) * value for name, value in features.items())


def span_features(seen: Seen) -> Features:
    """What is known of a span: what it names, where it stands, how long it is, how its passage is about it."""
    span, parsed = seen.span, seen.parsed
    text = span.text
    length = text.count(" ") + 1
    kind = seen.answer.kind if seen.answer else span.kind
    found: Features = {f"kind {kind}": 1.0, f"length {min(length, 8)}": 1.0}
    found["place"] = span.start / max(1, len(parsed.text))
    found["long passage"] = min(3.0, len(parsed.text) / 1000)
    found["capital"] = float(text[0].isupper())
    found["digit"] = float(any(c.isdigit() for c in text))
    low = text.lower()
    title = seen.about.title.lower()
    found["is title"] = float(low == title)
    found["in title"] = float(low != title and low in title)
    found["holds title"] = float(low != title and bool(title) and title in low)
    found["again"] = float(text in parsed.text[: span.start] or text in parsed.text[span.end :])
    if kind == "DATE":
        found[f"date {date_form(text)}"] = 1.0
    if seen.sentence is None or seen.answer is None:
        found["aside"] = 1.0
        return found
    words, head = seen.sentence.words, seen.answer.head
    role = words[head].role
    found[f"sentence {min(seen.sentence.number, 5)}"] = 1.0
    found[f"role {role}"] = 1.0
    found[f"tag {words[head].tag}"] = 1.0
    found[f"above {words[words[head].head].role}"] = 1.0
    if role == "pobj":
        before = words[words[head].head].lower
        found[f"after {before if before in _PREPOSITIONS else 'other'}"] = 1.0
    found[f"role {role} {_broad(kind)}"] = 1.0
    found["sentence length"] = min(60, len(words)) / 30
    found["article"] = float(words[seen.answer.first].tag == "DT")
    found["begins"] = float(seen.answer.first == 0)
    return found


def _broad(kind: str) -> str:
    """A kind, those of places and of counts taken together."""
    if kind in ("GPE", "LOC", "FAC", "PLACE", "place"):
        return "where"
    if kind in ("CARDINAL", "QUANTITY", "MONEY", "PERCENT", "ORDINAL"):
        return "count"
    return {"PERSON": "who", "person": "who", "DATE": "when", "TIME": "when", "ORG": "group", "GROUP": "group"}.get(
        kind, "thing"
    )


def question_features(asked: Asked, seen: Seen) -> Features:
    """What is known of a question: how it asks, how it was made, how long it is, what it names."""
    text = asked.question
    words = text[:-1].split()
    lower = [word.lower().strip(",") for word in words]
    kind = _broad(seen.answer.kind if seen.answer else seen.span.kind)
    content = [word for word in lower if word not in _COMMON]
    named = sum(word[:1].isupper() or word[:1].isdigit() for word in words[1:])
    sort = asked.sort
    found: Features = {
        f"sort {sort}": 1.0,
        f"sort {sort} {kind}": 1.0,
        f"made {asked.made}": 1.0,
        f"made {asked.made.split()[0]} {sort}": 1.0,
        f"subject {asked.subject}": 1.0,
        f"short {asked.short}": 1.0,
        f"short {asked.short} {asked.subject}": 1.0,
        f"words {min(len(words), 24) // 2}": 1.0,
        f"content {min(len(content), 10)}": 1.0,
        f"names {min(named, 5)}": 1.0,
        f"opens {' '.join(lower[:2])}" if lower[0] in _PREPOSITIONS else f"opens {lower[0]}": 1.0,
        f"ends {lower[-1] if lower[-1] in _COMMON else 'well'}": 1.0,
    }
    low = text.lower()
    found["title"] = float(bool(seen.about.title) and seen.about.title.lower() in low)
    found["title words"] = float(any(word in seen.about.words for word in lower))
    found["repeats"] = float(len({*content}) < len(content))
    found["marks"] = float(len(_MARKS.findall(text)))
    found["says is a"] = float(len(lower) > 2 and lower[1] in ("is", "was", "are", "were") and lower[2] in ("a", "an"))
    found["vague"] = float(sum(_vague(words, lower, at) for at in range(len(words))))
    own = {word for word in seen.span.text.lower().split() if word not in _COMMON}
    found["answer words"] = float(len(own & set(content)))
    if seen.sentence is not None:
        found["kept"] = min(1.0, len(words) / max(1, len(seen.sentence.words)))
        found[f"at {min(seen.sentence.number, 3)} {asked.subject}"] = 1.0
    return found


def _vague(words: list[str], lower: list[str], at: int) -> bool:
    """Whether "the" and one small word stand there alone, as in "the film": nobody knows which."""
    if lower[at] != "the" or at + 1 >= len(words) or not words[at + 1][:1].islower():
        return False
    return at + 2 >= len(words) or (lower[at + 2] in _COMMON and lower[at + 2] != "of")
