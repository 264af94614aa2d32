"""Facts that sentences state in passing: measures of a thing, who holds an office, what letters stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from answerable.qapairs.generation.parsing import Parsed, Sentence
from answerable.qapairs.generation.parts import Extracted
from answerable.qapairs.generation.syntactic.answers import Answer
from answerable.qapairs.generation.syntactic.asking import Asked, subject_of
from answerable.qapairs.generation.syntactic.clauses import Clause, bearer
from answerable.qapairs.generation.syntactic.saying import kept, say
from answerable.qapairs.generation.syntactic.subjects import Topic
from answerable.qapairs.generation.syntactic.words import MEASURES, PERSONS, singular

_LETTERS = re.compile(r"\W*([A-Z][A-Z&.\d-]{1,6})\W*$")
_COUNTED = ("CARDINAL", "QUANTITY", "MONEY", "PERCENT", "DATE", "thing", "person")


def facts(sentence: Sentence, said: Sequence[Clause], answer: Answer, about: Topic) -> Iterator[Asked]:
    """Questions for an answer that is a measure, a name after an office, or a name with its abbreviation."""
    if answer.kind in _COUNTED:
        yield from _measure(sentence, said, answer, about)
    if answer.kind == "PERSON":
        yield from _office(sentence, answer, about)


def _measure(sentence: Sentence, said: Sequence[Clause], answer: Answer, about: Topic) -> Iterator[Asked]:
    """ "It has a population of 400" asks for the population, and how many people live there."""
    words = sentence.words
    head = words[answer.head].head if words[answer.head].role == "nummod" else answer.head
    if words[head].role != "pobj" or words[words[head].head].lower != "of":
        return
    noun = words[words[head].head].head
    if words[noun].lower not in MEASURES:
        return
    holder, past, verb = _holder(sentence, noun)
    if holder is None:
        return
    clause = next((one for one in said if one.subject == holder), None)
    name, sort = (
        subject_of(clause, about) if clause else (say(sentence, kept(sentence, holder, True), about, False), "own")
    )
    if name is None:
        return
    left = [one for one in sentence.children[noun] if words[one].role in ("compound", "amod") and one < noun]
    measure = " ".join([*(words[one].text for one in left), words[noun].text])
    when = _when(sentence, verb, about) if verb is not None else ""
    for adjunct in (when, "") if when else ("",):
        short = 0 if adjunct else 2
        tail = f" {adjunct}" if adjunct else ""
        yield Asked(f"what {'was' if past else 'is'} the {measure} of {name}{tail}", "what", "measure", short, sort)
        if measure == "population":
            lived = f"how many people {'lived' if past else 'live'} in {name}{tail}"
            yield Asked(lived, "how many", "measure", short, sort)


def _holder(sentence: Sentence, noun: int) -> tuple[int | None, bool, int | None]:
    """What has a measure, whether it had it, and the verb that says so."""
    words = sentence.words
    above = words[noun].head
    past = words[sentence.root].tag not in ("VBZ", "VBP", "MD")
    if words[noun].role == "dobj" and words[above].base in ("have", "reach", "cover", "record", "report", "possess"):
        return sentence.child(above, "nsubj"), words[above].tag != "VBZ" and words[above].tag != "VBP", above
    if words[noun].role == "pobj" and words[above].lower == "with":
        described = words[above].head
        if words[described].tag[:2] == "NN":
            return bearer(sentence, described), past, None
        if words[described].tag[:2] == "VB":
            return sentence.child(described, "nsubj", "nsubjpass"), past, described
    return None, past, None


def _when(sentence: Sentence, verb: int, about: Topic) -> str:
    """What a verb is said to hold at or in, if that is a date or a census."""
    for one in sentence.children[verb]:
        word = sentence.words[one]
        if word.role == "prep" and word.lower in ("in", "at", "as"):
            inside = range(sentence.left[one], sentence.last[one])
            if any(sentence.kinds[place] == "DATE" for place in inside) and len(inside) < 8:
                return say(sentence, kept(sentence, one, True), about, False) or ""
    return ""


def _office(sentence: Sentence, answer: Answer, about: Topic) -> Iterator[Asked]:
    """ "Syracuse coach Jim Boeheim" asks who the Syracuse coach was."""
    words = sentence.words
    first = sentence.left[answer.head]
    described = [words[one] for one in range(first, answer.first) if words[one].tag != "DT"]
    if len(described) < 2 or singular(described[-1].lower) not in PERSONS or described[-1].tag != "NN":
        return
    if any(word.tag not in ("NN", "NNP", "JJ", "NNPS", "POS", "IN") for word in described):
        return
    past = words[sentence.root].tag not in ("VBZ", "VBP", "MD")
    office = say(sentence, [word.place for word in described], about, False)
    if office:
        yield Asked(f"who {'was' if past else 'is'} the {office}", "who", "office", 0, "asked")


def stands_for(parsed: Parsed, answer: Extracted) -> Iterator[Asked]:
    """ "National Basketball Association (NBA)" asks what NBA stands for."""
    for aside in parsed.asides:
        if answer.end < aside.start <= answer.end + 3:
            letters = _LETTERS.match(parsed.text[aside.start : aside.end])
            if letters and " " in answer.text:
                yield Asked(f"what does {letters.group(1)} stand for", "what", "letters", 0, "own")
