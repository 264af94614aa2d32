"""Several asks in a row tell neither an enclave nor an asker of lower clearance anything of hidden text."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.chains.beam import gather
from answerable.types import Privacy, Skill
from tests.laws import broken, broken_sessions
from tests.laws.sessions import SESSION_TABLES, Make, Session, draw_session
from tests.laws.worlds import at_least, draw, trials


@pytest.mark.parametrize("table", range(len(SESSION_TABLES)))
def test_nothing_hidden_is_told_over_several_asks(table: int) -> None:
    """Neither to the enclave, by what it is sent, nor to the guest: own answers, traces, errors and the log."""
    rng = random.Random(200 + table)
    sent = shown = failed = 0
    for number in range(trials(25)):
        session = draw_session(rng, [SESSION_TABLES[table]])
        first, second = session.told(lambda: gather)
        assert first == second, f"session {number} of table {table}"
        sent += len(first.enclave)
        shown += sum(len(trace) for trace, _ in first.guest)
        failed += str(first.guest).count("could not be asked")
    assert sent > 100 and shown > 200 and failed > 5  # the law is not empty


@given(seed=st.integers(0, 2**32))
def test_any_seed(seed: int) -> None:
    first, second = draw_session(random.Random(seed)).told(lambda: gather)
    assert first == second


LEAKS: tuple[tuple[str, Make], ...] = (
    ("mask", lambda: broken.mask),
    ("joint", lambda: broken.joint),
    ("keep old", lambda: broken.keep_old),
    ("enough", lambda: broken.enough),
    ("again", lambda: broken_sessions.again),
    ("answers", broken_sessions.Answers),
    ("hops", broken_sessions.Hops),
    ("crowded", broken_sessions.Crowded),
    ("quoting", lambda: broken_sessions.quoting),
)


@pytest.mark.parametrize(("name", "make"), LEAKS)
def test_the_law_catches_each_mistake(name: str, make: Make) -> None:
    """Three times within 150 sessions; the benchmark has the shares."""
    rng = random.Random(15)  # one that shows each soon
    assert at_least(3, (_differs(make, draw_session(rng)) for _ in range(150)))


def test_the_law_catches_a_failure_that_is_carried_over() -> None:
    """A mirror that failed at one private text, left alone with another: rarer, so on the table where it matters."""
    rng = random.Random(13)
    sessions = (draw_session(rng, SESSION_TABLES[-1:]) for _ in range(300))
    assert any(_differs(lambda: broken_sessions.give_up, session) for session in sessions)


def _differs(make: Make, session: Session) -> bool:
    first, second = session.told(make)
    return first != second


def test_what_is_drawn_covers_every_skill_and_mode() -> None:
    """Two and three enclaves, both private modes, each search mode, and each skill where the observer can see it."""
    rng = random.Random(4)
    drawn: Counter[object] = Counter()
    for _ in range(250):
        trial = draw(rng)
        first = trial.sent(gather)
        linked = any(mode == "entity" for _, _, mode, _ in first)
        expanded = any(text != trial.question for text, _, mode, _ in first if mode != "entity")
        drawn.update([len(trial.table), trial.privacy, trial.mode])
        drawn.update([Skill.MENTION] * linked + [Skill.EXPANDED] * expanded)
    wanted = [2, 3, Privacy.DOCUMENT, Privacy.QUERY, "hybrid", "dense", "lexical", Skill.MENTION, Skill.EXPANDED]
    assert all(drawn[one] >= 20 for one in wanted), drawn
    asked = {mode for _ in range(60) for _, _, mode in draw_session(rng).asks}
    assert asked == set(Privacy)
