from hypothesis import given
from hypothesis import strategies as st

from answerable_bench.rules import Occurrences, content_words
from bench_tests.world import mail

TEXTS = st.lists(st.lists(st.sampled_from("rope crane dock petrel tide signal".split())), max_size=8)


@given(TEXTS, st.sets(st.sampled_from("rope crane dock petrel tide".split()), min_size=1))
def test_passages_that_hold_all_words_are_found(texts: list[list[str]], wanted: set[str]):
    passages = [mail(" ".join(text), f"e{number}_p0", "") for number, text in enumerate(texts)]
    found = Occurrences(passages).holding(sorted(wanted))
    assert found == [passage.id for passage in passages if wanted <= set(passage.text.split())]


def test_no_words_are_held_by_none():
    assert Occurrences([mail("rope")]).holding([]) == []


def test_words_that_tell_nothing_are_left_out():
    assert content_words("The person who signed the Petrel's contract, and the contract") == [
        "signed",
        "petrel",
        "contract",
    ]
