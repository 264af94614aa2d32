"""Pure functions on text: sentences, words, normalisation; its length in words, and pieces of what is too long."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from answerable.errors import UsageError
from answerable.languages import UNSPACED, language

LONGEST_QUESTION = 2000  # characters
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_WORD = re.compile(rf"[^\W{UNSPACED}]+|[{UNSPACED}]")
_MAIL_HEAD = re.compile(r"From: .*\nTo: .*\nDate: .*\nSubject: .*(?:\n+|$)")
_BEFORE_STOP = re.compile(r"[^\S\x00-\x7f](?=\.)")
"""A blank of several bytes before a full stop: behind a capital ("A\u00a0.") it ends the splitter's process."""
_WINDOW = 2000
_CUTS = (
    re.compile(r"\n[ \t\r]*\n"),
    re.compile(r"[a-z]{4}[.!?][\"”’)]?\s+(?=[\"“‘(]?[A-Z])|[。！？][”’」』）]*"),
    re.compile(r"\n"),
    re.compile(r"\s"),
)
"""Where a long paragraph is cut, the first rather than those below it."""
_GAP = re.compile(r"(?<=[^\s.!?]) {2,}(?=\S)|(?<=[.!?]) {3,}(?=\S)")
_PART = re.compile(r"(?<=[^\s.!?])(?: {2,}| *\t[ \t]*)(?=\S)|(?<=[.!?])(?: {3,}| *\t[ \t]*)(?=\S)")
_MARK = re.compile(r"\s*(?:[^\w\s]|o|\d{1,3}[.)]|[a-zA-Z][.)]|\([a-zA-Z\d]{1,4}\))\s+")
_TAB = 8


def normalise_answer(text: str) -> str:
    """Lower-case, without punctuation, articles and extra spaces (the SQuAD evaluation script's normalisation)."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def agree(one: str, other: str) -> bool:
    """Whether two answers are one, with more words or fewer: "August 18" and "Friday, August 18"."""
    if one == other:
        return True
    first, second = (f" {normalise_answer(text)} " for text in (one, other))
    return bool(first.strip() and second.strip()) and (first in second or second in first)


def normalise_question(text: str) -> str:
    """Its words in order, lower-case, without accents and punctuation; what has no words is only trimmed.

    Nothing else is left out: an article or a "not" may change what is asked.
    """
    return " ".join(words(text)) or text.strip()


def words(text: str) -> list[str]:
    r"""Lower-case runs of `\w`, accents folded, in order; of scripts without blanks each character."""
    lowered = text.lower()
    if not lowered.isascii():
        folded = unicodedata.normalize("NFKD", lowered)
        lowered = "".join(c for c in folded if not unicodedata.combining(c))
    return _WORD.findall(lowered)


def mail_head(text: str) -> int:
    """How many characters at the beginning are the lines that `corpora.mail` puts over a mail; 0 where none are."""
    head = _MAIL_HEAD.match(text)
    return head.end() if head else 0


def sentences(text: str) -> list[tuple[int, int]]:
    """Character spans [start, end) of the sentences of `text`, in order, without the blanks between them, as the
    language of the text has it. Lines whose parts stand under each other, as in a list of servers, are one each.

    Takes time in proportion to the text: of a paragraph of thousands of characters, some are looked at at a time.
    """
    own, spans, at = language(text), list[tuple[int, int]](), 0
    for rows in _in_columns(text):
        spans += _segmented(own, text, at, rows[0][0])
        for start, end in rows:
            spans += _segmented(own, text, start, end) if "\n" in text[start:end] else [(start, end)]
        at = rows[-1][1]
    return [*spans, *_segmented(own, text, at, len(text))]


def parts(text: str) -> list[int]:
    """Where the parts of lines that stand under each other end, in rising order: a name and what is said of it. So do
    those of a text that is one line."""
    one = "\n" not in text.strip()
    lines = [_parted(text, *line) for line in ([strip(text, 0, len(text))] if one else columns(text))]
    return [end for spans in lines if len(spans) > one for _, end in spans]


def part_at(text: str, at: int) -> tuple[int, int] | None:
    """The part of a line that a character stands in, of lines that stand under each other."""
    line = next((line for line in columns(text) if line[0] <= at < line[1]), None)
    spans = _parted(text, *line) if line else []
    return next(((start, end) for start, end in spans if at < end), None)


def _parted(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The parts of a line, each with the blanks behind it."""
    ends = [*(part.end() for part in _PART.finditer(text, start, end)), end]
    return [*zip([start, *ends[:-1]], ends, strict=True)]


