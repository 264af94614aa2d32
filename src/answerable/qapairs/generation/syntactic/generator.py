"""Questions of parsed passages, by transformation, the likeliest of them: no model beside the parser is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from answerable.qapairs.generation.parsing import Parsed, Parser, Sentence
from answerable.qapairs.generation.parts import Extracted, Generated
from answerable.qapairs.generation.ranking import Features, Ranker, Seen, question_features, span_features
from answerable.qapairs.generation.syntactic.answers import Answer, date_form, located
from answerable.qapairs.generation.syntactic.asking import Asked, questions
from answerable.qapairs.generation.syntactic.clauses import Clause, clauses
from answerable.qapairs.generation.syntactic.subjects import Topic, meant, topic
from answerable.qapairs.generation.syntactic.words import EVENTS, GROUPS, PLACES, WORKS, singular
from answerable.text import normalise_answer
from answerable.types import Passage

SHORTEST, LONGEST = 3, 30
"""Words of a question."""


_UNFINISHED = frozenset("and or but the a an that which who whose ca".split())


def seen(parsed: Parsed, answers: Sequence[Extracted]) -> list[Seen]:
    """Where each answer stands in its passage, in order."""
    about = topic(parsed)
    found = []
    for answer in answers:
        sentence = _sentence(parsed, answer)
        place = located(sentence, answer.start, answer.end, answer.kind) if sentence is not None else None
        if sentence is not None and place is not None:
            place = place._replace(kind=_as_topic(sentence, place, about))
        found.append(Seen(parsed, about, sentence, place, answer))
    return found


def _as_topic(sentence: Sentence, place: Answer, about: Topic) -> str:
    """The kind of an answer, corrected where the passage says what the page named like it is."""
    if sentence.words[place.head].tag[:3] != "NNP" or meant(sentence, place.head, about) is None or not about.noun:
        return place.kind
    if about.person:
        return "PERSON"
    if singular(about.noun) in PLACES:
        return "PLACE"
    return "THING" if place.kind in ("PERSON", "NORP") or singular(about.noun) not in GROUPS else place.kind


def candidates(parsed: Parsed, answers: Sequence[Extracted]) -> Iterator[tuple[Seen, list[Asked]]]:
    """For each answer all questions that can be made, each once, printed as a question."""
    said: dict[int, list[Clause]] = {}
    for one in seen(parsed, answers):
        yield one, made_for(one, said)


def made_for(one: Seen, said: dict[int, list[Clause]]) -> list[Asked]:
    """All questions for one answer. `said` keeps the clauses of sentences, by their number, for the next answer."""
    found: dict[str, Asked] = {}
    for made in _made_for(one, said):
        for asked in (made, *reworded(made, one.about)):
            text = printed(asked.question)
            if text not in found and acceptable(text, one.span.text) and not _doubled(text, asked.sort):
                found[text] = asked._replace(question=text)
    return list(found.values())


def _made_for(one: Seen, said: dict[int, list[Clause]]) -> Iterator[Asked]:
    if one.sentence is None:
        yield from of_asides(one.parsed, one.span, one.about)
    elif one.answer is not None:
        if one.sentence.number not in said:
            said[one.sentence.number] = list(clauses(one.sentence))
        for clause in said[one.sentence.number]:
            yield from questions(clause, one.answer, one.span.text, one.about)


def _sentence(parsed: Parsed, answer: Extracted) -> Sentence | None:
    for aside in parsed.asides:
        if aside.start <= answer.start and answer.end <= aside.end:
            return None
    for sentence in parsed.sentences:
        if sentence.words[0].start <= answer.start and answer.end <= sentence.words[-1].end:
            return sentence
    return None


def _doubled(question: str, sort: str) -> bool:
    """Whether a question asks which of a sort something is that it calls by that sort: "which city is the city"."""
    if not sort.endswith(" noun"):
        return False
    words = question.rstrip("?").lower().split()
    asked = words.index(sort.split()[0]) + 1 if sort.split()[0] in words else 0
    return asked < len(words) and words[asked] in words[asked + 1 :]


def printed(text: str) -> str:
    """A question as printed: a capital first, one question mark last, no stray quotation marks."""
    text = " ".join(text.replace("?", " ").split()).strip(" ,;:.")
    if text.count('"') % 2:
        text = text.replace('"', "")
    return text[:1].upper() + text[1:] + "?"


def acceptable(question: str, answer: str) -> bool:
    """Whether a question is of a decent length and does not say its answer."""
    words = question.rstrip("?").split()
    length = len(words)
    if words and (words[-1].lower() in _UNFINISHED or (length == SHORTEST and words[-1].islower())):
        return False
    if not SHORTEST <= length <= LONGEST or not normalise_answer(answer):
        return False
    said = f" {normalise_answer(answer)} " in f" {normalise_answer(question)} "
    return not said and not re.search(r"[()\[\]]", question)


class SyntacticGenerator:
    """Turns the sentences that hold the answers into questions (section 3.3, without a language model).

    Questions are made for the `answers` likeliest answers of a passage, and for dates of birth and death in brackets,
    `most` for each; a question's score is the probability that its answer is asked for, times that of its wording.
    """

    name = "syntactic"

    def __init__(
        self, parser: Parser | None = None, ranker: Ranker | None = None, answers: int = 40, most: int = 2
    ) -> None:
        self._parser = parser or Parser()
        self._ranker = ranker or Ranker.load()
        self._answers, self._most = answers, most

    def generate(self, passages: Sequence[Passage], answers: Sequence[Sequence[Extracted]]) -> list[list[Generated]]:
        """For each passage its questions, by answer in the order given, the likeliest of an answer first."""
        parsed = self._parser.parse(passages)
        return [self._made(one, wanted) for one, wanted in zip(parsed, answers, strict=True)]

    def _made(self, parsed: Parsed, answers: Sequence[Extracted]) -> list[Generated]:
        said: dict[int, list[Clause]] = {}
        found: list[Generated] = []
        once = {(one.start, one.end): one for one in reversed(answers)}
        places = seen(parsed, [one for one in answers if once[one.start, one.end] is one])
        about = [(one, span_features(one)) for one in places]
        chances = [self._ranker.wanted(features) for _, features in about]
        least = sorted(chances, reverse=True)[self._answers - 1] if len(chances) > self._answers else 0.0
        for (one, features), chance in zip(about, chances, strict=True):
            if chance >= least or one.sentence is None:
                found += self._of_answer(one, features, chance, said)
        return _once(found)

    def _of_answer(
        self, one: Seen, features: Features, chance: float, said: dict[int, list[Clause]]
    ) -> list[Generated]:
        ranked = [
            (chance * self._ranker.put(question_features(asked, one), features), asked.question)
            for asked in made_for(one, said)
        ]
        ranked.sort(key=lambda pair: (-pair[0], pair[1]))
        ranked = _differing(ranked)
        return [Generated(text, one.span, score, self.name) for score, text in ranked[: self._most]]


def _differing(ranked: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Questions without those of the same words in another order than a better one's."""
    met: set[tuple[str, ...]] = set()
    kept = []
    for score, text in ranked:
        words = tuple(sorted(text.lower().rstrip("?").split()))
        if words not in met:
            met.add(words)
            kept.append((score, text))
    return kept


