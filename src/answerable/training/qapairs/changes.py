"""Questions turned into others that look alike: another name, number or role, the opposite, a part for the whole."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from answerable.training.qapairs.turns import WH, Turner, groups, low_words, plain, section

NAMES = (
    "PERSON",
    "GPE",
    "ORG",
    "NORP",
    "LOC",
    "FAC",
    "EVENT",
    "WORK_OF_ART",
    "PRODUCT",
    "DATE",
    "CARDINAL",
    "LANGUAGE",
)


class Changer(Turner):
    """A turner that also changes what is asked."""

    def __init__(self, parsed: Iterable[Any], rng: random.Random) -> None:
        super().__init__(parsed, rng)
        self._where, self._parts, self._pieces = (section(name) for name in ("within", "parts", "pieces"))
        self._other: dict[str, list[str]] = defaultdict(list)
        for line in groups("other"):
            for side in line:
                for word in side:
                    self._other[word] += [one for rest in line if rest is not side for one in rest]
        self._changes: tuple[Callable[[Any], str | None], ...] = (
            self._other_name,
            self._other_name,
            self._other_number,
            self._opposite,
            self._opposite,
            self._opposite,
            self._negated,
            self._negated,
            self._swapped,
            self._swapped,
            self._swapped,
            self._other_wh,
            self._part,
            self._within,
            self._dropped,
            self._piece,
        )

    def changed(self, doc: Any) -> tuple[str, str] | None:
        """Another question that looks like it, and how it differs."""
        for way in self.rng.sample(self._changes, len(self._changes)):
            found = way(doc)
            if found and low_words(found) != low_words(doc.text):
                return found, way.__name__.strip("_")
        return None

    def _other_name(self, doc: Any) -> str | None:
        able = [name for name in doc.ents if name.label_ in NAMES and name.text.lower() not in WH]
        if not able:
            return None
        name, rng = self.rng.choice(able), self.rng
        pool = self.names[name.label_]
        some = [rng.choice(pool) for _ in range(60)]
        last = name.text.split()[-1].lower()
        near = [one for one in some if last in one.lower().split() and last not in one.lower().split()[:1]]
        other = rng.choice(near if near and rng.random() < 0.5 else some)
        if set(low_words(other).split()) <= set(low_words(name.text).split()) or low_words(name.text) in low_words(
            other
        ):
            return None
        return str(doc.text[: name.start_char] + other + doc.text[name.end_char :])

    def _other_number(self, doc: Any) -> str | None:
        found = list(re.finditer(r"\d+", doc.text))
        if not found:
            return None
        match, rng = self.rng.choice(found), self.rng
        step = rng.choice((1, 2, 3, 5, 10, 20, 100))
        number = int(match[0]) + step * rng.choice((-1, 1))
        return str(doc.text[: match.start()] + str(max(0, number)) + doc.text[match.end() :])

    def _opposite(self, doc: Any) -> str | None:
        able = [t for t in doc if t.lower_ in self._other or t.lemma_.lower() in self._other]
        if not able:
            return None
        token = self.rng.choice(able)
        if token.lower_ in self._other:
            other = self.rng.choice(self._other[token.lower_])
            return str(doc[: token.i].text_with_ws + other + token.whitespace_ + doc[token.i + 1 :].text)
        return self.replaced(doc, token, self.rng.choice(self._other[token.lemma_.lower()]))

    def _negated(self, doc: Any) -> str | None:
        root, rng = doc[:].root, self.rng
        aux = next(
            (
                t
                for t in doc
                if t.tag_ in ("MD", "VBD", "VBZ", "VBP") and t.pos_ == "AUX" and t.head in (root, t.head.head)
            ),
            None,
        )
        if any(t.dep_ == "neg" for t in doc):
            return " ".join(t.text for t in doc if t.dep_ != "neg")
        if doc[0].dep_ in ("nsubj", "det") and root.tag_ in ("VBD", "VBZ", "VBP") and root.pos_ == "VERB":
            did = {"VBD": "did", "VBZ": "does", "VBP": "do"}[root.tag_]
            no = rng.choice(
                (
                    f"{did} not {root.lemma_}",
                    f"{did}n't {root.lemma_}",
                    f"never {root.text}",
                    f"failed to {root.lemma_}",
                    f"refused to {root.lemma_}",
                )
            )
            return str(doc[: root.i].text_with_ws + no + " " + doc[root.i + 1 :].text)
        if aux is None:
            return None
        no = (
            rng.choice((f"{aux.text} not", f"{aux.text}n't", f"{aux.text} never"))
            if aux.lower_ not in ("can", "will")
            else f"{aux.text} not"
        )
        subject = next((t for t in aux.head.children if t.dep_.startswith("nsubj") and t.i > aux.i), None)
        if subject is not None and not no.endswith("n't"):
            end = subject.right_edge.i + 1
            return str(doc[:end].text + " " + no.split()[-1] + " " + doc[end:].text)
        return str(doc[: aux.i].text_with_ws + no + " " + doc[aux.i + 1 :].text)

    def _swapped(self, doc: Any) -> str | None:
        """Who did it to whom turned around, or two things put in each other's place."""
        root, rng = doc[:].root, self.rng
        rest = plain(doc[root.i + 1 :].text)
        if root.tag_ == "VBD" and root.i == 1 and doc[0].lower_ in ("who", "what") and root.pos_ == "VERB":
            object_ = next((t for t in root.children if t.dep_ == "dobj"), None)
            if object_ is not None and rng.random() < 0.8:
                end = object_.right_edge.i + 1
                thing, tail = doc[object_.left_edge.i : end].text, plain(doc[end:].text)
                who = rng.choice(("Who", "Whom")) if doc[0].lower_ == "who" else "What"
                return f"{who} did {thing} {root.lemma_} {tail}?"
        if doc[0].lower_ in ("who", "whom", "what") and len(doc) > 3 and doc[1].lower_ == "did" and root.tag_ == "VB":
            done = self.form(root.lemma_.lower(), "VBD")
            if done and root.i > 2 and rng.random() < 0.8:
                return f"{'Who' if doc[0].lower_ == 'whom' else doc[0].text} {done} {doc[2 : root.i].text} {rest}?"
        chunks = [c for c in doc.noun_chunks if c.root.lower_ not in WH and c[0].lower_ not in WH]
        ties = {"and", "or", "with", "between"}
        pairs = [
            (a, b)
            for a, b in pairwise(chunks)
            if not ties & {t.lower_ for t in doc[a.end : b.start]} and a.root.pos_ == b.root.pos_
        ]
        if not pairs:
            return None
        one, two = rng.choice(pairs)
        return str(
            doc[: one.start].text_with_ws
            + two.text
            + " "
            + doc[one.end : two.start].text_with_ws
            + one.text
            + " "
            + doc[two.end :].text
        )

    def _other_wh(self, doc: Any) -> str | None:
        low, rng = doc.text.lower(), self.rng
        for word, others in (
            ("how many", ("how much", "which", "how often", "what kind of")),
            ("how long", ("when", "how often", "how far", "why")),
            ("how much", ("how often", "how many", "when")),
            ("how old", ("how tall", "how big")),
            ("what year", ("what place", "what month", "what country")),
            ("when", ("where", "why", "how", "how often", "by whom")),
            ("where", ("when", "why", "how", "with whom")),
            ("why", ("when", "where", "how", "how often")),
            ("how", ("when", "why", "where")),
            ("who", ("what", "when", "where", "how many")),
            ("in what country", ("in what year", "in what city")),
        ):
            if low.startswith(word + " "):
                return str(rng.choice(others) + low[len(word) :])
        return None

    def _part(self, doc: Any) -> str | None:
        able = (
            [t for t in doc[:-1] if t.lower_ == "the" and t.i > 1 and t.nbor().pos_ in ("NOUN", "ADJ")]
            if len(doc) > 4
            else []
        )
        if not able:
            return None
        token = self.rng.choice(able)
        return str(doc[: token.i + 1].text_with_ws + self.rng.choice(self._parts) + " " + doc[token.i + 1 :].text)

    def _piece(self, doc: Any) -> str | None:
        """Of a thing's part, or of what belongs to it."""
        able = [name for name in doc.ents if name.label_ not in ("DATE", "CARDINAL", "ORDINAL") and name.start > 0]
        if not able:
            return None
        name = self.rng.choice(able)
        start = name.start - (doc[name.start - 1].lower_ == "the")
        return str(doc[:start].text_with_ws + f"the {self.rng.choice(self._pieces)} of " + doc[start:].text)

    def _within(self, doc: Any) -> str:
        rng = self.rng
        names = {key: rng.choice(self.names[kind] or ["it"]) for key, kind in (("place", "GPE"), ("person", "PERSON"))}
        where = rng.choice(self._where).format(year=rng.randrange(1700, 2024), **names)
        return f"{plain(doc.text)} {where}?"

    def _dropped(self, doc: Any) -> str | None:
        """Without the time or place that it asks for."""
        able = [
            t
            for t in doc
            if t.dep_ == "prep" and t.i > 2 and any(d.ent_type_ in ("DATE", "GPE", "LOC") for d in t.subtree)
        ]
        able = [
            t
            for t in able
            if t.lower_ in ("in", "on", "during", "before", "after", "at", "since") and len(list(t.subtree)) < 6
        ]
        if not able:
            return None
        gone = {t.i for t in self.rng.choice(able).subtree}
        return "".join(t.text_with_ws for t in doc if t.i not in gone).strip()
