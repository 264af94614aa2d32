"""The examples run, and their parts keep to the contracts that the documents name."""

from __future__ import annotations

import re
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from answerable.testing import EncoderContract, ReaderContract, SearchableEnclaveContract

EXAMPLES = Path(__file__).parents[2] / "examples"
SAYS = {
    "own_encoder": ["The boiler is due for service on 3 March."],
    "own_reader": ["1844", "Skerryvore was first lit in 1844."],
    "own_index": ["1531", "The tower of Kopu Lighthouse was completed in 1531.", "wiki", "mail"],
}


def of(name: str) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def test_every_example_is_run() -> None:
    assert sorted(SAYS) == sorted(path.stem for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", SAYS)
@pytest.mark.usefixtures("stand_ins")
def test_an_example_prints_an_answer(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    of(name)["main"]()
    printed = capsys.readouterr().out
    assert all(text in printed for text in SAYS[name]), printed


def of_the_page() -> dict[str, Any]:
    """What docs/parts.md has a reader do, and the test of it that it shows."""
    page = (EXAMPLES.parent / "docs" / "parts.md").read_text("utf-8")
    first, *_, last = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    said: dict[str, Any] = {}
    exec(first.partition("\n\n\nwith ")[0] + "\n" + last, said)
    return said


TestFirstWord = of_the_page()["TestFirstWord"]


class TestTrigrams(EncoderContract):
    encoder = of("own_encoder")["Trigrams"]()


class TestYears(ReaderContract):
    reader = of("own_reader")["Years"]()
    polar = False


class TestShelf(SearchableEnclaveContract):
    def make(self, folder: Path, texts: Mapping[str, str]) -> Any:
        return of("own_index")["Shelf"]("wiki", texts)
