"""The last or the first mails of somebody, where that is all a question asks for: "what did Kim write last?"

Such a question shares no word with the mail that it asks for. Who sent it to whom, and when, is in the fields.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from answerable.corpora.fields import BETWEEN_PEOPLE, FieldRow, Filter
from answerable.languages import STOP_WORDS
from answerable.retriever import Retriever
from answerable.sets.by_fields import NOUNS, PARTICIPLES
from answerable.sets.listing import lister
from answerable.sets.parsing.words import GENERIC
from answerable.types import Hop, Query, Skill

_WORD = re.compile(r"[\w-]+")
_NEWEST = frozenset("last latest newest recent recently lately".split())
_OLDEST = frozenset("first earliest oldest".split())
_TELLING = frozenset((*PARTICIPLES, *"write wrote say said tell told ask asked send hear heard reply replied".split()))


def asked_of(question: str) -> tuple[Filter, bool] | None:
    """Whose mails a question asks for by nothing but their time, and whether the newest; None where it says more.

    Whoever is named first is the sender, and then the recipient, unless "to", "from" or "by" says otherwise.
    """
    said = _WORD.findall(question.lower())
    ends = {word in _NEWEST for word in said if word in _NEWEST | _OLDEST}
    mail = any(map(NOUNS.get, said))
    if len(ends) != 1 or not (mail or not _TELLING.isdisjoint(said) or any(map(_little, said))):
        return None
    people: dict[str, tuple[str, ...]] = {}
    before = ""
    for nobody, run in groupby(said, lambda word: word in STOP_WORDS | _NEWEST | _OLDEST | _TELLING or _little(word)):
        named = " ".join(run)
        if not nobody:
            role = {"to": "to", "from": "sender", "by": "sender"}.get(before, "to" if "sender" in people else "sender")
            if role in people:
                return None
            people[role] = (f'"{named}"',)
        before = named.rpartition(" ")[2]
    wanted = Filter(sender=people.get("sender", ()), to=people.get("to", ()), kinds=BETWEEN_PEOPLE)
    return (wanted, ends == {True}) if people or mail else None


def latest(query: Query, door: Retriever, k: int) -> tuple[Hop, ...]:
    """The first k mails that a question asks for of each enclave which it may go to; nothing where none fits."""
    asked = asked_of(query.text)
    if asked is None:
        return ()
    wanted, newest = asked
    begun = replace(wanted, sender=_open(wanted.sender), to=_open(wanted.to))  # "kim" of a Kimberly

    def choose(_: str, rows: Sequence[FieldRow]) -> list[str]:
        fit = set(wanted.fitting(rows) or begun.fitting(rows) or () if wanted.answered(rows) else ())
        found = sorted((row for row in rows if row[0] in fit and row[4]), key=lambda row: row[4])
        return [row[0] for row in (reversed(found) if newest else found)]

    order = f"the {'last' if newest else 'first'} mail {wanted}"
    return tuple(lister(door, choose).search(replace(query, text=order), Skill.SINGLE, k))


def _little(word: str) -> bool:
    return word in NOUNS or word in GENERIC or f"{word}s" in GENERIC


def _open(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names without quotation marks: their words may be the beginnings of longer ones."""
    return tuple(name.strip('"') for name in names)
