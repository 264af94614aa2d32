"""Who may ask, and how often."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.serving.access import ANYONE, Rates, Tokens


def test_a_token_is_known_by_its_holder():
    tokens = Tokens({"alice": "a" * 32, "bob": "b" * 32})
    assert tokens.holder(b"Bearer " + b"b" * 32) == "bob"
    for header in (None, b"", b"Bearer", b"Bearer " + b"c" * 32, b"Basic " + b"b" * 32, b"Bearer " + b"b" * 31):
        assert tokens.holder(header) is None


def test_a_token_is_all_that_follows_the_word_however_that_is_written():
    tokens = Tokens({"alice": "a" * 32, "bob": "two words"})
    assert (len(tokens), len(Tokens({}))) == (2, 0)
    for word in (b"bearer", b"BEARER"):
        assert tokens.holder(word + b" two words ") == "bob"
    assert tokens.holder(b"Bearer two words" + b" " + b"a" * 32) is None


def test_without_tokens_anyone_may_ask():
    assert Tokens({}).holder(None) == ANYONE


def test_tokens_are_not_kept_as_they_are():
    assert "secret-secret-secret" not in repr(vars(Tokens({"a": "secret-secret-secret"})))


@given(steps=st.lists(st.floats(0, 3), max_size=60), rate=st.floats(0.5, 20))
def test_no_holder_gets_more_than_the_rate_and_two_seconds_worth(steps, rate):
    now = 0.0
    rates = Rates(rate, lambda: now)
    allowed = 0
    for step in steps:
        now += step
        allowed += not rates.wait("a")
    assert allowed <= max(1.0, 2 * rate) + now * rate + 1e-6


def test_who_waits_as_told_may_ask_and_holders_do_not_disturb_each_other():
    now = 0.0
    rates = Rates(2.0, lambda: now)
    assert [rates.wait("a") for _ in range(4)] == [0.0] * 4
    wait = rates.wait("a")
    assert 0 < wait <= 0.5
    assert not rates.wait("b")
    now += wait
    assert not rates.wait("a")


def test_however_long_nothing_is_asked_no_more_is_saved_up():
    now = [0.0]
    for rate, full in ((3.0, 6), (0.2, 1)):
        rates = Rates(rate, lambda: now[0])
        for idle in (0.0, 1e6, 1e6):
            now[0] += idle
            assert [not rates.wait("a") for _ in range(full + 1)] == [True] * full + [False]
            assert rates.wait("a") == pytest.approx(1 / rate)


def test_who_asks_too_early_is_told_how_long_to_wait_and_loses_nothing():
    now = [0.0]
    rates = Rates(2.0, lambda: now[0])
    assert [rates.wait("a") for _ in range(4)] == [0.0] * 4
    for step, wait in ((0.0, 0.5), (0.125, 0.375), (0.25, 0.125), (0.125, 0.0), (0.0, 0.5), (0.5, 0.0)):
        now[0] += step
        assert rates.wait("a") == wait


def test_a_rate_of_nothing_bounds_nothing():
    assert Rates(0.0).wait("a") == 0.0
    assert not any(Rates(0.0).wait("a") for _ in range(1000))
