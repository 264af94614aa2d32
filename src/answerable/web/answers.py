"""What comes back over HTTP: the JSON of the command line, which `serialize` makes. A test holds it to these models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from answerable.chains.linking import Mention
from answerable.types import Citation, Fields, Via

Share = Annotated[float, Field(ge=0, le=1)]


class Told(BaseModel):
    """What is answered."""

    model_config = ConfigDict(extra="forbid")


class Guess(Told):
    """An answer that was not given."""

    answer: str
    confidence: Share


class Span(Told):
    """Characters [start, end) of the stored document."""

    start: int
    end: int


class Passage(Told):
    """A passage that was found, and in it the sentence that bears most on the question."""

    document: str
    enclave: str
    start: int
    end: int
    title: str
    text: str
    score: float
    source: str
    sentence: Span
    fields: Fields | None = None


class Pair(Told):
    """A question worked out before."""

    id: str
    question: str
    answers: list[str]
    passage: str | None
    enclave: str
    score: float


class MatchedPair(Pair):
    """How well it fits."""

    match: float


class Step(Told):
    """What was refused: of which enclave, to which."""

    from_: str = Field(alias="from")
    to: str


class Barred(Told):
    """What privacy kept from being searched."""

    steps: list[Step]
    probability: Share
    likely: bool


class Named(Told):
    """A passage by name."""

    passage: str
    document: str
    enclave: str
    title: str
    score: float | None = None


class Hop(Told):
    """A search that was made, or refused, and why."""

    label: list[str]
    skill: str
    enclave: str
    because: list[Named]
    refused: str | None
    reason: str
    held: int | None
    ahead: int
    shards: list[str]
    missing: list[str]
    hits: list[Named]
    seconds: float


class Said(Told):
    """What every answer says, or why there is none."""

    answer: str | None
    reason: str | None = None
    confidence: Share
    via: Via
    label: list[str]
    citations: list[Citation]


class Answer(Said):
    """As `answerable ask --json`."""

    passages: list[Passage]
    guesses: list[Guess]
    seconds: float
    pair: Pair | None = None
    unreachable: list[str] = []
    notes: list[str] = []
    barred: Barred | None = None
    hops: list[Hop] | None = None
    chains: list[dict[str, Any]] | None = None


class Searched(Told):
    """The passages of one search, best first."""

    label: list[str]
    passages: list[Passage]
    seconds: float
    unreachable: list[str]
    hops: list[Hop] | None = None


class Alternative(Told):
    """How else a query could be read."""

    expression: str
    probability: Share


class Found(Told):
    """As `answerable find --json`."""

    query: str
    expression: str
    count: int
    expected: float
    interval: tuple[int, int]
    considered: int
    possible: int
    label: list[str]
    unreachable: list[str]
    seconds: float
    enclaves: list[str]
    folders: list[str]
    kinds: list[str]
    alternatives: list[Alternative]
    items: list[dict[str, Any]]
    left_out: list[dict[str, Any]] | None = None
    hops: list[Hop] | None = None


class Read(Said):
    """As `answerable read --json`."""

    question: str
    passages: list[Passage]
    guesses: list[Guess]
    seconds: float
    path: list[dict[str, Any]]
    conditions: list[Citation]
    ask: str | None
    document: str
    title: str
    enclave: str | None
    sentences: int
    paragraphs: int
    bytes: int
    notes: list[str] = []


class Judged(Told):
    """What was said of an answer, as `answerable remembered --json`; the id is what takes it back."""

    id: str
    question: str
    answer: str
    good: bool
    label: list[str]
    citations: list[Citation]


class Remembered(Told):
    """What the asker called good or bad, oldest first."""

    remembered: list[Judged]


class Linked(Told):
    """As `answerable link --json`."""

    text: str
    spans: list[Mention]
    seconds: float


class Paired(Said):
    """As `answerable pairs ask --json`."""

    question: str
    pair: Pair | None
    matched: list[MatchedPair]
    seconds: float
    hops: list[Hop] | None = None


class Enclave(Told):
    """An enclave that the asker may read."""

    name: str
    kind: str
    label: list[str]
    admits: list[str]
    remote: str | None
    mode: str | None


class Enclaves(Told):
    """Those that the asker may read."""

    enclaves: list[Enclave]


class Listed(Told):
    """One document of a list."""

    id: str
    source: str
    title: str


class Documents(Told):
    """A page of documents, in the order they came, of `count` in all."""

    enclave: str
    count: int
    documents: list[Listed]


class Section(Told):
    """A heading, and the characters it covers."""

    title: str
    depth: int
    start: int
    end: int


class Document(Told):
    """A document of so many `characters`, of which `text` is those from `start` to `end`."""

    id: str
    enclave: str
    title: str
    source: str
    kind: str
    characters: int
    start: int
    end: int
    text: str
    sections: list[Section]
    fields: Fields | None = None
    attached_to: str | None = None


class Deleted(Told):
    """As `answerable delete --json`."""

    enclave: str
    deleted: int


class Indexed(Told):
    """As `answerable index --json`."""

    enclave: str
    kind: str
    files: dict[str, int]
    documents: int
    passages: int
    skipped: list[str]
    seconds: float


class Journal(Told):
    """What was sent or refused, as `answerable journal --json`; to others than owners, what was for themselves."""

    records: list[dict[str, Any]]


class Held(Told):
    """What an enclave holds, and whether it can be asked."""

    name: str
    kind: str
    documents: int
    passages: int
    vectors: int
    pages: int
    problem: str | None
    remote: str | None
    shares_encoder: bool
    whose: str


class Status(Told):
    """As `answerable status --json`, of what the asker may read; the size is told to owners."""

    encoder: str
    enclaves: list[Held]
    bytes: int | None = None


class Health(Told):
    """It answers."""

    status: Literal["ok"]


class Problem(Told):
    """Why a request was refused (RFC 9457), and the way out."""

    type: str
    title: str
    status: int
    detail: str
    hint: str | None = None
