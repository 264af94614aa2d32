"""One build of the small world, shared by the tests that only read it."""

from pathlib import Path

import pytest

from answerable_bench.build import build
from answerable_bench.plan import Plan, Sources
from answerable_bench.stages import Done
from bench_tests.world import write_mails, write_pages

PLAN = Plan(pairs=60, least=2, per_passage=9, per_entity=9)


def quiet(stage: str, done: int, total: int) -> None:
    """No progress."""


def make(folder: Path, plan: Plan = PLAN) -> dict[str, Done]:
    """The small world built in `folder / "out"`, by stage."""
    pages, mails = folder / "pages.jsonl", folder / "box.mbox"
    if not pages.exists():
        write_pages(pages)
        write_mails(mails)
    done = build(Sources((pages,), (mails,)), folder / "out", plan, None, lambda line: None, quiet)
    return {one.name: one for one in done}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a build."""
    folder = tmp_path_factory.mktemp("world")
    make(folder)
    return folder / "out"
