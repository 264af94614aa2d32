import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.readers.overlap import OverlapReader
from answerable.readers.spelling import COMMON, Spelling, spelling_for
from answerable.testing.reader import chain

TEXT = (
    "The gift fight is on Friday: bring a gift of $10. Derailed was built for Pickle and his valve in Austin. "
    "The dress is done: regrind."
)
WORDS = ["don", "which", "with", "much", "ground", "fight", "visit", "played", "early", "whose", "shows", "address"]


@pytest.fixture(scope="module")
def spelling() -> Spelling:
    return Spelling([*WORDS, *map(str, range(COMMON)), "thicker"])


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("wich gift", "which gift"),  # a letter left out comes before one that is another: not "with"
        ("how mutch is the gift fihgt", "how much is the gift fight"),
        ("the new vavle", "the new valve"),  # as the passage has it
        ("who made Deraild", "who made Derailed"),
        ("is it erly in Austn?", "is it early in Austin?"),
        ("the adress", "the address"),  # its first letter is seldom wrong: not "dress"
        ("the addresst", "the address"),
        ("who is derauled", "who is derailed"),
        ("wen is the gift fihgt", "when is the gift fight"),
        ("wo is it for", "who is it for"),
    ],
)
def test_a_misspelt_word_becomes_the_nearest(spelling: Spelling, asked: str, meant: str) -> None:
    assert spelling.mended(asked, [chain(TEXT)])[0] == meant


@pytest.mark.parametrize(
    "asked",
    [
        "which gifts were brought for fights",  # other forms of words that are known
        "who is Visitt",  # a name that no passage has is not put right by the vocabulary
        "whos here and hows it, what dont they know, is it reground",  # two words in one
        "is it 10valve or valve's or e-valve",  # what is no word of letters alone
        "was ist das Geschenkk und wer bringt es mit",
        "the qqqqq zzzzz",
        "who has the gifd",  # a letter that is another makes another word, where there are few letters
        "where is Austen",  # or the word is a name
        "was it gerailed",  # or it is the first
        "wen, the gift",  # no question
        "Wen is early",  # a name
        "a ticker",  # a vocabulary has rare words that are near to many: nothing found has "thicker"
    ],
)
def test_other_words_stay(spelling: Spelling, asked: str) -> None:
    assert spelling.mended(asked, [chain(TEXT)]) == (asked, ())


def test_each_change_is_told_once_and_in_order(spelling: Spelling) -> None:
    assert spelling.mended("Wich vavle, wich vavle?", [chain(TEXT)]) == (
        "Which valve, which valve?",
        (("Wich", "Which"), ("vavle", "valve"), ("wich", "which")),
    )


@given(st.text())
def test_what_is_put_right_stays_so(text: str) -> None:
    spelling = Spelling(WORDS)
    meant, changed = spelling.mended(text, [chain(TEXT)])
    assert (meant == text) is (not changed)
    assert spelling.mended(meant, [chain(TEXT)]) == (meant, ())


def test_it_is_for_readers_of_english_alone() -> None:
    class English(OverlapReader):
        english = True

    assert spelling_for(OverlapReader()) is None
    found = spelling_for(English())
    assert found is not None
    assert found.mended("wich goverment", [])[0] == "which government"
