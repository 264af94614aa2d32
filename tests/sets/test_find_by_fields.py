"""Finds whose constraints fields answer: exact, listed without a search, and joined with what a judge reads."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from answerable.sets.find_settings import FindSettings
from answerable.sets.finding import Finding
from answerable.sets.members import Evidence, Found
from answerable.types import Privacy
from tests.sets.test_find import Told
from tests.sets.world import SOFTWARE, Head, World, sought

KIM, LEE = "Kim Watson <kim@x.example>", "Lee Huber <lee@y.example>"
HEADS: Mapping[str, Head] = {
    "m1": (KIM, LEE, "2001-05-04"),
    "m2": (KIM, LEE, "2001-06-01"),
    "m3": (LEE, KIM, "2001-06-02"),
    "m4": (LEE, KIM, "2001-05-03"),
}
MAILS = {"m1": "the pier is built.", "m2": "gas is dear.", "m3": "gas is cheap.", "m4": "lunch is at noon."}
NOTE = {"note": "a note on gas from Kim."}


def world(texts: Mapping[str, str] = MAILS, **given: object) -> World:
    return World({"wiki": SOFTWARE, "mail": texts}, heads={"mail": HEADS}, **given)  # type: ignore[arg-type]


def found(held: World, expression: str, **given: object) -> Found:
    asked = sought(expression, **given)
    return Finding(asked, held.finder().find(asked)).found


def ours(got: Found) -> list[str]:
    return [member.document for member in got.members if member.enclave == "mail"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('"mails from Kim Watson"', ["m2", "m1"]),
        ('"mails" minus "from Kim Watson"', ["m3", "m4"]),
        ('"mails to Kim" or "mails in May 2001"', ["m3", "m1", "m4"]),
        ('"mails from Kim" and "after May 2001"', ["m2"]),
        ('"mails" minus ("from Kim" or "before June 2001")', ["m3"]),
        ('"from Kim" minus "in 2001"', []),
    ],
)
def test_fields_alone_give_all_that_fit_the_newest_first(expression: str, expected: list[str]) -> None:
    judge = Told({})
    held = world(judge=judge)
    got = found(held, expression)
    assert ours(got) == expected and [one.probability for one in got.members] == [1.0] * len(expected)
    assert not {title for read in judge.read for title, _ in read} & {*MAILS}  # none is judged
    assert not any(name.startswith("mail") for name, _ in held.sent)  # nor searched for


def test_they_are_not_stopped_and_counted_whole() -> None:
    many = {f"m{number:03}": "a mail." for number in range(120)}
    heads = {name: (KIM, LEE, f"2001-01-{int(name[1:]) % 28 + 1:02}") for name in many}
    held = World({"wiki": {}, "mail": many}, heads={"mail": heads}, settings=FindSettings(candidates=10))
    got = found(held, '"mails from Kim"')
    assert got.count == len(got.members) == got.considered == got.possible == 120
    assert got.expected == 120 and got.interval == (120, 120) and got.label == {"mail"}
    days = [member.fields.date for member in got.members if member.fields]
    assert days == sorted(days, reverse=True)
    fewer = found(held, '"mails from Kim"', limit=3)
    assert fewer.members == got.members[:3] and fewer.count == 120


def test_text_is_judged_among_what_fits_and_on_what_is_left() -> None:
    held = world()
    got = found(held, '"mails from Kim" and "gas"')
    assert ours(got) == ["m2"]
    assert {name for name, _ in held.sent if name.startswith("mail")} == {"mail, 2 left"}
    assert {text for name, (text, *_) in held.sent if name.startswith("mail")} == {"mails from Kim and gas", "gas"}
    field, text = got.members[0].supports
    assert (field.field, field.probability, field.citations) == (f"From: {KIM}", 1.0, ())
    assert text.field is None and [one.text for one in text.citations] == ["gas is dear."]
    assert got.members[0].evidence is Evidence.COMPLETE


def test_what_is_taken_away_is_shown_not_to_be_or_shown_to_be() -> None:
    got = found(world(), '"mails" minus "from Kim"')
    kind, taken = got.members[0].supports
    assert (kind.field, taken.negated, taken.probability, taken.field) == ("Kind: mail", True, 0.0, f"From: {LEE}")
    assert [one.document for one in got.left_out] == ["m2", "m1"]
    assert got.left_out[0].supports[1].probability == 1.0 and got.left_out[0].supports[1].field == f"From: {KIM}"
    mixed = found(world(), '"gas" minus "from Kim"')
    assert ours(mixed) == ["m3"] and mixed.members[0].supports[1].field == f"From: {LEE}"


def test_of_alternatives_what_fields_settle_is_given_and_the_rest_judged() -> None:
    judge = Told({"m3": 0.9})
    got = found(world(judge=judge), '"mails from Kim" or "gas"')
    assert ours(got) == ["m2", "m1", "m3"]
    assert {title for read in judge.read for title, _ in read} & {*MAILS} == {"m3", "m4"}
    assert [told.constraint for told in got.members[0].supports] == ["mails from Kim"]


def test_where_nobody_is_called_so_text_is_judged_as_where_there_are_no_fields() -> None:
    for expression in ('"gas" minus "from Nobody"', '"films from France" or "gas"', '"gas"'):
        one = found(world(), expression)
        other = found(World({"wiki": SOFTWARE, "mail": MAILS}), expression)
        assert [(member.document, member.probability) for member in one.members] == [
            (member.document, member.probability) for member in other.members
        ]
        assert all(told.field is None for member in one.members for told in member.supports)


def test_documents_that_are_no_mail_are_judged_by_text() -> None:
    got = found(world(MAILS | NOTE), '"from Kim" and "gas"')
    assert {member.document: [bool(told.field) for told in member.supports] for member in got.members} == {
        "m2": [True, False],
        "note": [False, False],
    }
    alone = found(world(NOTE | {"m3": MAILS["m3"]}), '"from Kim"')  # nobody of that name sent anything: as text
    assert "note" in ours(alone)


def test_what_is_no_mail_is_none_whatever_its_text_says_and_is_not_searched_for() -> None:
    held = World({"wiki": SOFTWARE | NOTE, "mail": MAILS | NOTE}, heads={"mail": HEADS, "wiki": {}})
    assert ours(found(held, '"mails" and "gas"')) == ["m2", "m3"]
    assert not any("gas" in text for name, (text, *_) in held.sent if name.startswith("wiki"))
    either = found(world(MAILS | NOTE), '("mails" and "gas") or "note"')
    assert {*ours(either)} == {"m2", "m3", "note"}


def test_fields_are_asked_for_only_where_a_query_may_go() -> None:
    held = World({"wiki": MAILS, "mail": {}}, heads={"wiki": HEADS})
    got = found(held, '"mails from Kim"', privacy=Privacy.QUERY)
    assert got.members == () and {name for name, _ in held.sent} == {"mail"}
    assert all(hop.refused for hop in got.hops if hop.enclave == "wiki") and len(got.hops) == 3
    public = found(held, '"mails from Kim"')
    (hop,) = [one for one in public.hops if one.enclave == "wiki"]
    assert hop.query.text == 'from "Kim", of kind mail' and [hit.passage.document_id for hit in hop.hits] == [
        "m2",
        "m1",
    ]