def columns(text: str) -> list[tuple[int, int]]:
    """Character spans [start, end) of the lines whose parts stand under each other, in order."""
    return [row for rows in _in_columns(text) for row in rows]


def _segmented(own: str, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    from sentencex import segment

    for first, last in _windows(text, start, end):
        window = _BEFORE_STOP.sub(" ", text[first:last])
        cursor = 0
        for sentence in segment(own, window):
            stripped = sentence.strip()
            if not stripped:
                continue
            begin = window.find(stripped, cursor)
            if begin < 0:  # the splitter changed a character: fall back to the rest of the text
                begin, stripped = cursor, window[cursor:].rstrip()
            cursor = begin + len(stripped)
            if stripped:
                yield first + begin, first + cursor
            if cursor >= len(window):
                break


def _windows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Stretches of at most `_WINDOW` characters, cut where a sentence surely ends if there is such a place: the
    splitter takes the square of what stands between blank lines."""
    while end - start > _WINDOW:
        ends = (deque(cut.finditer(text, start, start + _WINDOW), maxlen=1) for cut in _CUTS)
        stop = next((found[0].end() for found in ends if found), start + _WINDOW)
        yield start, stop
        start = stop
    yield start, end


def _in_columns(text: str) -> Iterator[list[tuple[int, int]]]:
    """Of each block between blank lines in which parts of lines stand under each other, the lines from the first such
    one on; what begins in a column goes on with the line above it."""
    held: list[tuple[int, int]] = []
    cursor = 0
    for line in [*text.splitlines(keepends=True), ""] if "  " in text or "\t" in text else ():
        if line.strip():
            held.append((cursor, cursor + len(line)))
        elif held:
            lines = [text[first:last].expandtabs(_TAB) for first, last in held]
            if column := _column(lines):
                led = next(n for n, line in enumerate(lines) if column in _gaps(line))
                yield _rows(text, [(*held[n], margin(lines[n]) >= column) for n in range(led, len(held))])
            held = []
        cursor += len(line)


def _gaps(line: str) -> dict[int, int]:
    """Where parts of a line begin after more blanks than one, and how many; an item after its mark is no part."""
    mark = _MARK.match(line)
    return {gap.end(): len(gap.group()) for gap in _GAP.finditer(line, mark.end() if mark else 0)}


def _column(lines: Sequence[str]) -> int:
    """How far in the first column stands in which most lines have a part, more blanks than a text has before it; 0 for
    none. Two blanks may also stand between sentences, and in lines that are set to one width."""
    found: dict[int, list[int]] = {}
    for line in lines:
        for column, blanks in _gaps(line).items():
            found.setdefault(column, []).append(blanks)
    for column, gaps in sorted(found.items()):
        whole = sum(margin(line) < column for line in lines)
        least = 2 if max(gaps) > 2 else max(whole, 3)
        if len(gaps) >= least and 2 * len(gaps) >= whole:
            return column
    return 0


def _rows(text: str, lines: Iterable[tuple[int, int, bool]]) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    for first, last, goes_on in lines:
        rows.append(strip(text, rows.pop()[0] if goes_on and rows else first, last))
    return rows


def one_line(text: str) -> str:
    """`text` with every run of blanks, line ends included, as one space."""
    return " ".join(text.split())


def margin(line: str) -> int:
    """How far in a line begins, in characters."""
    return len(line) - len(line.lstrip())


MARKS = ("?", "？", "؟")
"""What a question ends with."""
_CLOSERS = "\"')]>*_ \t\r\n”’»"


def asks(text: str) -> bool:
    """Whether a sentence or a line is a question, by how it ends. A mark behind a full stop or in a line of its own
    stands for a blank that was lost on the way, as in old mail: "at noon.?  She"."""
    said = text.rstrip(_CLOSERS)
    return said.endswith(MARKS) and not said.rstrip("".join(MARKS)).endswith((".", "\n"))


EMPTY = frozenset(
    "a an and any are as at be been but by can could did do does for from get got had has have he her his how i if in "
    "is it its may me might must my need of on or our she should so some than that the their them then there they "
    "this those to up was we were what when where which who will with would you your re ve ll s t d also been being "
    "following these not no yes either both don doesn didn isn aren wasn weren hasn haven won".split()
)
"""Words that carry little meaning."""


def content(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, without their endings; all its words where none of them does."""
    said = words(text)
    return frozenset(map(_stem, [w for w in said if w not in EMPTY] or said))


def overlap(first: str, second: str) -> float:
    """Dice coefficient of the content words of two texts, 0 to 1; 0 where one has none."""
    a, b = content(first), content(second)
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


def _stem(word: str) -> str:
    """A word without the ending of its number or tense, roughly: enough for "living", "lived" and "lives" to agree."""
    for ending in ("ing", "ied", "ies", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) > 2 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and (word[-1] in "ey" or word[-1] == word[-2]) else word


_POLAR = re.compile(
    r"^(?:(?:in|on|at|by|after|before|if|when|according)\b[^,?]*, *)?"
    r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|may|might|must|will|would|should|shall|need)\b",
    re.IGNORECASE,
)


