"""What every judge of constraints must keep to; a test class inherits this and says which judge."""

from __future__ import annotations

import numpy as np

from answerable.sets.judge import Judge

TEXTS = (
    ("konqueror", "A web browser and file manager, built with Qt."),
    ("dillo", "A small web browser built with FLTK."),
    ("gzip", "Compresses files."),
    ("qtcreator", "An editor for programs that are built with Qt."),
)
CONSTRAINTS = ("web browsers", "built with Qt")


class JudgeContract:
    """Inherit and define `judge`."""

    judge: Judge

    def test_gives_a_probability_for_each_text_and_constraint(self) -> None:
        found = self.judge.judge(CONSTRAINTS, TEXTS)
        assert found.shape == (4, 2) and found.dtype == np.float32
        assert np.isfinite(found).all() and (found >= 0).all() and (found <= 1).all()

    def test_no_other_text_or_constraint_changes_it(self) -> None:
        found = self.judge.judge(CONSTRAINTS, TEXTS)
        for row, text in enumerate(TEXTS):
            for column, constraint in enumerate(CONSTRAINTS):
                alone = self.judge.judge([constraint], [text])
                assert abs(float(alone[0, 0]) - float(found[row, column])) < 1e-3

    def test_tells_what_fits_from_what_does_not(self) -> None:
        found = self.judge.judge(CONSTRAINTS, TEXTS)
        assert found[0, 0] > found[2, 0] and found[0, 1] > found[2, 1] and found[1, 0] > found[1, 1]

    def test_no_texts_are_judged_too(self) -> None:
        assert self.judge.judge(CONSTRAINTS, []).shape == (0, 2)

    def test_has_a_name(self) -> None:
        assert self.judge.name
