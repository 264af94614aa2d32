"""What `find` gives: the members of a set, each with what speaks for it, constraint by constraint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from answerable.printing import InNotebook
from answerable.sets.expression import Expression, signed
from answerable.types import Citation, Fields, Hop, Label

UNSAID = 0.5
"""The probability of what is taken away where no cell of a table says it of any row: as likely as not."""
Place = tuple[str, str]
"""An enclave and the id of a document in it, or of a row of one."""


class Evidence(StrEnum):
    """How much of a membership the text itself shows (Malaviya et al. 2023, section 3.3.3)."""

    COMPLETE = "complete"
    """Every constraint has a sentence that shows it."""
    PARTIAL = "partial"
    """Some have."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Support:
    """What a document says of one constraint. `probability` (0 to 1) is that it fits the constraint itself; of one that
    is taken away, given that it fits the rest.

    `citations`: the sentences that show that it fits, best first. For a constraint that is taken away (`negated`) these
    are counter-evidence; a member mostly has none, which is the absence that the constraint asks for. `field`: what
    decides in place of sentences where fields answer the constraint, such as "From: Kim Watson"; the probability is 0
    or 1 then.
    """

    constraint: str
    negated: bool
    probability: float
    citations: tuple[Citation, ...]
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table, as it stands, known by the `number` of its first character in the document; for each constraint
    the cells that say that it fits, or would if it did."""

    citation: Citation
    number: int
    cells: Mapping[str, tuple[Citation, ...]]

    def supports(self, expression: Expression, fits: Mapping[str, bool]) -> tuple[Support, ...]:
        """What it says of each constraint, by those that it is known to fit or not. Where its table says so and no cell
        does, the row is shown as a whole."""
        made = []
        for text, taken in dict.fromkeys(signed(expression)):
            cells, fit = self.cells[text], fits.get(text)
            other = "; ".join(one.text for one in cells) if fit is False else None
            shown = (cells or (self.citation,)) if fit else ()
            made.append(Support(text, taken, UNSAID if fit is None else float(fit), shown, other or None))
        return tuple(made)


@dataclass(frozen=True, slots=True)
class Member:
    """A document or a row of one that belongs to a set, with a calibrated probability (0 to 1).

    `label`: the private enclaves its membership rests on. It is that of the question and of the enclave it was read in.
    `kind` and `fields`: what is known of it besides its text. `row`: the row of the document that is the member, where
    it is a row of a table.
    """

    document: str
    title: str
    enclave: str
    source: str
    label: Label
    probability: float
    supports: tuple[Support, ...]
    evidence: Evidence
    kind: str = ""
    fields: Fields | None = None
    row: Citation | None = None

    @property
    def place(self) -> Place:
        """What it is known by. Of a row: a digest of its text, which stays when rows are added, and tells nothing once
        the row is gone."""
        own = f"#{sha256(self.row.text.encode()).hexdigest()[:12]}" if self.row else ""
        return self.enclave, self.document + own


@dataclass(frozen=True, slots=True)
class Found(InNotebook):
    """A set, best members first, and how it was understood.

    `alternatives`: other readings of an ambiguous query, with their probabilities. `left_out`: documents that fit but
    for a constraint that is taken away, with the sentences that show it. `count`: members of the set; with a limit
    `members` holds fewer. `possible`: documents that were gathered; `considered`: those of them that were judged.
    `expected`: how many of the judged fit, by their probabilities; `interval`: from and to, with 90% of the probability
    between. `unreachable`: a sentence for each enclave elsewhere that could not be asked, and one for those that
    privacy kept something from. `enclaves`, `folders`, `kinds`: the only ones looked at; empty: all.
    """

    query: str
    expression: Expression
    alternatives: tuple[tuple[Expression, float], ...]
    members: tuple[Member, ...]
    left_out: tuple[Member, ...]
    count: int
    expected: float
    interval: tuple[int, int]
    considered: int
    possible: int
    label: Label
    hops: tuple[Hop, ...]
    seconds: float
    unreachable: tuple[str, ...] = ()
    enclaves: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
