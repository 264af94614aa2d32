"""Which language a text is in: by its script, or by its function words (Grefenstette 1995), which every sentence has.

What is not told apart counts as English, whose words are cut and stemmed as they always were: names, figures and
tables, texts of a few words, and languages of which no function words are known here. Nothing is learned or loaded:
the lists are those of tantivy, which indexes words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache

ENGLISH = "en"
STEMMED = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
}
"""Languages (ISO 639-1) whose words are stemmed, with the names of their stemmers."""
_SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "zh": re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "ta": re.compile("[\u0b80-\u0bff]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
}
"""Scripts of one language, or nearly so; Japanese before Chinese, whose characters it has too."""
UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Characters, as a regular expression has them between brackets, of scripts that set no blanks between words, and of
Korean, whose words have endings."""
_SCRIPT = 0.3
"""Share of the letters from which a script tells the language."""
_SHARE, _SURE, _LEAST = 0.1, 0.3, 2
"""Of the words: the share of function words that a language needs, the share of English ones from which no other is
tried, and how many there must be."""
_LOOKED_AT = 2000
"""Characters that are looked at."""
_ADDRESS = re.compile(r"\S*@\S*")
_OTHER = re.compile("[\u0370-\u03ff\u0590-\u06ff\u0900-\u097f\u0b80-\u0bff\u0e00-\u0e7f\u3040-\u9fff\uac00-\ud7af]")
"""What is in any of those scripts, and a little more."""
STOP_WORDS = frozenset(
    """
    a about after also an and any are as at be been before being but by can could d did do does during each
    for from had has have he her hers him his how i if in into is it its ll me more most my no nor not of on
    or other our out over re s she should so some such t than that the their them then there these they this
    those through to too under until up ve very was we were what when where which while who whom whose why
    will with would you your
    """.split()
)
"""The English function words: left out of queries, unless a query has no other words."""
_LISTED = tuple(name for name in STEMMED if name not in (ENGLISH, "ar", "el", "ta"))
"""Languages besides English of which tantivy lists the function words."""


def language(text: str) -> str:
    """The ISO 639-1 code of a text's language; English where nothing tells otherwise."""
    shown = _ADDRESS.sub(" ", text[:_LOOKED_AT]) if "@" in text else text[:_LOOKED_AT]
    letters = sum(map(str.isalpha, shown)) if _OTHER.search(shown) else 0
    for name, script in _SCRIPTS.items() if letters else ():
        if len(script.findall(shown)) >= _SCRIPT * letters:
            return name
    every = _words(None)(shown)
    whole, english = len(every), sum(word in STOP_WORDS for word in every)
    if english >= _SURE * whole:
        return ENGLISH
    found = {name: whole - len(_words(name)(shown)) for name in _LISTED}
    best = max(found, key=lambda name: found[name])
    return best if found[best] > 2 * english and found[best] >= max(_LEAST, _SHARE * whole) else ENGLISH


def function_words(text: str, name: str) -> int:
    """How many words of a text are function words of a language; 0 where none are known."""
    if name == ENGLISH:
        return sum(word in STOP_WORDS for word in _words(None)(text))
    return len(_words(None)(text)) - len(_words(name)(text)) if name in _LISTED else 0


def likeliest(text: str, among: Collection[str]) -> str:
    """Which of some languages a text of a few words is in, by its function words; of equals the first."""
    return max(among, key=lambda name: function_words(text, name))


@cache
def _words(without: str | None) -> Callable[[str], list[str]]:
    """What gives the words of a text in small letters, without the function words of a language."""
    import tantivy

    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase())
    if without:
        builder = builder.filter(tantivy.Filter.stopword(STEMMED[without]))
    found: Callable[[str], list[str]] = builder.build().analyze
    return found
