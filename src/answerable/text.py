"""Pure functions on text: sentences, words, normalisation. The only copies."""

from __future__ import annotations

import re
import string
import unicodedata

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_WORD = re.compile(r"\w+")


def normalise_answer(text: str) -> str:
    """Lower-case, without punctuation, articles and extra spaces (the SQuAD evaluation script's normalisation)."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def normalise_question(text: str) -> str:
    """Its words in order, lower-case, without accents and punctuation; what has no words is only trimmed.

    Nothing else is left out: an article or a "not" may change what is asked.
    """
    return " ".join(words(text)) or text.strip()


def words(text: str) -> list[str]:
    r"""Lower-case runs of `\w`, accents folded, in order."""
    folded = unicodedata.normalize("NFKD", text.lower())
    return _WORD.findall("".join(c for c in folded if not unicodedata.combining(c)))


def sentences(text: str) -> list[tuple[int, int]]:
    """Character spans [start, end) of the sentences of `text`, in order, without the blanks between them."""
    from sentencex import segment

    spans = []
    cursor = 0
    for sentence in segment("en", text):
        stripped = sentence.strip()
        if not stripped:
            continue
        start = text.find(stripped, cursor)
        if start < 0:  # the splitter changed a character: fall back to the rest of the text
            start, stripped = cursor, text[cursor:].rstrip()
        cursor = start + len(stripped)
        if stripped:
            spans.append((start, cursor))
        if cursor >= len(text):
            break
    return spans


_POLAR = re.compile(
    r"^(?:(?:in|on|at|by|after|before|if|when|according)\b[^,?]*, *)?"
    r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|may|might|must|will|would|should|shall|need)\b",
    re.IGNORECASE,
)


def is_polar(question: str) -> bool:
    """Whether a question asks for yes or no: it opens with an auxiliary verb and offers no choice of two names."""
    return bool(_POLAR.match(question.strip())) and not re.search(
        r"\bor\b(?! (?:not|more|less|earlier|later)\b)", question
    )
