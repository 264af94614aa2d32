"""The words that are searched for: as a passage has them, by its language, and as a query may mean them.

A passage's words are in small letters, without accents, stemmed as its own language has it. A query is analysed in
every language that is held: each of its words is looked for in all its forms, of which the best counts. Scripts that
set no blanks between words are indexed by pairs of neighbouring characters, whatever the language. Names that have
marks within, such as "max_size", "os.path", "--all" and "8.5.0", are words beside the words they are made of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import tantivy

from answerable.languages import ENGLISH, STEMMED, STOP_WORDS, UNSPACED, function_words, likeliest

Term = tuple[str, ...]
"""A word of a query: its forms, that of the query's own language first."""
_LONGEST_WORD = 40
_JOINED = re.compile(r"(?<![\w-])--?[^\W_][\w-]*|\b(?:\w+(?:(?:\.|::)\w+)+|[^\W_]+_\w+|_+[^\W_]\w*)")
_UNSPACED = re.compile(f"[{UNSPACED}]+")


@cache
def analyzer(stop: bool, language: str = ENGLISH) -> tantivy.TextAnalyzer:
    """Words lower-case, without accents, stemmed by a language that has a stemmer; with `stop` without English function
    words."""
    filters = tantivy.Filter
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    builder = builder.filter(filters.remove_long(_LONGEST_WORD)).filter(filters.lowercase())
    if language == ENGLISH:
        builder = builder.filter(filters.ascii_fold())
    if stop:
        builder = builder.filter(filters.custom_stopword(sorted(STOP_WORDS)))
    if language in STEMMED:
        builder = builder.filter(filters.stemmer(STEMMED[language]))
    if language != ENGLISH:  # whose stemmer alone does not go by accents
        builder = builder.filter(filters.ascii_fold())
    return builder.build()


def tokens(text: str, language: str) -> list[str]:
    """The words of a passage in a language, in order, as they are indexed."""
    return analyzer(False, language).analyze(_paired(text)) + joined(text)


def joined(text: str) -> list[str]:
    """The names in a text that have marks within, in small letters, in order. What finds a word finds none of them."""
    found = (name.lower().rstrip("-_") for name in _JOINED.findall(text))
    return [name for name in found if len(name) <= _LONGEST_WORD and not name.isalnum()]


def is_joined(word: str) -> bool:
    """Whether a word that is searched for is such a name: where nobody writes it, its words are looked for alone."""
    return not word.isalnum()


def asked(text: str, languages: Sequence[str], paired: bool = True) -> list[Term]:
    """The words of a query, each once, for passages in these languages, in the order they came; without function words,
    unless there are no others. `paired`: whether unspaced scripts are indexed by pairs."""
    names = joined(text)
    text = _paired(text) if paired else text
    if [*languages] == [ENGLISH]:
        found = analyzer(True).analyze(text) or analyzer(False).analyze(text)
        return [(word,) for word in dict.fromkeys(found + names)]
    own = likeliest(text, (ENGLISH, *languages))
    words = _plain().analyze(text)
    content = [word for word in words if not function_words(word, own)] or words
    every = dict.fromkeys((own, *languages))
    forms = ((form for name in every for form in analyzer(False, name).analyze(word)) for word in content)
    return [*dict.fromkeys([*(tuple(dict.fromkeys(one)) for one in forms), *((name,) for name in names)])]


@cache
def _plain() -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    return builder.filter(tantivy.Filter.remove_long(_LONGEST_WORD)).filter(tantivy.Filter.lowercase()).build()


def _paired(text: str) -> str:
    """Runs of unspaced script as pairs of neighbours, with blanks between; a lone character stays."""
    return text if text.isascii() else _UNSPACED.sub(lambda run: f" {_pairs(run[0])} ", text)


def _pairs(run: str) -> str:
    return " ".join(run[at : at + 2] for at in range(max(1, len(run) - 1)))
