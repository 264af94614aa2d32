"""One parser for all tests here: opening it takes a second."""

from __future__ import annotations

import pytest

from answerable.qapairs.generation.parsing import Parser


@pytest.fixture(scope="session")
def parser() -> Parser:
    return Parser()
