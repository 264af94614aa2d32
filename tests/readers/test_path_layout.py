from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from answerable.errors import ModelError
from answerable.readers.layout import Laid
from answerable.readers.paths import MARK, PathLayout, sentences_in

WORDS = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "yes", "no", MARK, *(f"w{i}" for i in range(900))]


def tokenizer(words: list[str]) -> Tokenizer:
    made = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    return made


LAYOUT = PathLayout(tokenizer(WORDS), most=128)


def parts(*sizes: int) -> list:  # type: ignore[type-arg]
    tokens = LAYOUT.tokens([t for n in sizes for t in ("w7 .", " ".join(f"w{i}" for i in range(n)))])
    return list(zip(tokens[0::2], tokens[1::2], strict=True))


def first(number: int, size: int, room: int) -> int:
    return 0


def test_a_path_is_laid_as_the_paper_says() -> None:
    question, one, other = LAYOUT.tokens(["w1 w2", "w3 w4 w5", "w6"])
    empty = LAYOUT.tokens([""])[0]
    laid = LAYOUT.lay(question, [(LAYOUT.tokens(["w8 ."])[0], one), (empty, other)], first)
    shown = [LAYOUT.tokenizer.id_to_token(token) for token in laid.ids]
    before = ["[CLS]", "w1", "w2", "[SEP]", "yes", "no"]
    assert shown == [*before, MARK, "w8", "[UNK]", "w3", "w4", "w5", MARK, "w6", "[SEP]"]
    assert LAYOUT.marks(laid) == [6, 12] and LAYOUT.polar(laid) == (4, 5)
    assert laid.places == [(9, 0, 3), (13, 0, 1)]


@settings(max_examples=60, deadline=None)
@given(sizes=st.lists(st.integers(0, 400), min_size=1, max_size=3), asked=st.integers(1, 90))
def test_windows_show_every_token_and_keep_to_the_limit(sizes: list[int], asked: int) -> None:
    question = LAYOUT.tokens([" ".join(f"w{i}" for i in range(asked))])[0]
    seen: list[set[int]] = [set() for _ in sizes]
    for laid in LAYOUT.windows(question, parts(*sizes)):
        assert len(laid.ids) <= 128 and laid.ids[-1] == LAYOUT.sep
        assert len(LAYOUT.marks(laid)) == len(sizes)
        for number, (_, begin, shown) in enumerate(laid.places):
            seen[number] |= set(range(begin, begin + shown))
    assert [len(one) for one in seen] == sizes


def test_sentences_are_found_as_far_as_they_are_shown() -> None:
    text = "one two. Three four five. Six."
    offsets = [(0, 3), (4, 7), (7, 8), (9, 14), (15, 19), (20, 24), (24, 25), (26, 29), (29, 30)]
    sentences = [(0, 8), (9, 25), (26, 30), (30, 30)]
    laid = Laid([0] * 20, [], [(10, 1, 4)])  # tokens 1 to 4 of the text stand at 10 to 13
    found = sentences_in(laid, [offsets], [sentences])
    assert [(one.number, one.start, one.end) for one in found] == [(0, 10, 12), (1, 12, 14)]
    whole = sentences_in(Laid([0] * 20, [], [(3, 0, 9)]), [offsets], [sentences])
    assert [text[offsets[one.start - 3][0] : offsets[one.end - 4][1]] for one in whole] == [
        "one two.",
        "Three four five.",
        "Six.",
    ]


@pytest.mark.parametrize("lacking", ["yes", "no", MARK])
def test_a_tokenizer_that_lacks_what_marks_a_path_is_refused(lacking: str) -> None:
    with pytest.raises(ModelError, match="has no yes, no"):
        PathLayout(tokenizer([word for word in WORDS if word != lacking]))
