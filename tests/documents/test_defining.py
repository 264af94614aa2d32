"""What a document itself says a term means."""

from __future__ import annotations

import pytest

from answerable.documents.defining import defined
from tests.documents.grant import shelf

TEXT = """# Terms

The Board of Trade (BoT) built it. ISO (International Standards Office) is another; so is the letter (XY).
Note: All non-numeric values (NaNs) are left out.

"Loans" are sums that are lent. To "convey" a work means to hand it on. A mast is often tall. A mast is a pole of wood.

old-versions The set of names that are old.

1.1. "Crew"
    means each person who sails until the ship is home, but no
Passenger: (a) who pays; or

ballast

This is what lies at the bottom of a ship.
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What does BoT stand for?", "Board of Trade"),
        ("what does ISO mean", "International Standards Office"),
        ("What does XY stand for?", None),
        ("What does NaN stand for?", None),
        ("What does it mean to convey a work?", 'To "convey" a work means to hand it on.'),
        ("What are loans?", '"Loans" are sums that are lent.'),
        ("What is a mast?", "A mast is a pole of wood."),
        ("What does old-versions mean?", "old-versions The set of names that are old."),
        (
            "What is the crew?",
            '"Crew"\n    means each person who sails until the ship is home, but no\nPassenger: (a) who pays; or',
        ),
        ("What is a passenger?", None),
        ("What does ballast mean?", "ballast\n\nThis is what lies at the bottom of a ship."),
        ("What is a hull?", None),
        ("Who built it?", None),
    ],
)
def test_what_is_defined(question: str, said: str | None) -> None:
    book = shelf(TEXT).book
    found = defined(book, question)
    assert (found and book.document.text[slice(*found)]) == said
