"""What travels over HTTP: what may be asked, and what comes back, which is the JSON of the command line.

Requests are strict: a field that is not known is refused. Answers are made by `serialize`; the models here say what it
makes, and a test holds it to them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from answerable.chains.linking import Mention
from answerable.corpora.fields import Filter
from answerable.engine import LONGEST_QUESTION
from answerable.types import Citation, Fields, Privacy, Via

Name = Annotated[str, Field(min_length=1, max_length=64)]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
Short = Annotated[str, Field(max_length=LONGEST_QUESTION)]
Id = Annotated[str, Field(min_length=1, max_length=4_096)]
Place = Annotated[int, Field(ge=0, le=2**53)]
Share = Annotated[float, Field(ge=0, le=1)]


class Sent(BaseModel):
    """What is sent."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Nothing(Sent):
    """No parameters."""


class Under(Sent):
    """How far a question may go. Only an owner may ask for less privacy than the settings say."""

    privacy: Privacy | None = None
    filter: Filter | None = None
    explain: bool = Field(False, description="Also give every search that was made or refused.")


class Searching(Under):
    """One search."""

    question: Text
    k: Annotated[int, Field(ge=1, le=200)] | None = None


class Asking(Searching):
    """A question. `grant` and `parts`, as `--grant` and `--part`: for owners. `chat`: a name of your choice, under
    which questions follow on one another; the server keeps the last few such conversations of yours in memory alone."""

    hops: Annotated[int, Field(ge=1, le=5)] | None = None
    grant: dict[Name, Annotated[list[Name], Field(max_length=100)]] = Field(default={}, max_length=100)
    parts: Annotated[list[tuple[Name, Text]], Field(max_length=20)] = []
    chat: Name | None = None


class Finding(Under):
    """A set: a query, or an expression such as `("tools" or "libraries") minus "for children"`."""

    query: Text | None = None
    expression: Text | None = None
    limit: Annotated[int, Field(ge=1, le=100_000)] | None = None
    evidence: bool = Field(True, description="Also look for the sentences that show why.")


class Reading(Sent):
    """A question to one document, by its id or source. `history`: what was asked before, each with its answer."""

    document: Id
    question: Text
    enclave: Name | None = None
    scenario: Short = ""
    history: Annotated[list[tuple[Text, Text]], Field(max_length=100)] = []


class Linking(Sent):
    """A text whose names are looked for."""

    text: Text
    k: Annotated[int, Field(ge=1, le=100)] = 1


class AskingPairs(Sent):
    """A question to what was worked out before."""

    question: Text
    privacy: Privacy | None = None
    explain: bool = False


class Listing(Sent):
    """A page of an enclave's documents."""

    enclave: Name
    skip: Place = 0
    most: Annotated[int, Field(ge=1, le=1_000)] = 100


class Fetching(Sent):
    """A document, or the characters [start, end) of it."""

    enclave: Name
    id: Id
    start: Place = 0
    end: Place | None = None


class Deleting(Sent):
    """A document by its id, or all documents of a source."""

    enclave: Name
    id: Id


class Uploading(Sent):
    """Files for an enclave; a new one is private unless `kind` says otherwise."""

    enclave: Name
    kind: Literal["public", "mirror", "private"] | None = None


class Recent(Sent):
    """The latest records; 0: all."""

    last: Annotated[int, Field(ge=0, le=1_000_000)] = 50


# ---------------------------------------------------------------- what comes back


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
    ahead: bool
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
    label: list[str]
    unreachable: list[str]
    note: str | None
    seconds: float
    alternatives: list[Alternative]
    items: list[dict[str, Any]]
    left_out: list[dict[str, Any]] | None = None
    hops: list[Hop] | None = None


class Read(Said):
    """As `answerable read --json`."""

    question: str
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
