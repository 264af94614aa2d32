"""One build of the boats, shared by the tests that only read it."""

import shutil
from pathlib import Path

import pytest

from bench_tests.sets.world import make


@pytest.fixture(scope="session")
def boats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a build."""
    folder = tmp_path_factory.mktemp("boats")
    make(folder)
    return folder / "out"


@pytest.fixture
def own(boats: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(boats, tmp_path / "own"))
