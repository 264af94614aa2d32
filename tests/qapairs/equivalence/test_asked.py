"""What a question asks for."""

import pytest

from answerable.qapairs.equivalence.asked import agree, sought
from answerable.qapairs.equivalence.forms import read


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who lit the lamp?", "person"),
        ("By whom was it lit?", "person"),
        ("The lamp was lit by whom?", "person"),
        ("Whose lamp is it?", "owner"),
        ("When was it lit?", "time"),
        ("In what year was it lit?", "time"),
        ("Where is it?", "place"),
        ("Which town is it in?", "place"),
        ("Why was it lit?", "reason"),
        ("For what reason was it lit?", "reason"),
        ("How was it lit?", "manner"),
        ("How many lamps are there?", "count"),
        ("What is the number of lamps?", "count"),
        ("What percentage of lamps is lit?", "share"),
        ("How much oil is left?", "amount"),
        ("How tall is it?", "measure"),
        ("What is the height of the lamp?", "measure"),
        ("How many metres tall is it?", "measure"),
        ("What kind of lamp is it?", "thing"),
        ("What happens when it is lit?", "thing"),
        ("How much is it?", "measure"),
        ("By how much is it dearer?", "amount"),
        ("What was the exact date of it?", "time"),
        ("When heated, what melts?", "thing"),
        ("Is it lit?", "polar"),
        ("How long ago was it lit?", "time"),
        ("How many square miles is it?", "measure"),
        ("What is the area of it?", "measure"),
        ("What did it die of?", "manner"),
        ("What is the reason it was lit?", "reason"),
        ("Tell of the lamp", ""),
    ],
)
def test_kinds(question, kind):
    assert sought(read(question)).kind == kind


@pytest.mark.parametrize(
    ("one", "other", "agreeing"),
    [
        ("When was it lit?", "In which year was it lit?", True),
        ("Who lit it?", "Which keeper lit it?", True),
        ("Who lit it?", "When was it lit?", False),
        ("How tall is it?", "How heavy is it?", False),
        ("How tall is it?", "How many metres tall is it?", True),
        ("How many lamps light the towers?", "How many towers have lamps?", False),
        ("How many sorts of lamp are lit?", "How many lamp sorts are lit?", True),
        ("How many are lit?", "What percentage is lit?", False),
        ("Where is it?", "In which town is it?", True),
        ("Why was it lit?", "Where was it lit?", False),
        ("In which month is it lit?", "In which town is it lit?", False),
        ("Who lit it?", "In which town was it lit?", False),
        ("Who lit it?", "What is the fine for it?", False),
        ("Which of the two lit it?", "Who lit it?", True),
        ("How did he die?", "What was the cause of his death?", True),
        ("Where is the oldest one?", "Which town is the oldest one?", False),  # "in" which
        ("Where was it held?", "Which town hosted it?", True),
        ("How much did it cost?", "How much did he pay for it?", True),
        ("Why did he light it?", "What did he light?", False),
        ("Why did he give it?", "What did he give it for?", False),
        ("What did it cost?", "How much did it cost?", True),
        ("How much oil in litres is lit?", "How many litres of oil are lit?", True),
    ],
)
def test_agreeing(one, other, agreeing):
    first, second = sought(read(one)), sought(read(other))
    assert agree(first, second) is agreeing and agree(second, first) is agreeing
