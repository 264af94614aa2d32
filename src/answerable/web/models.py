"""What may be asked over HTTP: as the commands take it. A field that is not known is refused."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from answerable.corpora.fields import Filter
from answerable.text import LONGEST_QUESTION
from answerable.types import Privacy

Name = Annotated[str, Field(min_length=1, max_length=64)]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
Short = Annotated[str, Field(max_length=LONGEST_QUESTION)]
Id = Annotated[str, Field(min_length=1, max_length=4_096)]
Place = Annotated[int, Field(ge=0, le=2**53)]


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


class Judging(Sent):
    """Whether the last answer to a question, or this one, is good. An asker's last few answers can be judged."""

    question: Text
    answer: Text | None = None
    good: bool


class Forgetting(Sent):
    """What was said of an answer, by its id."""

    id: Name


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