def _once(made: Sequence[Generated]) -> list[Generated]:
    """Of equal questions with several answers, the likeliest."""
    best: dict[str, Generated] = {}
    for one in made:
        if one.question not in best or one.score > best[one.question].score:
            best[one.question] = one
    return [one for one in made if best[one.question] is one]


_SPAN = re.compile(r"\s[-–—]+\s|(?<=\d)[-–—](?=\d)")


def of_asides(parsed: Parsed, answer: Extracted, about: Topic) -> Iterator[Asked]:
    """Questions for a date in the first brackets of a page about a person: when they were born, or died."""
    if not parsed.asides or not (about.person and about.sure) or date_form(answer.text) not in ("year", "day"):
        return
    aside = parsed.asides[0]
    if not (aside.start <= answer.start and answer.end <= aside.end) or not parsed.sentences:
        return
    if aside.start > parsed.sentences[0].words[-1].end:
        return
    text = parsed.text[aside.start : aside.end]
    at = answer.start - aside.start
    before = text[:at]
    if re.search(r"\b(?:died|d\.)\s*(?:\w+\s)?$", before):
        yield from _life(about, "die", "died")
    elif re.search(r"\bborn\b[^;]*$", before) and not _SPAN.search(before):
        yield from _life(about, "born", "born")
    elif _SPAN.search(before):
        yield from _life(about, "die", "died")
    elif _SPAN.search(text[at:]):
        yield from _life(about, "born", "born")


def _life(about: Topic, what: str, made: str) -> Iterator[Asked]:
    if what == "born":
        yield Asked(f"when was {about.name} born", "when", made, 0, "topic")
        yield Asked(f"what year was {about.name} born", "what year bare", made, 0, "topic")
    else:
        yield Asked(f"when did {about.name} die", "when", made, 0, "topic")
        yield Asked(f"what year did {about.name} die", "what year bare", made, 0, "topic")


_REWORDED = (
    (re.compile(r"^(when|what year|in what year) was (.+?)(?: first)? released$"), r"\1 did \2 come out"),
    (re.compile(r"^(when|what year|in what year) did (.+?) premiere$"), r"\1 did \2 come out"),
    (re.compile(r"^who (?:does|did) (.+) star$"), r"who stars in \1"),
    (re.compile(r"^where (is|are|was|were) (.+) (?:located|situated)$"), r"where \1 \2"),
    (re.compile(r"^what (?:is|was) (.+) (?:also )?known as$"), r"what is another name for \1"),
    (re.compile(r"^(when|what year|in what year) was (.+) (?:founded|established)$"), r"\1 did \2 start"),
    (re.compile(r"^how many (\w+(?: \w+)?) ((?:in|on|at|of) .+) (are|were) there$"), r"how many \1 \3 there \2"),
    (re.compile(r"^(when|what year|in what year) did (.+) pass away$"), r"\1 did \2 die"),
)


def reworded(asked: Asked, about: Topic) -> Iterator[Asked]:
    """Other wordings of a question ("come out" for "be released"); with the page's title, where it asks about something
    in a work or an event."""
    for pattern, wording in _REWORDED:
        text, changed = pattern.subn(wording, asked.question)
        if changed:
            yield asked._replace(question=text, made="reworded")
    if asked.subject in ("own", "asked", "expletive") and about.sure and about.noun in WORKS | EVENTS:
        low = asked.question.lower()
        named = sum(word[:1].isupper() for word in asked.question.split())
        if about.title.lower() not in low and asked.short and named < 3 and about.noun not in low.split():
            yield asked._replace(question=f"{asked.question} in {about.name}", made="in title")
