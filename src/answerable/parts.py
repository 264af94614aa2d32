"""Parts of one's own: objects that take the place of what the settings name."""

from __future__ import annotations

from dataclasses import dataclass, fields

from answerable.encoders.encoder import Encoder
from answerable.errors import UsageError
from answerable.pairs.generation.parts import Generator
from answerable.pairs.lookup import Matcher
from answerable.readers.reader import Reader
from answerable.selective.calibrate import Calibration
from answerable.selective.features import NAMES
from answerable.sets.judge import Judge
from answerable.types import PUBLIC, Label

KINDS = {"encoder": Encoder, "reader": Reader, "judge": Judge, "matcher": Matcher, "generator": Generator}

AT_ITS_WORD = Calibration((16.0,) + (0.0,) * (len(NAMES) - 1), -8.0, 0.5, "nothing: the reader's own log-odds")
"""For a reader that nothing was fitted to: its score is taken at its word, as a log-odds of up to 8 either way."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What was handed in; None: as the settings name it. `calibration`: how sure to be of what the reader says.

    Raises `UsageError` for an object that does not keep its protocol.
    """

    encoder: Encoder | None = None
    reader: Reader | None = None
    judge: Judge | None = None
    matcher: Matcher | None = None
    generator: Generator | None = None
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        for part, kind in KINDS.items():
            given = getattr(self, part)
            check_kept(f"the {part}", given, kind)
            if given is not None and isinstance(getattr(given, "taught", PUBLIC), str):
                raise UsageError(
                    f"the {part} was taught on {given.taught!r}", hint=f"a set of names: {{{given.taught!r}}}"
                )

    def __bool__(self) -> bool:
        return any(getattr(self, one.name) is not None for one in fields(self))

    def taught(self, part: str) -> Label:
        """The private enclaves on whose text a part says it was trained, as its attribute `taught`; of none: public."""
        return frozenset(getattr(getattr(self, part), "taught", PUBLIC))


def check_kept(what: str, given: object, kind: type) -> None:
    """Raise `UsageError` for an object that lacks something of a protocol; None is no object."""
    if given is not None and (isinstance(given, type) or not isinstance(given, kind)):
        lacks = (
            "is a class, not an object" if isinstance(given, type) else f"does not keep the protocol {kind.__name__}"
        )
        hint = (
            f"inherit answerable.protocols.{kind.__name__}, and {kind.__name__}Contract of answerable.testing in a test"
        )
        raise UsageError(f"{what} handed in, {type(given).__name__}, {lacks}", hint=hint)
