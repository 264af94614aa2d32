from __future__ import annotations

from answerable.encoders.choose import SKILLS, encoder_folder
from answerable.encoders.shipped import open_shipped
from answerable.readers.paths import open_paths
from answerable.testing.reader import LIGHT, OTHER, chain

QUESTION = "Who designed Skerryvore Lighthouse?"
READER = open_paths(open_shipped(encoder_folder(SKILLS)), 1)


def test_the_path_that_is_needed_comes_first() -> None:
    right, wrong = chain(LIGHT), chain(OTHER, title="Chance Brothers")
    for chains in ([right, wrong], [wrong, right]):
        assert READER.rank(QUESTION, chains)[0][0] == right


def test_the_sentence_with_the_answer_supports_it() -> None:
    (path,) = READER.look(QUESTION, [chain(LIGHT)])
    assert [LIGHT[one.start - 100 : one.end - 100] for one in path.supporting] == [LIGHT[LIGHT.index("It was") :]]
