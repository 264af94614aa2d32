"""Several hops, after multi-hop dense retrieval (Xiong et al. 2021), with a beam for each label.

A chain's label says which private enclaves shaped it (Arora et al. 2023, sections 3.2 and 5). Labels are worked through
from the least private up: all the hops of the public beam first, then those of {mail}, of {clinic, mail}. A beam draws
only on the chains of beams whose label it contains, and what it finds competes only with each other. So what an enclave
is sent is settled by what it admits alone: neither the ranking, the time nor the failure of a private search can be
told from it. Chains that found nothing more are never asked with again, which would tell that nothing was found
elsewhere.

What several skills found at one hop is aligned and promoted (Ma et al. 2023, appendix A).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from answerable.chains.covering import covering
from answerable.chains.merging import Identity, besides, best_hits, enclaves_of, identity, in_turn, merged, rank
from answerable.errors import SettingsError
from answerable.privacy.flow import readable
from answerable.records import setting
from answerable.retriever import Retriever
from answerable.text import asked_about
from answerable.types import Chain, Evidence, Hit, Hop, Label, Privacy, Query, Skill


@dataclass(frozen=True, slots=True)
class BeamSettings:
    """How far and how wide to look; what each says is beside it.

    `k` is asked of each enclave too. `width` is for each label (for all together under `Privacy.NONE`), and half as
    many more are kept of what parts find. `ranking` "enclave" keeps the best width / n, rounded up, of every path of
    enclaves, with n that the asker may read, for corpora whose scores do not compare: n times as many chains at a
    second hop. `keep_short` False: only chains of the last hop that found anything. `link` names in the passage read
    last, or in the question at the first hop. With `ahead` nothing private is sent, and no search is made that would
    not be.
    """

    hops: int = setting(2, "passages in the longest chain", 1, 5)
    k: int = setting(10, "passages taken for each chain at each hop", 1, 200)
    width: int = setting(5, "chains kept at each hop for each label", 1, 200)
    ranking: Literal["overall", "enclave"] = setting(
        "overall", "overall: the best chains, wherever from; enclave: a share for every path of enclaves"
    )
    keep_short: bool = setting(True, "also read the chains of earlier hops, for questions that one passage answers")
    link: int = setting(0, "pages taken for each name in what was read, where search.linking is on; 0: none", 0, 20)
    alpha: float = setting(
        1.0, "what a passage's score is multiplied by when both a search and a name lead to it", 1, 10
    )
    ahead: int = setting(
        50, "passages fetched where later queries may not go, to be searched among here; 0: none", 0, 1_000
    )

    def __post_init__(self) -> None:
        for name, value in (("hops", self.hops), ("k", self.k), ("width", self.width)):
            if value < 1:
                raise SettingsError(f"the beam's {name} is {value}", hint="it must be at least 1")
        if self.ahead < 0:
            raise SettingsError(f"the beam's ahead is {self.ahead}", hint="it is 0 or a number of passages")

    def beside(self, own: int) -> int:
        """Places for what parts of a question find, beside so many `own` of the question."""
        return max(1, self.width // 2, self.width - own)

    @property
    def held(self) -> int:
        """How many passages are held for later hops: none where there are none."""
        return self.ahead if self.hops > 1 else 0


def gather(query: Query, retriever: Retriever, settings: BeamSettings, parts: Sequence[Query] = ()) -> Evidence:
    """Follow up to `settings.hops` hops and keep the best chains for each label; the privacy is the retriever's.

    `parts` of the question are searched with beside it at the first hop, where that adds nothing to its label, and what
    they find starts chains too. Scores of different queries do not compare, so these chains take no places of what the
    question finds at that hop, but half as many more (`BeamSettings.beside`), in turn; at the next all compete.
    With `settings.ahead` every query that is sent to an enclave that later ones may not go to asks it for that many
    passages, of which the first k are read: queries that are refused there are searched among all of them.
    At each hop the best `width` chains that a search of a label can be made with are searched with, and extended by the
    k best hits each can gain within it; of these k times width chains the best `width` are kept. A chain's score is the
    sum of its hits' scores (inner products, or shares of words, or both weighed when hybrid), and of several passages
    what they cover of the question besides (`chains.covering`). A passage is never in a chain twice, nor beside a copy.
    Chains come longest first (scores of different lengths do not compare), then by score, then by passage ids; with the
    ranking "enclave", the best of each path of enclaves before the second best of any. Under a filter by fields each
    has a passage that the filter asks for (`Retriever.fits`). The hops come in the order in which they were made.
    """
    door = retriever.remembering()
    paths, about = _paths(query, retriever, settings), asked_about(query.text)
    hops: list[Hop] = []
    kept: list[list[Chain]] = [[Chain((), 0.0, query.label)], *([] for _ in range(settings.hops))]
    for label in _labels(query, retriever, settings.hops):
        for length in range(settings.hops):
            going = _going(kept[length], query, door, settings.width, label, paths)
            made, found = _extended(query, going, length, door, settings, label)
            first = parts if length == 0 and label in (None, query.label) else ()
            further, others = _begun(first, kept[0][0], door, settings, label)
            hops += (*made, *further)
            own = _kept(covering(about, found) if length else found, settings.width, paths)
            kept[length + 1] += [*own, *besides(own, others, settings.beside(len(own)), paths)]
    reached = max(length for length, chains in enumerate(kept) if chains)
    shortest = 1 if settings.keep_short else max(reached, 1)
    every = (chain for chains in reversed(kept[shortest:]) for chain in _ordered(chains, paths))
    return Evidence(tuple(chain for chain in every if any(door.fits(hit.passage) for hit in chain.hits)), tuple(hops))


def _extended(
    query: Query, going: Sequence[Chain], length: int, door: Retriever, settings: BeamSettings, label: Label | None
) -> tuple[list[Hop], list[Chain]]:
    """The searches made with chains of one length, and what these become."""
    skill = Skill.EXPANDED if length else Skill.SINGLE
    door.prepare((query.follow(chain.hits) for chain in going), skill, into=label)
    hops: list[Hop] = []
    grown: list[Chain] = []
    for chain in going:
        asked = query.follow(chain.hits)
        found = door.search(asked, skill, settings.k, into=label, ahead=settings.held)
        named = door.mentions(asked) if settings.link else ()
        linked = [door.search(one, Skill.MENTION, settings.link, into=label) for one in named]
        hops += [*found, *(hop for one in linked for hop in one)]
        grown += _extensions(chain, found, linked, settings)
    return hops, grown


def _begun(
    parts: Sequence[Query], chain: Chain, door: Retriever, settings: BeamSettings, label: Label | None
) -> tuple[list[Hop], list[list[Chain]]]:
    """The searches made with parts, and the chains that each begins."""
    hops: list[Hop] = []
    grown: list[list[Chain]] = []
    for part in parts:
        found = door.search(part, Skill.SINGLE, settings.k, into=label, ahead=settings.held)
        hops += found
        grown.append(_extensions(chain, found, (), settings))
    return hops, grown


def foremost(chains: Iterable[Chain], most: int) -> tuple[Chain, ...]:
    """At most `most` of the chains of an `Evidence`: the best of each label and length in turn, then the second best.

    Scores of different labels and lengths do not compare, so none of these groups may crowd another out.
    """
    groups: dict[tuple[int, tuple[str, ...]], list[Chain]] = {}
    for chain in chains:
        groups.setdefault((len(chain.hits), tuple(sorted(chain.label))), []).append(chain)
    return tuple(islice(in_turn(groups.values()), most))


def nearest(chains: Iterable[Chain], first: Iterable[Hit] = ()) -> list[Hit]:
    """The passages of chains, each once, best first by its own score; before them those that are to come `first`.

    For what is shown when nothing more is sent: scores of all labels stand side by side.
    """
    own = {identity(hit): hit for hit in first}
    best: dict[Identity, Hit] = {}
    for hit in (hit for chain in chains for hit in chain.hits):
        key = identity(hit)
        if key not in own and (key not in best or hit.score > best[key].score):
            best[key] = hit
    return [*own.values(), *best_hits(best.values())]


def joined(before: Evidence, then: Evidence) -> Evidence:
    """What was gathered before and then, each chain of passages once; of those of one length, the latter's first."""
    once: dict[tuple[Identity, ...], Chain] = {}
    for chain in (*then.chains, *before.chains):
        once.setdefault(tuple(map(identity, chain.hits)), chain)
    return Evidence(tuple(sorted(once.values(), key=lambda one: -len(one.hits))), (*before.hops, *then.hops))


