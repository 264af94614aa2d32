"""Four ways to run the beam that leak: positive controls, which show that the two-run test can fail.

mask      search every enclave with every query, drop forbidden chains afterwards
joint     refuse forbidden searches, but let all chains compete in one beam
keep old  a beam per label, but go on with the old chains when nothing grew
late      the shipped beam, but passages are fetched only once a private query has been refused
enough    a gate and a beam per label, but stop once a chain holds most of the question's words, wherever they were read

`broken_sessions` has those that show over several asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from answerable.chains.beam import BeamSettings, gather
from answerable.retriever import Retriever
from answerable.types import Chain, Evidence, Hop, Label, Privacy, Query, Skill


def mask(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    """No gate; the chains that went from private to public are dropped at the end."""
    found = _loop(query, retriever.under(Privacy.NONE), settings, per_label=False, keep_old=False)
    return Evidence(tuple(chain for chain in found.chains if not _steps_down(chain)), found.hops)


def joint(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    """A gate and one beam: private hits crowd out public ones, whose next queries the public enclave then misses."""
    return _loop(query, retriever, settings, per_label=False, keep_old=False)


def keep_old(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    """A gate and a beam per label: repeated queries tell that nothing was found elsewhere."""
    return _loop(query, retriever, settings, per_label=True, keep_old=True)


def late(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    """Nothing private is sent; yet that passages are fetched at all tells that something private was found."""
    door = retriever.remembering()
    found = gather(query, door, replace(settings, ahead=0))
    wanted = any(hop.query.because and hop.reason == hop.refused for hop in found.hops)
    fetched = door.search(query, Skill.SINGLE, settings.k, ahead=max(1, settings.ahead)) if wanted else []
    return Evidence(found.chains, (*found.hops, *fetched))


def enough(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    """A gate and a beam per label: a public search that does not come tells that a private one has found the answer."""
    return _loop(query, retriever, settings, per_label=True, keep_old=False, stop=answers)


def answers(question: str, chain: Chain) -> bool:
    """As a reader that counts words would judge it: most of the question stands in what was read."""
    asked = set(question.split())
    read = {word for hit in chain.hits for word in hit.passage.text.split()}
    return 2 * len(asked & read) > len(asked)


def _steps_down(chain: Chain) -> bool:
    return any(not later.label >= earlier.label for earlier, later in zip(chain.hits, chain.hits[1:], strict=False))


def _loop(
    query: Query,
    retriever: Retriever,
    settings: BeamSettings,
    *,
    per_label: bool,
    keep_old: bool,
    stop: Callable[[str, Chain], bool] = lambda question, chain: False,
) -> Evidence:
    chains = [Chain((), 0.0, query.label)]
    hops: list[Hop] = []
    for _ in range(settings.hops):
        grown: list[Chain] = []
        for chain in chains:
            skill = Skill.EXPANDED if chain.hits else Skill.SINGLE
            found = retriever.search(query.follow(chain.hits), skill, settings.k)
            hops += found
            used = set(chain.key)
            grown += [chain.extend(hit) for hop in found for hit in hop.hits if hit.passage.id not in used]
        if not grown and not keep_old:
            break
        chains = _pruned(grown, settings.width, per_label) or chains
        if any(stop(query.text, chain) for chain in chains):
            break
    return Evidence(tuple(chains), tuple(hops))


def _pruned(chains: list[Chain], width: int, per_label: bool) -> list[Chain]:
    beams: dict[Label, list[Chain]] = {}
    for chain in chains:
        beams.setdefault(chain.label if per_label else frozenset(), []).append(chain)
    ordered = [sorted(beams[label], key=lambda c: (-c.score, c.key)) for label in sorted(beams, key=sorted)]
    return [chain for beam in ordered for chain in beam[:width]]
