"""What may be granted: new grants, checked against the enclaves, so that none is given that would do nothing."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from answerable.errors import EnclaveError, UsageError
from answerable.privacy.enclaves import QUESTION, EnclaveTable
from answerable.privacy.flow import decide, first_query, readable
from answerable.privacy.grants import Grant, for_question, standing
from answerable.types import EVERYTHING, PUBLIC, Asker, Enclave, Label, Privacy


def new_rule(
    table: EnclaveTable,
    asker: Asker,
    lifts: Iterable[str],
    to: str,
    given: datetime,
    until: datetime | None = None,
    reason: str = "",
) -> Grant:
    """A standing grant: until then, what this asker's queries carry of `lifts` may be sent to the enclave `to`.

    Raises `EnclaveError` for names that are not declared, and `UsageError` for a grant that would change nothing.
    """
    enclave, words = _reachable(table, asker, to), _known(table, lifts)
    if enclave.admits == EVERYTHING or (words and words <= enclave.admits):
        what = "everything" if enclave.admits == EVERYTHING else ", ".join(sorted(words))
        raise UsageError(f"{to} admits {what} already", hint="no grant is needed")
    return standing(asker, words, to, given, until, reason)


def new_leave(
    table: EnclaveTable,
    asker: Asker,
    privacy: Privacy,
    to: str,
    at: datetime,
    lifts: Iterable[str] = (),
    text: str | None = None,
) -> Grant:
    """A grant for the question asked at that moment: it may be sent to `to`, with what is read of `lifts`.

    With `text`, that part of it alone. Raises as `new_rule` does: a question that may go there anyway needs none.
    """
    enclave, words = _reachable(table, asker, to), _known(table, lifts)
    admitted = decide(first_query("", asker, privacy, table), enclave, privacy).allowed
    if privacy is Privacy.NONE or enclave.admits == EVERYTHING or (admitted and words <= enclave.admits):
        private = ", ".join(one.name for one in table.values() if not one.label <= enclave.admits) or "NAME"
        hint = "leave it out"
        if admitted and enclave.admits != EVERYTHING and privacy is not Privacy.NONE and text is None:
            hint = f"{to}={private} would also let it be sent what is read there"
        raise UsageError(f"{to} may be sent this question without a grant", hint=hint)
    return for_question(asker, to, at, words, text)


def _reachable(table: EnclaveTable, asker: Asker, to: str) -> Enclave:
    """The enclave a grant leads to, which its asker must be cleared for."""
    enclave = table.find(to)
    table.check_asker(asker)
    reading = readable(asker, enclave)
    if not reading.allowed:
        raise UsageError(reading.reason, hint="a grant lets more be sent, never more be read")
    return enclave


def _known(table: EnclaveTable, words: Iterable[str]) -> Label:
    """Words that a query may carry here."""
    known = PUBLIC.union({QUESTION}, *(enclave.label for enclave in table.values()))
    lifted = frozenset(words)
    for word in sorted(lifted - known):
        raise EnclaveError(f"{word!r} is no private enclave", hint=f"known: {', '.join(sorted(known))}")
    return lifted
