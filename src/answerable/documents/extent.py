"""How much of a document is told as an answer: a few words, the sentence they stand in, the list it leads into."""

from __future__ import annotations

import re

from answerable.corpora.citations import quoted
from answerable.corpora.paragraphs import ITEM
from answerable.documents.encoded import Book
from answerable.documents.referring import SHORT
from answerable.selective.decide import VERDICTS
from answerable.text import one_line
from answerable.types import Citation

_SEVERAL = re.compile(
    r"^(?:(?:in|on|at|for|to|of|from) )?(?:what|which) "
    r"(?:(?!(?:is|was|does|has|did|do)\b)\w+ ){0,2}(?!(?:is|was|does|has|this)\b)\w*[^s\W]s "
    r"(?:are|were|do|did|have|had|can|could|will|would|must|should|may|might|of)\b"
    r"|^(?:what|which|who) (?:else )?(?:are|were) the\b|^(?:list|name) (?:all|the|every)\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(
    r"how (?!many|much|long|old|often|far|tall|big|large|high|deep|wide|fast|soon|late|early|heavy|likely)\w+"
    r"|why\b|explain\b|what (?:happens?|if|information|steps|reasons?)\b|what (?:does|do) .*\b(?:do\W*$|say\b)"
    r"|what (?:is|are) .*\bfor\W*$"
    r"|(?:what|which) (?:kinds?|types?|sorts?) of\b",
    re.IGNORECASE,
)
_FOLLOWING = re.compile(r"\b(?:following|these|below)\b", re.IGNORECASE)
_BELOW = 12
"""Paragraphs below "the following" in which its list is looked for."""


def asks_for_several(question: str) -> bool:
    """Whether a question asks for a list: "which lamps ...", "what are the ..."."""
    return bool(_SEVERAL.match(question.strip()))


def wants_sentences(question: str) -> bool:
    """Whether a few words are too short an answer: "how", "why", "what happens", a list."""
    return bool(_SENTENCES.match(question.strip())) or asks_for_several(question)


def whole(book: Book, question: str, said: str, cited: tuple[Citation, ...]) -> tuple[str, tuple[Citation, ...]]:
    """An answer with as much around it as is wanted: its sentence, the list or the code that it leads into; and what it
    rests on."""
    answer, text = one_line(said), book.document.text
    if not cited or answer in VERDICTS:
        return answer, cited
    start, end = cited[0].start, cited[0].end
    first, last = with_list(book, (start, end))
    if wants_sentences(question):
        return one_line(text[first:last]), cited
    at = text.find(said, start, end)
    if first == start and last > end and at >= 0 and not any(map(str.isalnum, text[at + len(said) : end])):
        return one_line(text[at:last]), (quoted(book.document, first, last), *cited[1:])
    return answer, cited


def with_list(book: Book, cited: tuple[int, int]) -> tuple[int, int]:
    """The characters of a sentence, with the list or the code that it leads into, or the list that it is an item of.

    A list stands in the paragraph of what leads into it, or, after "the following", below it under the same heading.
    """
    text, (start, end) = book.document.text, cited
    number = next(number for number, one in enumerate(book.paragraphs) if start < one.end)
    spans, path = book.paragraphs[number].sentences, book.paragraphs[number].path
    at = next(at for at, span in enumerate(spans) if start < span[1])
    if ITEM.match(text, start):
        at = next((lead for lead in range(at - 1, -1, -1) if text[: spans[lead][1]].endswith(":")), at)
        start, end = spans[at]
    lead = text[start:end]
    if lead[-1] not in ".!?" and (code := _code_below(book, end)):
        return start, max(end, code[1] if code[1] <= start + SHORT else text.rfind("\n", code[0], start + SHORT))
    if not lead.endswith(":") and not (end == spans[-1][1] and _FOLLOWING.search(lead)):
        return cited
    below = [one.sentences for one in book.paragraphs[number + 1 :][:_BELOW] if one.path == path]
    items = [span for span in spans if span[0] >= end] or [span for some in below for span in some]
    marked = [span for span in items if ITEM.match(text, span[0])]
    return start, max([end, *(last for _, last in marked or items if last <= start + SHORT)])


def _code_below(book: Book, end: int) -> tuple[int, int] | None:
    """Where the code stands that is the first thing below a character."""
    below = ((first, last) for first, last in book.document.meta.get("code") or () if first >= end)
    found = next(below, None)
    return found if found and not book.document.text[end : found[0]].strip() else None


def shortened(book: Book, span: tuple[int, int]) -> tuple[int, int]:
    """As many sentences of some characters as are told at once, and the first at least."""
    ends = [end for one in book.paragraphs if one.end > span[0] for _, end in one.sentences if span[0] < end <= span[1]]
    return span[0], max([ends[0], *(end for end in ends if end <= span[0] + SHORT)])
