"""The last or the first mails of somebody or about something, where that is all a question asks for: "what did Kim
write last?", "latest mail about the boiler".

Such a question shares few words with the mail that it asks for. Who sent it to whom, and when, is in the fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, pairwise

from answerable.corpora.fields import BETWEEN_PEOPLE, FieldRow, Filter
from answerable.indexes.fitting import Listed
from answerable.indexes.sources import SearchableEnclave
from answerable.languages import STOP_WORDS
from answerable.retriever import Retriever
from answerable.sets.by_fields import ABOUT, NOUNS, PARTICIPLES
from answerable.sets.listing import lister
from answerable.sets.parsing.words import GENERIC
from answerable.text import content
from answerable.types import Hop, Passage, Query, Skill

_WORD = re.compile(r"[\w-]+")
_NEWEST = frozenset("last latest newest recent recently lately".split())
_NEWS = _NEWEST | {"news"}
_OLDEST = frozenset("first earliest oldest".split())
_TELLING = frozenset((*PARTICIPLES, *"write wrote say said tell told ask asked send hear heard reply replied".split()))

_SAYING = STOP_WORDS | _NEWS | _OLDEST | _TELLING | {*ABOUT}
"""What names neither people nor what mails are about."""
_MOST = 1_000
"""Passages with words of what mails are about that are looked through."""


def asked_of(question: str) -> tuple[Filter, str, bool] | None:
    """Whose mails a question asks for by nothing but their time and what they are about, that, and whether the newest;
    None where it says more.

    Whoever is named first is the sender, and then the recipient, unless "to", "from" or "by" says otherwise. What
    stands behind "about" is nobody.
    """
    said = _WORD.findall(question.lower())
    ends = {word in _NEWEST for word in said if word in _NEWEST | _OLDEST}
    mail = any(map(NOUNS.get, said)) or any(a in _NEWS and b in ABOUT for a, b in pairwise(said))
    if len(ends) != 1 or not (mail or not _TELLING.isdisjoint(said) or any(map(_little, said))):
        return None
    people: dict[str, tuple[str, ...]] = {}
    about, between = list[str](), [""]
    for nobody, run in groupby(said, lambda word: word in _SAYING or _little(word)):
        words = [*run]
        if nobody:
            between = words
            continue
        role = {"to": "to", "from": "sender", "by": "sender"}.get(between[-1])
        if role is None and (about or not {*ABOUT}.isdisjoint(between)):
            about += words
            continue
        role = role or ("to" if "sender" in people else "sender")
        if role in people:
            return None
        people[role] = (f'"{" ".join(words)}"',)
    wanted = Filter(sender=people.get("sender", ()), to=people.get("to", ()), kinds=BETWEEN_PEOPLE)
    newest = ends == {True}  # who first wrote of something need not be in mail
    return (wanted, " ".join(about), newest) if people or mail or (about and newest) else None


def latest(query: Query, door: Retriever, k: int) -> tuple[Hop, ...]:
    """The first k mails that a question asks for of each enclave which it may go to; nothing where none fits."""
    asked = asked_of(query.text)
    if asked is None:
        return ()
    wanted, about, newest = asked
    begun = replace(wanted, sender=_open(wanted.sender), to=_open(wanted.to))  # "kim" of a Kimberly

    def fitting(rows: Sequence[FieldRow]) -> frozenset[str]:
        return frozenset(wanted.fitting(rows) or begun.fitting(rows) or () if wanted.answered(rows) else ())

    def choose(_: str, rows: Sequence[FieldRow]) -> list[str]:
        fit = fitting(rows)
        found = sorted((row for row in rows if row[0] in fit and row[4]), key=lambda row: row[4])
        return [row[0] for row in (reversed(found) if newest else found)]

    order = f"the {'last' if newest else 'first'} mail {wanted}{f' about {about}' if about else ''}"
    listed = lister(door, choose, partial(_Telling, about=about, fitting=fitting) if about else None)
    return tuple(listed.search(replace(query, text=order), Skill.SINGLE, k))


@dataclass(slots=True)
class _Telling:
    """Of what fits in an enclave the documents that say all words of what they are `about`, for one ask; of each the
    passage with most of them."""

    whole: Listed
    about: str
    fitting: Callable[[Sequence[FieldRow]], frozenset[str]]
    found: dict[str, Passage] = field(default_factory=dict)

    def fields(self) -> Sequence[FieldRow]:
        """As `Listed.fields`."""
        rows = self.whole.fields()
        part, wanted = self.among([*self.fitting(rows)]), content(self.about)
        for passage in part.passages([id for id, _ in part.search(self.about, None, "lexical", _MOST)]):
            if wanted <= content(f"{passage.title} {passage.text}"):
                self.found.setdefault(passage.document_id, passage)
        return [row for row in rows if row[0] in self.found]

    def openings(self, documents: Sequence[str]) -> Mapping[str, Passage]:
        """As `Listed.openings`, but for what they say."""
        return {id: self.found[id] for id in documents}

    def among(self, documents: Sequence[str]) -> SearchableEnclave:
        """As `Listed.among`."""
        return self.whole.among(documents)


def _little(word: str) -> bool:
    return word in NOUNS or word in GENERIC or f"{word}s" in GENERIC


def _open(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names without quotation marks: their words may be the beginnings of longer ones."""
    return tuple(name.strip('"') for name in names)