def _labels(query: Query, retriever: Retriever, hops: int) -> list[Label | None]:
    """Every label a chain of that many hops can get, each after those it contains; [None], one beam, under NONE."""
    if retriever.privacy is Privacy.NONE:
        return [None]
    labels = {query.label}
    for _ in range(hops):
        labels |= {label | enclave.label for label in labels for enclave in retriever.enclaves.values()}
    return [*sorted(labels, key=lambda label: (len(label), sorted(label)))]


def _going(
    chains: Sequence[Chain], query: Query, door: Retriever, most: int, label: Label | None, paths: int | None
) -> list[Chain]:
    """The chains that are searched with for a label: of those that a search would be made with, the best `most`.

    Whoever is sent a query then admits all of that label, or was granted it: so chains of all labels within it may
    compete for these places. Those that are refused everywhere take none, and are refused one by one.
    """
    lead = [door.leads(query.follow(chain.hits), label) for chain in chains]
    best = {id(one) for one in _kept((one for one, leads in zip(chains, lead, strict=True) if leads), most, paths)}
    return [one for one, leads in zip(chains, lead, strict=True) if not leads or id(one) in best]


def _paths(query: Query, retriever: Retriever, settings: BeamSettings) -> int | None:
    """Among how many paths of enclaves places are shared; None when all compete. Counts enclaves, not what they hold"""
    if settings.ranking == "overall":
        return None
    return max(1, sum(readable(query.asker, enclave).allowed for enclave in retriever.enclaves.values()))