_MODAL = re.compile(
    r"(?:can|could|may|might|must|need)\b(?!.*\bor (?:am|are|is|do|does|will|would|should|can|must)\b)", re.IGNORECASE
)


def is_polar(question: str) -> bool:
    """Whether a question asks for yes or no: it opens with an auxiliary verb and offers no choice of two names. What
    one can or must do is asked for a yes or a no even so: "Can I swim or row there?"."""
    asked = question.strip()
    choice = re.search(r"\bor\b(?! (?:not|more|less|earlier|later)\b)", asked) and not _MODAL.match(asked)
    return bool(_POLAR.match(asked)) and not choice


_WHICH = r"^(?:which|who|what|whose)\b[^,:]*\b"
_WEIGHED = (
    r"(?:is|are|was|were) (?:the )?\w{2,}er|(?<!the )(?:first|last(?! (?:year|month|week|night)\b))"
    "|earlier|later|sooner|longer|better|worse"
)
_CHOICE = (
    re.compile(rf"{_WHICH}(?:{_WEIGHED}|more|less|fewer)\b[^,:]*[,:] *([^,:]+?),? or ([^,:]+)$", re.IGNORECASE),
    re.compile(
        rf"{_WHICH}(?:{_WEIGHED}) (?!(?:for|of|in|on|at|to|with|by|than|from|does|do|did)\b)(\w.*?) or (.+)$",
        re.IGNORECASE,
    ),
    re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had)\b(.+?) or (.+)$", re.IGNORECASE),
)


def choice(question: str) -> tuple[str, str] | None:
    """The two things of which a question wants one: "Which is dearer, a kayak or a canoe?", "Is A or B older?" (where
    the second goes to the end of the question); None for any other."""
    asked = question.strip().rstrip("? .")
    found = next(filter(None, (one.match(asked) for one in _CHOICE)), None)
    return None if found is None or is_polar(question) else (found[1].strip(), found[2].strip())


def chosen(answer: str, offered: tuple[str, str]) -> bool:
    """Whether an answer says a word of one of two things that the other has not."""
    one, other = map(content, offered)
    return not content(answer).isdisjoint(one ^ other)


_REASONS = re.compile(r"^(?:why|how(?! +(?:many|much|long|old|far|often|big|large|high|tall|late|early)\b))\b", re.I)


def asks_for_reasons(question: str) -> bool:
    """Whether a question asks why or how something is, not how much of it."""
    return bool(_REASONS.match(question.strip()))


