"""Documents that say the same, word for word, given once: a mail that lies in two folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from answerable.corpora.citations import FindDocument
from answerable.sets.candidates import Gathered, Prospect
from answerable.types import Document


def without_copies(gathered: Gathered, document: FindDocument) -> Gathered:
    """What was gathered, of several documents of one title and text the first alone. Rows of tables are each their own.

    Only those whose best passages are the same are looked up.
    """
    met: dict[tuple[str, str], list[Prospect]] = {}
    texts: dict[tuple[str, str], tuple[str, str] | None] = {}

    def said(one: Prospect) -> tuple[str, str] | None:
        place = one.enclave, one.document
        if place not in texts:
            found: Document | None = document(one.passages[0])
            texts[place] = (found.title, found.text) if found else None
        return texts[place]

    def once(some: Iterable[Prospect]) -> tuple[Prospect, ...]:
        kept = []
        for one in some:
            if one.row is None and one.passages:
                alike = met.setdefault((one.passages[0].heading, one.passages[0].text), [])
                if alike and (own := said(one)) and any(said(other) == own for other in alike):
                    continue
                alike.append(one)
            kept.append(one)
        return tuple(kept)

    settled = once(gathered.settled)
    return replace(gathered, settled=settled, prospects=once(gathered.prospects))
