"""Grants: leave to send what an enclave would not admit, given by the user for a while and taken back at will.

The third rule of Bell and LaPadula (1976): discretionary access, granted and revoked (Arora et al. 2023, section 3.1).
A grant changes no label and no enclave. It lets an enclave be sent queries that carry the words it lifts, and that is
all: what is found stays as private as the query, and nobody reads more. `privacy.flow` alone says what a grant allows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from answerable.errors import UsageError
from answerable.privacy.enclaves import QUESTION
from answerable.types import PUBLIC, Asker, Label, Privacy

STANDING = timedelta(days=1)
"""How long a standing grant lasts when nothing else is said."""
ONE_ASK = timedelta(seconds=1)
"""An ask looks at the clock once, when it begins: a grant for one question need be in force at that moment only."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Leave for queries of one asker to go to the enclave `to` though they carry words of `lifts`.

    `before_reading`: words that are lifted from queries which quote nothing yet: the question as it was typed. `text`:
    the only text it covers, quoting nothing; None: any. Times know their zone; the grant holds from `given` until just
    before `until`, and never again once it is revoked.
    """

    id: str
    asker: str
    lifts: Label
    to: str
    given: datetime
    until: datetime
    reason: str = ""
    before_reading: Label = PUBLIC
    revoked: datetime | None = None
    text: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Raises `ValueError` for a time without its zone."""
        if any(one is not None and one.tzinfo is None for one in (self.given, self.until, self.revoked)):
            raise ValueError("not a moment with its zone")

    def in_force(self, at: datetime | None) -> bool:
        """Whether it holds at that moment; at no moment given, never."""
        return at is not None and self.revoked is None and self.given <= at < self.until

    def withdrawn(self, at: datetime) -> Grant:
        """The same grant, revoked; a grant that was revoked before keeps that time."""
        return replace(self, revoked=self.revoked or at)


@dataclass(frozen=True, slots=True)
class AskedBy:
    """Who asks, under which privacy (None: as the door has it), and what they let be sent besides, at a moment."""

    asker: Asker = Asker()
    privacy: Privacy | None = None
    grants: tuple[Grant, ...] = ()
    at: datetime | None = None


def standing(
    asker: Asker, lifts: Iterable[str], to: str, given: datetime, until: datetime | None = None, reason: str = ""
) -> Grant:
    """A rule that holds for every question until a moment (None: for a day), with an id made from what it says.

    Raises `UsageError` when it lifts nothing or is over before it begins.
    """
    until = given + STANDING if until is None else until
    words = frozenset(lifts)
    if not words:
        raise UsageError("the grant lifts nothing", hint="name the private enclave whose text may be sent")
    if until <= given:
        raise UsageError(f"the grant would end on {until:%Y-%m-%d %H:%M}, which is past", hint="name a later date")
    return _named("g", Grant("", asker.name, words, to, _utc(given), _utc(until), reason))


def for_question(asker: Asker, to: str, at: datetime, lifts: Iterable[str] = (), text: str | None = None) -> Grant:
    """Leave for one question, as typed, to go where it would not be admitted; and with `lifts`, what is read there.

    With `text` it covers that text alone, a part of the question, and neither the rest of it nor anything read.
    It lifts `QUESTION` at every hop. The words of the asker's own label it lifts only until something was read: from
    then on nobody can tell them from what reading has added, so that a private find could choose what is sent.
    """
    lifted = frozenset(lifts)
    return _named(
        "q", Grant("", asker.name, lifted | {QUESTION}, to, _utc(at), _utc(at + ONE_ASK), "", asker.label, None, text)
    )


def grant_record(grant: Grant) -> dict[str, Any]:
    """The grant as JSON: `lifts` sorted, times as ISO 8601 in UTC. Its text is left out: no such grant is kept."""
    return {
        "id": grant.id,
        "asker": grant.asker,
        "lifts": sorted(grant.lifts),
        "before_reading": sorted(grant.before_reading),
        "to": grant.to,
        "given": grant.given.isoformat(),
        "until": grant.until.isoformat(),
        "reason": grant.reason,
        "revoked": grant.revoked and grant.revoked.isoformat(),
    }


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _named(kind: str, grant: Grant) -> Grant:
    """With an id that nothing else has which was ever granted: six hexadecimal digits of all it says."""
    told = json.dumps([grant_record(grant), grant.text], sort_keys=True)
    return replace(grant, id=kind + sha256(told.encode()).hexdigest()[:6])