_TOLD = re.compile(
    r"^(?:please,? |(?:can|could|would|will) you (?:please )?)?(?:"
    r"tell (?:me|us) (?:\w+ )?about|summari[sz]e|describe"
    r"|what (?:(?:do|can) (?:we|you|i) (?:know|say|tell (?:me|us))|is known) (?:about|of)"
    r"|(?:give|show) (?:me|us)? ?(?:an? |the )?(?:\w+ )?(?:overview|summary|description) of)\b\s*",
    re.IGNORECASE,
)


def asks_to_be_told(question: str) -> bool:
    """Whether a question asks for no short answer, by how it opens: "Tell me about X", "Summarise X", "Describe X",
    "What do we know about X", "Give me an overview of X"; or is one word alone, and no "Why?"."""
    return bool(_TOLD.match(question.strip())) or ("?" not in question and len(words(question)) == 1)


def asked_about(question: str) -> str:
    """What is searched for: X of a question that asks to be told about X, and any other as it is."""
    return _TOLD.sub("", question.strip(), count=1) or question


# Writing without blanks between words still has to be measured: a Chinese or Japanese character counts as a word,
# and so does each 24 characters of anything longer.
_WORD_LENGTH = 24
_DENSE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_MEASURED = re.compile(rf"[{_DENSE}]|[^\s{_DENSE}]{{1,{_WORD_LENGTH}}}")
SEPARATORS = (re.compile(r"\n"), re.compile(r"; "))
"""Where a long sentence is cut, the first rather than the second."""


def count_words(text: str) -> int:
    """Words as passages are measured: runs without blanks, at most 24 characters each, or single CJK characters."""
    if text.isascii():
        runs = text.split()
        if len(max(runs, key=len, default="")) <= _WORD_LENGTH:
            return len(runs)
    return len(_MEASURED.findall(text))


def strip(text: str, start: int, end: int) -> tuple[int, int]:
    """[start, end) without the blanks at both ends."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return start + left, start + max(len(piece.rstrip()), left)


def cut(text: str, start: int, end: int, words: int, most: int, level: int = 0) -> Iterator[tuple[int, int, int]]:
    """text[start:end] in pieces of at most `most` words, none of them empty: (start, end, words).

    What is too long is cut at its line ends, then its semicolons, then after every `words` words.
    """
    length = count_words(text[start:end])
    if length <= most:
        if length:
            yield start, end, length
        return
    if level < len(SEPARATORS):
        for first, last in pieces(text, start, end, SEPARATORS[level]):
            yield from cut(text, first, last, words, most, level + 1)
        return
    found = list(_MEASURED.finditer(text, start, end))
    for index in range(0, len(found), words):
        chunk = found[index : index + words]
        yield chunk[0].start(), chunk[-1].end(), len(chunk)


def pieces(text: str, start: int, end: int, separator: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """What stands between the separators in text[start:end], without blanks at the ends; empty pieces left out."""
    cursor = start
    for match in separator.finditer(text, start, end):
        # A mark that is more than a line end stays with the piece it closes.
        first, last = strip(text, cursor, match.end())
        if first < last:
            yield first, last
        cursor = match.end()
    first, last = strip(text, cursor, end)
    if first < last:
        yield first, last


def checked_question(question: str, what: str = "question") -> str:
    """The question on one line. Raises `UsageError` when it is empty, too long, or not Unicode; `what` it is called."""
    line = " ".join(question.split())
    check_text(line, what)
    return line


def check_text(text: str, what: str) -> None:
    """Raise `UsageError` when what somebody typed is empty, too long, or not Unicode."""
    if not text or text.isspace():
        raise UsageError(f"the {what} is empty")
    if len(text) > LONGEST_QUESTION:
        raise UsageError(f"the {what} has {len(text):,} characters", hint=f"ask in at most {LONGEST_QUESTION:,}")
    try:
        text.encode("utf8")
    except UnicodeEncodeError:
        raise UsageError(f"the {what} is not valid UTF-8") from None
