"""What is so, was so, will be so, may be so and must be so."""

import pytest

from answerable.pairs.asking.forms import read
from answerable.pairs.asking.moods import moods_differ, times_differ


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("Who may sign?", "Who must sign?", True),
        ("Who may sign?", "Who can sign?", False),
        ("Who may sign?", "Who is allowed to sign?", False),
        ("Who must sign?", "Who has to sign?", False),
        ("Who must sign?", "Whose signature is required?", False),
        ("Who must sign?", "Who signs?", True),
        ("How many could it carry?", "How many did it carry?", True),
        ("How many can it carry?", "How many does it carry?", False),
    ],
)
def test_moods(one, other, differ):
    assert moods_differ(read(one), read(other)) is differ and moods_differ(read(other), read(one)) is differ


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("Who is the warden?", "Who was the warden?", True),
        ("Who will be the warden?", "Who was the warden?", True),
        ("Who will be the warden?", "Who is the warden?", False),
        ("Who will host the fair?", "Who hosted the fair?", True),
        ("Who hosts the fair?", "Who hosted the fair?", False),  # nothing helps the verb
        ("Who is the warden in 1950?", "Who was the warden in 1950?", False),  # the number says when
        ("Who is called the warden?", "Who was named warden?", False),  # not the same words
    ],
)
def test_times(one, other, differ):
    assert times_differ(read(one), read(other)) is differ and times_differ(read(other), read(one)) is differ
