"""What the fields of mail and chat say of an expression, enclave by enclave: what belongs, and what is left to search.

An enclave is asked for its fields as it is for anything else: through the door, with a query that says which, and
only where that may go. What is said of its documents depends on it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

from answerable.corpora.fields import FieldRow, Filter
from answerable.indexes.fitting import ByFields, Listed
from answerable.indexes.sources import SearchableEnclave
from answerable.retriever import Retriever, RetrieverSettings
from answerable.sets.by_fields import Known, known, settled
from answerable.sets.expression import Expression, asked_for
from answerable.sets.find_settings import FindSettings
from answerable.types import Hop, Label, Query, Skill

_EVERY = 10**9
"""Passages that are listed, at most."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What the fields of the enclaves of one label say.

    `known`: of each in which they answer a constraint. `left`: its documents of which they do not say all.
    """

    hops: tuple[Hop, ...] = ()
    known: Mapping[str, Known] = field(default_factory=dict)
    left: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def doors(self, door: Retriever) -> list[tuple[frozenset[str], Retriever]]:
        """Constraints that fields answer, and a door to what is left of the enclaves in which they answer just those.

        An enclave of which nothing is left is behind none.
        """
        groups: dict[frozenset[str], dict[str, SearchableEnclave | None]] = {}
        for name in door.enclaves:
            index, own = door.indexes.get(name), self.known.get(name)
            rest = [one for one in (*own.days, *own.others) if one in self.left[name]] if own else ()
            if own is None:
                groups.setdefault(frozenset(), {})[name] = index
            elif rest and isinstance(index, Listed):
                whole = len(rest) == len(own.days) + len(own.others)
                groups.setdefault(frozenset(own.fits), {})[name] = index if whole else index.among(rest)
        return [
            (answered, replace(door.view(frozenset(own)), indexes={name: one for name, one in own.items() if one}))
            for answered, own in groups.items()
        ]


def listed(
    query: Query,
    expression: Expression,
    wanted: Mapping[str, Filter],
    door: Retriever,
    label: Label | None,
    settings: FindSettings,
) -> Listing:
    """What is said by the fields of every enclave in which the query would give that label, if it may go there.

    The hits of its hops are the first passages of the mails and messages that belong, all of them, then of those of
    which other constraints decide and of those that belong but for what is taken away, as many as `settings` say; the
    newest first.
    """
    found: dict[str, Known] = {}
    left: dict[str, frozenset[str]] = {}
    plain = asked_for(expression)

    def choose(name: str, rows: Sequence[FieldRow]) -> list[str]:
        own = known(wanted, rows)
        never = settled(expression, dict.fromkeys(own.never, False)) is False
        if not own.fits and not (never and own.others):
            return []
        others = () if never else own.others

        @cache
        def verdict(*fits: bool) -> tuple[bool | None, bool | None]:
            said = dict(zip(own.fits, fits, strict=True))
            return settled(expression, said), settled(plain, said)

        verdicts = {document: verdict(*own.of(document).values()) for document in own.days}
        open_ = [document for document, (belongs, _) in verdicts.items() if belongs is None]
        found[name], left[name] = own, frozenset((*open_, *others))
        belonging = [document for document, (belongs, _) in verdicts.items() if belongs]
        taken = [document for document, said in verdicts.items() if said == (False, True)]
        return [*belonging, *open_[: settings.candidates], *taken[: settings.left_out]]

    said = replace(query, text="; ".join(dict.fromkeys(map(str, wanted.values()))))
    return Listing(tuple(lister(door, choose).search(said, Skill.SINGLE, _EVERY, into=label)), found, left)


def lister(
    door: Retriever,
    choose: Callable[[str, Sequence[FieldRow]], list[str]],
    of: Callable[[Listed], Listed] | None = None,
) -> Retriever:
    """A door at which a search lists what is chosen of each enclave that tells its fields, by its name and these; or
    what is chosen `of` some part of it."""
    indexes: dict[str, SearchableEnclave] = {
        name: ByFields(of(index) if of else index, partial(choose, name))
        for name, index in door.indexes.items()
        if isinstance(index, Listed)
    }
    return replace(door.view(frozenset(indexes)), indexes=indexes, modes={}, settings=RetrieverSettings("lexical"))
