"""The same words in other places."""

import pytest

from answerable.pairs.asking.asked import sought
from answerable.pairs.asking.differing import difference
from answerable.pairs.asking.forms import read
from answerable.pairs.asking.places import (
    asks_of_it,
    displaced,
    done_by,
    exchanged,
    governed_otherwise,
    owns_another,
)


@pytest.mark.parametrize(
    ("one", "other", "turned"),
    [
        ("Who is Lin older than?", "Who is older than Lin?", True),
        ("What do owls feed on?", "What feeds on owls?", True),
        ("Why are guests fond of the inn?", "Why is the inn fond of guests?", False),  # "of" tells nothing
        ("Why are guests happy with the inn?", "Why is the inn happy with guests?", True),
        ("What was Lin promised?", "What did Lin promise?", True),
        ("What was Lin to promise?", "What did Lin promise?", False),
        ("What must cooks report to waiters?", "What must waiters report to cooks?", True),
        ("Who sent Lin with the letter?", "Who sent the letter to Lin?", True),
        ("Who sent Lin the letter?", "Who sent the letter to Lin?", False),
        ("Who supplies Lin with oil?", "Who supplies oil to Lin?", False),
        ("In which year was the inn built?", "What year was the inn built in?", False),
        ("What did Lin trade for oil?", "What did Lin trade oil for?", True),
        ("For what did Lin trade oil?", "What did Lin trade oil for?", False),
        ("How many points were scored against Lin?", "How many points did Lin score?", True),
    ],
)
def test_displaced(one, other, turned):
    here, there = read(one), read(other)
    for a, b in ((here, there), (there, here)):
        assert displaced(a, b, sought(a), sought(b), difference(a, b)) is turned


@pytest.mark.parametrize(
    ("one", "other", "turned"),
    [
        ("Who brings salt water into sweet water?", "Who brings sweet water into salt water?", True),
        ("What was found by Ann and lost by Bo?", "What was found by Bo and lost by Ann?", True),
        ("Who is taller, Ann or Bo?", "Who is taller, Bo or Ann?", False),
        ("What lies between Alba and Orsa?", "What lies between Orsa and Alba?", False),
        ("When did Ann marry Bo?", "When did Bo marry Ann?", False),
        ("In May, who met Ann?", "Who met Ann in May?", False),  # a part that moved, alone
        ("Before oiling the gate, why does Ann lift it?", "Why does Ann lift the gate before oiling it?", False),
        ("Who met the man that Ann beat?", "Who met the man that beat Ann?", True),
        ("Who met Ann?", "Who met Bo?", False),  # not the same words
    ],
)
def test_exchanged(one, other, turned):
    assert exchanged(read(one), read(other)) is turned and exchanged(read(other), read(one)) is turned


@pytest.mark.parametrize(
    ("one", "other", "turned"),
    [
        ("Which ship's captain is old?", "Which captain's ship is old?", True),
        ("Who is the ship's captain?", "Who is the captain of the ship?", False),
    ],
)
def test_owners(one, other, turned):
    assert owns_another(read(one), read(other)) is turned and owns_another(read(other), read(one)) is turned


@pytest.mark.parametrize(
    ("one", "other", "turned"),
    [
        ("What is said to be caused by rust?", "What is said to cause rust?", True),
        ("What was it that the rust caused?", "What was caused by the rust?", False),
    ],
)
def test_done_by(one, other, turned):
    assert done_by(read(one), read(other)) is turned and done_by(read(other), read(one)) is turned


@pytest.mark.parametrize(
    ("one", "other", "turned"),
    [
        ("Which song is by Lin?", "Which song is for Lin?", True),
        ("Which song is about Lin?", "Which song is by Lin?", True),
        ("Who was dismissed with Lin?", "Who was dismissed by Lin?", True),  # with a tool it would be the same
        ("What is opened with the key?", "What is opened by the key?", False),
        ("What did Lin do between the wars?", "What did Lin do during the wars?", True),
        ("Who plays Lin?", "Who plays with Lin?", True),
        ("Which towns have a border with Alba?", "Which towns border Alba?", False),
        ("What did Lin die of?", "What did Lin die for?", True),
        ("What is it made of?", "What is it made from?", False),
        ("How much rose it in 1950 compared with 1960?", "How much rose it in 1960 compared with 1950?", True),
        ("What happens if dogs chase cats?", "What happens if cats chase dogs?", True),
        ("Who lives in Alba?", "Who lives at Alba?", False),
        ("What resulted in the treaty?", "What resulted from the treaty?", True),
        ("What resulted from the treaty?", "What resulted from that treaty?", False),
    ],
)
def test_governed_otherwise(one, other, turned):
    first, second = read(one), read(other)
    assert governed_otherwise(first, second) is turned and governed_otherwise(second, first) is turned


@pytest.mark.parametrize(
    ("one", "other", "turned"),
    [
        ("Which king built a bridge?", "Who built a bridge for the king?", True),
        ("Which German built the bridge?", "Who built the German bridge?", True),
        ("Which writer directed it?", "Which director wrote it?", True),
        ("Which side of Alba is in Orsa?", "Which side of Orsa is Alba in?", True),
        ("Which king built a bridge?", "Who was the king that built a bridge?", False),
        ("Which twin was born first?", "Which of the twins was born first?", False),
    ],
)
def test_asks_of_it(one, other, turned):
    first, second = read(one), read(other)
    for a, b in ((first, second), (second, first)):
        assert asks_of_it(a, sought(a), b, sought(b)) is turned
