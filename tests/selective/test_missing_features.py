from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from answerable.selective.missing_features import FOREMOST, NAMES, READ, signs
from answerable.types import PUBLIC, Candidate, Chain, Hit, Hop, Label, Passage, Query, Skill

MAIL = frozenset({"mail"})
QUESTION = "Who built the tower of Hook Lighthouse, which Maria wrote about?"


def hit(title: str, text: str, label: Label, score: float = 1.0) -> Hit:
    id = repr((title, text))  # one passage has one text
    return Hit(Passage(id, id, "mail" if label else "wiki", title, text, 0, len(text)), score, label, Skill.SINGLE)


def hop(*hits: Hit, because: tuple[Passage, ...] = ()) -> Hop:
    return Hop(Query(QUESTION, because=because), Skill.SINGLE, "any", None, hits, 0.0)


def read(first: Hit) -> Candidate:
    return Candidate("x", 1.0, Chain((first,), 1.0, first.label), 0, 0, 1)


def named(hops: list[Hop], candidates: list[Candidate], question: str = QUESTION) -> dict[str, float]:
    return dict(zip(NAMES, signs(question, hops, candidates, MAIL), strict=True))


def test_what_the_question_names_is_looked_for_on_both_sides() -> None:
    held, free = hit("Hook Lighthouse (Ireland)", "It stands there.", MAIL, 3.0), hit("Bell Rock", "A reef.", PUBLIC)
    found = named([hop(held, free)], [read(held), read(held), read(free)])
    assert (found["titled held"], found["titled free"]) == (1.0, 0.0)
    assert found["named held"] == 0.5 and found["named free"] == 0.0  # of Hook Lighthouse and Maria
    assert found["started"] == 2 / 3 and found["ahead"] == 0.75
    assert found["covered held"] > found["covered free"]


def test_the_form_of_the_question() -> None:
    assert named([], [])["related"] == 1.0 and named([], [])["compared"] == 0.0
    both = named([], [], "Which of the two, Ada's house or Bell Rock, is older?")
    assert both["compared"] == 1.0 and both["related"] == 0.0 and both["of"] == 2 / 3


def test_passages_of_later_hops_name_things_but_were_not_found_by_the_question() -> None:
    held = hit("Hook Lighthouse", "Who built the tower?", MAIL)
    later = named([hop(held, because=(held.passage,))], [])
    assert later["titled held"] == 1.0 and later["covered held"] == 0.0 and later["ahead"] == 0.5


def test_every_sign_by_hand() -> None:
    question = "why did Ada of Oslo, the heir of Bo, meet the keeper of Hook Lighthouse, and of both its horns?"
    held = hit("Hook Lighthouse (Ireland)", "The keeper of it.", MAIL, 3.0)
    free = hit("Ada", "A heir, Bo.", PUBLIC)
    lower = Hit(held.passage, 1.0, MAIL, Skill.SINGLE)
    empty = replace(read(held), chain=Chain((), 0.0, MAIL))
    found = named([hop(lower, held, free), hop(lower)], [empty, read(held), read(free), read(held)], question)
    asked = {*"why did ada of oslo the heir bo meet keeper hook lighthouse and both its horns".split()}
    assert found == {
        "compared": 1.0,
        "related": 0.0,
        "of": 1.0,  # four times, and three count
        "long": 20 / 30,
        "named held": 1 / 3,  # Ada, Oslo and Hook Lighthouse: Bo is too short to be looked for
        "named free": 1 / 3,
        "titled held": 1.0,
        "titled free": 1.0,
        "started": 2 / 3,
        "covered held": 5 / len(asked),  # hook, lighthouse, the, keeper, of
        "covered free": 3 / len(asked),
        "ahead": 0.75,
    }


def test_signs_at_their_ends() -> None:
    assert named([], [], "Men who lit it")["related"] == 1.0 and named([], [], "Who lit it?")["related"] == 0.0
    assert named([], [], " ".join(["word"] * 31))["long"] == 1.0 and named([], [], "word " * 15)["long"] == 0.5
    assert named([], [], "one of two")["of"] == 1 / 3
    nothing = named([hop(hit("", "", MAIL), hit("", "", PUBLIC))], [], "?")
    assert {nothing[name] for name in NAMES if name != "ahead"} == {0.0} and nothing["ahead"] == 0.5
    assert named([hop(hit("A", "", MAIL, 2.0))], [])["ahead"] == 1.0
    assert named([hop(hit("A", "", PUBLIC, 0.5))], [])["ahead"] == 0.0


def test_signs_look_at_so_many() -> None:
    held, free = hit("A", "", MAIL), hit("B", "", PUBLIC)
    begun = [*[read(free)] * (READ - 1), *[read(held)] * 2]
    assert named([], begun)["started"] == 1 / READ
    weak = [hit(f"T{n}", "nothing", MAIL, 9.0 - n) for n in range(FOREMOST)]
    for most, share in ((FOREMOST, 0.0), (FOREMOST - 1, 1.0)):
        assert named([hop(*weak[:most], hit("Lamp", "", MAIL, 1.0))], [], "lamp")["covered held"] == share


TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
HITS = st.builds(hit, TEXTS, TEXTS, st.sampled_from([PUBLIC, MAIL, frozenset({"clinic"})]), st.floats(-1e6, 1e6))


@given(TEXTS, st.lists(HITS, max_size=4), st.lists(HITS, max_size=3))
def test_every_sign_stays_between_0_and_1(question: str, found: list[Hit], begun: list[Hit]) -> None:
    values = signs(question, [hop(*found)], [read(one) for one in begun], MAIL)
    assert len(values) == len(NAMES) and all(0.0 <= value <= 1.0 for value in values)
    assert values == signs(question, [hop(*found[::-1])], [read(one) for one in begun], MAIL)
