"""The central types: frozen values, no input or output, no behaviour beyond keeping themselves consistent.

`Label` is the set of private enclaves whose text shaped a value. The empty label is public. It only grows.
Scores are finite floats, higher is better, and ties break by passage id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

from answerable.printing import InNotebook

Label = frozenset[str]
PUBLIC: Label = frozenset()
EVERYTHING: Label = frozenset({"*"})
"""As `Enclave.admits`: the host may be sent queries of any label (it is the user's own machine)."""
Via = Literal["pair", "remembered", "early", "search", "document", "table", "passages", "model"]
"""Where from: a pair, what was called good, first passages, all searches, a document, a table, passages, a model."""


class Privacy(StrEnum):
    """What must not reach an enclave that does not admit it (PAIR, section 5)."""

    NONE = "none"
    """Nothing is withheld: the paper's baseline."""
    DOCUMENT = "document"
    """Private text, and what was found by it, is withheld."""
    QUERY = "query"
    """The question itself is private too."""


class Skill(StrEnum):
    """What a text is encoded for; never optional (Chain-of-Skills, sections 2 and 3.1)."""

    SINGLE = "single"
    """Retrieve by the question alone."""
    EXPANDED = "expanded"
    """Retrieve by the question and the passages found so far."""
    PASSAGE = "passage"
    """Be found by either of these."""
    MENTION = "mention"
    """Find the page that a span of a text names: entity linking."""
    ENTITY = "entity"
    """Be found by a mention: the description of an entity."""
    PROPOSE = "propose"
    """Find the spans of a text that name something: entity span proposal."""
    RERANK = "rerank"
    """Judge a question and one passage read together."""
    READ = "read"
    """Read a question and a whole path of passages together: answers, what supports them, the path itself (C.1)."""
    NAVIGATE = "navigate"
    """Walk a long document: its sentences, and questions that attend to them (DocHopper, sections 3.1 to 3.3)."""
    FIT = "fit"
    """Judge whether a document fits a constraint (QUEST, section 4.3)."""
    MATCH = "match"
    """Find questions that ask the same, and judge a question and a pair read together (PAQ, section 4.2)."""


@dataclass(frozen=True, slots=True)
class Enclave:
    """A corpus under one rule. What is read here carries `label`. A query may come here if `admits` holds its label.

    `remote`: another machine holds it; no rule depends on that. `answers`: it is a language model and holds no text.
    """

    name: str
    label: Label = PUBLIC
    admits: Label = PUBLIC
    remote: bool = False
    answers: bool = False

    @property
    def private(self) -> bool:
        """Whether what is read here is private, and so is what follows from it."""
        return bool(self.label)


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks: the enclaves they may read (None: all of them) and the label of their questions."""

    name: str = "me"
    clearance: frozenset[str] | None = None
    label: Label = PUBLIC


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the characters [start, end) of the document it covers, its own heading and subsections included."""

    title: str
    depth: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """One document as stored: `text` is what every offset counts in. `source` is where it came from.

    `offset`: characters of the document before `text`; 0 but for a part of one that is kept on another machine.
    """

    id: str
    enclave: str
    title: str
    text: str
    source: str
    kind: str = "text"
    sections: tuple[Section, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """Characters [start, end) of a document: `text == document.text[start:end]`. `section` is the heading path."""

    id: str
    document_id: str
    enclave: str
    title: str
    text: str
    start: int
    end: int
    section: str = ""

    @property
    def heading(self) -> str:
        """The title, and the path of headings below it: what it is encoded under."""
        return f"{self.title} {self.section}" if self.section else self.title


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search with, and all that shaped it. `because`: the passages read for it. `follow` alone makes the next
    query. `span`: characters [start, end) of the text that name what is looked for; None: the whole text asks.
    """

    text: str
    asker: Asker = Asker()
    label: Label = PUBLIC
    because: tuple[Passage, ...] = ()
    span: tuple[int, int] | None = None

    def follow(self, hits: tuple[Hit, ...]) -> Query:
        """The same question after reading `hits`: their labels join the query's."""
        label = self.label.union(*(hit.label for hit in hits)) if hits else self.label
        return Query(self.text, self.asker, label, tuple(hit.passage for hit in hits))

    def naming(self, start: int, end: int, passage: Passage | None = None) -> Query:
        """The query for what characters [start, end) name, in the question or in a passage that was read.

        Its label is this query's, which covers the passage. Raises `ValueError` for a passage that is not in `because`,
        and for characters that are not there.
        """
        if passage is not None and passage not in self.because:
            raise ValueError(f"passage {passage.id!r} is not among those the query follows from")
        text = self.text if passage is None else passage.text
        if not 0 <= start < end <= len(text):
            raise ValueError(f"characters {start} to {end} are not in a text of {len(text)}")
        return replace(self, text=text, span=(start, end))


@dataclass(frozen=True, slots=True)
class QAPair:
    """A question worked out before anybody asked it, and its answers; the first is the one it was made from.

    It lives and dies with its passage, in that passage's enclave. `start`, `end`: where the first answer stands, in
    characters of the passage. `score` (0 to 1): how probable it is that somebody asks this and it is right.
    `passage_id` is empty for a pair that was imported without a passage; then there are no characters either.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    passage_id: str
    enclave: str
    score: float
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found, with its score, the label of the enclave it was read in, and the skill that found it.

    `pair`: of a hit by `Skill.MATCH`, the pair whose question was found; the passage is the one it was made from.
    """

    passage: Passage
    score: float
    label: Label
    skill: Skill
    pair: QAPair | None = None


NO_INDEX = "has no index yet"
LEFT_OUT = "is left out by the filter"
UNSEARCHED = (NO_INDEX, LEFT_OUT)
"""How a refusal ends that is not for privacy."""
UNREACHABLE = "could not be asked"
"""What follows the enclave's name in the refusal of one on another machine that did not answer as it should."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One search of one enclave, or its refusal: what a trace shows.

    `refused`: why nothing was searched; None: it was. `reason`: why the flow rule allowed or refused it. `ahead`: how
    many passages it fetched, hits included, to be searched later in this ask. `held`: how many such passages were
    searched in place of a refused search, with nothing sent; None: none. For an enclave on several servers, `shards`
    are those that were asked, and `missing` has a sentence for each that gave nothing.
    """

    query: Query
    skill: Skill
    enclave: str
    refused: str | None
    hits: tuple[Hit, ...]
    seconds: float
    reason: str = ""
    held: int | None = None
    ahead: int = 0
    shards: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def unreachable(self) -> bool:
        """Whether it was allowed, and failed on the way to another machine."""
        return self.refused is not None and self.refused.startswith(f"{self.enclave} {UNREACHABLE}")


@dataclass(frozen=True, slots=True)
class Chain:
    """Passages in the order they were found. `label` is the question's joined with those of the hits."""

    hits: tuple[Hit, ...]
    score: float
    label: Label

    def extend(self, hit: Hit) -> Chain:
        """One hop longer: scores add up (Xiong et al. 2021, section 2.2), labels join."""
        return Chain((*self.hits, hit), self.score + hit.score, self.label | hit.label)

    @property
    def key(self) -> tuple[str, ...]:
        """Passage ids in order: the tie-breaker of every ranking of chains."""
        return tuple(hit.passage.id for hit in self.hits)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was gathered: chains, best first, and every hop taken or refused."""

    chains: tuple[Chain, ...]
    hops: tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer a reader proposes from one chain.

    `hit` and [start, end) say where it stands, in characters of that passage's document. A yes or no has no span of
    its own: there the characters are those of the passage it was judged by. `score` is a log-odds against "not here".
    """

    text: str
    score: float
    chain: Chain
    hit: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fields:
    """What is known of a document besides its text: of a mail `sender` and `to` (the first few, and how many `others`),
    as `Name <address>`; `date` in ISO 8601, or of a file that tells none the day it was `changed`. Else it is empty."""

    sender: str = ""
    to: tuple[str, ...] = ()
    others: int = 0
    date: str = ""
    changed: str | None = None


@dataclass(frozen=True, slots=True)
class Citation:
    """Characters [start, end) of a stored document, word for word; `place`: "§ 4.2 Returns, page 17", if any."""

    text: str
    document: str
    enclave: str
    start: int
    end: int
    title: str
    source: str
    fields: Fields | None = None
    place: str | None = None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A passage that was found; [start, end) of the document at `source` is what in it bears most on the question."""

    hit: Hit
    start: int
    end: int
    source: str
    fields: Fields | None = None


@dataclass(frozen=True, slots=True)
class Barred:
    """What the privacy mode kept from being searched, and how likely it is that the missing evidence lay there.

    `steps`: what would have been told to which enclave, sorted: the name of a private enclave of which text was read,
    or "question" for a question that is itself private. `likely`: the probability (0 to 1) is high enough to say so.
    """

    steps: tuple[tuple[str, str], ...]
    probability: float
    likely: bool


@dataclass(frozen=True, slots=True)
class Answer(InNotebook):
    """What was answered, or None with a reason; how likely it is right (0 to 1, calibrated); and all it rests on.

    `passages`: the best that were found, the answer's own first. `others`: further answers with their confidences.
    `via`: where it is from; "search" if there is none. "passages": they were asked for, and `text` is None.
    `pair`: the pair whose answer this is. `notes`: a sentence for each thing to know, such as how it was worked out.
    `unreachable`: a sentence for each enclave that could not be asked, or not whole. After `search` also one for those
    that privacy kept something from; an ask says that in its `reason`. `barred`: whether the missing evidence may lie
    there; None where nothing was refused, or nothing was learned to predict with. `confidences`: of the best answer
    found, given or not, by each of `selective.calibrate.METHODS`.
    """

    text: str | None
    reason: str | None
    confidence: float
    label: Label
    citations: tuple[Citation, ...]
    chain: Chain | None
    others: tuple[tuple[str, float], ...]
    evidence: Evidence
    seconds: float
    unreachable: tuple[str, ...] = ()
    barred: Barred | None = None
    confidences: Mapping[str, float] = field(default_factory=dict)
    pair: QAPair | None = None
    via: Via = "search"
    passages: tuple[Excerpt, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stop:
    """Characters [start, end) of a document that a walk attended to, under their headings, outermost first.
    `share` (0 to 1): how much of its attention. A whole paragraph, or with `sentence` one sentence."""

    headings: tuple[str, ...]
    start: int
    end: int
    share: float
    sentence: bool


@dataclass(frozen=True, slots=True)
class Reading(InNotebook):
    """What one document says to a question, or None with a reason; how likely it is right (0 to 1); what it rests on.

    `path`: where that stands, or the walk step by step. `conditions`: what the answer depends on and nobody has said;
    `ask` is the question for the first of them. `others`, `passages`, `notes`: as of an answer. `enclave` is empty for
    a file that is in none. `sentences` and `paragraphs` are counts, `bytes` is what is kept of them to walk by.
    """

    text: str | None
    reason: str | None
    confidence: float
    label: Label
    citations: tuple[Citation, ...]
    path: tuple[Stop, ...]
    others: tuple[tuple[str, float], ...]
    conditions: tuple[Citation, ...]
    ask: str | None
    seconds: float
    document: str
    title: str
    enclave: str
    sentences: int
    paragraphs: int
    bytes: int
    passages: tuple[Excerpt, ...] = ()
    notes: tuple[str, ...] = ()
    via: Via = "document"
