"""Who may ask over HTTP: each asker with what they may read, until when, and the digest of their token.

A token is 256 random bits, shown once and kept nowhere: of so many a plain SHA-256 gives nothing away. The file is for
its owner alone. An asker who was revoked stays in it, so that a workspace that once had askers never serves without.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from answerable.errors import UsageError
from answerable.privacy.small_files import SmallFile
from answerable.types import Asker
from answerable.workspace.settings import Settings

ASKERS = "askers.json"
"""Its name in the workspace."""
DAYS = 90
"""For which a token counts unless said otherwise."""
_NAME = re.compile(r"[\w.@-]{1,64}")


@dataclass(frozen=True, slots=True)
class Admitted:
    """One asker. `reads`: the enclaves they may read; None: as `answerable.toml` declares. `owner`: may read and change
    everything. `digest`: SHA-256 of the token, in hexadecimal."""

    name: str
    reads: tuple[str, ...] | None
    owner: bool
    digest: str
    until: datetime
    revoked: datetime | None

    def in_force(self, at: datetime) -> bool:
        """Whether the token counts at that moment."""
        return self.revoked is None and at < self.until

    def asker(self, settings: Settings) -> Asker:
        """Who asks, by the settings as they are; an enclave that is gone is left out of what they may read."""
        if self.owner:
            return Asker(self.name)
        declared = settings.askers.get(self.name, Asker(self.name, frozenset()))
        return declared if self.reads is None else Asker(self.name, frozenset(self.reads) & {*settings.table()})


class AskerFile(SmallFile[Admitted]):
    """Askers on disk, each by their last token. Every method raises as `SmallFile`."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, Admitted, "askers", "remove it, and add the askers anew: their tokens then end")

    def holder(self, token: bytes, at: datetime) -> Admitted | None:
        """Whose token this is, if it counts. Takes as long whichever is given: all are compared, in constant time."""
        return self.known(hashlib.sha256(token).hexdigest(), at)

    def known(self, digest: str, at: datetime) -> Admitted | None:
        """The same, by the token's digest."""
        held = None
        for one in self.all():
            if hmac.compare_digest(digest, one.digest):
                held = one
        return held if held and held.in_force(at) else None

    def add(
        self, settings: Settings, name: str, reads: Iterable[str] | None = None, owner: bool = False, days: int = DAYS
    ) -> tuple[Admitted, str]:
        """An asker, and their token, which is kept nowhere.

        Raises `UsageError` for a name that is none or has a token that counts, `EnclaveError` for an enclave that is
        not there.
        """
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name!r} cannot be an asker's name", hint="up to 64 letters, digits and . _ - @")
        names, declared = None if reads is None else tuple(dict.fromkeys(reads)), name in settings.askers
        if owner and (names is not None or declared):
            raise UsageError(f"an owner may read everything, and {name} something else", hint="leave one of them out")
        if not owner and (names is None) != declared:
            hint = "leave out --reads" if declared else "--reads ENCLAVE,... says it; or --owner"
            raise UsageError(f"what {name} may read is {'declared already' if declared else 'not said'}", hint=hint)
        for one in names or ():
            settings.table().find(one)
        now, token = datetime.now(UTC), secrets.token_urlsafe(32)
        digest = hashlib.sha256(token.encode("ascii")).hexdigest()
        made = Admitted(name, names, owner, digest, now + timedelta(days=days), None)
        with self.changing() as held:
            known = [one.name for one in held]
            at = known.index(name) if name in known else len(held)
            if any(one.in_force(now) for one in held[at : at + 1]):
                raise UsageError(f"{name} has a token", hint=f"answerable askers revoke {name} takes it back")
            held[at : at + 1] = [made]
        return made, token

    def revoke(self, name: str) -> Admitted:
        """Take a token back, at once and for good. Raises `UsageError` for a name that no asker has."""
        with self.changing() as held:
            known = [one.name for one in held]
            if name not in known:
                raise UsageError(f"no asker is named {name!r}", hint=f"known: {', '.join(known) or 'none'}")
            one = held[at := known.index(name)]
            held[at] = replace(one, revoked=one.revoked or datetime.now(UTC))
            return held[at]
