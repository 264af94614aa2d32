from answerable.sets.overlap import OverlapJudge, shared_words
from answerable.testing.reader import JudgeContract


class TestOverlapJudge(JudgeContract):
    judge = OverlapJudge()

    def test_all_words_in_any_form_fit_and_two_of_three_do_not(self) -> None:
        found = self.judge.judge(
            ["browsers that compress files"], [("x", "Browser; compresses a file"), ("x", "files")]
        )
        assert found[0, 0] > 0.9 and found[1, 0] < 0.5

    def test_the_title_counts(self) -> None:
        assert self.judge.judge(["konqueror"], [("konqueror", "A browser.")])[0, 0] > 0.9


def test_words_are_shared_by_their_stems_and_stop_words_say_nothing() -> None:
    found = shared_words(["that are libraries", "the", "library games"], [("libs", "A library.")])
    assert found.tolist() == [[1.0, 0.0, 0.5]]