def _extensions(
    chain: Chain, found: Iterable[Hop], linked: Iterable[Iterable[Hop]], settings: BeamSettings
) -> list[Chain]:
    """The chain, one hop longer: by the best hits of all enclaves together, or of each when enclaves do not compete.

    Cut before repeats are dropped, and by the hits' own scores: so several enclaves give what one merged index gives.
    """
    competing = settings.ranking == "overall"
    hits = _foremost(found, settings.k, competing)
    named = [hit for one in linked for hit in _foremost(one, settings.link, competing)]
    if named:
        hits = merged(hits, named, settings.alpha)
    used = {identity(hit) for hit in chain.hits}
    return [chain.extend(hit) for hit in hits if identity(hit) not in used]


def _foremost(hops: Iterable[Hop], most: int, competing: bool) -> list[Hit]:
    """The hits of one search: the best of all enclaves, or those of each."""
    hits = [hit for hop in hops for hit in hop.hits]
    return best_hits(hits)[:most] if competing else hits


def _kept(chains: Iterable[Chain], most: int, among: int | None) -> list[Chain]:
    """The best `most` chains; or of each path of enclaves its share, rounded up, paths in order of their names."""
    if among is None:
        return _best(chains, most)
    paths: dict[tuple[str, ...], list[Chain]] = {}
    for chain in chains:
        paths.setdefault(enclaves_of(chain), []).append(chain)
    return [chain for names in sorted(paths) for chain in _best(paths[names], -(-most // among))]


def _ordered(chains: Iterable[Chain], among: int | None) -> list[Chain]:
    """All chains of one length, best first; of each path of enclaves in turn where places are shared among paths."""
    ranked = sorted(chains, key=rank)
    if among is None:
        return ranked
    places: Counter[tuple[str, ...]] = Counter()
    turns = []
    for chain in ranked:
        turns.append(places[enclaves_of(chain)])
        places[enclaves_of(chain)] += 1
    return [chain for _, chain in sorted(zip(turns, ranked, strict=True), key=lambda one: one[0])]


def _best(chains: Iterable[Chain], width: int) -> list[Chain]:
    """The best, the first alone of those that say the same: copies of a document would take each other's places."""
    found: dict[tuple[Identity, ...], Chain] = {}
    for chain in sorted(chains, key=rank):
        found.setdefault(tuple(map(identity, chain.hits)), chain)
    return [*found.values()][:width]
