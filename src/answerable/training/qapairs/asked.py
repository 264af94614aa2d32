"""Passages that people asked about beside others like them: the lessons of passage selection (PAQ, section 3.1).

Every positive stands in a group with negatives drawn from the same kind of source, written in the same way and as long
as it, so that neither spacing nor length nor the source tells them apart. Passages of one page are in one part.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from answerable.datasets.parts import share
from answerable.training.corpora import Corpora
from answerable.training.reading import MULTI_HOP, lines_of, squad
from answerable.training.skills.example import Text

DEVELOPMENT = 0.1
"""The share of the pages kept for development."""
_STEP = 100
"""Characters by which lengths are told apart."""
_LONGEST = 12


@dataclass(frozen=True, slots=True)
class Group:
    """A passage that was asked about with others, by their numbers. `kind`: where the positive is from and how the
    negatives were drawn, e.g. `nq/easy`."""

    kind: str
    positive: int
    negatives: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Passages and the groups over them to learn from and to develop on, which share no page."""

    passages: tuple[Text, ...]
    learned: tuple[Group, ...]
    held: tuple[Group, ...]


class Pages:
    """The passages of the data by what is known of them: asked about, or not as far as anyone knows."""

    def __init__(self, data: Path, easy: int, rng: random.Random) -> None:
        """Read the data, with `easy` random passages of each pool. Raises as `lines_of`."""
        corpora = Corpora(data)
        self.passages: list[Text] = []
        self._number: dict[Text, int] = {}
        self.report = self._nq(data, "nq-dev.json.gz")
        kept_back = {self.passages[n][0] for n in self.report}
        pool = corpora.corpus("pool")
        # nothing in a passage tells which of them these are about: theirs are left out, right and wrong ones
        known = {id_ for name in MULTI_HOP for id_ in _named(data, name, "train", "gold")}
        known |= {id_ for name in MULTI_HOP for key in ("gold", "context") for id_ in _named(data, name, "dev", key)}
        self.asked = {
            "nq": self._nq(data, "nq-train.json.gz"),
            "boolq": [self._add(text) for text in dict.fromkeys(corpora.corpus("boolq").values())],
        }
        for name, numbers in self.asked.items():
            self.asked[name] = [n for n in dict.fromkeys(numbers) if self.passages[n][0] not in kept_back]
        wanted = kept_back | {self.passages[n][0] for name in ("nq", "boolq") for n in self.asked[name]}
        first = {id_: text for id_, text in corpora.corpus("wiki").items() if id_ not in corpora.withheld}
        wiki = [id_ for id_, text in first.items() if text[0] not in wanted]
        other = [id_ for id_, text in pool.items() if id_ not in known and text[0] not in wanted]
        self.easy = {
            "wiki": [self._add(first[id_]) for id_ in rng.sample(wiki, min(easy, len(wiki)))],
            "pool": [self._add(pool[id_]) for id_ in rng.sample(other, min(easy, len(other)))],
        }

    def _add(self, text: Text) -> int:
        plain = (text[0], joined(text[1]))
        if plain not in self._number:
            self._number[plain] = len(self.passages)
            self.passages.append(plain)
        return self._number[plain]

    def _nq(self, data: Path, name: str) -> list[int]:
        return list(dict.fromkeys(self._add(reading.passages[0]) for _, reading in squad(data / "nq" / name, "nq")))


def _named(data: Path, name: str, part: str, key: str) -> list[str]:
    """Ids of passages that the questions of a multi-hop set name, in order."""
    rows = lines_of(data / name / f"{part}.jsonl")
    return list(dict.fromkeys(id_ for row in rows if row["covered"] for id_ in row[key]))


def drawn(data: Path, most: Mapping[str, int], easy: int, negatives: int, seed: int) -> Drawn:
    """Groups of up to `most` positives of each source (`nq`, `boolq`).

    Each positive has `negatives` easy ones, random passages as long as it. Raises `FormatError`.
    """
    rng = random.Random(seed)
    pages = Pages(data, easy, rng)
    sorted_ = {name: by_length(pages.passages, found) for name, found in pages.easy.items()}
    groups: list[Group] = []
    for source, count in most.items():
        found = pages.asked[source]
        for n in rng.sample(found, min(count, len(found))):
            made = [(f"{source}/{name}", sorted_[name]) for name in (("wiki", "pool") if source == "nq" else ("pool",))]
            groups += [Group(kind, n, _alike(pages.passages, n, held, negatives, rng)) for kind, held in made]
    rng.shuffle(groups)
    return parted(pages.passages, groups)


Shelved = Mapping[tuple[int, bool], Sequence[int]]
"""Passages by their length and by whether they are held out."""


def by_length(passages: Sequence[Text], numbers: Iterable[int]) -> Shelved:
    """Passages by length, in steps of 100 characters, and by part."""
    found: defaultdict[tuple[int, bool], list[int]] = defaultdict(list)
    for n in numbers:
        found[_long(passages[n][1]), is_held(passages[n][0])].append(n)
    return found


def is_held(title: str) -> bool:
    """Whether a page is kept for development."""
    return share(title) < DEVELOPMENT


def _long(text: str) -> int:
    return min(len(text) // _STEP, _LONGEST)


def _alike(passages: Sequence[Text], positive: int, held: Shelved, count: int, rng: random.Random) -> tuple[int, ...]:
    """Passages of other pages, of the positive's part and length or the nearest length there is."""
    title, text = passages[positive]
    long, part = _long(text), is_held(title)
    steps = sorted(range(_LONGEST + 1), key=lambda step: (abs(step - long), step))
    near = next((held[step, part] for step in steps if held.get((step, part))), ())
    others = [n for n in rng.sample(near, min(len(near), count + 1)) if passages[n][0] != title]
    return tuple(others[:count])


def parted(passages: Sequence[Text], groups: Sequence[Group]) -> Drawn:
    """The groups by part, over those passages alone that they name, numbered anew."""
    named = sorted({n for one in groups for n in (one.positive, *one.negatives)})
    anew = {n: i for i, n in enumerate(named)}
    moved = [
        Group(one.kind, anew[one.positive], tuple(anew[n] for n in one.negatives)) for one in groups if one.negatives
    ]
    texts = tuple(passages[n] for n in named)
    held = tuple(one for one in moved if is_held(texts[one.positive][0]))
    return Drawn(texts, tuple(one for one in moved if not is_held(texts[one.positive][0])), held)


_STEPS = (
    (re.compile(r"``\s?|\s?''"), '"'),
    (re.compile(r" -- "), " – "),
    (re.compile(r"-LRB-\s?"), "("),
    (re.compile(r"\s?-RRB-"), ")"),
    (re.compile(r"(?<=\w) (-|–|/) (?=\w)"), r"\1"),
    (re.compile(r" ([,.;:!?%)\]}])"), r"\1"),
    (re.compile(r"([(\[{$£€]) "), r"\1"),
    (re.compile(r" ('(?:s|t|re|ve|ll|d|m)?\b|n't\b)"), r"\1"),
    (re.compile(r"  +"), " "),
)


def joined(text: str) -> str:
    """`text` with the blanks around punctuation as people set them; text that has them already stays as it is."""
    for pattern, by in _STEPS:
        text = pattern.sub(by, text)
    return text.strip()
