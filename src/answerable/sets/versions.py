"""Versions that a constraint bounds: "newer than version 3.9", "before 1.10.2". They are compared part by part: 3.10 is
after 3.9."""

from __future__ import annotations

import re

from answerable.corpora.values import version
from answerable.sets.bound import Bound, Size, ends

VERSION = "version"
"""The kind of a version: its amount is what `corpora.values.version` makes of it."""
_DOTTED = r"\d+(?:\.\d{1,3})+(?![\w.]*\w)"
_TIMES = r"(?P<later>(?:newer|later) than|after|since|from)|(?:older|earlier) than|before|until"
_SIZES = r"(?P<more>(?:more|greater|higher) than|above|over|at least)|(?:less|lower) than|below|under|at most|up to"
_ASKED = re.compile(
    rf"\b(?P<way>(?P<time>{_TIMES})|{_SIZES}) (?P<named>(?:version|release)s? )?(?P<number>{_DOTTED})", re.IGNORECASE
)
_ITSELF = ("since", "from", "until", "at least", "at most", "up to")
_TOLD = re.compile(rf"(?<![\w.]){_DOTTED}")


def version_bound(wanted: str) -> Bound | None:
    """The first bound of a version in a constraint: of what has more parts than a decimal, is called a version, or is
    before or after another."""
    for found in _ASKED.finditer(wanted):
        if found["named"] or found["time"] or found["number"].count(".") > 1:
            amount = version(found["number"]) or 0.0
            least, most = ends(amount, bool(found["later"] or found["more"]), found["way"].lower() in _ITSELF)
            return Bound(found.start(), found.end(), Size(VERSION, amount), least, most, _said_first)
    return None


def _said_first(title: str, text: str) -> list[Size]:
    """The first version that a text names."""
    found = _TOLD.search(f"{title}\n{text}")
    return [Size(VERSION, version(found[0]) or 0.0)] if found else []
