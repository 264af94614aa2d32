"""A Ray cluster of two processes, really started: the same is made, whoever is killed, and only where it may be."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import answerable
from answerable.errors import WorkspaceError
from answerable.types import PUBLIC, Label
from answerable.work.spread import Task, WorkSettings, workers
from tests.work.test_same import indexed_in_both_ways
from tests.work.test_spread import mortal, secretive

MAIL, CRM = frozenset({"mail"}), frozenset({"crm"})
CLUSTER = WorkSettings(cluster="auto")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Two processes that may see mail, on this machine and open to nobody else."""
    os.environ.setdefault("RAY_raylet_start_wait_time_s", "120")  # read when it is imported; a busy machine takes long
    ray: Any = pytest.importorskip("ray")
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    ray.init(
        num_cpus=2, resources={"enclave:mail": 1}, object_store_memory=80 * 2**20, _node_ip_address="127.0.0.1", **quiet
    )
    yield
    ray.shutdown()


def tasks(count: int, label: Label = MAIL) -> Iterator[Task[int]]:
    return (Task(f"number {one}", label, one) for one in range(count))


def test_killed_actors_lose_nothing_and_text_goes_to_none_that_is_not_cleared(tmp_path: Path) -> None:
    with workers(CLUSTER) as those:
        assert dict(those.map(partial(mortal, tmp_path), tasks(3))) == {number: -number for number in range(3)}
        assert sorted(map(int, (tmp_path / "begun").read_text().split())) == [0, 0, 1, 2]
        with pytest.raises(WorkspaceError, match="no machine of the cluster at auto is cleared for crm") as caught:
            list(those.map(secretive, tasks(1, CRM | MAIL)))
        assert '"enclave:crm": 1' in str(caught.value.hint)
        with pytest.raises(answerable.AnswerableError, match=r"KeyError\) at number 2"):
            list(those.map(secretive, tasks(3, PUBLIC)))


def test_a_workspace_is_the_same_as_by_one_process(tmp_path: Path) -> None:
    indexed_in_both_ways(tmp_path, {"work.cluster": "auto"})
