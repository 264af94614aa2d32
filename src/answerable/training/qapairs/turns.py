"""Questions put in other words: what telling paraphrases from near misses is learned from.

It works on parsed questions (spaCy), with the forms of words that are seen in the questions themselves and a file of
words (`recipes/same/words.txt`).
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

WORDS = Path("recipes/same/words.txt")
YEAR = re.compile(r"\b(1[0-9]|20)\d\d\b")
_END = re.compile(r"[\s?.!]*$")
WH = ("who", "what", "which", "when", "where", "why", "how", "whom", "whose")


def section(name: str, path: Path = WORDS) -> list[str]:
    """What stands in a section of the file of words, on lines or between semicolons."""
    found: dict[str, list[str]] = {}
    for line in path.read_text("utf8").splitlines():
        if line.startswith("["):
            found[line.strip("[]")] = here = []
        elif found and line:
            here += [line] if name == "put" else [one.strip() for one in line.split(";")]
    return found[name]


def groups(name: str) -> list[list[list[str]]]:
    """The same, each line as lists of words on the sides of bars."""
    return [
        [[word.replace("-", " ") for word in side.split(",")] for side in line.split("|")] for line in section(name)
    ]


class Turner:
    """Turns questions. `parsed` questions, of which there are many, tell how words are inflected and what is named."""

    def __init__(self, parsed: Iterable[Any], rng: random.Random) -> None:
        self.rng = rng
        self._forms: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.names: dict[str, list[str]] = defaultdict(list)
        for doc in parsed:
            for token in doc:
                self._forms[token.lemma_.lower(), token.tag_][token.lower_] += 1
            for name in doc.ents:
                self.names[name.label_].append(name.text)
        self._same: dict[str, list[str]] = defaultdict(list)
        for line in groups("same"):
            for word in line[0]:
                self._same[word] += [other for other in line[0] if other != word]
        self._before, self._behind = section("before"), section("behind")
        put = [line.split(" -> ") for line in section("put")]
        self._put = [(pattern.replace("/", "|"), to.split("; ")) for pattern, to in put]
        self._ways: tuple[Callable[[Any], str | None], ...] = (
            self._asked_otherwise,
            self._asked_otherwise,
            self._asked_otherwise,
            self._turned_voice,
            self._turned_voice,
            self._fronted,
            self._synonym,
            self._owned,
            self._polite,
            self._short,
            self._typed,
        )

    def kept(self, doc: Any) -> str | None:
        """The question put in other words; None where the way drawn does not apply."""
        return self._one(self._ways, doc)

    def _one(self, ways: Sequence[Callable[[Any], str | None]], doc: Any) -> str | None:
        for way in self.rng.sample(ways, len(ways)):
            found = way(doc)
            if found and low_words(found) != low_words(doc.text):
                return found
        return None

    def form(self, lemma: str, tag: str) -> str | None:
        """The word of a lemma that is inflected so; None where none was seen and it is no regular one."""
        seen = self._forms.get((lemma, tag))
        if seen:
            return seen.most_common(1)[0][0]
        if tag in ("VB", "VBP", "NN", "JJ", "IN", "RB"):
            return lemma
        if " " in lemma:
            return None
        if tag in ("VBZ", "NNS"):
            return lemma + ("es" if lemma.endswith(("s", "sh", "ch", "x")) else "s")
        stem = lemma[:-1] if lemma.endswith("e") else lemma
        return {"VBD": stem + "ed", "VBN": stem + "ed", "VBG": stem + "ing"}.get(tag)

    def _asked_otherwise(self, doc: Any) -> str | None:
        text, rng = doc.text, self.rng
        low = text.lower()
        fits = [(pattern, to) for pattern, to in self._put if re.search(pattern, low)]
        if not fits:
            return None
        pattern, to = rng.choice(fits)
        chosen = rng.choice(to)
        if "year" in chosen and YEAR.search(low):
            return None
        return re.sub(pattern, lambda match: chosen.format(match.group().strip()) + " ", low, count=1)

    def _turned_voice(self, doc: Any) -> str | None:
        """Active and passive: "Who wrote X?", "By whom was X written?"; "What did S find?", "What was found by S?"."""
        root, rng = doc[:].root, self.rng
        rest = plain(doc[root.i + 1 :].text)
        subject = next((t for t in root.children if t.dep_ in ("nsubj", "nsubjpass")), None)
        if subject is None or subject.i > root.i:
            return None
        done = self.form(root.lemma_.lower(), "VBN")
        first = doc[0].lower_
        asked = subject.i == 0 and first == "who"
        if asked and root.tag_ in ("VBD", "VBZ", "VBP") and root.i == 1 and root.lemma_ not in ("be", "have", "become"):
            object_ = next((t for t in root.children if t.dep_ == "dobj"), None)
            if object_ is None or done is None:
                return None
            thing = doc[object_.left_edge.i : object_.right_edge.i + 1].text
            tail = plain(doc[object_.right_edge.i + 1 :].text)
            was = ("was" if root.tag_ == "VBD" else "is") if object_.tag_ not in ("NNS", "NNPS") else "were"
            return rng.choice(
                (
                    f"By whom {was} {thing} {done} {tail}?",
                    f"Who {was} {thing} {done} by {tail}?",
                    f"{thing} {was} {done} by whom {tail}?",
                    f"By which person {was} {thing} {done} {tail}?",
                )
            )
        if first in ("what", "who", "whom", "which") and doc[1].lower_ == "did" and subject.dep_ == "nsubj" and done:
            actor = doc[subject.left_edge.i : subject.right_edge.i + 1].text
            if subject.left_edge.i == 2 and root.i == subject.right_edge.i + 1:
                return f"{'Who' if first == 'whom' else doc[0].text} was {done} by {actor} {rest}?"
        return None

    def _fronted(self, doc: Any) -> str | None:
        """ "Who was king in 1066?" with "In 1066," before it, or the wh-word behind."""
        root = doc[:].root
        last = [t for t in root.children if t.dep_ == "prep" and t.i > 2 and t.lower_ != "of"]
        if last:
            at = last[-1]
            if at.right_edge.i >= len(doc) - 2 and at.left_edge.i > root.i + 1:
                before, phrase = doc[: at.i].text, plain(doc[at.i :].text)
                return f"{phrase}, {before[:1].lower() + before[1:]}?"
        return None

    def _synonym(self, doc: Any) -> str | None:
        able = [t for t in doc if t.lemma_.lower() in self._same and t.pos_ in ("VERB", "ADJ", "ADV")]
        if not able:
            return None
        token = self.rng.choice(able)
        return self.replaced(doc, token, self.rng.choice(self._same[token.lemma_.lower()]))

    def _owned(self, doc: Any) -> str | None:
        """ "the father of X" and "X's father"."""
        match = re.search(r"\bthe (\w+) of ([A-Z][\w.]*(?: [A-Z][\w.]*){0,2})(?=\?|$| in| was| is)", doc.text)
        if match:
            return str(doc.text[: match.start()] + f"{match[2]}'s {match[1]}" + doc.text[match.end() :])
        match = re.search(r"\b([A-Z][\w.]*(?: [A-Z][\w.]*){0,2})'s (\w+)(?=\?|$| in| was)", doc.text)
        return doc.text[: match.start()] + f"the {match[2]} of {match[1]}" + doc.text[match.end() :] if match else None

    def _polite(self, doc: Any) -> str:
        if self.rng.random() < 0.7:
            return str(f"{self.rng.choice(self._before)} " + doc.text[:1].lower() + doc.text[1:])
        return f"{plain(doc.text)} {self.rng.choice(self._behind)}?"

    def _short(self, doc: Any) -> str | None:
        """The words that carry the question, as typed into a search box."""
        kept = [t.lower_ for t in doc if not (t.pos_ in ("DET", "AUX", "PUNCT") and t.lower_ not in (*WH, "no"))]
        return " ".join(kept) if len(kept) > 2 and len(kept) < len(doc) - 1 else None

    def _typed(self, doc: Any) -> str | None:
        """With a slip of the finger."""
        words = [t for t in doc if len(t) > 4 and not t.ent_type_ and t.is_alpha]
        if not words:
            return None
        token, rng = self.rng.choice(words), self.rng
        at = rng.randrange(1, len(token) - 2)
        word = token.text
        slip = rng.choice(
            (
                word[:at] + word[at + 1 :],
                word[:at] + word[at + 1] + word[at] + word[at + 2 :],
                word[:at] + word[at : at + 1] + word[at:],
            )
        )
        return plain(doc[: token.i].text_with_ws + slip + token.whitespace_ + doc[token.i + 1 :].text)

    def replaced(self, doc: Any, token: Any, lemma: str) -> str | None:
        """The question with another word in the place of a token, inflected like it; None where that is not known."""
        head, _, more = lemma.partition(" ")
        word = self.form(head, token.tag_)
        if word is None:
            return None
        return str(doc[: token.i].text_with_ws + f"{word} {more}".strip() + token.whitespace_ + doc[token.i + 1 :].text)


def plain(text: str) -> str:
    """Without what ends a question."""
    return _END.sub("", text)


def low_words(text: str) -> str:
    """Its words in lower case."""
    return " ".join(re.findall(r"\w+", text.lower()))
