"""What a mail says of an entity, as a question with a place for the entity."""

from __future__ import annotations

import re
from collections.abc import Iterator

from answerable.types import Passage
from answerable_bench.clues import ROLE, shares_name
from answerable_bench.facts import MEASURED, Fact, measure
from answerable_bench.grammar import HEADER, MONTHS, NAME, Sentence, sentence_at, sentences
from answerable_bench.names import PERSON, people

_POSITIONED = "What is the position of {}?"
_PHONE = r"\(?\b\d{3}[).-]{1,2} ?\d{3}[-.]\d{4}\b"
_POSITION = (
    rf"(?:[A-Z]?[\w&/-]+ (?:of |for |and )?){{0,5}}{ROLE}(?: (?:of|for) (?:[a-z]+ ){{0,2}}[a-z]+)?"
    rf"(?:,? (?:of|at|for|with|in) (?:the )?{NAME})?"
)


def mail_facts(passage: Passage, sort: str, span: tuple[int, int]) -> Iterator[Fact]:
    """The facts a mail tells of the entity at `span` by its form: header, signature, apposition."""
    text = passage.text
    header = HEADER.match(text)
    found = sentences(text)
    sentence = sentence_at(found, span[0])
    if sentence is None or span[1] > sentence.end or (header and span[0] < header.end()):
        return
    if sort == PERSON:
        yield from _position(text, sentence, text[sentence.start : span[0]], span)
        yield from _signature(text, found, sentence, span)
    if header and (writer := next((name for name, role in people(text) if role == "From"), None)):
        yield from _sent(header, writer, text[span[0] : span[1]])


def _fact(question: str, text: str, start: int, end: int, sentence: int, about: str) -> Fact:
    answer = text[start:end].rstrip(".,")
    value = measure(answer) if about in MEASURED else None
    return Fact(question, answer, start, start + len(answer), sentence, about, value)


def _position(text: str, sentence: Sentence, before: str, span: tuple[int, int]) -> Iterator[Fact]:
    """ "Jane Roe, vice president of Acme," and "Acme spokesman John Doe"."""
    if match := re.compile(rf", (?:the |an? |who is (?:the |an? )?)?(?P<answer>{_POSITION})(?=[,.;)]|$)").match(
        text, span[1], sentence.end
    ):
        yield _fact(_POSITIONED, text, *match.span("answer"), sentence.number, "position")
    elif match := re.search(rf"(?P<answer>{NAME} (?:[a-z]+ )?{ROLE}) $", before):
        start = sentence.start + match.start("answer")
        yield _fact(_POSITIONED, text, start, sentence.start + match.end("answer"), sentence.number, "position")


def _signature(text: str, found: list[Sentence], sentence: Sentence, span: tuple[int, int]) -> Iterator[Fact]:
    """The lines below a name that stands alone: a position, a telephone number."""
    if sentence.text.strip() != text[span[0] : span[1]]:
        return
    below = found[sentence.number + 1 : sentence.number + 6]
    for line in below[:2]:
        if match := re.fullmatch(rf"(?P<answer>{_POSITION})[,.]?", line.text, re.IGNORECASE):
            start, end = match.span("answer")
            yield _fact(_POSITIONED, text, line.start + start, line.start + end, line.number, "position")
            break
    for line in below:
        if match := re.search(_PHONE, line.text):
            start, end = (line.start + place for place in match.span())
            yield _fact("What is the telephone number of {}?", text, start, end, line.number, "telephone")
            break


def _sent(header: re.Match[str], writer: str, name: str) -> Iterator[Fact]:
    """What the header tells of the mail that names the entity: its sender, its day, its subject.

    `about` says by what the mail is known in the question, which one mail alone must fit (`rules.mail_is_alone`).
    """
    dated = re.search(rf"\d{{1,2}} ((?:{MONTHS}) \d{{4}})", header["date"])
    if dated is None or not header["sender"].startswith(writer):
        return
    month, subject = dated[1], header["subject"]
    for ask, answer, start, about in (
        (f"Who sent the mail of {month} that speaks of {{}}?", writer, header.start("sender"), "sent month"),
        (f"Who sent the mail of {dated[0]} that speaks of {{}}?", writer, header.start("sender"), "sent day"),
        (
            f"On which day did {writer} send a mail that speaks of {{}}?",
            dated[0],
            header.start("date") + dated.start(),
            "sent sender",
        ),
        (
            f"What is the subject of the mail that {writer} sent in {month} and that speaks of {{}}?",
            subject,
            header.start("subject"),
            "sent sender month",
        ),
    ):
        if answer != subject or (len(subject.split()) > 1 and not shares_name(subject.title(), name)):
            yield Fact(ask, answer, start, start + len(answer), 0, about)
