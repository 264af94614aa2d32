"""Who does it, and to whom it is done."""

import pytest

from answerable.qapairs.equivalence.asked import sought
from answerable.qapairs.equivalence.forms import read
from answerable.qapairs.equivalence.roles import AGENT, PATIENT, argument, past, slots, swapped


def _slots(question: str, verb: str) -> dict[str, str]:
    words = read(question)
    return slots(words, next(n for n, word in enumerate(words) if word.low == verb))


@pytest.mark.parametrize(
    ("question", "verb", "agent", "patient"),
    [
        ("Who taught Lin?", "taught", "?", "lin"),
        ("Whom did Lin teach?", "teach", "lin", "?"),
        ("Who was taught by Lin?", "taught", "lin", "?"),
        ("By whom was Lin taught?", "taught", "?", "lin"),
        ("Who was Lin taught by?", "taught", "?", "lin"),
        ("Lin was taught by whom?", "taught", "?", "lin"),
        ("Why did Lin teach Bo?", "teach", "lin", "bo"),
    ],
)
def test_slots(question, verb, agent, patient):
    found = _slots(question, verb)
    assert found.get(agent) == AGENT or agent == "?"
    assert found.get(patient) == PATIENT or patient == "?"
    assert found.get(agent) != PATIENT and found.get(patient) != AGENT


@pytest.mark.parametrize(
    ("one", "other", "turned"),
    [
        ("Who taught Lin?", "Whom did Lin teach?", True),
        ("Who taught Lin?", "Who was taught by Lin?", True),
        ("Who taught Lin?", "By whom was Lin taught?", False),
        ("Who lent Bo money?", "To whom did Bo lend money?", True),
        ("Who sailed from Alba to Orsa?", "Who sailed from Orsa to Alba?", True),
        ("Who is Lin the mother of?", "Who is the mother of Lin?", True),
        ("In March, what did Lin paint?", "What did Lin paint in March?", False),
        ("When did Lin marry Bo?", "When did Bo marry Lin?", False),
        ("Why were the fares raised by the town?", "Why did the town raise its fares?", False),
        ("Which gas does light free?", "Which gas is freed by light?", False),
        ("What may Lin inherit from Bo?", "What may Bo inherit from Lin?", True),
        ("What did the town export in May?", "What was exported from the town in May?", False),
        ("What does oil dissolve?", "What dissolves in oil?", True),
        ("Which firm did Hill take over?", "Which firm took over Hill?", True),
        ("Which towns were invaded in May?", "Which towns invaded in May?", True),
        ("Which ship was sunk in May?", "Which ship sank in May?", False),  # the same for some verbs
        ("In which hall was the lamp added?", "Which hall added the lamp?", False),
        ("Who did Lin appoint?", "Who chose Lin?", False),  # no synonyms
    ],
)
def test_swapped(one, other, turned):
    for a, b in ((read(one), read(other)), (read(other), read(one))):
        assert swapped(a, b, sought(a), sought(b)) is turned


@pytest.mark.parametrize(
    ("question", "verb", "role"),
    [
        ("Who taught Lin?", "taught", AGENT),
        ("Whom did Lin teach?", "teach", PATIENT),
        ("Who was taught by Lin?", "taught", PATIENT),
        ("By whom was Lin taught?", "taught", AGENT),
        ("Who was Lin taught by?", "taught", AGENT),
        ("What was Lin taught?", "taught", ""),  # a second object
        ("Who did Lin play with?", "play", "with"),
        ("Who did Lin play with in May?", "play", "with"),
        ("Which firm did Hill buy up?", "buy", PATIENT),  # "up" is part of the verb
        ("Which firm bought by Hill makes glass?", "bought", PATIENT),
        ("Who met the man that taught Lin?", "taught", ""),  # not the first verb
        ("When did Lin teach?", "teach", ""),  # not what teaches nor is taught
    ],
)
def test_argument(question, verb, role):
    words = read(question)
    assert argument(words, next(n for n, word in enumerate(words) if word.low == verb), sought(words)) == role


@pytest.mark.parametrize(("low", "is_past"), [("taught", True), ("oiled", True), ("death", False), ("was", False)])
def test_past(low, is_past):
    assert past(read(low)[0]) is is_past
