"""Questions beside those of whole clauses.

Facts that sentences state in passing: measures of a thing, who holds an office, what letters stand for. What stands
between brackets after a name: when somebody was born, and when they died. And the same question in words that people
use: "come out" for "be released".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from answerable.qapairs.generation.parsing import Parsed, Sentence
from answerable.qapairs.generation.parts import Extracted
from answerable.qapairs.generation.syntactic.answers import Answer, date_form
from answerable.qapairs.generation.syntactic.asking import Asked, subject_of
from answerable.qapairs.generation.syntactic.clauses import Clause, bearer
from answerable.qapairs.generation.syntactic.subjects import Topic, kept, say
from answerable.qapairs.generation.syntactic.words import EVENTS, MEASURES, PERSONS, WORKS, singular

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


_SPAN = re.compile(r"\s[-–—]+\s|(?<=\d)[-–—](?=\d)")


def of_asides(parsed: Parsed, answer: Extracted, about: Topic) -> Iterator[Asked]:
    """Questions for a date in the first brackets of a page about a person."""
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
    """Other wordings of a question; with the page's title, where it asks about something in a work or an event."""
    for pattern, wording in _REWORDED:
        text, changed = pattern.subn(wording, asked.question)
        if changed:
            yield asked._replace(question=text, made="reworded")
    if asked.subject in ("own", "asked", "expletive") and about.sure and about.noun in WORKS | EVENTS:
        low = asked.question.lower()
        named = sum(word[:1].isupper() for word in asked.question.split())
        if about.title.lower() not in low and asked.short and named < 3 and about.noun not in low.split():
            yield asked._replace(question=f"{asked.question} in {about.name}", made="in title")
