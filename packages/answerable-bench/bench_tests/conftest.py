"""One build of the small world, shared by the tests that only read it."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from answerable_bench import propose
from answerable_bench.build import build
from answerable_bench.plan import Plan, Sources
from answerable_bench.stages import Done
from answerable_bench.written import export
from bench_tests.world import write_mails, write_pages, write_questions

PLAN = Plan(pairs=60, least=2, per_passage=9, per_entity=9)


def quiet(stage: str, done: int, total: int) -> None:
    """No progress."""


def make(folder: Path, plan: Plan = PLAN) -> dict[str, Done]:
    """The small world built in `folder / "out"` with the questions written on it, by stage."""
    pages, mails, written = folder / "pages.jsonl", folder / "box.mbox", folder / "written.jsonl"

    def done(*lines: Path) -> Sequence[Done]:
        return build(Sources((pages,), (mails,), lines), folder / "out", plan, lambda line: None, quiet)

    if not written.exists():
        write_pages(pages)
        write_mails(mails)
        done()
        export(folder / "out", folder / "pairs.jsonl")
        write_questions(folder / "pairs.jsonl", written)
    return {one.name: one for one in done(written)}


@pytest.fixture(scope="session", autouse=True)
def opened_once() -> Iterator[None]:
    """Every build reads with the same model, which is not opened for each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(propose, "open_reader", cache(propose.open_reader))
        yield


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a build."""
    folder = tmp_path_factory.mktemp("world")
    make(folder)
    return folder / "out"
