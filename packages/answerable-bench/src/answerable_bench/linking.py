"""Whether a mail means the page that a name in it is the title of, as the encoder of skills sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from answerable.encoders.choose import SKILLS, open_encoder
from answerable.encoders.encoder import Encoder, Linker, Vectors
from answerable.errors import UsageError
from answerable.types import Passage, Skill
from answerable_bench.names import PERSON, WORK

MEANT = 0.55
"""From this inner product on, a name is taken for the page's: nearly all below are other things of that name."""
SPOKEN = 0.25
"""What a mail and the page of a person, a film or a book must have in common besides."""
_AROUND = 250  # characters on either side of a name that are read with it
Place = tuple[str, int, int]
"""A passage's id, and characters [start, end) of it."""


class Links:
    """Tells which of the places that have a page's title speak of the page."""

    def __init__(self, linker: Encoder | None = None) -> None:
        """Raises `UsageError` for an encoder that does not link."""
        encoder = linker or open_encoder(SKILLS)
        if not isinstance(encoder, Linker):
            raise UsageError(f"the encoder {encoder.name} links no names", hint="use one that does, such as skills")
        self._encoder, self._linker = encoder, encoder

    def meant(self, page: Passage, sort: str, places: Sequence[Place], mails: Mapping[str, Passage]) -> list[Place]:
        """Those of `places` that mean the page, in order."""
        named = self._linker.encode_entities([(page.title, page.text)])[0]
        shown = self._encoder.encode_passages([(page.title, page.text)])[0] if sort in (PERSON, WORK) else None
        return [place for place in places if self._means(mails[place[0]].text, place, named, shown)]

    def _means(self, text: str, place: Place, named: Vectors, shown: Vectors | None) -> bool:
        _, start, end = place
        low = max(0, start - _AROUND)
        span = start - low, end - low
        (used,) = self._linker.encode_mentions(text[low : end + _AROUND], [span])
        if float(used @ named) < MEANT:
            return False
        return shown is None or float(self._encoder.encode_query(text, Skill.SINGLE) @ shown) >= SPOKEN
