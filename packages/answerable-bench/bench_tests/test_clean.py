from hypothesis import given
from hypothesis import strategies as st

from answerable_bench.grammar import clean_mail, clean_page, is_prose
from bench_tests.world import HEADER


def test_wrapped_lines_are_joined_and_short_ones_stay():
    wrapped = (
        "The crane at the second dock was inspected on Tuesday and\nnothing was wrong with it.\n\nMaud "
        "Ekker\nHarbour office"
    )
    assert clean_mail(wrapped) == (
        "The crane at the second dock was inspected on Tuesday and nothing was wrong with it.\n\nMaud "
        "Ekker\nHarbour office"
    )


def test_marks_rules_images_and_addresses_go():
    text = (
        "> The rope held.\n>> It always does.\n-----------\n[IMAGE] See <http://ropes.example/a?b=c> for "
        "more\n****\nMaud"
    )
    assert clean_mail(text) == "The rope held.\nIt always does.\n\nSee for more\n\nMaud"


def test_the_header_stays_as_it_is():
    assert clean_mail(HEADER.format("Rope") + "> It held.") == HEADER.format("Rope") + "It held."


def test_blanks_around_punctuation_are_closed_in_tokenised_pages_only():
    assert clean_page("He ( born 3 May 1921 ) is a well - known sailor 's son , of $ 9 .") == (
        "He (born 3 May 1921) is a well-known sailor's son, of $9."
    )
    plain = "It costs 5 - 6 euros (or more)."
    assert clean_page(plain) == plain


@given(st.text(alphabet="ab ,.>-\n("))
def test_cleaning_twice_is_cleaning_once(text: str):
    once = clean_page(text)
    assert clean_page(once) == once
    assert "\n\n\n" not in clean_mail(text)


def test_tables_of_figures_are_no_prose():
    assert is_prose("Day 12 was a good day.")
    assert not is_prose("1 33 1012.6934 33 17 0\n2 0 1012.6934 0 18 0")
    assert not is_prose("")
