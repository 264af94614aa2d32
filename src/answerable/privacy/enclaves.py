"""The enclaves of a workspace: how each kind is made, and a table of them that is checked once.

Two things are said of an enclave, and they are not the same: `label` is what reading here makes private (the data),
`admits` is what a query sent here may carry (the host).

    public(name)    public data, somebody else's host     label {}      admits nothing private
    mirror(name)    public data, the user's own host      label {}      admits EVERYTHING
    private(name)   private data, the user's own host     label {name}  admits EVERYTHING
    private(name, admits=...)  private data elsewhere     label {name}  admits {name} and the words given

Levels after Bell and LaPadula (1976) need no other means: see `ladder`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from answerable.errors import EnclaveError
from answerable.types import EVERYTHING, PUBLIC, Asker, Enclave, Label

QUESTION = "question"
"""The word a label carries under query privacy: the asker's own question shaped this."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_RESERVED = frozenset({QUESTION, "all", "everything", "none"})


def public(name: str) -> Enclave:
    """Public data on somebody else's host: it is sent public queries only."""
    return Enclave(name, PUBLIC, PUBLIC)


def mirror(name: str) -> Enclave:
    """Public data on the user's own host: private queries may go there, and what is found stays as private as they.

    This is how the accuracy that privacy costs is bought back.
    """
    return Enclave(name, PUBLIC, EVERYTHING)


def private(name: str, admits: Iterable[str] | None = None) -> Enclave:
    """Private data: on the user's own host (admits EVERYTHING), or, with `admits`, on one that may be sent less.

    `admits` lists the private enclaves whose text may be sent here, besides its own. Add `QUESTION` where the host
    may be asked questions that are themselves private (`Privacy.QUERY`); without it they are refused.
    """
    return Enclave(name, frozenset({name}), EVERYTHING if admits is None else frozenset(admits) | {name})


def ladder(*names: str) -> tuple[Enclave, ...]:
    """Levels after Bell and LaPadula (1976), lowest first: nothing read on a level is sent to a lower one.

    `ladder("public", "internal", "secret")` gives

        name      label       admits
        public    {}          {}
        internal  {internal}  {internal, question}
        secret    {secret}    {internal, secret, question}

    An asker cleared up to internal has the clearance {"public", "internal"}: no read up. A query that quotes internal
    text may be sent to internal and secret, one that quotes secret text to secret only: no write down.
    """
    levels = [public(name) for name in names[:1]]
    for at, name in enumerate(names[1:], start=1):
        levels.append(Enclave(name, frozenset({name}), frozenset(names[1 : at + 1]) | {QUESTION}))
    return tuple(levels)


class EnclaveTable(Mapping[str, Enclave]):
    """The enclaves of a workspace by name, in the fixed order in which they are searched: public ones first.

    The order depends on names and labels only, never on a corpus. Raises EnclaveError when two enclaves share a name,
    a name is not allowed, a label or an admission names no private enclave here, or an enclave would not admit its
    own text.
    """

    __slots__ = ("_enclaves",)

    def __init__(self, enclaves: Iterable[Enclave] = ()) -> None:
        listed = list(enclaves)
        names = [enclave.name for enclave in listed]
        for name in names:
            _check_name(name)
            if names.count(name) > 1:
                raise EnclaveError(f"two enclaves are named {name!r}", hint="give each its own name")
        words: Label = PUBLIC.union(*(enclave.label for enclave in listed))
        for enclave in listed:
            _check_sets(enclave, frozenset(names), words)
        ordered = sorted(listed, key=lambda e: (len(e.label), sorted(e.label), e.name))
        self._enclaves = {enclave.name: enclave for enclave in ordered}

    def __getitem__(self, name: str) -> Enclave:
        return self._enclaves[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._enclaves)

    def __len__(self) -> int:
        return len(self._enclaves)

    def __repr__(self) -> str:
        return f"EnclaveTable({', '.join(self._enclaves)})"

    def find(self, name: str) -> Enclave:
        """The enclave of that name. Raises EnclaveError with the known names."""
        if name not in self._enclaves:
            raise EnclaveError(f"no enclave is named {name!r}", hint=self._known())
        return self._enclaves[name]

    def check_asker(self, asker: Asker) -> None:
        """Raise EnclaveError when an asker is cleared for an enclave, or carries a label, that does not exist here."""
        for name in sorted(asker.clearance or ()):
            if name not in self._enclaves:
                raise EnclaveError(
                    f"the asker {asker.name!r} is cleared for {name!r}, which is no enclave", hint=self._known()
                )
        known: Label = frozenset({QUESTION}).union(*(enclave.label for enclave in self.values()))
        for word in sorted(asker.label - known):
            raise EnclaveError(
                f"questions of {asker.name!r} carry {word!r}, which is no private enclave", hint=self._known()
            )

    def _known(self) -> str:
        return f"known: {', '.join(self._enclaves)}" if self._enclaves else "this workspace has no enclave yet"


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise EnclaveError(
            f"{name!r} cannot name an enclave",
            hint="use up to 64 of a-z, 0-9, '-' and '_', starting with a letter or a digit",
        )
    if name in _RESERVED:
        raise EnclaveError(f"{name!r} cannot name an enclave: the word is reserved", hint="choose another name")


def _check_sets(enclave: Enclave, names: Label, words: Label) -> None:
    """`names`: of all enclaves of the table; `words`: all that their labels carry."""
    for word in sorted(enclave.label - names):
        raise EnclaveError(f"the label of {enclave.name} carries {word!r}, which is no enclave", hint=_listed(names))
    if enclave.admits == EVERYTHING:
        return
    for word in sorted(enclave.admits - words - {QUESTION}):
        if word in EVERYTHING:
            raise EnclaveError(f"{enclave.name} admits everything and single words at once", hint="keep one of the two")
        raise EnclaveError(f"{enclave.name} admits {word!r}, which is no private enclave", hint=_listed(words))
    if not enclave.label <= enclave.admits:
        missing = ", ".join(sorted(enclave.label - enclave.admits))
        raise EnclaveError(f"{enclave.name} holds {missing} but does not admit it", hint="add it to what it admits")


def _listed(names: Label) -> str:
    return f"known: {', '.join(sorted(names)) or 'none'}"
