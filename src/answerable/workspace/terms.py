"""On which terms something is asked of a workspace: names, numbers and grants as they were given, now checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypedDict, Unpack

from answerable.chains.following import Said
from answerable.corpora.fields import UNFILTERED, Filter
from answerable.engine import OWNER, Terms
from answerable.errors import UsageError
from answerable.privacy.granting import new_leave
from answerable.privacy.grants import Grant
from answerable.retriever import Watch
from answerable.text import checked_question
from answerable.types import Answer, Asker, Privacy
from answerable.workspace.declarations import FILE_NAME
from answerable.workspace.settings import Settings, checked


def asker_of(settings: Settings, asker: Asker | str | None) -> Asker:
    """A declared asker by name; without a name the owner, who may read everything. Raises `UsageError` when unknown."""
    if isinstance(asker, Asker):
        return asker
    if asker is None:
        return OWNER
    if asker not in settings.askers:
        known = ", ".join(settings.askers) or f"none; declare one with [askers.{asker}] in {FILE_NAME}"
        raise UsageError(f"no asker is named {asker!r}", hint=f"known: {known}")
    return settings.askers[asker]


class Asking(TypedDict, total=False):
    """On which terms something is asked; what is not given is as in the settings.

    `grant`: enclaves that this question may go to though they do not admit it, each with the private enclaves whose
    text may go there too: `{"wiki": ()}` or `{"wiki": ["mail"]}`. `parts`: texts to send in place of the question, each
    with the enclave it may go to: `[("wiki", "Bell Rock")]`. `filter`: read only what fits, such as
    `Filter(sender="Kim", after="May 2001", enclaves="mail")`. `watch` is told of each hop as it is made; what it raises
    ends the ask. `risk`: how large a share of the answers given may be wrong. `said`: what was said before in a
    conversation (`Workspace.chat` sees to it).
    """

    privacy: Privacy | str | None
    hops: int | None
    k: int | None
    grant: Mapping[str, Iterable[str]] | None
    parts: Sequence[tuple[str, str]]
    filter: Filter | None
    watch: Watch | None
    risk: float | None
    said: Sequence[Said]


def terms_of(
    settings: Settings, standing: Sequence[Grant], asker: Asker | str | None = None, **asking: Unpack[Asking]
) -> tuple[Terms, tuple[Grant, ...]]:
    """The terms of one ask that begins now, and the grants among them that are given for it alone.

    `standing`: those that count besides. Raises `UsageError` for a number, a name or a grant that cannot be used, and
    `TypeError` for an argument that there is none of.
    """
    if unknown := asking.keys() - Asking.__annotations__.keys():
        raise TypeError(f"an ask takes no {', '.join(sorted(unknown))}")
    given: dict[str, Any] = {"ask.privacy": asking.get("privacy"), "ask.risk": asking.get("risk")}
    given |= {"beam.hops": asking.get("hops"), "beam.k": asking.get("k")}
    mode, share, most, width = (None if value is None else checked(path, value) for path, value in given.items())
    who, at = asker_of(settings, asker), datetime.now(UTC)
    under, table = mode or settings.ask.privacy, settings.hosts()
    own = [new_leave(table, who, under, to, at, lifts) for to, lifts in (asking.get("grant") or {}).items()]
    own += [new_leave(table, who, under, to, at, (), checked_question(text)) for to, text in asking.get("parts", ())]
    texts = tuple(one.text for one in own if one.text)
    wanted, said = asking.get("filter") or UNFILTERED, tuple(asking.get("said", ()))
    for name in wanted.enclaves:
        settings.table().find(name)
    terms = Terms(who, mode, (*own, *standing), at, most, width, texts, filter=wanted, said=said)
    return replace(terms, watch=asking.get("watch"), risk=share), tuple(own)


def with_problems(answer: Answer, terms: Terms, problems: Mapping[str, str], unfinished: Iterable[str] = ()) -> Answer:
    """An answer, or the reason why there is none, with what is wrong with the enclaves that are wanted and may be read.

    `problems` by name: one that could not be searched might have given another answer. `unfinished`: those of which
    not every passage has a vector.
    """
    cleared, wanted = terms.asker.clearance, terms.filter.enclaves

    def theirs(names: Iterable[str]) -> list[str]:
        return [one for one in names if (cleared is None or one in cleared) and (not wanted or one in wanted)]

    told = [problems[one] for one in theirs(problems)]
    if behind := theirs(unfinished):
        note = f"vectors of {', '.join(behind)} are still to be made: what has none was searched by words alone"
        answer = replace(answer, notes=(*answer.notes, note))
    if answer.text is not None:
        return replace(answer, unreachable=(*answer.unreachable, *told))
    return replace(answer, reason="; ".join([str(answer.reason), *told]))
