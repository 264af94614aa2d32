"""What a grant lifts, as a table, and the laws it keeps."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from answerable.errors import EnclaveError, UsageError
from answerable.privacy.enclaves import QUESTION, EnclaveTable, mirror, private, public
from answerable.privacy.flow import Decision, decide, first_query
from answerable.privacy.grant_file import GrantFile
from answerable.privacy.granting import new_leave, new_rule
from answerable.privacy.grants import ONE_ASK, Grant, for_question, standing
from answerable.types import EVERYTHING, Asker, Enclave, Passage, Privacy, Query

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ME, GUEST = Asker(), Asker("guest", frozenset({"wiki"}))
TABLE = EnclaveTable([public("wiki"), mirror("copy"), private("mail"), private("clinic"), private("crm", ["mail"])])
WIKI, CRM = TABLE["wiki"], TABLE["crm"]
MAIL, CLINIC = (Passage(f"{name}@0-1", name, name, "t", "x", 0, 1) for name in ("mail", "clinic"))
DOCUMENT, QUERY, NONE = Privacy.DOCUMENT, Privacy.QUERY, Privacy.NONE


def rule(*lifts: str, to: str = "wiki", asker: str = "me", id: str = "g1", **times: datetime | None) -> Grant:
    at = {"given": NOW - HOUR, "until": NOW + HOUR, "revoked": None, **times}
    return Grant(id, asker, frozenset(lifts), to, at["given"], at["until"], revoked=at["revoked"])  # type: ignore[arg-type]


def carrying(*words: str, asker: Asker = ME, because: tuple[Passage, ...] = (MAIL,)) -> Query:
    return Query("q", asker, frozenset(words), because)


BOUND = "wiki admits only public text"
LIFTED = f"carries mail; {BOUND}, and mail by grant g1"
NOBODY = Asker("x", frozenset())
CASES = [
    ("none given", [], carrying("mail"), WIKI, NOW, False, f"carries mail; {BOUND}", ()),
    ("lifted", [rule("mail")], carrying("mail"), WIKI, NOW, True, LIFTED, ("g1",)),
    ("from its first moment", [rule("mail", given=NOW)], carrying("mail"), WIKI, NOW, True, None, ("g1",)),
    ("not before", [rule("mail", given=NOW + HOUR)], carrying("mail"), WIKI, NOW, False, f"carries mail; {BOUND}", ()),
    ("not at its end", [rule("mail", until=NOW)], carrying("mail"), WIKI, NOW, False, f"carries mail; {BOUND}", ()),
    ("revoked", [rule("mail", revoked=NOW - HOUR)], carrying("mail"), WIKI, NOW, False, f"carries mail; {BOUND}", ()),
    ("revoked, by a clock put back", [rule("mail", revoked=NOW + HOUR)], carrying("mail"), WIKI, NOW, False, None, ()),
    ("without a moment", [rule("mail")], carrying("mail"), WIKI, None, False, f"carries mail; {BOUND}", ()),
    ("another asker's", [rule("mail", asker="guest")], carrying("mail"), WIKI, NOW, False, None, ()),
    ("to another enclave", [rule("mail", to="crm")], carrying("mail"), WIKI, NOW, False, None, ()),
    ("another word", [rule("clinic")], carrying("mail"), WIKI, NOW, False, f"carries mail; {BOUND}", ()),
    ("half of it", [rule("mail")], carrying("mail", "clinic"), WIKI, NOW, False, None, ()),
    (
        "two together",
        [rule("mail"), rule("clinic", id="g2"), rule("mail", id="g3")],
        carrying("mail", "clinic"),
        WIKI,
        NOW,
        True,
        f"carries clinic and mail; {BOUND}, and clinic and mail by grant g1, g2",
        ("g1", "g2"),
    ),
    (
        "beside what is admitted",
        [rule("clinic", to="crm")],
        carrying("mail", "clinic"),
        CRM,
        NOW,
        True,
        "carries clinic and mail; crm admits crm and mail, and clinic by grant g1",
        ("g1",),
    ),
    ("needless", [rule("clinic")], carrying(), WIKI, NOW, True, f"carries only public text; {BOUND}", ()),
    (
        "no read up",
        [rule("mail", asker="x")],
        carrying(asker=NOBODY),
        WIKI,
        NOW,
        False,
        "x is not cleared for wiki",
        (),
    ),
]


@pytest.mark.parametrize(
    ("grants", "query", "enclave", "at", "allowed", "reason", "used"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_decisions(
    grants: list[Grant],
    query: Query,
    enclave: Enclave,
    at: datetime | None,
    allowed: bool,
    reason: str | None,
    used: tuple[str, ...],
) -> None:
    decision = decide(query, enclave, DOCUMENT, grants, at)
    assert (decision.allowed, decision.grants) == (allowed, used)
    assert reason is None or decision.reason == reason


def test_the_grant_for_a_question_never_covers_what_was_read() -> None:
    leave = new_leave(TABLE, ME, QUERY, "wiki", NOW)
    asked = first_query("q", ME, QUERY, TABLE)
    allowed = decide(asked, WIKI, QUERY, [leave], NOW)
    assert allowed.allowed and allowed.grants == (leave.id,) and leave.id in allowed.reason
    read = replace(asked, label=asked.label | {"mail"}, because=(MAIL,))
    assert not decide(read, WIKI, QUERY, [leave], NOW).allowed
    public_read = replace(asked, because=(Passage("w", "w", "wiki", "t", "x", 0, 1),))
    assert decide(public_read, WIKI, QUERY, [leave], NOW).allowed
    assert not decide(asked, CRM, QUERY, [leave], NOW).allowed
    named = new_leave(TABLE, ME, QUERY, "wiki", NOW, ["mail"])
    assert decide(read, WIKI, QUERY, [named], NOW).allowed
    both = replace(read, label=read.label | {"clinic"}, because=(MAIL, CLINIC))
    assert not decide(both, WIKI, QUERY, [named], NOW).allowed


def test_what_is_admitted_to_the_last_word_needs_no_grant() -> None:
    """And without privacy nothing does, whatever it lifts."""
    table = EnclaveTable([public("wiki"), private("mail"), private("crm", admits=["mail"])])
    with pytest.raises(UsageError, match="crm admits crm, mail already"):
        new_rule(table, ME, ["crm", "mail"], "crm", NOW)
    assert new_rule(table, ME, ["mail"], "wiki", NOW, reason="until Friday").reason == "until Friday"
    for lifts in ((), ("mail",)):
        with pytest.raises(UsageError, match="wiki may be sent this question without a grant"):
            new_leave(table, ME, Privacy.NONE, "wiki", NOW, lifts)


def test_the_grant_for_a_part_covers_that_text_alone() -> None:
    leave = new_leave(TABLE, ME, QUERY, "wiki", NOW, text="Bell Rock")
    asked = first_query("Bell Rock", ME, QUERY, TABLE)
    assert decide(asked, WIKI, QUERY, [leave], NOW).allowed
    wiki_read = Passage("w", "w", "wiki", "t", "Bell Rock", 0, 1)
    for other in (replace(asked, text="Bell Rock and my mails"), replace(asked, because=(wiki_read,))):
        assert not decide(other, WIKI, QUERY, [leave], NOW).allowed
    assert not decide(asked, CRM, QUERY, [leave], NOW).allowed
    assert leave.reason == "" and leave.until - leave.given == ONE_ASK
    assert leave.id != for_question(ME, "wiki", NOW, text="Hook").id and "Bell Rock" not in repr(leave)


def test_an_askers_own_label_is_lifted_only_until_something_was_read() -> None:
    """Afterwards a word may stand for what they typed or for what was read: private hits share that beam."""
    mine = Asker(label=frozenset({"mail"}))
    leave = new_leave(TABLE, mine, DOCUMENT, "wiki", NOW)
    asked = first_query("q", mine, DOCUMENT, TABLE)
    assert decide(asked, WIKI, DOCUMENT, [leave], NOW).allowed
    assert not decide(replace(asked, because=(MAIL,)), WIKI, DOCUMENT, [leave], NOW).allowed


def test_grants_that_would_do_nothing_are_not_given() -> None:
    for table_of_wrongs in (
        lambda: new_rule(TABLE, ME, ["mail"], "copy", NOW),
        lambda: new_rule(TABLE, ME, ["mail"], "crm", NOW),
        lambda: new_rule(TABLE, ME, [], "wiki", NOW),
        lambda: new_rule(TABLE, ME, ["mail"], "wiki", NOW, NOW),
        lambda: new_leave(TABLE, ME, NONE, "wiki", NOW),
        lambda: new_leave(TABLE, ME, QUERY, "copy", NOW),
        lambda: new_leave(TABLE, NOBODY, DOCUMENT, "wiki", NOW, ["mail"]),
        lambda: new_rule(TABLE, GUEST, ["mail"], "mail", NOW),
    ):
        with pytest.raises(UsageError):
            table_of_wrongs()
    with pytest.raises(UsageError, match="wiki=clinic, crm, mail would also let it be sent what is read there"):
        new_leave(TABLE, ME, DOCUMENT, "wiki", NOW)
    for lifts, to in ((["mial"], "wiki"), (["mail"], "wikki"), (["wiki"], "crm")):
        with pytest.raises(EnclaveError):
            new_rule(TABLE, ME, lifts, to, NOW)


def test_a_standing_grant_is_short_unless_told_otherwise() -> None:
    assert new_rule(TABLE, ME, ["mail"], "wiki", NOW).until == NOW + DAY
    assert new_rule(TABLE, ME, [QUESTION], "wiki", NOW, NOW + 9 * DAY, "why").until == NOW + 9 * DAY


def test_ids_tell_grants_apart() -> None:
    made = [standing(ME, ["mail"], "wiki", NOW + at * HOUR) for at in range(20)]
    assert len({one.id for one in [*made, for_question(ME, "wiki", NOW)]}) == 21
    assert made[0] == standing(ME, ["mail"], "wiki", NOW)


WORDS = ["mail", "clinic", "crm", QUESTION]
grants_of = st.builds(
    Grant,
    id=st.sampled_from(["g1", "g2", "g3", "g4"]),
    asker=st.sampled_from(["me", "guest"]),
    lifts=st.frozensets(st.sampled_from(WORDS), min_size=1, max_size=2),
    to=st.sampled_from(sorted(TABLE)),
    given=st.sampled_from([NOW - HOUR, NOW, NOW + HOUR]),
    until=st.sampled_from([NOW, NOW + HOUR]),
    reason=st.just("why"),
    before_reading=st.frozensets(st.sampled_from(WORDS), max_size=1),
    revoked=st.sampled_from([None, None, NOW - HOUR, NOW + HOUR]),
)
many = st.lists(grants_of, max_size=5)
queries = st.builds(
    carrying,
    *[st.sampled_from(WORDS)] * 2,
    asker=st.sampled_from([ME, GUEST, Asker("me", frozenset({"wiki", "crm"}), frozenset({"mail"}))]),
    because=st.sampled_from([(), (MAIL,), (MAIL, CLINIC)]),
)
enclaves = st.sampled_from(list(TABLE.values()))
modes = st.sampled_from(list(Privacy))


def given_for(query: Query, enclave: Enclave, drawn: list[Grant]) -> list[Grant]:
    """Grants, and the same in force for this query, each with an id of its own: few that are drawn would count."""
    theirs = {"asker": query.asker.name, "to": enclave.name, "given": NOW, "until": NOW + HOUR, "revoked": None}
    both = [*drawn, *(replace(one, **theirs) for one in drawn)]
    return [replace(one, id=f"g{number}") for number, one in enumerate(both)]


@given(query=queries, enclave=enclaves, privacy=modes, drawn=many, more=many)
@example(carrying("mail"), WIKI, DOCUMENT, [rule("mail")], [rule("clinic")])
def test_more_grants_never_take_an_allowance_away(
    query: Query, enclave: Enclave, privacy: Privacy, drawn: list[Grant], more: list[Grant]
) -> None:
    held = given_for(query, enclave, drawn)
    if decide(query, enclave, privacy, held, NOW).allowed:
        for together in (held + more, more + held):
            assert decide(query, enclave, privacy, together, NOW).allowed


@given(query=queries, enclave=st.sampled_from([WIKI, CRM]), privacy=modes, drawn=many)
@example(carrying("mail"), WIKI, DOCUMENT, [rule("mail", asker="guest")])
def test_grants_allow_nothing_but_what_they_lift(
    query: Query, enclave: Enclave, privacy: Privacy, drawn: list[Grant]
) -> None:
    """Without them, and without a moment, the decision is as it was; with them, it names those that lift the rest."""
    held = given_for(query, enclave, drawn)
    before, after = decide(query, enclave, privacy), decide(query, enclave, privacy, held, NOW)
    assert before == decide(query, enclave, privacy, (), NOW) == decide(query, enclave, privacy, held)
    if after == before:
        return
    assert after.allowed and not before.allowed and enclave.admits != EVERYTHING
    used = [one for one in held if one.id in after.grants and one.in_force(NOW) and one.to == enclave.name]
    own = query.asker.label | ({QUESTION} if privacy is Privacy.QUERY else set())
    lifted = frozenset().union(*(one.lifts | (one.before_reading if not query.because else set()) for one in used))
    assert query.label | own <= enclave.admits | lifted
    assert query.asker.clearance is None or enclave.name in query.asker.clearance
    assert {one.id for one in used if one.asker == query.asker.name} == set(after.grants)


@given(query=queries, enclave=enclaves, privacy=modes, held=many, one=grants_of)
def test_revoking_restores_the_earlier_decision(
    query: Query, enclave: Enclave, privacy: Privacy, held: list[Grant], one: Grant
) -> None:
    for at in range(len(held) + 1):
        revoked = [*held[:at], one.withdrawn(NOW + HOUR), *held[at:]]
        assert decide(query, enclave, privacy, revoked, NOW) == decide(query, enclave, privacy, held, NOW)


@given(query=queries, enclave=enclaves, privacy=modes, held=many, one=grants_of)
def test_a_grant_changes_no_other_decision(
    query: Query, enclave: Enclave, privacy: Privacy, held: list[Grant], one: Grant
) -> None:
    carried = query.label | query.asker.label | ({QUESTION} if privacy is Privacy.QUERY else set())
    others = (
        one.asker != query.asker.name
        or one.to != enclave.name
        or not (one.lifts | one.before_reading) & (carried - enclave.admits)
    )
    if others:
        assert decide(query, enclave, privacy, [*held, one], NOW) == decide(query, enclave, privacy, held, NOW)
        assert decide(query, enclave, privacy, [one, *held], NOW) == decide(query, enclave, privacy, held, NOW)


@given(one=grants_of)
def test_a_grant_survives_being_written_down(one: Grant) -> None:
    with TemporaryDirectory() as folder:
        GrantFile(Path(folder) / "grants.json").add(one)
        assert GrantFile(Path(folder) / "grants.json").all() == (one,)


@pytest.mark.parametrize("time", ["given", "until", "revoked"])
def test_a_time_without_its_zone_is_none(time: str) -> None:
    with pytest.raises(ValueError, match="zone"):
        replace(rule("mail"), **{time: datetime(2026, 5, 4)})  # type: ignore[arg-type]


def test_a_decision_names_no_grants_unless_there_are_any() -> None:
    assert decide(carrying(), WIKI, DOCUMENT) == Decision(True, f"carries only public text; {BOUND}")
