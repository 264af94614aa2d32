"""Parts of one's own: objects that take the place of what the settings name."""

from __future__ import annotations

from dataclasses import dataclass, fields

from answerable.encoders.encoder import Encoder
from answerable.errors import UsageError
from answerable.qapairs.generation.parts import Generator
from answerable.qapairs.lookup import Matcher
from answerable.readers.reader import Reader
from answerable.selective.calibrate import Calibration
from answerable.sets.judge import Judge
from answerable.types import PUBLIC, Label

KINDS = {"encoder": Encoder, "reader": Reader, "judge": Judge, "matcher": Matcher, "generator": Generator}

AT_ITS_WORD = Calibration((16.0,), -8.0, 0.5, "nothing: the reader's own log-odds")
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
                raise UsageError(f"taught of the {part} is a text", hint="give the names of enclaves, as a set")

    def __bool__(self) -> bool:
        return any(getattr(self, one.name) is not None for one in fields(self))

    def taught(self, part: str) -> Label:
        """The private enclaves on whose text a part says it was trained, as its attribute `taught`; of none: public."""
        return frozenset(getattr(getattr(self, part), "taught", PUBLIC))

    def name(self, part: str) -> str | None:
        """What identifies the weights of a part that was handed in."""
        return getattr(getattr(self, part), "name", None)

    def elsewhere(self, *parts: str) -> tuple[tuple[str, str], ...]:
        """Those of `parts` that say, as their attribute `elsewhere`, to which machine they hand what they are shown."""
        return tuple((one, host) for one in parts if (host := getattr(getattr(self, one), "elsewhere", "")))


def check_kept(what: str, given: object, kind: type) -> None:
    """Raise `UsageError` for an object that lacks something of a protocol; None is no object."""
    name = kind.__name__
    if given is not None and (isinstance(given, type) or not isinstance(given, kind)):
        hint = f"inherit answerable.protocols.{name}, and hand in an object; answerable.testing.{name}Contract tests it"
        raise UsageError(f"{what} that was handed in does not keep to the protocol {name}", hint=hint)
