"""What two questions do not share."""

import pytest

from answerable.qapairs.equivalence.differing import difference
from answerable.qapairs.equivalence.forms import read


def _words(one: str, other: str) -> tuple[list[str], list[str]]:
    here, there = read(one), read(other)
    found = difference(here, there)
    return [here[n].low for n in found.here], [there[n].low for n in found.there]


@pytest.mark.parametrize(
    ("one", "other", "left"),
    [
        ("Who bought the mill?", "Who purchased the mill?", ([], [])),
        ("Who bought the mill?", "Who painted the barn?", (["bought", "mill"], ["painted", "barn"])),
        ("When did it take place?", "When did it happen?", ([], [])),
        ("Who has the mill, the old mill?", "Who has the mill?", (["the", "old", "mill"], [])),
        ("What is the colour?", "What is the color?", ([], [])),
        ("Which county is it?", "Which country is it?", (["county"], ["country"])),
        ("Who saw the presence of it?", "Who saw it present?", (["the", "of"], [])),
    ],
)
def test_words_left(one, other, left):
    assert _words(one, other) == left


@pytest.mark.parametrize(
    ("one", "other", "turned"),
    [
        ("Who opened it?", "Who closed it?", False),  # another word, which is another rule's
        ("Who did not open it?", "Who opened it?", True),
        ("Who refused to open it?", "Who did not open it?", False),
        ("Who may not enter without it?", "Who may enter?", True),
    ],
)
def test_turned(one, other, turned):
    here, there = read(one), read(other)
    assert difference(here, there).turned is turned and difference(there, here).turned is turned


@pytest.mark.parametrize(
    ("one", "other", "strange"),
    [
        ("Who is the mayor of Orsa?", "Who is the mayor of Alba?", True),
        ("Who taught Lin?", "Who taught Ada Lin?", False),
        ("Who rules Orsa?", "Who rules North Orsa?", True),
        ("When was Orsa built?", "When was Orsa Castle built?", True),
        ("What is the FIS?", "What is the FISS?", True),
    ],
)
def test_names(one, other, strange):
    here, there = read(one), read(other)
    assert difference(here, there).names is strange and difference(there, here).names is strange
