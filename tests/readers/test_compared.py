"""What a question compares of two things."""

from __future__ import annotations

import pytest

from answerable.readers.compared import Compared, than, weighs

PRICE = (("How much does {} cost?",), ("How much is {}?",))
BORN, AGE = (("When was {} born?",),), (("When was {} born?",), ("When was {} made?",), ("When did {} begin?",))


@pytest.mark.parametrize(
    ("question", "names", "asks", "least"),
    [
        ("Who is older, Ann Lee or Bo Day?", ("Ann Lee", "Bo Day"), AGE, True),
        ("who is the youngest ann lee or bo day", ("ann lee", "bo day"), AGE, False),
        ("Which band is older, Ash or Elm?", ("Ash", "Elm"), AGE, True),
        ("what came first the ferry or the bridge", ("the ferry", "the bridge"), AGE, True),
        ("Which poet was born first, Ann Lee, or Bo Day?", ("Ann Lee", "Bo Day"), BORN, True),
        ("Was Ann Lee or Bo Day born later?", ("Ann Lee", "Bo Day"), BORN, False),
        ("Did Ann Lee or Bo Day die first?", ("Ann Lee", "Bo Day"), (("When did {} die?",),), True),
        ("Who died first, Ann Lee or Bo Day?", ("Ann Lee", "Bo Day"), (("When did {} died?",),), True),
        ("Which film came out earlier: Ash (1950 film) or Elm?", ("Ash", "Elm"), (("When did {} came out?",),), True),
        ('Which was shown first in Rome, "Ash" or "Elm"?', ("Ash", "Elm"), (("When was {} shown in Rome?",),), True),
        ("Who lived longer, Ann or Bo?", ("Ann", "Bo"), (("When was {} born?", "When did {} die?"),), False),
        (
            "who is taller the ash tower or elm hall",
            ("the ash tower", "elm hall"),
            (("What is the height of {}?",),),
            False,
        ),
        ("Is the Ash or the Elm longer?", ("the Ash", "the Elm"), (("What is the length of {}?",),), False),
        ("Which road is shorter, the Ash or the Elm?", ("the Ash", "the Elm"), (("What is the length of {}?",),), True),
        ("Which novel is newer, Last Ash or First Elm?", ("Last Ash", "First Elm"), AGE, False),
        ("Which hut has more beds, Ash or Elm?", ("Ash", "Elm"), (("How many beds does {} have?",),), False),
        ("Ash or Elm: which hut has more beds?", ("Ash", "Elm"), (("How many beds does {} have?",),), False),
        ("Who has won fewer titles, Ann or Bo?", ("Ann", "Bo"), (("How many titles has {} won?",),), True),
        ("Who won more titles, Ann or Bo?", ("Ann", "Bo"), (("How many titles did {} won?",),), False),
        ("Which is heavier, the ash or the elm?", ("the ash", "the elm"), (("What is the weight of {}?",),), False),
        ("Is Ash or Elm smaller?", ("Ash", "Elm"), (("What is the area of {}?",), ("How much is {}?",)), True),
        (
            "Which is dearer to hire, a tent or a bike?",
            ("a tent", "a bike"),
            (("How much does {} cost to hire?",), ("How much is {} to hire?",)),
            False,
        ),
        ("Is a tent or a bike less expensive?", ("a tent", "a bike"), PRICE, True),
    ],
)
def test_what_is_compared(
    question: str, names: tuple[str, str], asks: tuple[tuple[str, ...], ...], least: bool
) -> None:
    assert Compared.of(question) == Compared(names, asks, least)


@pytest.mark.parametrize(
    ("question", "asks", "least"),
    [
        ("Is Ann Lee older than Bo Day?", AGE, True),
        ("Did Ann Lee live longer than Bo Day?", (("When was {} born?", "When did {} die?"),), False),
        ("Is Ann Lee taller than Bo Day?", (("What is the height of {}?",),), False),
        ("Was Ann Lee a cheaper maid than Bo Day?", PRICE, True),
    ],
)
def test_whether_one_is_more_than_another_is_compared(
    question: str, asks: tuple[tuple[str, ...], ...], least: bool
) -> None:
    assert Compared.of(question) == Compared(("Ann Lee", "Bo Day"), asks, least, polar=True)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Which film has the director who died first, Ash or Elm?", (("When did {} died?",),)),
        ("Which film whose director is older, Ash or Elm?", AGE),
        ("Which film has the director born first, Ash or Elm?", BORN),
    ],
)
def test_what_is_asked_of_somebody_of_the_two(question: str, asks: tuple[tuple[str, ...], ...]) -> None:
    assert Compared.of(question) == Compared(("Ash", "Elm"), asks, True, "director")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is Oslo a bigger city than Rome?", ("Is Oslo", "a bigger city", "Rome")),
        ("Did the player Ann live longer than Bo Day?", ("Did the player Ann", "live longer", "Bo Day")),
        ("does Ann earn more than me", ("does Ann earn", "more", "me")),
        ("Can I stay longer than 6 months?", None),
        ("Can I have more than one dog?", None),
        ("Did it cost more than $40?", None),
        ("Can I pay in ways other than cash?", None),
        ("Who is older than Bo?", None),
        ("Was Ann older or younger than Bo?", None),
    ],
)
def test_what_is_compared_for_a_yes_or_a_no(question: str, said: tuple[str, str, str] | None) -> None:
    assert than(question) == said
    assert weighs(question) == (said is not None)


def test_which_of_two_is_more_is_weighed() -> None:
    assert weighs("Which is dearer, a kayak or a tandem?") and weighs("Who works more hours, Ann Lee or Bo Day?")
    assert not weighs("Is it Ann or Bo?") and not weighs("Which roofer was cheapest?")
